//! What structures say alike: the questions that are their own methods too, and those that trees pass on to
//! the same searches.

/// The questions that are asked most, as methods of the structure, which need no import.
macro_rules! own_questions {
    (
        impl[$($generics:tt)*] $index:ty { $item:ty, $vector:ty, $key:ty }
        $(#[$query:meta])* query;
        $(#[$count:meta])* count;
        $(#[$nearest:meta])* nearest;
    ) => {
        /// The questions that are asked most; [`SpatialIndex`](crate::SpatialIndex) has all of them.
        impl<$($generics)*> $index {
            $(#[$query])*
            #[inline]
            pub fn query<R>(&self, region: R) -> $crate::query::Query<'_, Self, R>
            where
                R: $crate::overlap::Region<Vector = $vector> + $crate::overlap::Overlaps<$item>,
            {
                $crate::query::SpatialIndex::query(self, region)
            }

            $(#[$count])*
            #[must_use]
            #[inline]
            pub fn count<R>(&self, region: R) -> usize
            where
                R: $crate::overlap::Region<Vector = $vector> + $crate::overlap::Overlaps<$item>,
            {
                $crate::query::SpatialIndex::count(self, region)
            }

            $(#[$nearest])*
            #[must_use]
            pub fn nearest(
                &self,
                point: $vector,
            ) -> Option<$crate::nearest::Nearest<$key, <$vector as $crate::vector::Vector>::Scalar>>
            where
                $item: $crate::overlap::Distance,
            {
                $crate::query::SpatialIndex::nearest(self, point)
            }
        }
    };
}
pub(crate) use own_questions;

/// Of an `impl SpatialIndex`: the questions that an [`ItemTree`](super::ItemTree) answers node by node.
macro_rules! tree_questions {
    () => {
        type Walk<'a, R>
            = $crate::query::TreeWalk<'a, Self, R>
        where
            Self: 'a,
            R: $crate::overlap::Region<Vector = Self::Vector>
                + $crate::overlap::Overlaps<Self::Item>;

        #[inline]
        fn walk<R>(&self, region: R) -> $crate::query::TreeWalk<'_, Self, R>
        where
            R: $crate::overlap::Region<Vector = Self::Vector>
                + $crate::overlap::Overlaps<Self::Item>,
        {
            $crate::query::TreeWalk::new(self, region)
        }

        fn sweep<M: $crate::sweep::Mover<Self::Item>>(
            &self,
            mover: M,
        ) -> Option<$crate::query::Hit<Self::Key, Self::Vector>> {
            $crate::query::first_in_tree(self, &mover)
        }

        fn sweep_all<M: $crate::sweep::Mover<Self::Item>>(
            &self,
            mover: M,
        ) -> alloc::vec::Vec<$crate::query::Hit<Self::Key, Self::Vector>> {
            $crate::query::all_in_tree(self, &mover)
        }

        fn extent(&self) -> Option<$crate::overlap::Extent<Self::Vector>> {
            $crate::query::extent_of(self)
        }

        fn offer_best_first(
            &self,
            bound: impl Fn(
                &$crate::overlap::Extent<Self::Vector>,
            ) -> <Self::Vector as $crate::vector::Vector>::Scalar,
            distance_sq: impl Fn(&Self::Item) -> <Self::Vector as $crate::vector::Vector>::Scalar,
            best: &mut $crate::nearest::Closest<
                <Self::Vector as $crate::vector::Vector>::Scalar,
                Self::Key,
            >,
        ) {
            let bound = |extent: &$crate::overlap::Extent<_>| Some(bound(&extent.cast()));
            $crate::query::offer_best_first(self, &bound, |item| Some(distance_sq(item)), best);
        }
    };
}
pub(crate) use tree_questions;

/// The same of a tree that is asked by blocks too, if its kernels know how.
macro_rules! block_tree_questions {
    () => {
        $crate::query::tree_questions!();

        fn offer_nearest_by<N>(
            &self,
            norm: &N,
            from: T::Vector,
            best: &mut $crate::nearest::Closest<
                <T::Vector as $crate::vector::Vector>::Scalar,
                Self::Key,
            >,
        ) where
            N: $crate::norm::Norm<T::Vector>,
            T: $crate::norm::DistanceBy<N>,
        {
            use $crate::shape::Layout;
            let by_lanes = matches!(T::LAYOUT, Layout::Point | Layout::Box);
            if by_lanes && self.core.instructions.is_wide() {
                let (from, measure) = (from.array(), norm.by_lanes().cast());
                <$crate::shape::ArrayOf<T>>::nearest_by(&self.core, from, measure, best);
            } else {
                $crate::query::offer_by_norm(self, norm, from, best);
            }
        }

        type ByBlocks = $crate::overlap::lanes::Asked<$crate::shape::ArrayOf<T>>;

        fn len(&self) -> usize {
            self.core.len
        }

        #[inline(always)]
        fn by_blocks<R>(&self, region: &R) -> Option<Self::ByBlocks>
        where
            R: $crate::overlap::Region<Vector = T::Vector> + $crate::overlap::Overlaps<T>,
        {
            $crate::overlap::lanes::Asked::of(region, T::LAYOUT, self.core.instructions)
        }

        fn offer_nearest(
            &self,
            from: $crate::overlap::distance::Center<T::Vector>,
            best: &mut $crate::nearest::Closest<
                <T::Vector as $crate::vector::Vector>::Scalar,
                Self::Key,
            >,
        ) where
            T: $crate::overlap::Distance,
        {
            if T::LAYOUT != $crate::shape::Layout::Whole && self.core.instructions.is_wide() {
                <$crate::shape::ArrayOf<T>>::nearest(&self.core, &from.cast(), best);
            } else {
                $crate::query::nearest_in_tree(self, from, best);
            }
        }
    };
}
pub(crate) use block_tree_questions;

/// Of an `impl ItemTree`: nodes, and the searches among them by kernels.
macro_rules! tree_of_nodes {
    () => {
        type Nodes = Tree<$crate::shape::ArrayOf<T>>;
        type Item = T;

        #[inline]
        fn nodes(&self) -> &Self::Nodes {
            &self.core
        }

        #[inline]
        fn next_node(
            &self,
            region: &dyn $crate::query::Relate<$crate::shape::ArrayOf<T>>,
            descent: &mut $crate::query::Descent,
        ) -> Option<(u32, bool)> {
            <$crate::shape::ArrayOf<T>>::next_node(&self.core, region, descent)
        }

        #[inline]
        fn best_first(
            &self,
            bound: &$crate::query::Bound<'_, $crate::shape::ArrayOf<T>>,
            offer: &mut dyn FnMut(u32) -> <$crate::shape::ArrayOf<T> as Vector>::Scalar,
        ) {
            <$crate::shape::ArrayOf<T>>::best_first(&self.core, bound, offer);
        }
    };
}
pub(crate) use tree_of_nodes;

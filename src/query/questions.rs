//! The questions that are methods of each structure too.

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

//! The questions that every structure answers, so that they read and behave the same.

/// `queries!(structure, as what it is asked, vector, item, key, list, complexity)`, and optionally
/// how many regions are asked at once.
macro_rules! queries {
    (
        impl[$($g:tt)*] $structure:ty, asked = $asked:ty: |$me:ident| $as:expr,
        vector = $v:ty, item = $t:ty, key = $key:ty, listed = $listed:ty,
        complexity = $complexity:literal
    ) => {
        $crate::query::queries!(
            impl[$($g)*] $structure, asked = $asked: |$me| $as,
            vector = $v, item = $t, key = $key, listed = $listed,
            complexity = $complexity,
            batch = |this, regions| $crate::Lists::collect(regions, |region, found| {
                this.query(region).append_to(found);
            })
        );
    };
    (
        impl[$($g:tt)*] $structure:ty, asked = $asked:ty: |$me:ident| $as:expr,
        vector = $v:ty, item = $t:ty, key = $key:ty, listed = $listed:ty,
        complexity = $complexity:literal,
        batch = |$this:ident, $regions:ident| $batch:expr
    ) => {
        impl<$($g)*> $structure {
            /// The items that overlap a region, lazily, each once.
            ///
            /// # Complexity
            ///
            #[doc = $complexity]
            #[inline]
            pub fn query<R>(&self, region: R) -> $crate::Query<$asked, R>
            where
                R: $crate::Region<Vector = $v> + $crate::Overlaps<$t>,
            {
                let $me = self;
                $crate::Query::new($as, region)
            }

            /// Calls `f` with each item that [`query`](Self::query) gives, in the same order, until
            /// it breaks.
            ///
            /// # Complexity
            ///
            /// That of [`query`](Self::query) for what is visited.
            #[inline]
            pub fn visit<R, B>(
                &self,
                region: R,
                f: impl FnMut($key) -> core::ops::ControlFlow<B>,
            ) -> core::ops::ControlFlow<B>
            where
                R: $crate::Region<Vector = $v> + $crate::Overlaps<$t>,
            {
                self.query(region).visit(f)
            }

            /// The number of items that overlap a region.
            ///
            /// # Complexity
            ///
            /// That of [`query`](Self::query), or less.
            #[must_use]
            #[inline]
            pub fn count<R>(&self, region: R) -> usize
            where
                R: $crate::Region<Vector = $v> + $crate::Overlaps<$t>,
            {
                self.query(region).count()
            }

            /// The answers to many regions at once: list `i` is what [`query`](Self::query) gives
            /// for region `i`, in the same order. On several threads with the feature `rayon`.
            ///
            /// # Complexity
            ///
            /// That of [`query`](Self::query) for each region.
            #[must_use]
            pub fn query_batch<R>(&self, regions: &[R]) -> $crate::Lists<$listed>
            where
                R: $crate::Region<Vector = $v> + $crate::Overlaps<$t> + Sync,
                $t: Sync,
            {
                let ($this, $regions) = (self, regions);
                $batch
            }
        }
    };
}
pub(crate) use queries;

use fearless_simd::Simd;

use crate::Vector;
use crate::overlap::lanes::W;
use crate::simd::Wide;

/// Up to which distance two points are near.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    /// One radius for all.
    Radius,
    /// The larger of two sizes.
    Larger,
    /// The sum of two sizes.
    Sum,
}

impl Limit {
    /// Points have sizes.
    #[inline(always)]
    pub(super) fn is_sized(self) -> bool {
        self != Self::Radius
    }

    /// How many columns there are.
    #[inline(always)]
    pub(super) fn columns<V: Vector>(self) -> usize {
        V::DIM + usize::from(self.is_sized())
    }

    /// The square of the distance for sixteen points; `size` is that of the point which asks, or the
    /// radius for all.
    #[inline(always)]
    pub(super) fn squares<V: Vector, S: Simd>(
        self,
        size: W<V, S>,
        sizes: impl FnOnce() -> W<V, S>,
    ) -> W<V, S> {
        let distance = match self {
            Self::Radius => size,
            Self::Larger => size.larger(sizes()),
            Self::Sum => size + sizes(),
        };
        distance * distance
    }
}

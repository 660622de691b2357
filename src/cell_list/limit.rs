use fearless_simd::Simd;

use crate::Vector;
use crate::overlap::lanes::W;
use crate::simd::Wide;

/// When two points are near.
pub(crate) trait Limit<V: Vector>: Copy + Send + Sync {
    /// Points have sizes.
    const SIZED: bool;

    /// The square of the distance up to which they are, for sixteen sizes; `size` is that of the point
    /// which asks, or the radius for all.
    fn squares<S: Simd>(size: W<V, S>, sizes: W<V, S>) -> W<V, S>;
}

/// Within one radius.
#[derive(Clone, Copy)]
pub(crate) struct Same;

impl<V: Vector> Limit<V> for Same {
    const SIZED: bool = false;

    #[inline(always)]
    fn squares<S: Simd>(size: W<V, S>, _: W<V, S>) -> W<V, S> {
        size * size
    }
}

/// Within the larger of two sizes.
#[derive(Clone, Copy)]
pub(crate) struct Larger;

impl<V: Vector> Limit<V> for Larger {
    const SIZED: bool = true;

    #[inline(always)]
    fn squares<S: Simd>(size: W<V, S>, sizes: W<V, S>) -> W<V, S> {
        let larger = size.larger(sizes);
        larger * larger
    }
}

/// Within the sum of two sizes.
#[derive(Clone, Copy)]
pub(crate) struct Sum;

impl<V: Vector> Limit<V> for Sum {
    const SIZED: bool = true;

    #[inline(always)]
    fn squares<S: Simd>(size: W<V, S>, sizes: W<V, S>) -> W<V, S> {
        let sum = size + sizes;
        sum * sum
    }
}

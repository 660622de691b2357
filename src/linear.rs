//! The scan: the oracle of the tests, the baseline of the benches, and for a few dozen items the
//! fastest structure.

use alloc::vec::Vec;
use core::convert::Infallible;
use core::ops::Range;

use crate::nearest::nearest;
use crate::overlap::{Extent, check_items};
use crate::query::{Asked, Walk, queries};
use crate::sweep::sweeps;
use crate::{Bounded, Distance, Error, Overlaps, Region, Sweep};

/// Items in a row, each asked in turn.
///
/// Answers in the order of the input. Its answers define those of every other structure.
///
/// ```
/// use orthant::{Linear, Sphere};
/// let scan = Linear::new(&[[0.0, 0.0], [3.0, 4.0], [9.0, 9.0]]);
/// assert_eq!(scan.query(Sphere::new([0.0, 0.0], 5.0)).collect::<Vec<_>>(), [0, 1]);
/// assert_eq!(scan.nearest([8.0, 8.0]).unwrap().item, 2);
/// ```
#[derive(Clone, Debug)]
pub struct Linear<T> {
    items: Vec<T>,
}

impl<T: Bounded + Clone> Linear<T> {
    /// Copies the items.
    ///
    /// # Panics
    ///
    /// Where [`try_new`](Self::try_new) returns an error.
    #[must_use]
    #[track_caller]
    pub fn new(items: &[T]) -> Self {
        Self::try_new(items).unwrap_or_else(|error| panic!("Linear: {error}"))
    }

    /// Copies the items.
    ///
    /// # Errors
    ///
    /// If a coordinate is infinite or NaN (the error names the item), or there are more items
    /// than `u32` can number, less one.
    pub fn try_new(items: &[T]) -> Result<Self, Error> {
        check_items(items)?;
        Ok(Self {
            items: items.to_vec(),
        })
    }
}

impl<T> Linear<T> {
    /// The number of items.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

impl<T: Bounded> Linear<T> {
    /// What is known of all items; `None` where there are none.
    pub(crate) fn extent(&self) -> Option<Extent<T::Vector>> {
        let extents = self.items.iter().map(Extent::of);
        extents.reduce(|all, one| all.union(&one))
    }
}

/// The walk of a scan: one run.
#[allow(
    missing_debug_implementations,
    reason = "cannot be named outside the crate"
)]
pub struct Scan<'a, T, R> {
    items: &'a [T],
    region: R,
    left: Option<Range<u32>>,
}

impl<T, R> Walk for Scan<'_, T, R>
where
    T: Bounded,
    R: Region<Vector = T::Vector> + Overlaps<T>,
{
    type Key = usize;
    type Run = Range<u32>;

    fn next_run(&mut self) -> Option<(Range<u32>, bool)> {
        self.left.take().map(|run| (run, false))
    }

    #[inline(always)]
    fn hits(&self, slot: u32) -> bool {
        self.region.overlaps(&self.items[slot as usize])
    }

    #[inline(always)]
    fn key(&self, slot: u32) -> usize {
        slot as usize
    }
}

queries!(
    impl[T: Bounded] Linear<T>, asked = &Self: |this| this,
    vector = T::Vector, item = T, key = usize, listed = u32,
    complexity = "O(n)."
);

impl<'a, T, R> Asked<R> for &'a Linear<T>
where
    T: Bounded,
    R: Region<Vector = T::Vector> + Overlaps<T>,
{
    type Key = usize;
    type Ahead = Infallible;
    type Walk = Scan<'a, T, R>;

    fn ahead(self, _: &R) -> Option<Infallible> {
        None
    }

    fn walk(self, region: R) -> Scan<'a, T, R> {
        Scan {
            items: &self.items,
            region,
            left: Some(0..self.items.len() as u32),
        }
    }
}

nearest!(
    impl[T: Distance] Linear<T>, vector = T::Vector, key = usize,
    |this, from, best| for (i, item) in this.items.iter().enumerate() {
        best.offer(item.distance_sq(from), i);
    }
);

sweeps!(
    impl[T: Bounded] Linear<T>, vector = T::Vector, item = T, key = usize,
    |this, moving| walk = Scan {
        items: &this.items,
        region: moving,
        left: Some(0..this.items.len() as u32),
    },
    item = |slot| &this.items[slot as usize],
    first = |first| for (i, item) in this.items.iter().enumerate() {
        if let Some((time, _)) = moving.times(item) {
            first.offer(time, i, i as u32);
        }
    }
);

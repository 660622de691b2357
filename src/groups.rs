//! Groups of items, which [`components`](crate::Orthtree::components) and [`dbscan`](crate::Orthtree::dbscan) return, and the disjoint sets
//! from which they are made.

use alloc::vec::Vec;

use crate::error::{or_panic, shown_as};
use crate::lists::Lists;

/// Groups of items: connected components, or clusters, which may leave out some items as noise. Groups are numbered from 0 in the order of
/// their least index; clusters, in the order of the least index of a core point.
///
/// ```
/// use orthant::{Quadtree, glam::Vec2};
/// let points = [Vec2::ZERO, Vec2::X * 9.0, Vec2::X, Vec2::X * 2.0];
/// let groups = Quadtree::new(&points).components(1.0);
/// assert_eq!((groups.len(), groups.labels()), (2, &[0, 1, 0, 0][..]));
/// assert_eq!(groups.groups(), [vec![0, 2, 3], vec![1]].into_iter().collect());
/// ```
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Groups {
    pub(crate) labels: Vec<u32>,
    pub(crate) len: usize,
}

impl Groups {
    /// The label in [`labels`](Self::labels) of items that are in no group.
    pub const NOISE: u32 = u32::MAX;

    /// The number of groups.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns true if there are no groups.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The group of an item; `None` if it is noise.
    ///
    /// ```
    /// use orthant::Quadtree;
    /// let groups = Quadtree::new(&[[0.0, 0.0].into(), [1.0, 0.0].into(), [9.0, 0.0].into()]).dbscan(1.0, 2);
    /// assert_eq!([0, 1, 2].map(|i| groups.label(i)), [Some(0), Some(0), None]);
    /// ```
    ///
    /// # Panics
    ///
    /// If there is no such item.
    #[must_use]
    #[track_caller]
    pub fn label(&self, item: usize) -> Option<usize> {
        let label = self.labels[item];
        (label != Self::NOISE).then_some(label as usize)
    }

    /// The group of each item, [`NOISE`](Self::NOISE) for items in no group.
    #[must_use]
    pub fn labels(&self) -> &[u32] {
        &self.labels
    }

    /// The items of each group, ascending.
    ///
    /// # Complexity
    ///
    /// O(n).
    ///
    /// # Panics
    ///
    /// If memory does not suffice.
    #[must_use]
    #[track_caller]
    pub fn groups(&self) -> Lists<u32> {
        let labels = self.labels.iter().copied().zip(0..);
        let grouped = labels.filter(|&(label, _)| label != Self::NOISE);
        or_panic("Groups", Lists::of_entries(self.len, grouped))
    }
}

shown_as!(impl[] Groups as "Groups", |this| items: this.labels.len(), groups: this.len);

/// Disjoint sets with path halving (R. E. Tarjan and J. van Leeuwen, "Worst-case analysis of set union algorithms", 1984). Each element
/// points to an element of its set that is not greater; the least element points to itself.
pub(crate) struct Forest(Vec<u32>);

impl Forest {
    /// Sets of one element each.
    pub(crate) fn new(len: usize) -> Self {
        Self((0..len as u32).collect())
    }

    /// The least element of the set of an element.
    #[inline(always)]
    pub(crate) fn find(&mut self, mut of: u32) -> u32 {
        loop {
            let next = self.0[of as usize];
            if next == of {
                return of;
            }
            let after = self.0[next as usize];
            self.0[of as usize] = after;
            of = after;
        }
    }

    #[inline(always)]
    pub(crate) fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b) as usize] = a.min(b);
    }

    /// The least element of the set of each element.
    pub(crate) fn flatten(mut self) -> Vec<u32> {
        for of in 0..self.0.len() {
            self.0[of] = self.0[self.0[of] as usize];
        }
        self.0
    }
}

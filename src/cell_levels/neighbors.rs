//! Lists: of each level, and what pairs with other levels add to them.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use super::{CellLevels, Kernels, Levels};
use crate::cell_list::{Listed, PART, pairs as pairs_of};
use crate::lists::{NeighborLists, Part};
use crate::vector::Vector;

impl<V: Vector> CellLevels<V> {
    /// The neighbors of every point: list `i` holds the points near point `i`, itself included, those
    /// in its own octave of radii first. On several threads with the feature `rayon`.
    ///
    /// ```
    /// use orthant::{CellLevels, Reach};
    /// let cells = CellLevels::new(&[[0.0], [1.0], [9.0]], &[0.5, 2.0, 0.1], Reach::Larger);
    /// let near = cells.neighbors();
    /// assert_eq!((&near[0], &near[2]), (&[0, 1][..], &[2][..]));
    /// ```
    ///
    /// # Complexity
    ///
    /// O(n · octaves + answer) for points that are spread evenly about each other, O(n²) at worst.
    #[must_use]
    pub fn neighbors(&self) -> NeighborLists {
        let mut near = NeighborLists::new();
        self.neighbors_into(&mut near);
        near
    }

    /// The same, in the memory of lists of before: for every step of many.
    ///
    /// # Complexity
    ///
    /// That of [`neighbors`](Self::neighbors).
    pub fn neighbors_into(&self, near: &mut NeighborLists) {
        <V::Array as Kernels>::lists(&self.0, near);
    }
}

/// Lists what is near each point.
pub(super) fn lists<A: Vector>(levels: &Levels<A>, near: &mut NeighborLists) {
    levels.lists(near);
}

impl<A: Vector> Levels<A> {
    fn lists(&self, near: &mut NeighborLists) {
        let mut pairs = Vec::new();
        let mut order = Vec::with_capacity(self.len);
        for (number, level) in self.levels.iter().enumerate() {
            if let Some(smaller) = self.smaller(number) {
                pairs_of(&self.ask(number, &smaller, false), &mut pairs);
            }
            order.extend_from_slice(level.buckets.indices());
        }
        let others = Others::new(self.len, &pairs);
        near.fill(&order, PART, |range, part| {
            if pairs.is_empty() {
                return self.list(range, part);
            }
            let mut own = Part::default();
            self.list(range.clone(), &mut own);
            let mut at = 0;
            for (&point, &len) in order[range].iter().zip(&own.lens) {
                let others = others.of(point);
                part.items
                    .extend_from_slice(&own.items[at..][..len as usize]);
                part.items.extend_from_slice(others);
                part.lens.push(len + others.len() as u32);
                at += len as usize;
            }
        });
    }

    /// Lists what is near some points in their own levels, all levels in a row.
    fn list(&self, range: Range<usize>, part: &mut Part<u32>) {
        let mut first = 0;
        for (number, level) in self.levels.iter().enumerate() {
            let end = first + level.buckets.len();
            let (from, to) = (range.start.max(first), range.end.min(end));
            if from < to {
                let (items, lens) = (&mut part.items, &mut part.lens);
                let (slots, take) = (from - first..to - first, &mut Listed { items, lens });
                self.ask(number, &level.buckets, false).run(slots, take);
            }
            first = end;
        }
    }
}

/// What each point is in a pair with.
struct Others {
    /// Where the list of each begins, and at last the end.
    begins: Vec<usize>,
    items: Vec<u32>,
}

impl Others {
    fn new(many: usize, pairs: &[[u32; 2]]) -> Self {
        let mut begins = vec![0; many + 1];
        for one in pairs.as_flattened() {
            begins[*one as usize] += 1;
        }
        let mut end = 0;
        for begin in &mut begins {
            end += *begin;
            *begin = end;
        }
        let mut items = vec![0; end];
        // From the last to the first, which leaves behind where each list begins.
        for &[one, other] in pairs.iter().rev() {
            for (one, other) in [(other, one), (one, other)] {
                let begin = &mut begins[one as usize];
                *begin -= 1;
                items[*begin] = other;
            }
        }
        Self { begins, items }
    }

    fn of(&self, point: u32) -> &[u32] {
        &self.items[self.begins[point as usize]..self.begins[point as usize + 1]]
    }
}

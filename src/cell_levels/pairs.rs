//! The pairs of each level, and those with the levels below.

use alloc::vec::Vec;

use super::{CellLevels, Kernels, Levels, Reach};
use crate::cell_list;
use crate::cell_list::{Ask, Buckets, Limit, Pair};
use crate::vector::{Scalar, Vector};

impl<V: Vector> CellLevels<V> {
    /// Fills a list with all pairs that are near, the lower index first, each once; in a periodic box,
    /// as often as it has images that are near. The order depends on nothing but the points and radii.
    ///
    /// # Complexity
    ///
    /// That of [`neighbors`](Self::neighbors).
    pub fn pairs(&self, pairs: &mut Vec<[u32; 2]>) {
        pairs.clear();
        <V::Array as Kernels>::pairs(&self.0, pairs);
    }

    /// Calls `f` with each pair of [`pairs`](Self::pairs): the lower index, the higher one, the
    /// displacement from the first to the second and its square, as
    /// [`CellList::for_each_pair`](crate::CellList::for_each_pair) has them.
    ///
    /// ```
    /// use orthant::{CellLevels, Reach};
    /// let cells = CellLevels::new(&[[2.0], [0.0]], &[0.5, 1.5], Reach::Sum);
    /// cells.for_each_pair(|i, j, displacement, distance_sq| {
    ///     assert_eq!((i, j, displacement, distance_sq), (0, 1, [-2.0], 4.0));
    /// });
    /// ```
    ///
    /// # Complexity
    ///
    /// That of [`neighbors`](Self::neighbors).
    pub fn for_each_pair(&self, mut f: impl FnMut(usize, usize, V, V::Scalar)) {
        <V::Array as Kernels>::each_pair(&self.0, &mut |pairs| {
            for pair in pairs {
                let (i, j, displacement, distance_sq) = pair.in_order();
                f(i, j, displacement, distance_sq);
            }
        });
    }

    /// The number of [`pairs`](Self::pairs).
    ///
    /// # Complexity
    ///
    /// That of [`neighbors`](Self::neighbors).
    #[must_use]
    pub fn count_pairs(&self) -> u64 {
        <V::Array as Kernels>::count_pairs(&self.0)
    }
}

impl<A: Vector> Levels<A> {
    /// Some points against those of a level.
    pub(super) fn ask<'a>(
        &'a self,
        number: usize,
        asking: &'a Buckets<A>,
        half: bool,
    ) -> Ask<'a, A> {
        Ask {
            grid: &self.levels[number].grid,
            asking,
            held: &self.levels[number].buckets,
            periodic: self.periodic.as_ref(),
            between: false,
            half,
            limit: match self.reach {
                Reach::Larger => Limit::Larger,
                Reach::Sum => Limit::Sum,
            },
            radius: A::Scalar::ZERO,
            instructions: self.instructions,
        }
    }

    /// All questions that together find each pair once: the points of each level against each other,
    /// and those of all levels below against them.
    fn for_each_ask(&self, mut f: impl FnMut(&Ask<'_, A>)) {
        for (number, level) in self.levels.iter().enumerate() {
            f(&self.ask(number, &level.buckets, true));
            if let Some(smaller) = self.smaller(number) {
                f(&self.ask(number, &smaller, false));
            }
        }
    }
}

/// Appends pairs to a list.
pub(super) fn pairs<A: Vector>(levels: &Levels<A>, pairs: &mut Vec<[u32; 2]>) {
    levels.for_each_ask(|ask| cell_list::pairs(ask, pairs));
}

/// Counts pairs.
pub(super) fn count<A: Vector>(levels: &Levels<A>) -> u64 {
    let mut count = 0;
    levels.for_each_ask(|ask| count += cell_list::count(ask));
    count
}

/// Hands on the pairs of one point after the other.
pub(super) fn each<A: Vector>(levels: &Levels<A>, f: &mut dyn FnMut(&[Pair<A>])) {
    levels.for_each_ask(|ask| cell_list::each(ask, f));
}

//! The pairs of each level, and those with the levels below.

use alloc::vec::Vec;

use super::{CellLevels, Reach};
use crate::cell_list::{Ask, Buckets, Counted, Each, Larger, Limit, PART, Paired, Sum, length_sq};
use crate::{Scalar, Vector, parallel};

impl<V: Vector> CellLevels<V> {
    /// Fills a list with all pairs that are near, the lower index first, each once; in a periodic box,
    /// as often as it has images that are near. The order depends on nothing but the points and radii.
    ///
    /// # Complexity
    ///
    /// That of [`neighbors`](Self::neighbors).
    pub fn pairs(&self, pairs: &mut Vec<[u32; 2]>) {
        pairs.clear();
        self.ask(&mut Pairs(pairs));
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
    pub fn for_each_pair(&self, f: impl FnMut(usize, usize, V, V::Scalar)) {
        self.ask(&mut Called(f));
    }

    /// The number of [`pairs`](Self::pairs).
    ///
    /// # Complexity
    ///
    /// That of [`neighbors`](Self::neighbors).
    #[must_use]
    pub fn count_pairs(&self) -> u64 {
        let mut count = Count(0);
        self.ask(&mut count);
        count.0
    }

    fn ask(&self, answer: &mut impl Answer<V>) {
        for number in 0..self.levels.len() {
            self.ask_level(number, answer);
            self.ask_smaller(number, answer);
        }
    }

    /// The points of a level against each other.
    fn ask_level(&self, number: usize, answer: &mut impl Answer<V>) {
        let ask = self.ask_of(number, &self.levels[number].buckets);
        match self.reach {
            Reach::Larger => answer.answer::<Larger, true>(ask, Larger),
            Reach::Sum => answer.answer::<Sum, true>(ask, Sum),
        }
    }

    /// The points of all levels below against those of a level.
    pub(super) fn ask_smaller(&self, number: usize, answer: &mut impl Answer<V>) {
        if number == 0 {
            return;
        }
        let smaller = self.smaller(number);
        let ask = self.ask_of(number, &smaller);
        match self.reach {
            Reach::Larger => answer.answer::<Larger, false>(ask, Larger),
            Reach::Sum => answer.answer::<Sum, false>(ask, Sum),
        }
    }

    pub(super) fn ask_of<'a>(&'a self, number: usize, asking: &'a Buckets<V>) -> Ask<'a, V> {
        Ask {
            grid: &self.levels[number].grid,
            asking,
            held: &self.levels[number].buckets,
            periodic: self.periodic.as_ref(),
            between: false,
            radius: V::Scalar::ZERO,
            instructions: self.instructions,
        }
    }
}

/// What is done with the pairs of a level, or of a level and those below.
pub(super) trait Answer<V: Vector> {
    fn answer<L: Limit<V>, const HALF: bool>(&mut self, ask: Ask<'_, V>, limit: L);
}

pub(super) struct Pairs<'a>(pub(super) &'a mut Vec<[u32; 2]>);

impl<V: Vector> Answer<V> for Pairs<'_> {
    fn answer<L: Limit<V>, const HALF: bool>(&mut self, ask: Ask<'_, V>, limit: L) {
        let part = |slots| {
            let mut flat = Vec::new();
            ask.run(slots, &mut Paired::<HALF>(&mut flat), limit);
            flat
        };
        parallel::parts(ask.asking.len(), PART, part, |flat| {
            self.0.extend_from_slice(flat.as_chunks().0);
        });
    }
}

struct Called<F>(F);

impl<V: Vector, F: FnMut(usize, usize, V, V::Scalar)> Answer<V> for Called<F> {
    fn answer<L: Limit<V>, const HALF: bool>(&mut self, ask: Ask<'_, V>, limit: L) {
        let f = |i: u32, j: u32, displacement: V| {
            let distance_sq = length_sq(displacement);
            (self.0)(
                i.min(j) as usize,
                i.max(j) as usize,
                displacement,
                distance_sq,
            );
        };
        ask.run(0..ask.asking.len(), &mut Each::<_, HALF>::new(f), limit);
    }
}

struct Count(u64);

impl<V: Vector> Answer<V> for Count {
    fn answer<L: Limit<V>, const HALF: bool>(&mut self, ask: Ask<'_, V>, limit: L) {
        let part = |slots| {
            let mut counted = Counted::<HALF>(0);
            ask.run(slots, &mut counted, limit);
            counted.0
        };
        parallel::parts(ask.asking.len(), PART, part, |part| self.0 += part);
    }
}

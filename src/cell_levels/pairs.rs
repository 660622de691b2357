//! The pairs of each level, and those with the levels below.

use alloc::vec::Vec;

use super::{CellLevels, Reach};
use crate::cell_list::{Ask, Buckets, Counted, Each, Larger, Limit, PART, Paired, Sum, length_sq};
use crate::{Lists, Scalar, Vector, parallel};

impl<V: Vector> CellLevels<V> {
    /// Fills lists, in the memory that they have where that is enough: list `i` holds the points near
    /// point `i`, itself first. On several threads with the feature `rayon`.
    ///
    /// ```
    /// use orthant::{CellLevels, Lists, Reach};
    /// let cells = CellLevels::new(&[[0.0], [1.0], [9.0]], &[0.5, 2.0, 0.1], Reach::Larger);
    /// let mut near = Lists::new();
    /// cells.neighbors(&mut near);
    /// assert_eq!((&near[0], &near[2]), (&[0, 1][..], &[2][..]));
    /// ```
    ///
    /// # Complexity
    ///
    /// O(n · octaves + answer) for points that are spread evenly about each other, O(n²) at worst.
    pub fn neighbors(&self, lists: &mut Lists<u32>) {
        let mut pairs = Vec::new();
        self.pairs(&mut pairs);
        lists.of_pairs(self.len, &pairs);
    }

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
        for (number, level) in self.levels.iter().enumerate() {
            let ask = |asking| Ask {
                grid: &level.grid,
                asking,
                held: &level.buckets,
                periodic: self.periodic.as_ref(),
                between: false,
                radius: V::Scalar::ZERO,
                instructions: self.instructions,
            };
            let smaller: Buckets<V>;
            match self.reach {
                Reach::Larger => answer.answer::<Larger, true>(ask(&level.buckets), Larger),
                Reach::Sum => answer.answer::<Sum, true>(ask(&level.buckets), Sum),
            }
            if number > 0 {
                smaller = self.smaller(number);
                match self.reach {
                    Reach::Larger => answer.answer::<Larger, false>(ask(&smaller), Larger),
                    Reach::Sum => answer.answer::<Sum, false>(ask(&smaller), Sum),
                }
            }
        }
    }
}

/// What is done with the pairs of a level, or of a level and those below.
trait Answer<V: Vector> {
    fn answer<L: Limit<V>, const HALF: bool>(&mut self, ask: Ask<'_, V>, limit: L);
}

struct Pairs<'a>(&'a mut Vec<[u32; 2]>);

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

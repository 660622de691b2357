//! Queries of all points: pairs, bins of distances, lists of neighbors.
//!
//! ```text
//! the pairs of a rank are those of its points and copies, without those of two copies
//! if two ranks have a pair, since each has a copy of the other's point, one of them counts it
//! ```
//!
//! So one kind of cell list, of points in the order of their ids, decides everything, images included. Counts are `u64`, summed by MPI.

use orthant::{CellList, Lists, Scalar, Vector};

use super::{Copies, Halo};
use crate::{Cause, Error, Point, Ranks};

/// The number of lists that are kept at a time if not all are kept.
const CHUNK: usize = 4096;

impl<P: Point> Copies<P> {
    /// Returns the number of pairs of points within the radius over all ranks, as [`CellList::count_pairs`] returns it for all points. In a
    /// periodic box, a pair counts once for each image that is near.
    ///
    /// # Errors
    ///
    /// If a [`CellList`] refuses the radius, as it does if that reaches across more than a hundred periodic boxes.
    ///
    /// # Complexity
    ///
    /// The cost of [`CellList::count_pairs`] for points and copies, again for the copies, and for the points that two ranks share.
    pub fn count_pairs(&self, ranks: &Ranks) -> Result<u64, Error> {
        let counts = self.counted(ranks, |cells| Ok(vec![cells.count_pairs()]))?;
        Ok(counts[0])
    }

    /// Returns the number of pairs in each bin of distances over all ranks, as [`CellList::pair_counts`] returns it for all points.
    ///
    /// # Errors
    ///
    /// If ends do not increase from 0 to at most the radius, or differ between ranks, and those of [`count_pairs`](Self::count_pairs).
    ///
    /// # Complexity
    ///
    /// The cost of [`count_pairs`](Self::count_pairs).
    pub fn pair_counts(&self, ranks: &Ranks, ends: &[P::Scalar]) -> Result<Vec<u64>, Error> {
        let bits: Vec<u64> = ends.iter().map(|end| end.to_bits()).collect();
        ranks.same("ends of bins", &bits)?;
        self.counted(ranks, |cells| cells.pair_counts(ends))
    }

    /// Calls `f` with each pair of points within the radius, on one rank for each pair. The arguments are those of [`CellList::for_each_pair`]:
    /// the numbers in [`points`](Self::points), the lower first; the displacement from the first to the second (in a periodic box, to an image
    /// of it); and its square. One of the two points is this rank's own; [`fold`](Self::fold) sends sums for the other to its owner.
    ///
    /// # Errors
    ///
    /// The errors of [`count_pairs`](Self::count_pairs), before any call of `f`.
    ///
    /// # Complexity
    ///
    /// The cost of [`CellList::for_each_pair`] for points and copies.
    pub fn for_each_pair(
        &self,
        ranks: &Ranks,
        mut f: impl FnMut(u32, u32, P, P::Scalar),
    ) -> Result<(), Error> {
        let _call = ranks.tell("going through pairs");
        let cells = ranks.agree(self.cells(ranks, self.points()))?;
        // `from` has the owner of each copy; `theirs` has the points that went to each rank, if that rank counts the pairs that both have.
        let mut from = vec![u32::MAX; self.points().len()];
        let mut theirs = Vec::with_capacity(ranks.size());
        for (rank, (sent, came)) in self.in_common().enumerate() {
            came.iter().for_each(|&i| from[i as usize] = rank as u32);
            theirs.push(if is_theirs(ranks, rank) {
                sent
            } else {
                Vec::new()
            });
        }
        cells.for_each_pair(|i, j, displacement, distance_sq| {
            let (a, b) = (from[i], from[j]);
            let is_ours = match (a, b) {
                (u32::MAX, u32::MAX) => true,
                (u32::MAX, rank) => theirs[rank as usize].binary_search(&(i as u32)).is_err(),
                (rank, u32::MAX) => theirs[rank as usize].binary_search(&(j as u32)).is_err(),
                _ => false,
            };
            if is_ours {
                f(i as u32, j as u32, displacement, distance_sq);
            }
        });
        Ok(())
    }

    /// Counts the pairs of points and copies, without those of two copies; pairs that another rank has too are counted on one of the two.
    fn counted(
        &self,
        ranks: &Ranks,
        count: impl Fn(&CellList<P>) -> Result<Vec<u64>, orthant::Error>,
    ) -> Result<Vec<u64>, Error> {
        let _call = ranks.tell("counting pairs");
        let count = |points: &[P]| count(&self.cells(ranks, points)?).map_err(Cause::argument);
        let here = || {
            let mut sums = count(self.points())?;
            let mut add = |numbers: &[u32], times: i64| {
                let counts = count(&self.points_at(numbers))?;
                for (sum, count) in sums.iter_mut().zip(counts) {
                    *sum = sum.wrapping_add_signed(times * count as i64);
                }
                Ok::<(), Cause>(())
            };
            add(&self.numbers_of_copies(), -1)?;
            for (rank, (sent, came)) in self.in_common().enumerate() {
                if is_theirs(ranks, rank) && !sent.is_empty() && !came.is_empty() {
                    let mut both = [&sent[..], came].concat();
                    both.sort_unstable();
                    add(&both, -1)?;
                    add(&sent, 1)?;
                    add(came, 1)?;
                }
            }
            Ok(sums)
        };
        let sums = ranks.agree(here())?;
        Ok(ranks.sum(&sums))
    }
}

/// Returns true if the other rank counts the pairs that both have: of neighboring rank numbers, now the lower counts, now the higher.
fn is_theirs(ranks: &Ranks, other: usize) -> bool {
    let me = ranks.rank();
    (me < other) == (me + other).is_multiple_of(2)
}

impl<P: Point> Halo<P> {
    /// Returns for each own point the numbers of the points within the radius, itself included, ascending. Numbers index [`Copies::points`], and
    /// [`ids`](Copies::ids) names them. In a periodic box, a number comes once for each image that is near.
    ///
    /// # Errors
    ///
    /// If the lists take more than the budget of a rank (4 bytes an entry), and those of
    /// [`count_pairs`](Copies::count_pairs).
    pub fn neighbors(&self, ranks: &Ranks) -> Result<Lists<u32>, Error> {
        self.lists(ranks)
    }

    /// Returns the lists by global ids, ascending: 8 bytes an entry. The lists of all ranks, concatenated in the order of the ids, are those of
    /// one process.
    ///
    /// # Errors
    ///
    /// The errors of [`neighbors`](Self::neighbors).
    pub fn neighbor_ids(&self, ranks: &Ranks) -> Result<Lists<u64>, Error> {
        self.lists(ranks)
    }

    fn lists<N: Named>(&self, ranks: &Ranks) -> Result<Lists<N>, Error> {
        let _call = ranks.tell("listing neighbors");
        let cells = ranks.agree(self.cells(ranks, self.points()))?;
        // With a budget, entries are counted first; then no list grows to twice its length.
        let mut many = 0;
        if ranks.has_budget() {
            each_list(&cells, self.own(), |_, list| many += list.len());
        }
        let mut items: Vec<N> = ranks.room(many)?;
        let mut offsets = ranks.room(self.own().len() + 1)?;
        offsets.push(0);
        each_list(&cells, self.own(), |_, list| {
            let from = items.len();
            items.extend(list.iter().map(|&i| N::named(i, self.ids())));
            items[from..].sort_unstable();
            offsets.push(items.len());
        });
        let lists = Lists::from_parts(offsets, items).map_err(Cause::argument);
        ranks.agree(lists)
    }

    /// Calls `f` with the list of each own point: the index of the point, and the numbers of [`neighbors`](Self::neighbors) in no order. Some
    /// thousand lists are kept at a time, for when not all of them fit.
    ///
    /// # Errors
    ///
    /// The errors of [`count_pairs`](Copies::count_pairs), before any call of `f`.
    pub fn for_each_list(&self, ranks: &Ranks, f: impl FnMut(usize, &[u32])) -> Result<(), Error> {
        let _call = ranks.tell("listing neighbors");
        let cells = ranks.agree(self.cells(ranks, self.points()))?;
        each_list(&cells, self.own(), f);
        Ok(())
    }

    /// Returns for each own point the number of points within the radius, itself included: the lengths of [`neighbors`](Self::neighbors), in
    /// less memory.
    ///
    /// # Errors
    ///
    /// The errors of [`count_pairs`](Copies::count_pairs).
    pub fn count_neighbors(&self, ranks: &Ranks) -> Result<Vec<u32>, Error> {
        let mut counts = Vec::with_capacity(self.own().len());
        self.for_each_list(ranks, |_, list| counts.push(list.len() as u32))?;
        Ok(counts)
    }
}

/// Makes the lists of some points, some thousand at a time. `f` gets the index of each point and the numbers of its neighbors, in no order.
pub(crate) fn each_list<P: Vector>(
    cells: &CellList<P>,
    asking: &[u32],
    mut f: impl FnMut(usize, &[u32]),
) {
    let mut numbers = Vec::with_capacity(CHUNK);
    let mut list = Vec::new();
    for (chunk, part) in asking.chunks(CHUNK).enumerate() {
        numbers.clear();
        numbers.extend(part.iter().map(|&i| i as usize));
        let near = cells.neighbors_of_indices(&numbers);
        for i in 0..part.len() {
            list.clear();
            list.extend(near.list(i).iter().map(|i| i as u32));
            f(chunk * CHUNK + i, &list);
        }
    }
}

/// The name of a point in a list: its number or its id.
trait Named: Copy + Ord {
    fn named(number: u32, ids: &[u64]) -> Self;
}

impl Named for u32 {
    fn named(number: u32, _: &[u64]) -> Self {
        number
    }
}

impl Named for u64 {
    fn named(number: u32, ids: &[u64]) -> Self {
        ids[number as usize]
    }
}

//! All points against all: pairs, bins of distances, lists of neighbors.
//!
//! Pairs across ranks are those of own points and copies together, without those of either alone: so one kind of
//! list, of points in the order of their ids, decides all, images included. Counts are `u64`, added by MPI.

use orthant::{CellList, Lists, Scalar, Vector};

use crate::halo::Copies;
use crate::{Cause, Error, HalfHalo, Halo, Point, Ranks};

/// So many points are listed at a time where lists are not kept.
const CHUNK: usize = 4096;

impl<P: Point> Halo<P> {
    /// The number of pairs of points within the radius, of all ranks; in a periodic box, as often as they have
    /// images that are near. What [`CellList::count_pairs`] says of all points. [`HalfHalo::count_pairs`] takes half
    /// of the copies.
    ///
    /// # Errors
    ///
    /// If a [`CellList`] refuses the radius, as it does where that reaches more than a hundred periodic boxes.
    pub fn count_pairs(&self, ranks: &Ranks) -> Result<u64, Error> {
        let counts = self.counted(ranks, |cells| Ok(vec![cells.count_pairs()]))?;
        Ok(counts[0])
    }

    /// The number of pairs in each bin of distances, of all ranks: what [`CellList::pair_counts`] says of all points.
    ///
    /// # Errors
    ///
    /// If ends do not increase from 0 to at most the radius, or are not the same on all ranks; and those of
    /// [`count_pairs`](Self::count_pairs).
    pub fn pair_counts(&self, ranks: &Ranks, ends: &[P::Scalar]) -> Result<Vec<u64>, Error> {
        same_ends::<P>(ranks, ends)?;
        self.counted(ranks, |cells| cells.pair_counts(ends))
    }

    /// Pairs across ranks are on both: half of their sum.
    fn counted(
        &self,
        ranks: &Ranks,
        count: impl Fn(&CellList<P>) -> Result<Vec<u64>, orthant::Error>,
    ) -> Result<Vec<u64>, Error> {
        ranks.tell("counting pairs");
        let count = |points: &[P]| counts(self, points, &count);
        let here = || {
            Ok([
                count(self.points())?,
                count(&self.only_copies())?,
                count(&self.only_own())?,
            ])
        };
        let [all, copies, own] = ranks.agree(here())?;
        let sums = ranks.sum(&[all, copies, own].concat());
        let bins = sums.len() / 3;
        let across = |bin: usize| sums[bin] - sums[bins + bin] - sums[2 * bins + bin];
        Ok((0..bins)
            .map(|bin| sums[2 * bins + bin] + across(bin) / 2)
            .collect())
    }

    /// For each own point the numbers of the points within the radius, itself included, ascending: numbers in
    /// [`Copies::points`], whose [`ids`](Copies::ids) name them. In a periodic box, as often as they have images that
    /// are near.
    ///
    /// # Errors
    ///
    /// If the lists take more than the budget of a rank (4 bytes an entry), and those of
    /// [`count_pairs`](Self::count_pairs).
    pub fn neighbors(&self, ranks: &Ranks) -> Result<Lists<u32>, Error> {
        self.lists(ranks)
    }

    /// The same by global ids, ascending: 8 bytes an entry. So the lists of all ranks, put one behind the other in the
    /// order of the ids, are those of one process.
    ///
    /// # Errors
    ///
    /// Those of [`neighbors`](Self::neighbors).
    pub fn neighbor_ids(&self, ranks: &Ranks) -> Result<Lists<u64>, Error> {
        let lists = self.lists::<u64>(ranks)?;
        Ok(lists)
    }

    fn lists<N: Named>(&self, ranks: &Ranks) -> Result<Lists<N>, Error> {
        ranks.tell("listing neighbors");
        let cells = ranks.agree(self.cells(self.points()))?;
        // Counted first where there is a budget; then no list grows twice as large as it has to be.
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

    /// For each own point how many points are within the radius, itself included: the lengths of
    /// [`neighbors`](Self::neighbors), in less memory.
    ///
    /// # Errors
    ///
    /// Those of [`count_pairs`](Self::count_pairs).
    pub fn count_neighbors(&self, ranks: &Ranks) -> Result<Vec<u32>, Error> {
        ranks.tell("counting neighbors");
        let cells = ranks.agree(self.cells(self.points()))?;
        let mut counts = Vec::with_capacity(self.own().len());
        each_list(&cells, self.own(), |_, list| counts.push(list.len() as u32));
        Ok(counts)
    }
}

impl<P: Point> HalfHalo<P> {
    /// The number of pairs of points within the radius, of all ranks; in a periodic box, as often as they have
    /// images that are near. What [`CellList::count_pairs`] says of all points.
    ///
    /// # Errors
    ///
    /// Those of [`Halo::count_pairs`].
    pub fn count_pairs(&self, ranks: &Ranks) -> Result<u64, Error> {
        let counts = self.counted(ranks, |cells| Ok(vec![cells.count_pairs()]))?;
        Ok(counts[0])
    }

    /// The number of pairs in each bin of distances, of all ranks: what [`CellList::pair_counts`] says of all points.
    ///
    /// # Errors
    ///
    /// Those of [`Halo::pair_counts`].
    pub fn pair_counts(&self, ranks: &Ranks, ends: &[P::Scalar]) -> Result<Vec<u64>, Error> {
        same_ends::<P>(ranks, ends)?;
        self.counted(ranks, |cells| cells.pair_counts(ends))
    }

    /// Every pair is on one rank, but those of two copies are not for this one to count.
    fn counted(
        &self,
        ranks: &Ranks,
        count: impl Fn(&CellList<P>) -> Result<Vec<u64>, orthant::Error>,
    ) -> Result<Vec<u64>, Error> {
        ranks.tell("counting pairs");
        let count = |points: &[P]| counts(self, points, &count);
        let here = || Ok([count(self.points())?, count(&self.only_copies())?]);
        let [all, copies] = ranks.agree(here())?;
        let counts: Vec<u64> = all
            .iter()
            .zip(&copies)
            .map(|(all, copies)| all - copies)
            .collect();
        Ok(ranks.sum(&counts))
    }
}

fn counts<P: Point>(
    copies: &Copies<P>,
    points: &[P],
    count: &impl Fn(&CellList<P>) -> Result<Vec<u64>, orthant::Error>,
) -> Result<Vec<u64>, Cause> {
    count(&copies.cells(points)?).map_err(Cause::argument)
}

fn same_ends<P: Point>(ranks: &Ranks, ends: &[P::Scalar]) -> Result<(), Error> {
    let bits: Vec<u64> = ends.iter().map(|end| end.to_bits()).collect();
    ranks.same("ends of bins", &bits)
}

/// The list of each of some points, some thousand of them at a time: `f` is told which of them, and the numbers of
/// what is near it, in no order.
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

/// What stands for a point in a list: its number, or its id.
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

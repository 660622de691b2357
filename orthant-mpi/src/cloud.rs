//! The points of a rank, their columns, and their way home.

mod columns;

use std::any::type_name;

use bytemuck::Pod;
use orthant::{Lists, Orthtree, Periodic, Scalar};

pub use columns::Column;
use columns::Columns;

use crate::ranks::{Held, by_rank, starts_of};
use crate::top::Top;
use crate::top::near::check_box;
use crate::{Cause, Division, Error, Point, Ranks};

/// The points of all ranks. Each rank has some; a point has the same id on whichever rank it lies.
///
/// Ids number the points of rank 0 as they were given, then those of rank 1, and so on. On every rank points are in the order of their ids. So
/// ties, which orthant decides by the lower index, are decided as in one process with all points.
///
/// ```no_run
/// use orthant_mpi::{Balance, Cloud, Halo, Ranks};
/// # fn example(world: &impl mpi::traits::Communicator, mine: &[[f32; 3]]) -> Result<(), orthant_mpi::Error> {
/// let ranks = Ranks::new(world);
/// let mut cloud = Cloud::new(&ranks, mine)?;
/// cloud.balance(&ranks, &Balance::default())?;
/// let halo = Halo::new(&ranks, &cloud, 0.1)?;
/// let pairs: u64 = halo.count_pairs(&ranks)?; // the same on all ranks
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Cloud<P: Point> {
    pub(crate) points: Vec<P>,
    pub(crate) ids: Vec<u64>,
    /// For each rank the id of the first point that it brought, followed by the number of all points.
    starts: Vec<u64>,
    columns: Columns,
    pub(crate) division: Option<Division>,
    pub(crate) periodic: Option<Periodic<P>>,
    held: Held,
}

/// Returns the bytes of a point and its id.
pub(crate) const fn bytes_of<P>() -> usize {
    size_of::<P>() + size_of::<u64>()
}

/// Returns the most bytes of a point in a tree or cell list that is being built: its position twice, and numbers.
pub(crate) const fn bytes_in_tree<P>() -> usize {
    2 * size_of::<P>() + 16
}

/// The number of boxes for a rank whose points were not divided.
const BOXES: usize = 32;

impl<P: Point> Cloud<P> {
    /// Makes a cloud of the points that each rank brings. They stay on their ranks until [`balance`](Self::balance). A rank may bring none.
    ///
    /// # Errors
    ///
    /// If a coordinate is infinite or NaN (the error names the point by its id), or there are more points on a
    /// rank than `u32` can number.
    pub fn new(ranks: &Ranks, points: &[P]) -> Result<Self, Error> {
        Self::build(ranks, points, None)
    }

    /// Makes a cloud in a periodic box: points are [wrapped](Periodic::wrap) into it, and their images count in pairs, lists and groups.
    ///
    /// # Errors
    ///
    /// The errors of [`new`](Self::new), and if the box differs between ranks, or is a cell whose faces are not aligned with the axes.
    pub fn new_periodic(ranks: &Ranks, points: &[P], periodic: Periodic<P>) -> Result<Self, Error> {
        ranks.agree(check_box(&periodic))?;
        let bounds = periodic.bounds();
        let numbers = [bounds.min(), bounds.max(), periodic.lengths()];
        let numbers = numbers
            .iter()
            .flat_map(|v| (0..P::DIM).map(|a| v.axis(a).to_bits()));
        ranks.same("the periodic box", &numbers.collect::<Vec<_>>())?;
        Self::build(ranks, points, Some(periodic))
    }

    fn build(ranks: &Ranks, points: &[P], periodic: Option<Periodic<P>>) -> Result<Self, Error> {
        let _call = ranks.tell("numbering points");
        ranks.same_words("the type of points", type_name::<P>())?;
        let counts = ranks.share(&[points.len() as u64])?.items;
        let mut starts = vec![0];
        starts.extend(counts.iter().scan(0, |sum, &count| {
            *sum += count;
            Some(*sum)
        }));
        let from = starts[ranks.rank()];
        let mut ids = ranks.room(points.len())?;
        ids.extend(from..from + points.len() as u64);
        // Check before anything is reduced: the least of NaNs is undefined.
        ranks.agree(check(points, &ids))?;
        let wrapped = |p: &P| periodic.as_ref().map_or(*p, |periodic| periodic.wrap(*p));
        let mut own = ranks.room(points.len())?;
        own.extend(points.iter().map(wrapped));
        Ok(Self {
            held: ranks.hold(points.len() * bytes_of::<P>()),
            points: own,
            ids,
            starts,
            columns: Columns::default(),
            division: None,
            periodic,
        })
    }

    /// Returns the points of this rank, in the order of their ids; in a periodic box they are wrapped.
    #[must_use]
    pub fn points(&self) -> &[P] {
        &self.points
    }

    /// Returns the ids of the points, ascending.
    #[must_use]
    pub fn ids(&self) -> &[u64] {
        &self.ids
    }

    /// Returns the number of points of this rank.
    #[must_use]
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Returns true if this rank has no points.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Returns the number of points of all ranks.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.starts[self.starts.len() - 1]
    }

    /// Returns the periodic box, if there is one.
    #[must_use]
    pub fn periodic(&self) -> Option<&Periodic<P>> {
        self.periodic.as_ref()
    }

    /// Returns the owners of space, once points were [balanced](Self::balance).
    #[must_use]
    pub fn division(&self) -> Option<&Division> {
        self.division.as_ref()
    }

    /// Returns the rank that brought the point with this id; the last rank if there is no such point.
    #[must_use]
    pub fn home(&self, id: u64) -> usize {
        // A rank that brought nothing starts at the same id as the next.
        let after = self.starts.partition_point(|&start| start <= id);
        after.clamp(1, self.starts.len() - 1) - 1
    }

    /// Adds a column of values, one for each point of this rank in the order of [`ids`](Self::ids), which moves along with the points:
    /// velocities, masses. All ranks add the same columns in the same order; the name is compared, and used in messages.
    ///
    /// # Errors
    ///
    /// If the name or the type differs between ranks, a rank has not as many values as points, or they take more than its budget.
    pub fn carry<T: Pod + Send + Sync>(
        &mut self,
        ranks: &Ranks,
        name: &str,
        values: Vec<T>,
    ) -> Result<Column<T>, Error> {
        let _call = ranks.begin();
        let (kind, place) = (type_name::<T>(), self.columns.len());
        let what = format!("column {place}, {name} of {kind}");
        ranks.same_words(&what, &what)?;
        let sound = self.check_len(&what, values.len());
        ranks.agree(sound.and_then(|()| ranks.take(size_of_val(&values[..]))))?;
        let column = self.columns.add(values);
        self.held = ranks.hold(self.len() * self.bytes_of_each());
        Ok(column)
    }

    /// Returns the bytes of a point, its id and its columns.
    fn bytes_of_each(&self) -> usize {
        bytes_of::<P>() + self.columns.bytes_of_each()
    }

    /// Returns the values of a column, in the order of [`ids`](Self::ids).
    ///
    /// # Panics
    ///
    /// If the column belongs to another cloud.
    #[must_use]
    #[track_caller]
    pub fn column<T: Pod + Send + Sync>(&self, column: Column<T>) -> &[T] {
        self.columns.get(column)
    }

    /// Returns the values of a column, mutably.
    ///
    /// # Panics
    ///
    /// If the column belongs to another cloud.
    #[must_use]
    #[track_caller]
    pub fn column_mut<T: Pod + Send + Sync>(&mut self, column: Column<T>) -> &mut [T] {
        self.columns.get_mut(column)
    }

    /// Moves the points of this rank, given in the order of [`ids`](Self::ids), as in a step of a simulation. They stay on this rank until
    /// [`balance`](Self::balance).
    ///
    /// # Errors
    ///
    /// If there are not as many as before, or one is not finite.
    pub fn set_points(&mut self, ranks: &Ranks, points: &[P]) -> Result<(), Error> {
        let sound = self.check_len("points", points.len());
        ranks.agree(sound.and_then(|()| check(points, &self.ids)))?;
        for (own, &p) in self.points.iter_mut().zip(points) {
            *own = self
                .periodic
                .as_ref()
                .map_or(p, |periodic| periodic.wrap(p));
        }
        Ok(())
    }

    pub(crate) fn check_len(&self, what: &str, len: usize) -> Result<(), Cause> {
        if len == self.len() {
            return Ok(());
        }
        let points = self.len();
        Err(Cause::argument(format_args!(
            "{what}: {len} for {points} points"
        )))
    }

    /// Sends every point with its columns to the rank that `to` names for it; arriving points are sorted by their ids. Returns the number that
    /// left.
    pub(crate) fn send(&mut self, ranks: &Ranks, to: &[u32]) -> Result<u64, Error> {
        let leave = to
            .iter()
            .filter(|&&rank| rank as usize != ranks.rank())
            .count();
        // The points are sorted by rank before they are sent.
        ranks.agree(ranks.take(self.len() * bytes_of::<P>()))?;
        let each = || to.iter().map(|&rank| rank as usize);
        let (ids, counts) = by_rank(ranks.size(), each().zip(self.ids.iter().copied()));
        let (points, _) = by_rank(ranks.size(), each().zip(self.points.iter().copied()));
        let ids = ranks.exchange(&ids, &counts)?.items;
        let many = ids.len();
        // There are copies as they arrive and in order, and numbers to sort them by.
        let room = ranks.take(many * (bytes_of::<P>() + size_of::<u32>()));
        ranks.agree(
            room.and(u32::try_from(many).map(drop).map_err(|_| Cause::TooMany {
                points: many as u64,
            })),
        )?;
        let points = ranks.exchange(&points, &counts)?.items;
        // They arrive as one sorted run for each rank, which a stable sort merges.
        let mut by_id: Vec<u32> = (0..many as u32).collect();
        by_id.sort_by_key(|&i| ids[i as usize]);
        self.columns.send(ranks, to, &counts, &by_id)?;
        self.points = by_id.iter().map(|&i| points[i as usize]).collect();
        self.ids = by_id.iter().map(|&i| ids[i as usize]).collect();
        self.held = ranks.hold(many * self.bytes_of_each());
        Ok(leave as u64)
    }

    /// Sends results, one for each point in the order of [`ids`](Self::ids), back to the ranks that brought the points, in the order in which
    /// they brought them.
    ///
    /// # Errors
    ///
    /// If there are not as many values as points, or more come to a rank than its budget allows.
    pub fn to_home<T: Pod>(&self, ranks: &Ranks, values: &[T]) -> Result<Vec<T>, Error> {
        let _call = ranks.begin();
        ranks.agree(self.check_len("values", values.len()))?;
        // Ids ascend, and so do their homes: no sorting is needed before sending.
        let counts = self.counts_by_home(|_| 1);
        let came = ranks.exchange(values, &counts)?.items;
        let ids = ranks.exchange(&self.ids, &counts)?.items;
        let first = self.starts[ranks.rank()];
        let mut home = ranks.room(came.len())?;
        home.resize(came.len(), T::zeroed());
        for (value, id) in came.into_iter().zip(ids) {
            home[(id - first) as usize] = value;
        }
        Ok(home)
    }

    /// Sends lists home, one for each point, such as those of [`Halo::neighbor_ids`](crate::Halo::neighbor_ids).
    ///
    /// # Errors
    ///
    /// The errors of [`to_home`](Self::to_home).
    pub fn lists_to_home<T: Pod>(
        &self,
        ranks: &Ranks,
        lists: &Lists<T>,
    ) -> Result<Lists<T>, Error> {
        let _call = ranks.begin();
        ranks.agree(self.check_len("lists", lists.len()))?;
        let lens: Vec<u64> = lists.iter().map(|list| list.len() as u64).collect();
        let counts = self.counts_by_home(|i| lens[i] as usize);
        let came = ranks.exchange(lists.items(), &counts)?.items;
        // Items arrive in the order of ranks, and within each rank in that of ids; lengths arrive in their final order.
        let first = self.starts[ranks.rank()];
        let ids = ranks
            .exchange(&self.ids, &self.counts_by_home(|_| 1))?
            .items;
        let lens: Vec<usize> = self
            .to_home(ranks, &lens)?
            .iter()
            .map(|&len| len as usize)
            .collect();
        let offsets = starts_of(&lens);
        let mut items = ranks.room(came.len())?;
        items.resize(came.len(), T::zeroed());
        let mut rest = &came[..];
        for id in ids {
            let at = (id - first) as usize;
            let (list, after) = rest.split_at(lens[at]);
            items[offsets[at]..offsets[at + 1]].copy_from_slice(list);
            rest = after;
        }
        ranks.agree(Lists::from_parts(offsets, items).map_err(Cause::argument))
    }

    /// Returns how much goes home to each rank, where `of` gives the amount for each point.
    fn counts_by_home(&self, of: impl Fn(usize) -> usize) -> Vec<usize> {
        let mut counts = vec![0; self.starts.len() - 1];
        for (i, &id) in self.ids.iter().enumerate() {
            counts[self.home(id)] += of(i);
        }
        counts
    }

    /// Returns the tree of this rank's points, and the boxes of all ranks.
    pub(crate) fn trees(&self, ranks: &Ranks) -> Result<(Orthtree<P>, Top<P>), Error> {
        let tree = ranks
            .take(self.len() * bytes_in_tree::<P>())
            .and_then(|()| {
                Orthtree::try_new(&self.points).map_err(|error| Cause::of(error, &self.ids))
            });
        let tree = ranks.agree(tree)?;
        let boxes = if self.division.is_some() { 1 } else { BOXES };
        let top = Top::new(ranks, &tree, boxes)?;
        Ok((tree, top))
    }
}

/// Refuses points that are not finite, by their ids.
pub(crate) fn check<P: Point>(points: &[P], ids: &[u64]) -> Result<(), Cause> {
    let bad = points.iter().zip(ids).find_map(|(p, &id)| {
        let axis = p.non_finite_axis()?;
        let what = format!("{} on axis {axis}", p.axis(axis));
        Some(Cause::Point { id, what })
    });
    bad.map_or(Ok(()), Err)
}

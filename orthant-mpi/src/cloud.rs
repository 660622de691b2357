//! The points of a rank, what belongs to them, and the way home.

mod columns;

use bytemuck::Pod;
use orthant::{Orthtree, Periodic, Scalar};

pub use columns::Column;
use columns::Columns;

use crate::near::check_box;
use crate::ranks::by_rank;
use crate::top::Top;
use crate::{Cause, Division, Error, Point, Ranks};

/// The points of all ranks: some on each, named by ids that are the same wherever they lie.
///
/// Ids number the points of rank 0 as they were given, then those of rank 1, and so on. On every rank points are
/// in the order of their ids: what orthant decides by the lower index, at ties, it then decides as one process
/// would that has all points.
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
    /// For each rank the id of the first point that it brought, and at last the number of all.
    starts: Vec<u64>,
    columns: Columns,
    pub(crate) division: Option<Division>,
    pub(crate) periodic: Option<Periodic<P>>,
}

/// So many boxes stand for a rank whose points lie as they came.
const BOXES: usize = 32;

impl<P: Point> Cloud<P> {
    /// Of the points that each rank brings, which stay where they are until [`balance`](Self::balance). Ranks may
    /// bring none.
    ///
    /// # Errors
    ///
    /// If a coordinate is infinite or NaN (the error names the point by its id), or there are more points on a
    /// rank than `u32` can number.
    pub fn new(ranks: &Ranks, points: &[P]) -> Result<Self, Error> {
        Self::build(ranks, points, None)
    }

    /// The same in a periodic box: points are [wrapped](Periodic::wrap) into it, and their images count in pairs,
    /// lists and groups.
    ///
    /// # Errors
    ///
    /// Those of [`new`](Self::new), and if the box is not the same on all ranks, or is a cell whose faces are not
    /// aligned with the axes.
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
        ranks.tell("numbering points");
        let counts = ranks.share(&[points.len() as u64])?.items;
        let mut starts = vec![0];
        starts.extend(counts.iter().scan(0, |sum, &count| {
            *sum += count;
            Some(*sum)
        }));
        let from = starts[ranks.rank()];
        let ids: Vec<u64> = (from..from + points.len() as u64).collect();
        // Before anything is reduced: the least of NaNs is whatever it is.
        ranks.agree(check(points, &ids))?;
        let wrapped = |p: &P| periodic.as_ref().map_or(*p, |periodic| periodic.wrap(*p));
        let mut own = ranks.room(points.len())?;
        own.extend(points.iter().map(wrapped));
        Ok(Self {
            points: own,
            ids,
            starts,
            columns: Columns::default(),
            division: None,
            periodic,
        })
    }

    /// The points of this rank, in the order of their ids; in a periodic box they lie in it.
    #[must_use]
    pub fn points(&self) -> &[P] {
        &self.points
    }

    /// Their ids, ascending.
    #[must_use]
    pub fn ids(&self) -> &[u64] {
        &self.ids
    }

    /// The number of points of this rank.
    #[must_use]
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether this rank has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// The number of points of all ranks.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.starts[self.starts.len() - 1]
    }

    /// The periodic box, if there is one.
    #[must_use]
    pub fn periodic(&self) -> Option<&Periodic<P>> {
        self.periodic.as_ref()
    }

    /// Who owns which place, once points were [balanced](Self::balance).
    #[must_use]
    pub fn division(&self) -> Option<&Division> {
        self.division.as_ref()
    }

    /// The rank that brought the point with this id; that of the last where there is no such point.
    #[must_use]
    pub fn home(&self, id: u64) -> usize {
        // Ranks that brought nothing begin where the next one does.
        let after = self.starts.partition_point(|&start| start <= id);
        after.clamp(1, self.starts.len() - 1) - 1
    }

    /// Adds a column of values, one for each point of this rank in the order of [`ids`](Self::ids), that moves
    /// along with the points: velocities, masses. All ranks add the same columns.
    ///
    /// # Errors
    ///
    /// If there are not as many values as points on a rank.
    pub fn carry<T: Pod + Send + Sync>(
        &mut self,
        ranks: &Ranks,
        values: Vec<T>,
    ) -> Result<Column<T>, Error> {
        ranks.agree(self.check_len("a column", values.len()))?;
        Ok(self.columns.add(values))
    }

    /// The values of a column, in the order of [`ids`](Self::ids).
    ///
    /// # Panics
    ///
    /// If the column is that of another cloud.
    #[must_use]
    #[track_caller]
    pub fn column<T: Pod + Send + Sync>(&self, column: Column<T>) -> &[T] {
        self.columns.get(column)
    }

    /// The same, to be changed.
    ///
    /// # Panics
    ///
    /// If the column is that of another cloud.
    #[must_use]
    #[track_caller]
    pub fn column_mut<T: Pod + Send + Sync>(&mut self, column: Column<T>) -> &mut [T] {
        self.columns.get_mut(column)
    }

    /// Puts the points of this rank elsewhere, in the order of [`ids`](Self::ids): a step of a simulation. They
    /// stay on this rank until [`balance`](Self::balance).
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

    /// Every point, and what belongs to it, to the rank that `to` names for it: those of this rank come to lie in
    /// the order of their ids. Returns how many left.
    pub(crate) fn send(&mut self, ranks: &Ranks, to: &[u32]) -> Result<u64, Error> {
        let leave = to
            .iter()
            .filter(|&&rank| rank as usize != ranks.rank())
            .count();
        let each = || to.iter().map(|&rank| rank as usize);
        let (ids, counts) = by_rank(ranks.size(), each().zip(self.ids.iter().copied()));
        let (points, _) = by_rank(ranks.size(), each().zip(self.points.iter().copied()));
        let ids = ranks.exchange(&ids, &counts)?.items;
        let many = ids.len();
        ranks.agree(u32::try_from(many).map(drop).map_err(|_| Cause::TooMany {
            points: many as u64,
        }))?;
        let points = ranks.exchange(&points, &counts)?.items;
        // They came in as many sorted runs as there are ranks, which a stable sort merges.
        let mut by_id: Vec<u32> = (0..many as u32).collect();
        by_id.sort_by_key(|&i| ids[i as usize]);
        self.columns.send(ranks, to, &counts, &by_id)?;
        self.points = by_id.iter().map(|&i| points[i as usize]).collect();
        self.ids = by_id.iter().map(|&i| ids[i as usize]).collect();
        Ok(leave as u64)
    }

    /// What was found of the points, one value for each in the order of [`ids`](Self::ids), back to the ranks that
    /// brought them, in the order in which they were brought.
    ///
    /// # Errors
    ///
    /// If there are not as many values as points, or more come to a rank than its budget allows.
    pub fn to_home<T: Pod>(&self, ranks: &Ranks, values: &[T]) -> Result<Vec<T>, Error> {
        ranks.agree(self.check_len("values", values.len()))?;
        // Ids ascend, and so do their homes: nothing has to be sorted to be sent.
        let mut counts = vec![0; ranks.size()];
        for &id in &self.ids {
            counts[self.home(id)] += 1;
        }
        let came = ranks.exchange(values, &counts)?.items;
        let ids = ranks.exchange(&self.ids, &counts)?.items;
        let first = self.starts[ranks.rank()];
        let mut home = vec![T::zeroed(); came.len()];
        for (value, id) in came.into_iter().zip(ids) {
            home[(id - first) as usize] = value;
        }
        Ok(home)
    }

    /// The tree of this rank's points, and above it the boxes of all.
    pub(crate) fn trees(&self, ranks: &Ranks) -> Result<(Orthtree<P>, Top<P>), Error> {
        let tree = Orthtree::try_new(&self.points).map_err(|error| Cause::of(error, &self.ids));
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

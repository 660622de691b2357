//! Points and copies in one list, and the routes of the copies.

use bytemuck::Pod;
use orthant::{CellList, Orthtree, Periodic};

use crate::cloud::{bytes_in_tree, bytes_of};
use crate::ranks::{Held, starts_of};
use crate::top::Top;
use crate::top::near::{Images, Near};
use crate::{Cause, Cloud, Error, Point, Ranks};

/// The points of a rank and copies of others, in one list in the order of their ids, and the routes by which the copies came, for further values
/// of the points. It belongs to a [`Halo`](crate::Halo) or a [`HalfHalo`](crate::HalfHalo).
///
/// The routes stay valid as long as the points do.
#[derive(Clone, Debug)]
pub struct Copies<P: Point> {
    points: Vec<P>,
    ids: Vec<u64>,
    radius: P::Scalar,
    periodic: Option<Periodic<P>>,
    /// The numbers of this rank's own points in the list, and of the copies in order of arrival, rank after rank.
    own: Vec<u32>,
    copies: Vec<u32>,
    /// The own points that other ranks have copies of, rank after rank, and the numbers of points to and from each rank.
    sent: Vec<u32>,
    counts: Vec<usize>,
    came: Vec<usize>,
    held: Held,
}

/// Returns the bytes of a point in the list: the point, its id, and its number in either list.
const fn bytes_of_each<P>() -> usize {
    bytes_of::<P>() + 2 * size_of::<u32>()
}

/// Returns for each other rank the points of this rank that are within the radius of it, ascending.
pub(super) fn routes<P: Point>(
    ranks: &Ranks,
    tree: &Orthtree<P>,
    top: &Top<P>,
    (radius, images): (P::Scalar, Images<P>),
) -> Vec<Vec<u32>> {
    let mut routes: Vec<Vec<u32>> = vec![Vec::new(); ranks.size()];
    if let Some(around) = tree.bounds() {
        let near = |around| Near {
            around,
            radius,
            images,
        };
        top.visit(near(around), |rank, other| {
            if rank != ranks.rank() {
                routes[rank].extend(tree.query(near(*other)).map(|i| i as u32));
            }
        });
    }
    for route in &mut routes {
        route.sort_unstable();
        route.dedup();
    }
    routes
}

impl<P: Point> Copies<P> {
    /// Sends copies of some points to each rank.
    pub(super) fn new(
        ranks: &Ranks,
        cloud: &Cloud<P>,
        radius: P::Scalar,
        routes: &[Vec<u32>],
    ) -> Result<Self, Error> {
        let _call = ranks.tell("copying what is near other ranks");
        let counts: Vec<usize> = routes.iter().map(Vec::len).collect();
        let sent = routes.concat();
        ranks.agree(ranks.take(sent.len() * bytes_of_each::<P>()))?;
        let points: Vec<P> = sent.iter().map(|&i| cloud.points[i as usize]).collect();
        let ids: Vec<u64> = sent.iter().map(|&i| cloud.ids[i as usize]).collect();
        let points = ranks.exchange(&points, &counts)?;
        let ids = ranks.exchange(&ids, &counts)?;
        let mut new = Self {
            points: Vec::new(),
            ids: Vec::new(),
            radius,
            periodic: cloud.periodic,
            own: Vec::new(),
            copies: Vec::new(),
            sent,
            counts,
            came: points.counts(),
            held: Held::default(),
        };
        new.merge(ranks, cloud, &points.items, &ids.items)?;
        Ok(new)
    }

    /// Merges own points and copies into one list, in the order of their ids, so that ties by the lower number are decided as in one process.
    fn merge(
        &mut self,
        ranks: &Ranks,
        cloud: &Cloud<P>,
        points: &[P],
        ids: &[u64],
    ) -> Result<(), Error> {
        let many = cloud.len() + ids.len();
        ranks.agree(u32::try_from(many).map(drop).map_err(|_| Cause::TooMany {
            points: many as u64,
        }))?;
        ranks.agree(ranks.take(many * bytes_of_each::<P>()))?;
        self.points = Vec::with_capacity(many);
        self.ids = Vec::with_capacity(many);
        // Each rank's copies are in order, so a stable sort merges as many runs as there are ranks.
        let mut by_id: Vec<u32> = (0..ids.len() as u32).collect();
        by_id.sort_by_key(|&i| ids[i as usize]);
        self.own = Vec::with_capacity(cloud.len());
        self.copies = vec![0; ids.len()];
        let mut copies = by_id.into_iter().peekable();
        for (&p, &id) in cloud.points.iter().zip(&cloud.ids) {
            while let Some(copy) = copies.next_if(|&copy| ids[copy as usize] < id) {
                self.push_copy(copy as usize, points, ids);
            }
            self.own.push(self.points.len() as u32);
            self.points.push(p);
            self.ids.push(id);
        }
        for copy in copies {
            self.push_copy(copy as usize, points, ids);
        }
        self.held = ranks.hold(many * bytes_of_each::<P>());
        Ok(())
    }

    fn push_copy(&mut self, copy: usize, points: &[P], ids: &[u64]) {
        self.copies[copy] = self.points.len() as u32;
        self.points.push(points[copy]);
        self.ids.push(ids[copy]);
    }

    /// Returns the points of this rank and the copies, in the order of their ids. Answers number them from 0.
    #[must_use]
    pub fn points(&self) -> &[P] {
        &self.points
    }

    /// Returns the global id of each point, ascending.
    #[must_use]
    pub fn ids(&self) -> &[u64] {
        &self.ids
    }

    /// Returns the numbers of this rank's own points, ascending: the `i`-th is that of point `i` of the cloud.
    #[must_use]
    pub fn own(&self) -> &[u32] {
        &self.own
    }

    /// Returns the number of copies.
    #[must_use]
    pub fn copies(&self) -> usize {
        self.copies.len()
    }

    /// Returns the radius within which points were copied.
    #[must_use]
    pub fn radius(&self) -> P::Scalar {
        self.radius
    }

    /// Returns the periodic box of the cloud.
    #[must_use]
    pub fn periodic(&self) -> Option<&Periodic<P>> {
        self.periodic.as_ref()
    }

    /// Returns values for all points in the list, given those of this rank's own points. Those of copies come from their owners, by the routes
    /// of the copies.
    ///
    /// # Errors
    ///
    /// If there are not as many values as own points on a rank, or more come to it than its budget allows.
    ///
    /// # Complexity
    ///
    /// An exchange of a value for each copy.
    pub fn fill<T: Pod>(&self, ranks: &Ranks, values: &[T]) -> Result<Vec<T>, Error> {
        let _call = ranks.begin();
        let sound = self.check_len("own points", self.own.len(), values.len());
        let bytes = (self.points.len() + self.sent.len()) * size_of::<T>();
        ranks.agree(sound.and_then(|()| ranks.take(bytes)))?;
        let sent: Vec<T> = self.sent.iter().map(|&i| values[i as usize]).collect();
        let came = ranks.exchange(&sent, &self.counts)?.items;
        let mut all = vec![T::zeroed(); self.points.len()];
        for (&place, &value) in self.own.iter().zip(values) {
            all[place as usize] = value;
        }
        for (&place, value) in self.copies.iter().zip(came) {
            all[place as usize] = value;
        }
        Ok(all)
    }

    /// Sends results for copies back to their owners. `values` are those of all points in the list; `f` is called with the index of an own point
    /// and a value that another rank found for it, rank after rank, in an order that does not depend on timing.
    ///
    /// # Errors
    ///
    /// If there are not as many values as points in the list on a rank, or more come to it than its budget allows.
    ///
    /// # Complexity
    ///
    /// An exchange of a value for each copy.
    pub fn fold<T: Pod>(
        &self,
        ranks: &Ranks,
        values: &[T],
        mut f: impl FnMut(usize, T),
    ) -> Result<(), Error> {
        ranks.agree(self.check_len("points", self.points.len(), values.len()))?;
        let sent: Vec<T> = self
            .copies
            .iter()
            .map(|&place| values[place as usize])
            .collect();
        let came = ranks.exchange(&sent, &self.came)?.items;
        for (&i, value) in self.sent.iter().zip(came) {
            f(i as usize, value);
        }
        Ok(())
    }

    /// Returns for each own point the sum of the values for it, here and on all ranks that have a copy. The values are integers, which wrap,
    /// since sums of floats depend on the order.
    ///
    /// # Errors
    ///
    /// The errors of [`fold`](Self::fold).
    pub fn sum(&self, ranks: &Ranks, values: &[u64]) -> Result<Vec<u64>, Error> {
        let own = self
            .own
            .iter()
            .map(|&place| values.get(place as usize).copied());
        let mut sums: Vec<u64> = own.map(Option::unwrap_or_default).collect();
        self.fold(ranks, values, |i, value| {
            sums[i] = sums[i].wrapping_add(value);
        })?;
        Ok(sums)
    }

    fn check_len(&self, what: &str, expected: usize, len: usize) -> Result<(), Cause> {
        if len == expected {
            return Ok(());
        }
        Err(Cause::argument(format_args!(
            "{len} values for {expected} {what}"
        )))
    }

    /// Makes a cell list of some points, as one process would make it of all points.
    pub(crate) fn cells(&self, ranks: &Ranks, points: &[P]) -> Result<CellList<P>, Cause> {
        ranks.take(points.len() * bytes_in_tree::<P>())?;
        let cells = match self.periodic {
            Some(periodic) => CellList::try_new_periodic(points, self.radius, periodic),
            None => CellList::try_new(points, self.radius),
        };
        cells.map_err(|error| Cause::of(error, &self.ids))
    }

    /// Returns the points with these numbers.
    pub(crate) fn points_at(&self, numbers: &[u32]) -> Vec<P> {
        numbers.iter().map(|&i| self.points[i as usize]).collect()
    }

    /// Returns the numbers of all copies, ascending.
    pub(crate) fn numbers_of_copies(&self) -> Vec<u32> {
        let mut numbers = self.copies.clone();
        numbers.sort_unstable();
        numbers
    }

    /// Returns what this rank and each other one share: the numbers of the points that went there, and of those that came from there, ascending.
    pub(crate) fn in_common(&self) -> impl Iterator<Item = (Vec<u32>, &[u32])> {
        let (sent, came) = (starts_of(&self.counts), starts_of(&self.came));
        (0..self.counts.len()).map(move |rank| {
            let sent = &self.sent[sent[rank]..sent[rank + 1]];
            let sent = sent.iter().map(|&i| self.own[i as usize]).collect();
            (sent, &self.copies[came[rank]..came[rank + 1]])
        })
    }

    /// Returns the positions of copies in the list, in order of arrival.
    pub(crate) fn places_of_copies(&self) -> &[u32] {
        &self.copies
    }
}

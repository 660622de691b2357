//! Moving boxes on many ranks, and all overlapping pairs of them.
//!
//! ```text
//! each box goes to every rank that owns a part of its space
//! each rank keeps a broad phase of the boxes that it was sent, from step to step
//! each overlapping pair is reported by the rank that owns the lower corner of the pair's common part
//! ```
//!
//! That corner lies in both boxes, so its owner has both. It has one owner, so each pair is reported once.

use std::any::type_name;
use std::collections::BTreeMap;

use orthant::{Aabb, Broadphase, Handle, Motion, Scalar};

use crate::balance::divide;
use crate::ranks::{Held, by_rank, spread};
use crate::{Balance, Cause, Division, Error, Point, Ranks};

/// Boxes that move, on many ranks, and all overlapping pairs of them.
///
/// A rank brings some boxes and moves them in each step. Ids number the boxes of rank 0, then those of rank 1, and so on. Pairs are found where
/// the boxes lie, on whichever rank.
///
/// ```no_run
/// use orthant::Aabb;
/// use orthant_mpi::{Balance, Bodies, Ranks};
/// # fn example(ranks: &Ranks) -> Result<(), orthant_mpi::Error> {
/// let mine = [Aabb::new([0.0, 0.0], [1.0, 1.0])];
/// let mut bodies = Bodies::new(ranks, &mine, Balance::default())?;
/// let pairs: u64 = bodies.count_pairs(ranks);
/// bodies.update(ranks, &mine)?; // where they are now
/// for [a, b] in bodies.pairs() {
///     assert!(a < b);
/// }
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Bodies<P: Point> {
    /// The id of the first box that this rank brings, and the number of its boxes.
    first: u64,
    len: usize,
    balance: Balance,
    division: Division,
    world: Broadphase<P>,
    held: BTreeMap<u64, Handle>,
    pairs: Vec<[u64; 2]>,
    began: Vec<[u64; 2]>,
    ended: Vec<[u64; 2]>,
    memory: Held,
}

/// Returns the bytes of a box in a broad phase: some copies of the box, and its names.
const fn bytes_of_box<P>() -> usize {
    8 * size_of::<P>() + 128
}

impl<P: Point> Bodies<P> {
    /// Makes bodies of the boxes that each rank brings, divided by a rule, which [`update`](Self::update) uses too.
    ///
    /// # Errors
    ///
    /// If the rule is not a number or differs between ranks, or boxes take more than the budget of a rank.
    ///
    /// # Complexity
    ///
    /// The cost of [`Cloud::balance`](crate::Cloud::balance), and of a broad phase of the boxes that a rank receives.
    pub fn new(ranks: &Ranks, boxes: &[Aabb<P>], balance: Balance) -> Result<Self, Error> {
        let _call = ranks.begin();
        ranks.same_words("the type of corners", type_name::<P>())?;
        let counts = ranks.share(&[boxes.len() as u64])?.items;
        let corners: Vec<P> = boxes.iter().map(Aabb::min).collect();
        let (division, ..) = divide(ranks, &corners, &vec![1; boxes.len()], &balance, None)?;
        let mut new = Self {
            first: counts[..ranks.rank()].iter().sum(),
            len: boxes.len(),
            balance,
            division,
            world: Broadphase::new(),
            held: BTreeMap::new(),
            pairs: Vec::new(),
            began: Vec::new(),
            ended: Vec::new(),
            memory: Held::default(),
        };
        new.send(ranks, boxes)?;
        Ok(new)
    }

    /// Moves the boxes that this rank brought, in their order, and finds the pairs anew. Space is divided anew if the rule says so.
    ///
    /// # Errors
    ///
    /// If there are not as many boxes as before, or they take more than the budget of a rank.
    ///
    /// # Complexity
    ///
    /// Two exchanges of the boxes, a step of a broad phase ([`Broadphase::update`]) of the boxes that a rank receives, and two exchanges of the
    /// pairs that a rank gained or lost.
    pub fn update(&mut self, ranks: &Ranks, boxes: &[Aabb<P>]) -> Result<(), Error> {
        ranks.agree(if boxes.len() == self.len {
            Ok(())
        } else {
            let (len, before) = (boxes.len(), self.len);
            Err(Cause::argument(format_args!(
                "{len} boxes where there were {before}"
            )))
        })?;
        let corners: Vec<P> = boxes.iter().map(Aabb::min).collect();
        let weights = vec![1; boxes.len()];
        let before = Some(&self.division);
        let (division, ..) = divide(ranks, &corners, &weights, &self.balance, before)?;
        self.division = division;
        self.send(ranks, boxes)
    }

    /// Returns the overlapping pairs whose common corner this rank owns, the lower id first, ascending. Over all ranks they are all pairs, each
    /// once; touching counts.
    #[must_use]
    pub fn pairs(&self) -> &[[u64; 2]] {
        &self.pairs
    }

    /// Returns the pairs that did not overlap in the last step, ascending. Each is on one rank, not always the one that reports the pair. At
    /// first these are all pairs.
    #[must_use]
    pub fn began(&self) -> &[[u64; 2]] {
        &self.began
    }

    /// Returns the pairs that overlapped in the last step and no longer do, each on one rank, ascending.
    #[must_use]
    pub fn ended(&self) -> &[[u64; 2]] {
        &self.ended
    }

    /// Returns the number of pairs of all ranks.
    #[must_use]
    pub fn count_pairs(&self, ranks: &Ranks) -> u64 {
        ranks.sum(&[self.pairs.len() as u64])[0]
    }

    /// Returns the number of boxes on this rank, its own or not.
    #[must_use]
    pub fn held(&self) -> usize {
        self.held.len()
    }

    /// Sends boxes to the ranks that own their space, and into the broad phases there.
    fn send(&mut self, ranks: &Ranks, boxes: &[Aabb<P>]) -> Result<(), Error> {
        let _call = ranks.tell("sending boxes to where they are");
        let mut routes: Vec<Vec<u32>> = vec![Vec::new(); ranks.size()];
        for (i, cuboid) in boxes.iter().enumerate() {
            self.division
                .for_each_owner(cuboid, |rank| routes[rank].push(i as u32));
        }
        let counts: Vec<usize> = routes.iter().map(Vec::len).collect();
        let sent = routes.concat();
        ranks.agree(ranks.take(sent.len() * (2 * size_of::<P>() + size_of::<u64>())))?;
        let ids: Vec<u64> = sent.iter().map(|&i| self.first + u64::from(i)).collect();
        let corners = |&i: &u32| [boxes[i as usize].min(), boxes[i as usize].max()];
        let ends: Vec<P> = sent.iter().flat_map(corners).collect();
        let twice: Vec<usize> = counts.iter().map(|count| 2 * count).collect();
        let ids = ranks.exchange(&ids, &counts)?.items;
        let ends = ranks.exchange(&ends, &twice)?.items;
        // Ids arrive in order: rank after rank, and within each rank in the order there.
        let room = ids.len() * bytes_of_box::<P>();
        // Boxes of the last step are freed first.
        let placed = ranks
            .take(room.saturating_sub(self.memory.bytes()))
            .and_then(|()| self.place(&ids, ends.as_chunks::<2>().0));
        ranks.agree(placed)?;
        self.memory = ranks.hold(room);
        let _call = ranks.tell("finding pairs");
        self.world.refresh();
        let pairs = self.world.pairs();
        let mut pairs: Vec<[u64; 2]> = pairs
            .filter_map(|(a, b)| self.reported(ranks, a, b))
            .collect();
        pairs.sort_unstable();
        self.compare(ranks, pairs)
    }

    /// Finds the pairs that began and ended. A pair that moved from one rank to another did neither: a rank chosen by its ids is told of both,
    /// and drops it.
    fn compare(&mut self, ranks: &Ranks, pairs: Vec<[u64; 2]>) -> Result<(), Error> {
        let told = |pairs: Vec<[u64; 2]>| {
            let each = pairs.iter().map(|&pair| (spread(ranks.size(), pair), pair));
            let (sent, counts) = by_rank(ranks.size(), each);
            let mut came = ranks.exchange(&sent, &counts)?.items;
            came.sort_unstable();
            Ok(came)
        };
        let came = told(without(&pairs, &self.pairs))?;
        let left = told(without(&self.pairs, &pairs))?;
        self.began = without(&came, &left);
        self.ended = without(&left, &came);
        self.pairs = pairs;
        Ok(())
    }

    fn place(&mut self, ids: &[u64], ends: &[[P; 2]]) -> Result<(), Cause> {
        let mut before = std::mem::take(&mut self.held);
        let refused = |error: orthant::Error| Cause::of(error, ids);
        for (&id, &[low, high]) in ids.iter().zip(ends) {
            let cuboid = Aabb::try_new(low, high).map_err(|error| refused(error.into()))?;
            let handle = match before.remove(&id) {
                Some(handle) => {
                    self.world.set_bounds(handle, cuboid);
                    handle
                }
                None => {
                    let handle = self
                        .world
                        .try_insert(cuboid, Motion::Dynamic)
                        .map_err(refused)?;
                    self.world.set_user(handle, id);
                    handle
                }
            };
            self.held.insert(id, handle);
        }
        for handle in before.into_values() {
            self.world.remove(handle);
        }
        Ok(())
    }

    /// Returns the ids of two boxes, if this rank owns the lower corner of their common part.
    fn reported(&self, ranks: &Ranks, a: Handle, b: Handle) -> Option<[u64; 2]> {
        let (low_a, low_b) = (self.world.bounds(a)?.min(), self.world.bounds(b)?.min());
        let corner = P::from_fn(|axis| low_a.axis(axis).larger(low_b.axis(axis)));
        if self.division.owner(corner) != ranks.rank() {
            return None;
        }
        let (a, b) = (self.world.user(a)?, self.world.user(b)?);
        Some([a.min(b), a.max(b)])
    }
}

/// Returns the entries of one ascending list that are not in the other.
fn without(pairs: &[[u64; 2]], others: &[[u64; 2]]) -> Vec<[u64; 2]> {
    let is_left = |pair: &&[u64; 2]| others.binary_search(pair).is_err();
    pairs.iter().filter(is_left).copied().collect()
}

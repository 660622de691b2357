//! The ranks that work together, and all that goes between them.
//!
//! Everything that is sent goes through here, and is counted. Lengths are `usize` and cut to pieces below, since
//! MPI 3 counts in `int`: more than 2³¹ units are an error of the library at best.

mod budget;
mod exchange;

use std::cell::Cell;
use std::fmt;

use bytemuck::{Pod, cast_slice, cast_slice_mut};
use mpi::collective::SystemOperation;
use mpi::datatype::PartitionMut;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives};

pub(crate) use budget::Held;
use budget::{Budget, Call};
pub use exchange::Parts;
pub(crate) use exchange::{by_rank, spread, starts_of};

use crate::{Cause, Error};

/// What this rank has sent since the tally was taken last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Bytes sent to other ranks.
    pub sent: u64,
    /// Bytes received from other ranks.
    pub received: u64,
    /// Messages to other ranks, of at most a piece each.
    pub messages: u64,
    /// Rounds in which all ranks take part: exchanges and reductions.
    pub rounds: u64,
    /// Bytes of reductions and of what all get from all.
    pub reduced: u64,
}

/// Called with the stage that work has come to.
type Tell = Box<dyn Fn(&str)>;

/// The ranks that work together: a communicator of this crate's own, so that its messages are never taken for
/// the user's.
///
/// Whatever takes `&Ranks` is **collective**: all ranks call it, in the same order, and all get `Ok` or all get
/// the same [`Error`]. Dropped before mpi's `Universe`: of locals, those that are declared last go first.
///
/// ```no_run
/// use orthant_mpi::Ranks;
/// let universe = mpi::initialize().unwrap();
/// orthant_mpi::abort_on_panic();
/// let ranks = Ranks::new(&universe.world()).with_piece(1 << 20)?.with_budget(8 << 30);
/// assert!(ranks.rank() < ranks.size());
/// # Ok::<(), orthant_mpi::Error>(())
/// ```
pub struct Ranks {
    world: SimpleCommunicator,
    piece: usize,
    budget: Budget,
    tally: Cell<Tally>,
    tell: Option<Tell>,
}

impl fmt::Debug for Ranks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ranks")
            .field("rank", &self.rank())
            .field("size", &self.size())
            .field("piece", &self.piece)
            .field("budget", &self.budget.bytes)
            .finish_non_exhaustive()
    }
}

/// Half of the gibibyte beyond which some transports split messages themselves.
const PIECE: usize = 1 << 29;

impl Ranks {
    /// Those of a communicator, which is duplicated. Collective.
    #[must_use]
    pub fn new(world: &impl Communicator) -> Self {
        Self {
            world: world.duplicate(),
            piece: PIECE,
            budget: Budget::default(),
            tally: Cell::default(),
            tell: None,
        }
    }

    /// With messages of at most so many bytes; 512 MiB otherwise. Collective.
    ///
    /// # Errors
    ///
    /// If it is not from 16 to 2³⁰, or not the same on all ranks.
    pub fn with_piece(mut self, bytes: usize) -> Result<Self, Error> {
        let is_sound = (16..=1 << 30).contains(&bytes);
        self.agree(if is_sound {
            Ok(())
        } else {
            Err(Cause::argument(format_args!(
                "a piece of {bytes} bytes: not from 16 to 2^30"
            )))
        })?;
        self.same("piece", &[bytes as u64])?;
        self.piece = bytes;
        Ok(self)
    }

    /// With a budget for this rank: what its clouds, halos, trees and bodies hold and what a call makes beside them,
    /// added up. A call that would take more is refused, before anything is sent, by an error that has the size that all of
    /// it would take. Ranks may have different ones.
    ///
    /// Points are counted with all copies that are made to send and to sort them; trees and cells by what they take at
    /// most. What a program holds itself is not counted, such as answers: leave room for it. Operating systems promise
    /// more memory than there is, and end who uses it: only the budget is reliable.
    #[must_use]
    pub fn with_budget(mut self, bytes: usize) -> Self {
        self.budget.bytes = bytes;
        self
    }

    /// With a function that is told on rank 0 what is being done; on the others it is dropped.
    #[must_use]
    pub fn with_progress(mut self, tell: impl Fn(&str) + 'static) -> Self {
        self.tell = (self.rank() == 0).then(|| Box::new(tell) as Tell);
        self
    }

    /// The number of this rank, from 0 on.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.world.rank() as usize
    }

    /// The number of ranks.
    #[must_use]
    pub fn size(&self) -> usize {
        self.world.size() as usize
    }

    /// The communicator, of this crate's own: for others like it, not to send anything.
    #[must_use]
    pub fn communicator(&self) -> &SimpleCommunicator {
        &self.world
    }

    /// The tally so far, which begins anew. Not collective.
    pub fn take_tally(&self) -> Tally {
        self.tally.take()
    }

    /// Waits for all. Collective.
    pub fn barrier(&self) {
        self.world.barrier();
    }

    /// Element by element the sum of what all ranks give, as many each. Of integers, which wrap: sums of floats
    /// depend on the number of ranks. Collective.
    #[must_use]
    pub fn sum(&self, values: &[u64]) -> Vec<u64> {
        self.reduce(values, &SystemOperation::sum())
    }

    /// Element by element the least. Collective.
    #[must_use]
    pub fn least(&self, values: &[u64]) -> Vec<u64> {
        self.reduce(values, &SystemOperation::min())
    }

    /// Element by element the most. Collective.
    #[must_use]
    pub fn most(&self, values: &[u64]) -> Vec<u64> {
        self.reduce(values, &SystemOperation::max())
    }

    fn reduce(&self, values: &[u64], operation: &SystemOperation) -> Vec<u64> {
        let mut result = vec![0; values.len()];
        let many = self.piece / size_of::<u64>();
        for (from, to) in values.chunks(many).zip(result.chunks_mut(many)) {
            self.world.all_reduce_into(from, to, operation);
        }
        self.note(|tally| {
            tally.rounds += 1;
            tally.reduced += size_of_val(values) as u64;
        });
        result
    }

    /// What each rank has, on every rank: for little, such as boxes and counts. Collective.
    ///
    /// In rounds, in each of which a rank says at most its share of a piece: so neither counts nor displacements
    /// come near 2³¹.
    ///
    /// # Errors
    ///
    /// If it is more than the budget of a rank, or than its memory.
    pub fn share<T: Pod>(&self, items: &[T]) -> Result<Parts<T>, Error> {
        let _call = self.begin();
        let (size, unit) = (self.size(), size_of::<T>().max(1));
        let mut counts = vec![0_u64; size];
        self.world
            .all_gather_into(&(items.len() as u64), &mut counts[..]);
        let counts: Vec<usize> = counts.iter().map(|&count| count as usize).collect();
        let starts = starts_of(&counts);
        let mut all = self.room(starts[size])?;
        all.resize(starts[size], T::zeroed());
        let quota = (self.piece / (size * unit)).max(1);
        let rounds = counts.iter().max().map_or(0, |most| most.div_ceil(quota));
        for round in 0..rounds {
            let share = |len: usize| (round * quota).min(len)..((round + 1) * quota).min(len);
            let bytes: Vec<usize> = counts.iter().map(|&len| share(len).len() * unit).collect();
            let ends = starts_of(&bytes);
            let ints = |list: &[usize]| list.iter().map(|&n| n as i32).collect::<Vec<i32>>();
            let mut staged = vec![0_u8; ends[size]];
            let mut to = PartitionMut::new(&mut staged[..], ints(&bytes), ints(&ends[..size]));
            let mine = cast_slice::<T, u8>(&items[share(items.len())]);
            self.world.all_gather_varcount_into(mine, &mut to);
            for (rank, &len) in counts.iter().enumerate() {
                let place = &mut all[starts[rank]..][share(len)];
                cast_slice_mut::<T, u8>(place).copy_from_slice(&staged[ends[rank]..ends[rank + 1]]);
            }
        }
        self.note(|tally| {
            tally.rounds += 1;
            tally.reduced += (starts[size] * unit) as u64;
        });
        Ok(Parts { items: all, starts })
    }

    /// Begins a call, or a stage of one.
    pub(crate) fn tell(&self, stage: &str) -> Call<'_> {
        if let Some(tell) = &self.tell {
            tell(stage);
        }
        self.begin()
    }

    fn note(&self, f: impl FnOnce(&mut Tally)) {
        let mut tally = self.tally.get();
        f(&mut tally);
        self.tally.set(tally);
    }
}

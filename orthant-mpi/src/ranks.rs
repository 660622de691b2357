//! The ranks that work together, and all messages between them.
//!
//! Every message goes through this module, and is counted. Lengths are `usize` and are cut into pieces below, since MPI 3 counts in `int`: more
//! than 2³¹ units are at best an error of the library.

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

/// The bytes that this rank sent and received since the last `take_tally`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Bytes sent to other ranks.
    pub sent: u64,
    /// Bytes received from other ranks.
    pub received: u64,
    /// Messages to other ranks, each of at most a piece.
    pub messages: u64,
    /// Rounds in which all ranks take part: exchanges and reductions.
    pub rounds: u64,
    /// Bytes of reductions and of allgathers.
    pub reduced: u64,
}

/// A callback that gets the current stage of the work.
type Tell = Box<dyn Fn(&str)>;

/// The ranks that work together. They use a communicator of this crate's own, so that its messages are never confused with the user's.
///
/// A function that takes `&Ranks` is **collective**: all ranks call it, in the same order, and all get `Ok` or all get the same [`Error`]. Drop
/// it before mpi's `Universe`: locals that are declared last are dropped first.
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
    /// Makes ranks of a communicator, which is duplicated. Collective.
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

    /// Sends messages of at most `bytes` bytes; the default is 512 MiB. Collective.
    ///
    /// # Errors
    ///
    /// If the number is not from 16 to 2³⁰, or differs between ranks.
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

    /// Sets a budget for this rank, for the sum of what its clouds, halos, trees and bodies hold and what a call allocates. A call that would
    /// take more is refused, before anything is sent, by an error with the size of the sum. Ranks may have different budgets.
    ///
    /// Points are counted with all copies that are made to send and to sort them; trees and cell lists by the most that they take. What the
    /// program itself holds, such as answers, is not counted: leave room for it. Operating systems promise more memory than there is, and kill
    /// processes that use it: only the budget is reliable.
    #[must_use]
    pub fn with_budget(mut self, bytes: usize) -> Self {
        self.budget.bytes = bytes;
        self
    }

    /// Calls `tell` on rank 0 with the current stage of the work; on other ranks it is dropped.
    #[must_use]
    pub fn with_progress(mut self, tell: impl Fn(&str) + 'static) -> Self {
        self.tell = (self.rank() == 0).then(|| Box::new(tell) as Tell);
        self
    }

    /// Returns the number of this rank, from 0 on.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.world.rank() as usize
    }

    /// Returns the number of ranks.
    #[must_use]
    pub fn size(&self) -> usize {
        self.world.size() as usize
    }

    /// Returns this crate's own communicator, to make others like it; do not send with it.
    #[must_use]
    pub fn communicator(&self) -> &SimpleCommunicator {
        &self.world
    }

    /// Returns the tally so far, and begins a new one. Not collective.
    pub fn take_tally(&self) -> Tally {
        self.tally.take()
    }

    /// Waits for all ranks. Collective.
    pub fn barrier(&self) {
        self.world.barrier();
    }

    /// Returns the sum over all ranks, element by element; all ranks pass as many values. Values are integers, which wrap: sums of floats would
    /// depend on the number of ranks. Collective.
    #[must_use]
    pub fn sum(&self, values: &[u64]) -> Vec<u64> {
        self.reduce(values, &SystemOperation::sum())
    }

    /// Returns the minimum over all ranks, element by element. Collective.
    #[must_use]
    pub fn least(&self, values: &[u64]) -> Vec<u64> {
        self.reduce(values, &SystemOperation::min())
    }

    /// Returns the maximum over all ranks, element by element. Collective.
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

    /// Returns the items of all ranks, on every rank: for little data, such as boxes and counts. Collective.
    ///
    /// It works in rounds, in each of which a rank sends at most its share of a piece, so neither counts nor displacements come near 2³¹.
    ///
    /// # Errors
    ///
    /// If the items take more than the budget of a rank, or than its memory.
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

    /// Begins a call, or a stage of one, and reports it.
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

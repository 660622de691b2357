//! Messages from each rank to each other: `MPI_Alltoallv` without its `int`s.
//!
//! ```text
//! all ranks tell all how many items they will send
//! a rank without room for what it receives refuses, and so do all
//! receives are posted, each for a piece of at most some bytes, at its final position
//! sends follow in the same way, beginning with the next rank
//! ```
//!
//! Sender and receiver cut messages alike, from the same number. Messages between two ranks arrive in the order in which they were sent, so
//! pieces need no tags, and nothing depends on which rank is first. The alternative, `MPI_Alltoallv` in rounds of a share of a piece for each
//! pair, takes as many rounds as the fullest pair needs.

use bytemuck::{Pod, cast_slice, cast_slice_mut};
use mpi::request::multiple_scope;
use mpi::traits::{Communicator, CommunicatorCollectives, Destination, Source};

use super::Ranks;
use crate::{Cause, Error};

/// The items received from each rank: those of rank `r` are `items[starts[r]..starts[r + 1]]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts<T> {
    /// All items, rank after rank.
    pub items: Vec<T>,
    /// The position of each rank's first item, followed by the number of all items.
    pub starts: Vec<usize>,
}

impl<T> Parts<T> {
    /// Returns the items of a rank.
    ///
    /// # Panics
    ///
    /// If there is no such rank.
    #[must_use]
    #[track_caller]
    pub fn of(&self, rank: usize) -> &[T] {
        &self.items[self.starts[rank]..self.starts[rank + 1]]
    }

    /// Returns the number of items from each rank.
    pub(crate) fn counts(&self) -> Vec<usize> {
        self.starts.windows(2).map(|s| s[1] - s[0]).collect()
    }
}

/// Returns the starts of concatenated lists of these lengths, followed by the end of the last.
pub(crate) fn starts_of(counts: &[usize]) -> Vec<usize> {
    let mut starts = Vec::with_capacity(counts.len() + 1);
    let mut sum = 0;
    starts.push(0);
    for &count in counts {
        sum += count;
        starts.push(sum);
    }
    starts
}

/// Returns the items sorted stably by destination, and the number of items for each.
pub(crate) fn by_rank<T: Pod>(
    size: usize,
    items: impl Iterator<Item = (usize, T)> + Clone,
) -> (Vec<T>, Vec<usize>) {
    let mut counts = vec![0; size];
    for (rank, _) in items.clone() {
        counts[rank] += 1;
    }
    let mut at = starts_of(&counts);
    let mut sorted = vec![T::zeroed(); at[size]];
    for (rank, item) in items {
        sorted[at[rank]] = item;
        at[rank] += 1;
    }
    (sorted, counts)
}

/// Returns a rank that some numbers choose, so that all ranks get about as many.
pub(crate) fn spread<const N: usize>(size: usize, numbers: [u64; N]) -> usize {
    let mixed = numbers.iter().fold(0_u64, |mixed, number| {
        (mixed ^ number)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(31)
    });
    (mixed % size as u64) as usize
}

impl Ranks {
    /// Sends the first `counts[0]` items to rank 0, the next to rank 1, and so on. Received items are ordered by the rank that sent them, and
    /// within that as they were there. Collective.
    ///
    /// Items are plain old data, sent as bytes. They are columns, since a struct with padding has undefined bytes.
    ///
    /// # Errors
    ///
    /// If there is not one count for each rank, counts do not add up to the number of items, or a rank receives more than its budget or its
    /// memory allows.
    ///
    /// # Complexity
    ///
    /// 8 bytes to each rank, and a message for each piece of the items for another rank.
    pub fn exchange<T: Pod>(&self, items: &[T], counts: &[usize]) -> Result<Parts<T>, Error> {
        let _call = self.begin();
        let (size, me, unit) = (self.size(), self.rank(), size_of::<T>());
        let mut from = starts_of(counts);
        let refused = if counts.len() == size && from[size] == items.len() {
            Ok(())
        } else {
            Err(Cause::argument(format_args!(
                "exchange: {} counts of {} items for {} items on {size} ranks",
                counts.len(),
                from[counts.len()],
                items.len()
            )))
        };
        if refused.is_err() {
            from = vec![0; size + 1];
        }
        let send: Vec<u64> = from.windows(2).map(|f| (f[1] - f[0]) as u64).collect();
        let mut receive = vec![0_u64; size];
        self.communicator()
            .all_to_all_into(&send[..], &mut receive[..]);
        let receive: Vec<usize> = receive.iter().map(|&count| count as usize).collect();
        let starts = starts_of(&receive);
        let mut all = self.room_unless(refused, starts[size])?;
        all.resize(starts[size], T::zeroed());
        all[starts[me]..starts[me + 1]].copy_from_slice(&items[from[me]..from[me + 1]]);
        let messages = self.pieces(
            cast_slice(items),
            &from,
            cast_slice_mut(&mut all),
            &starts,
            unit,
        );
        self.note(|tally| {
            tally.rounds += 1;
            tally.messages += messages;
            tally.sent += ((items.len() - counts[me]) * unit) as u64;
            tally.received += ((starts[size] - receive[me]) * unit) as u64;
        });
        Ok(Parts { items: all, starts })
    }

    /// Sends bytes piece by piece, and returns the number of messages.
    fn pieces(
        &self,
        bytes: &[u8],
        from: &[usize],
        all: &mut [u8],
        starts: &[usize],
        unit: usize,
    ) -> u64 {
        let (size, me) = (self.size(), self.rank());
        let pieces = |bounds: &[usize]| {
            let of = |rank: usize| ((bounds[rank + 1] - bounds[rank]) * unit).div_ceil(self.piece);
            (0..size).filter(|&rank| rank != me).map(of).sum::<usize>()
        };
        let (sent, received) = (pieces(from), pieces(starts));
        multiple_scope(sent + received, |scope, requests| {
            let mut rest = all;
            for rank in 0..size {
                let (part, after) = rest.split_at_mut((starts[rank + 1] - starts[rank]) * unit);
                rest = after;
                if rank != me {
                    for piece in part.chunks_mut(self.piece) {
                        let source = self.communicator().process_at_rank(rank as i32);
                        requests.add(source.immediate_receive_into(scope, piece));
                    }
                }
            }
            for step in 1..size {
                let rank = (me + step) % size;
                for piece in bytes[from[rank] * unit..from[rank + 1] * unit].chunks(self.piece) {
                    let destination = self.communicator().process_at_rank(rank as i32);
                    requests.add(destination.immediate_send(scope, piece));
                }
            }
            requests.wait_all(&mut Vec::new());
        });
        sent as u64
    }
}

//! The memory of a rank: what its clouds, halos and trees hold, and what a call allocates, added up beforehand.
//!
//! ```text
//! a call begins with nothing, and adds what it is about to allocate; it gives nothing back before it ends
//! the sum with what is held is compared with the budget; all ranks agree before anything is sent
//! a result that stays is held until it is dropped
//! ```

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::Ranks;
use crate::{Cause, Error};

/// The budget of a rank, and the part of it that is in use.
#[derive(Debug)]
pub(super) struct Budget {
    pub(super) bytes: usize,
    held: Arc<AtomicUsize>,
    /// The bytes that running calls have added, and the depth of nested calls.
    made: Cell<usize>,
    calls: Cell<usize>,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            bytes: usize::MAX,
            held: Arc::default(),
            made: Cell::default(),
            calls: Cell::default(),
        }
    }
}

/// A part of a budget that is in use until this is dropped. A clone uses as much again.
#[derive(Debug, Default)]
pub(crate) struct Held {
    held: Arc<AtomicUsize>,
    bytes: usize,
}

impl Held {
    fn new(held: &Arc<AtomicUsize>, bytes: usize) -> Self {
        held.fetch_add(bytes, Ordering::Relaxed);
        let held = Arc::clone(held);
        Self { held, bytes }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Clone for Held {
    fn clone(&self) -> Self {
        Self::new(&self.held, self.bytes)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.held.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// A running call, which ends when this is dropped.
pub(crate) struct Call<'a>(&'a Budget);

impl Drop for Call<'_> {
    fn drop(&mut self) {
        self.0.calls.set(self.0.calls.get() - 1);
    }
}

impl Ranks {
    /// Begins a call: allocations are added up until the outermost call ends.
    pub(crate) fn begin(&self) -> Call<'_> {
        let budget = &self.budget;
        if budget.calls.get() == 0 {
            budget.made.set(0);
        }
        budget.calls.set(budget.calls.get() + 1);
        Call(budget)
    }

    /// Adds the bytes of an allocation, if they are within the budget of this rank.
    pub(crate) fn take(&self, bytes: usize) -> Result<(), Cause> {
        let budget = &self.budget;
        let made = budget.made.get().saturating_add(bytes);
        let all = made.saturating_add(budget.held.load(Ordering::Relaxed));
        if all > budget.bytes {
            return Err(Cause::Budget {
                bytes: all as u64,
                budget: budget.bytes as u64,
            });
        }
        budget.made.set(made);
        Ok(())
    }

    /// Holds the part of a call's allocations that stays.
    pub(crate) fn hold(&self, bytes: usize) -> Held {
        let made = &self.budget.made;
        made.set(made.get().saturating_sub(bytes));
        Held::new(&self.budget.held, bytes)
    }

    /// Returns an empty list with room for `items` items, if the budget and the memory of all ranks allow theirs.
    pub(crate) fn room<T>(&self, items: usize) -> Result<Vec<T>, Error> {
        self.room_unless(Ok(()), items)
    }

    /// Returns such a list, unless `refused` is an error on some rank.
    pub(super) fn room_unless<T>(
        &self,
        refused: Result<(), Cause>,
        items: usize,
    ) -> Result<Vec<T>, Error> {
        let mut list = Vec::new();
        let bytes = items.saturating_mul(size_of::<T>());
        let mut reserve = || {
            self.take(bytes)?;
            let reserved = list.try_reserve_exact(items);
            reserved.map_err(|_| Cause::Memory {
                bytes: bytes as u64,
            })
        };
        let within = refused.and_then(|()| reserve());
        self.agree(within)?;
        Ok(list)
    }

    /// Returns true if this rank has a budget.
    pub(crate) fn has_budget(&self) -> bool {
        self.budget.bytes != usize::MAX
    }
}

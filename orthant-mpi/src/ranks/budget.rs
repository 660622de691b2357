//! What a rank may take: what its clouds, halos and trees hold, and what a call makes, added up before it is made.
//!
//! ```text
//! a call begins with nothing, and adds what it is about to make; it gives nothing back before it ends
//! with what is held, that is compared with the budget; all ranks agree before anything is sent
//! what is made to stay is held until it is dropped
//! ```

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::Ranks;
use crate::{Cause, Error};

/// The budget of a rank, and what of it is taken.
#[derive(Debug)]
pub(super) struct Budget {
    pub(super) bytes: usize,
    held: Arc<AtomicUsize>,
    /// What the calls that have not ended have made, and how many these are, one within the other.
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

/// What is held of a budget, until it is dropped. A clone holds as much again.
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

/// A call that has begun, until it is dropped.
pub(crate) struct Call<'a>(&'a Budget);

impl Drop for Call<'_> {
    fn drop(&mut self) {
        self.0.calls.set(self.0.calls.get() - 1);
    }
}

impl Ranks {
    /// Begins a call: what is made from here on is added up, until the outermost call ends.
    pub(crate) fn begin(&self) -> Call<'_> {
        let budget = &self.budget;
        if budget.calls.get() == 0 {
            budget.made.set(0);
        }
        budget.calls.set(budget.calls.get() + 1);
        Call(budget)
    }

    /// Adds what is about to be made, if it is within the budget of this rank.
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

    /// Of what was made, holds what stays.
    pub(crate) fn hold(&self, bytes: usize) -> Held {
        let made = &self.budget.made;
        made.set(made.get().saturating_sub(bytes));
        Held::new(&self.budget.held, bytes)
    }

    /// An empty list with room for so many items, if the budget and the memory of all ranks allow theirs.
    pub(crate) fn room<T>(&self, items: usize) -> Result<Vec<T>, Error> {
        self.room_unless(Ok(()), items)
    }

    /// The same, unless something else is refused.
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

    /// Whether this rank has a budget.
    pub(crate) fn has_budget(&self) -> bool {
        self.budget.bytes != usize::MAX
    }
}

//! What a search keeps of what it is offered.

use alloc::vec::Vec;
use core::cmp::Ordering;

use super::{Nearest, Ranked};
use crate::Scalar;

/// So few are kept in order: the worst of them is known at any time. More are gathered up to twice
/// their number and then halved.
const FEW: usize = 32;

/// The nearest items of the first leaf are looked for one after the other if there are to be so few.
const TURNS: usize = 16;

/// The best so far.
pub(crate) trait Best<S, K> {
    /// Whether it is one.
    const SINGLE: bool;

    /// The distance beyond which nothing can still get in. An equal distance can, since ties go by
    /// key.
    fn limit_sq(&self) -> S;

    /// Takes an item unless the others are better.
    fn offer(&mut self, distance_sq: S, key: K);

    /// How many items of a leaf are worth to be offered in their order.
    fn turns(&self) -> usize;
}

/// One.
pub(crate) struct First<S, K> {
    limit_sq: S,
    key: Option<K>,
}

impl<S: Scalar, K> First<S, K> {
    pub(crate) fn new() -> Self {
        Self {
            limit_sq: S::INFINITY,
            key: None,
        }
    }

    pub(crate) fn found(self) -> Option<Nearest<K, S>> {
        let distance_sq = self.limit_sq;
        self.key.map(|item| Nearest { item, distance_sq })
    }
}

impl<S: Scalar, K: Ord + Copy> Best<S, K> for First<S, K> {
    const SINGLE: bool = true;

    #[inline(always)]
    fn limit_sq(&self) -> S {
        self.limit_sq
    }

    #[inline(always)]
    fn offer(&mut self, distance_sq: S, key: K) {
        let tie = distance_sq == self.limit_sq;
        let better = match self.key {
            Some(best) => distance_sq < self.limit_sq || tie && key < best,
            None => true,
        };
        if better {
            self.limit_sq = distance_sq;
            self.key = Some(key);
        }
    }

    #[inline(always)]
    fn turns(&self) -> usize {
        1
    }
}

/// Several, none of them beyond a limit.
pub(crate) struct FirstN<S, K> {
    n: usize,
    limit_sq: S,
    /// In order if `n` is at most [`FEW`].
    list: Vec<Nearest<K, S>>,
    /// How long the list is to become.
    room: usize,
}

impl<S: Scalar, K: Ord + Copy> FirstN<S, K> {
    /// The best `n`, which is not 0, of so many.
    pub(crate) fn new(n: usize, of: usize, limit_sq: S) -> Self {
        Self {
            n,
            limit_sq,
            list: Vec::with_capacity(n.min(of)),
            room: n,
        }
    }

    #[inline(always)]
    fn insert(&mut self, found: Nearest<K, S>) {
        let list = &mut self.list;
        if list.len() < self.n {
            list.push(found);
        } else if !is_before(&found, &list[self.n - 1]) {
            return;
        }
        let mut at = list.len() - 1;
        while at > 0 && is_before(&found, &list[at - 1]) {
            list[at] = list[at - 1];
            at -= 1;
        }
        list[at] = found;
        if list.len() == self.n {
            self.limit_sq = list[self.n - 1].distance_sq;
        }
    }

    /// Drops all but the best `n`.
    #[cold]
    #[inline(never)]
    fn halve(&mut self) {
        let (_, worst, _) = self.list.select_nth_unstable_by(self.n - 1, order);
        self.limit_sq = worst.distance_sq;
        self.list.truncate(self.n);
        self.room = self.n.saturating_mul(2);
    }

    pub(crate) fn found(mut self) -> Vec<Nearest<K, S>> {
        if self.n > FEW {
            if self.list.len() > self.n {
                self.halve();
            }
            self.list.sort_unstable_by(order);
        }
        self.list
    }
}

/// As a plain comparison: this is where the time goes.
#[inline(always)]
fn is_before<S: Scalar, K: Ord>(a: &Nearest<K, S>, b: &Nearest<K, S>) -> bool {
    a.distance_sq < b.distance_sq || a.distance_sq == b.distance_sq && a.item < b.item
}

fn order<S: Scalar, K: Ord + Copy>(a: &Nearest<K, S>, b: &Nearest<K, S>) -> Ordering {
    Ranked(a.distance_sq, a.item).cmp(&Ranked(b.distance_sq, b.item))
}

impl<S: Scalar, K: Ord + Copy> Best<S, K> for FirstN<S, K> {
    const SINGLE: bool = false;

    #[inline(always)]
    fn limit_sq(&self) -> S {
        self.limit_sq
    }

    #[inline(always)]
    fn offer(&mut self, distance_sq: S, item: K) {
        if distance_sq > self.limit_sq {
            return;
        }
        let found = Nearest { item, distance_sq };
        if self.n <= FEW {
            self.insert(found);
        } else {
            self.list.push(found);
            if self.list.len() >= self.room {
                self.halve();
            }
        }
    }

    #[inline(always)]
    fn turns(&self) -> usize {
        if self.n <= TURNS && self.list.is_empty() {
            self.n
        } else {
            0
        }
    }
}

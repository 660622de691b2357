use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::handle::Handle;
use crate::parallel::{GRAIN, join};

/// A change of the set of pairs; the lesser handle first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Event {
    /// The two are a pair now and were not before.
    Begin(Handle, Handle),
    /// The two are no longer a pair, or one of them was removed.
    End(Handle, Handle),
}

impl Event {
    /// The two handles, the lesser first.
    #[must_use]
    pub fn pair(self) -> (Handle, Handle) {
        match self {
            Self::Begin(a, b) | Self::End(a, b) => (a, b),
        }
    }
}

/// Makes `events` one sorted list of two without a pair in common.
pub(super) fn merge(
    begun: &[[u32; 2]],
    ended: &[[u32; 2]],
    name: impl Fn([u32; 2]) -> (Handle, Handle) + Sync,
    events: &mut Vec<Event>,
) {
    let none = Handle {
        slot: 0,
        generation: 0,
    };
    events.clear();
    events.resize(begun.len() + ended.len(), Event::Begin(none, none));
    merge_in_parts(begun, ended, &name, events);
}

/// Halves the work as long as it is large.
fn merge_in_parts<N>(begun: &[[u32; 2]], ended: &[[u32; 2]], name: &N, to: &mut [Event])
where
    N: Fn([u32; 2]) -> (Handle, Handle) + Sync,
{
    if to.len() > GRAIN {
        let longer = if begun.len() < ended.len() {
            ended
        } else {
            begun
        };
        let middle = longer[longer.len() / 2];
        let before = |pair: &[u32; 2]| *pair < middle;
        let (begun, begun_behind) = begun.split_at(begun.partition_point(before));
        let (ended, ended_behind) = ended.split_at(ended.partition_point(before));
        let (to, to_behind) = to.split_at_mut(begun.len() + ended.len());
        join(
            || merge_in_parts(begun, ended, name, to),
            || merge_in_parts(begun_behind, ended_behind, name, to_behind),
        );
        return;
    }
    let (mut i, mut j) = (0, 0);
    for to in to {
        let (first, other) = (key_at(begun, i), key_at(ended, j));
        let begins = first < other;
        let key = if begins { first } else { other };
        let (a, b) = name([(key >> 32) as u32, key as u32]);
        *to = if begins {
            Event::Begin(a, b)
        } else {
            Event::End(a, b)
        };
        i += usize::from(begins);
        j += usize::from(!begins);
    }
}

/// A pair as a number, the largest behind the end.
#[inline(always)]
fn key_at(pairs: &[[u32; 2]], at: usize) -> u64 {
    let pair = pairs.get(at);
    pair.map_or(u64::MAX, |&[a, b]| u64::from(a) << 32 | u64::from(b))
}

/// What is in one sorted list only: in the newer one, and in the older one.
pub(super) fn changes(old: &[[u32; 2]], new: &[[u32; 2]]) -> [Vec<[u32; 2]>; 2] {
    let (mut begun, mut ended) = (Vec::new(), Vec::new());
    let (mut i, mut j) = (0, 0);
    while i < old.len() && j < new.len() {
        match old[i].cmp(&new[j]) {
            Ordering::Less => ended.push(old[i]),
            Ordering::Greater => begun.push(new[j]),
            Ordering::Equal => {}
        }
        let (left, right) = (old[i], new[j]);
        i += usize::from(left <= right);
        j += usize::from(right <= left);
    }
    ended.extend(&old[i..]);
    begun.extend(&new[j..]);
    [begun, ended]
}

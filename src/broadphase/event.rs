use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::Handle;

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

/// Two sorted lists without a pair in common, as one sorted list of events.
pub(super) fn merge(
    begun: &[[u32; 2]],
    ended: &[[u32; 2]],
    name: impl Fn([u32; 2]) -> (Handle, Handle),
    events: &mut Vec<Event>,
) {
    let begin = |pair| {
        let (a, b) = name(pair);
        Event::Begin(a, b)
    };
    let end = |pair| {
        let (a, b) = name(pair);
        Event::End(a, b)
    };
    let mut ended = ended.iter().copied().peekable();
    for &pair in begun {
        while let Some(earlier) = ended.next_if(|&other| other < pair) {
            events.push(end(earlier));
        }
        events.push(begin(pair));
    }
    events.extend(ended.map(end));
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

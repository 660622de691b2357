//! The trait of contestants at steps of moving boxes. The id of a box is its position in the slice.

use std::cmp::Ordering;

use rdst::RadixSort;

use crate::race::Kind;
use crate::worlds::Bounds;

/// Two boxes that overlap, the smaller id in the upper half.
pub(crate) type Pair = u64;

#[inline(always)]
pub(crate) fn pair(a: u32, b: u32) -> Pair {
    u64::from(a.min(b)) << 32 | u64::from(a.max(b))
}

#[inline(always)]
pub(crate) fn ends(pair: Pair) -> (u32, u32) {
    ((pair >> 32) as u32, pair as u32)
}

/// Replaces a list by the pairs of fat boxes whose exact boxes overlap.
pub(crate) fn keep_exact<const D: usize>(fat: &[Pair], boxes: &[Bounds<D>], pairs: &mut Vec<Pair>) {
    pairs.clear();
    pairs.extend(fat.iter().filter(|&&pair| {
        let (a, b) = ends(pair);
        boxes[a as usize].overlaps(&boxes[b as usize])
    }));
}

pub(crate) trait Stepper<const D: usize>: Sized + 'static {
    const NAME: &'static str;
    const KIND: Kind = Kind::Peer;
    /// True if the structure is built anew in each step, so that it needs no long warm-up.
    const STARTS_AFRESH: bool = false;
    /// True for the kinds of rows in which the contestant takes part: lists, and lists with events.
    const ROWS: [bool; 2] = [true, true];
    /// The contestant is left out with more boxes.
    const MOST_BOXES: usize = usize::MAX;

    fn new(boxes: &[Bounds<D>]) -> Self;

    /// Brings the list of pairs up to date, in any order. It is passed as the sorted list of the step
    /// before; `moved` are the boxes that have changed since, ascending.
    fn step(&mut self, boxes: &[Bounds<D>], moved: &[u32], pairs: &mut Vec<Pair>);

    /// Sorts the list, and finds the pairs that began and ended. By default, it compares the list with the last one.
    fn report(&mut self, pairs: &mut Vec<Pair>, events: &mut Events) {
        events.find(pairs);
    }
}

/// A [`Stepper`] as a trait object. A step has no dynamic dispatch inside.
pub(crate) trait StepRun<const D: usize> {
    fn step(&mut self, boxes: &[Bounds<D>], moved: &[u32], pairs: &mut Vec<Pair>);

    fn report(&mut self, pairs: &mut Vec<Pair>, events: &mut Events);
}

impl<const D: usize, T: Stepper<D>> StepRun<D> for T {
    fn step(&mut self, boxes: &[Bounds<D>], moved: &[u32], pairs: &mut Vec<Pair>) {
        Stepper::step(self, boxes, moved, pairs);
    }

    fn report(&mut self, pairs: &mut Vec<Pair>, events: &mut Events) {
        Stepper::report(self, pairs, events);
    }
}

pub(crate) struct StepContestant<const D: usize> {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) starts_afresh: bool,
    pub(crate) rows: [bool; 2],
    pub(crate) most_boxes: usize,
    pub(crate) new: fn(&[Bounds<D>]) -> Box<dyn StepRun<D>>,
}

pub(crate) fn stepper<const D: usize, T: Stepper<D>>() -> StepContestant<D> {
    StepContestant {
        name: T::NAME,
        kind: T::KIND,
        starts_afresh: T::STARTS_AFRESH,
        rows: T::ROWS,
        most_boxes: T::MOST_BOXES,
        new: |boxes| Box::new(T::new(boxes)),
    }
}

/// The pairs that began and ended in a step, sorted.
#[derive(Default)]
pub(crate) struct Events {
    pub(crate) begins: Vec<Pair>,
    pub(crate) ends: Vec<Pair>,
    last: Vec<Pair>,
}

impl Events {
    /// Sorts the list of this step, and compares it with that of the step before.
    pub(crate) fn find(&mut self, pairs: &mut Vec<Pair>) {
        sort(pairs);
        self.begins.clear();
        self.ends.clear();
        let (mut old, mut new) = (self.last.as_slice(), pairs.as_slice());
        while let ([a, ..], [b, ..]) = (old, new) {
            match a.cmp(b) {
                Ordering::Equal => (old, new) = (&old[1..], &new[1..]),
                Ordering::Less => {
                    self.ends.push(*a);
                    old = &old[1..];
                }
                Ordering::Greater => {
                    self.begins.push(*b);
                    new = &new[1..];
                }
            }
        }
        self.ends.extend_from_slice(old);
        self.begins.extend_from_slice(new);
        self.last.clone_from(pairs);
    }
}

/// Sorts a list. Pairs kept from the step before come first, in order. If they are more than half of the list, only
/// the rest is sorted, and then merged.
fn sort(pairs: &mut [Pair]) {
    let sorted = pairs
        .iter()
        .zip(pairs.iter().skip(1))
        .position(|(a, b)| a > b);
    match sorted {
        None => {}
        Some(last) if last > pairs.len() / 2 => {
            pairs[last + 1..].radix_sort_unstable();
            // The standard library's sort finds the two runs, and merges them.
            pairs.sort();
        }
        Some(_) => pairs.radix_sort_unstable(),
    }
}

/// Steps of contestants that are queried box by box. After the first step, only boxes that moved are queried, unless
/// they are more than half of all.
#[derive(Default)]
pub(crate) struct KeptPairs {
    moved: Vec<bool>,
    in_use: bool,
}

/// Takes the boxes that overlap box `id`, and adds each pair to the list once.
#[derive(Clone, Copy)]
pub(crate) struct PairFilter<'a> {
    id: u32,
    /// `None` if all boxes are queried.
    moved: Option<&'a [bool]>,
}

impl PairFilter<'_> {
    #[inline(always)]
    pub(crate) fn offer(self, other: u32, pairs: &mut Vec<Pair>) {
        let is_new = match self.moved {
            None => other > self.id,
            Some(moved) => other > self.id || other != self.id && !moved[other as usize],
        };
        if is_new {
            pairs.push(pair(self.id, other));
        }
    }
}

impl KeptPairs {
    /// Brings the list up to date. `query` offers every box that overlaps the given one.
    #[inline(always)]
    pub(crate) fn step(
        &mut self,
        boxes: usize,
        moved: &[u32],
        pairs: &mut Vec<Pair>,
        mut query: impl FnMut(u32, PairFilter, &mut Vec<Pair>),
    ) {
        // At first, or if many boxes moved, query all boxes.
        if !self.in_use || moved.len() * 2 > boxes {
            self.in_use = true;
            pairs.clear();
            for id in 0..boxes as u32 {
                query(id, PairFilter { id, moved: None }, pairs);
            }
            return;
        }
        // Otherwise drop the pairs of boxes that moved, and query these boxes.
        self.moved.resize(boxes, false);
        for &id in moved {
            self.moved[id as usize] = true;
        }
        let flags = &self.moved;
        pairs.retain(|&pair| {
            let (a, b) = ends(pair);
            !flags[a as usize] && !flags[b as usize]
        });
        for &id in moved {
            let moved = Some(flags.as_slice());
            query(id, PairFilter { id, moved }, pairs);
        }
        for &id in moved {
            self.moved[id as usize] = false;
        }
    }
}

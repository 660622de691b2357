//! Generates cases, runs a law on each, and shrinks those on which it fails.
//!
//! A case is made of small integers and knows no vector, structure or shape, and a law is a closure behind a reference. So all of this is
//! compiled once; for each of hundreds of combinations only the lines that build and query a structure are compiled.

use proptest::prelude::*;

use crate::cases::cases;
use crate::make::{Raw, Scale, raw, raws, scale};

/// A law about items, regions, their scale, and a number.
pub(crate) type Question<'a> = &'a dyn Fn(&[Raw], &[Raw], Scale, usize);

pub(crate) fn each_question(law: Question) {
    let input = (
        raws(90),
        proptest::collection::vec(raw(), 1..6),
        scale(),
        0..12usize,
    );
    proptest!(cases(6, 96), |((items, regions, scale, n) in input)| {
        law(&items, &regions, scale, n);
    });
}

pub(crate) type Outcome = Result<(), TestCaseError>;

/// A law about one region, a few items around it, and their scale.
pub(crate) type Meeting<'a> = &'a dyn Fn(&Raw, &[Raw], Scale) -> Outcome;

pub(crate) fn each_meeting(law: Meeting) {
    let input = (raw(), raws(12), scale());
    proptest!(cases(100, 1600), |((region, items, scale) in input)| {
        law(&region, &items, scale)?;
    });
}

/// A law about items, the places from which they are searched, their scale, and the number of the nearest.
pub(crate) type Search<'a> = &'a dyn Fn(&[Raw], &[Raw], Scale, usize) -> Outcome;

/// Numbers around those at which a tree changes how it keeps the best candidates.
const NUMBERS: [usize; 13] = [0, 1, 2, 3, 8, 15, 16, 17, 32, 33, 64, 200, usize::MAX];

pub(crate) fn each_search(law: Search) {
    let input = (
        raws(120),
        proptest::collection::vec(raw(), 1..4),
        scale(),
        proptest::sample::select(&NUMBERS[..]),
    );
    proptest!(cases(64, 1024), |((items, places, scale, n) in input)| {
        law(&items, &places, scale, n)?;
    });
}

/// A change of a structure, with numbers that pick items.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Insert(Raw),
    Move(usize, Raw),
    Remove(usize),
    Ask(Raw),
}

/// A law that holds after each of several steps.
pub(crate) type Life<'a> = &'a dyn Fn(&[Step], Scale) -> Outcome;

pub(crate) fn each_life(law: Life) {
    let near = || (raws(1), raw()).prop_map(|(mut near, far)| near.pop().unwrap_or(far));
    let number = || any::<prop::sample::Index>().prop_map(|i| i.index(1000));
    let step = prop_oneof![
        5 => near().prop_map(Step::Insert),
        4 => (number(), near()).prop_map(|(i, raw)| Step::Move(i, raw)),
        2 => number().prop_map(Step::Remove),
        2 => raw().prop_map(Step::Ask),
    ];
    let input = (proptest::collection::vec(step, 0..200), scale());
    proptest!(cases(16, 256), |((steps, scale) in input)| {
        law(&steps, scale)?;
    });
}

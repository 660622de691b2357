//! Hard sets of boxes: bars, and boxes of many sizes, queried by boxes and in motion.

use super::{Found, TARGET, compare};
use crate::contestants::register;
use crate::jobs::{Options, broadphase, short, windows};
use crate::table::Row;
use crate::worlds::{Scene, Sizes};

const HARD: [Sizes; 2] = [Sizes::Bars, Sizes::Wide];
const ASKED: usize = 100_000;
const MOVING: usize = 10_000;

pub(super) fn run(options: &Options, found: &mut Found) {
    let name = |sizes: Sizes| format!("hard windows k=10 {} {}", sizes.name(), short(ASKED));
    let contestants = register(|c| c.windows3);
    rows(options, found, name, |sizes| {
        let mut race = windows::Race::new(sizes, ASKED, &contestants, options);
        race.row(String::new(), None, 10, options)
    });
    for (share, moving) in [(1.0, "all move"), (0.05, "5 % move")] {
        let name = |sizes: Sizes| format!("hard pairs {} {} {moving}", sizes.name(), short(MOVING));
        let contestants = register(|c| c.broadphase3);
        rows(options, found, name, |sizes| {
            let scene = Scene::Drift { sizes, share };
            let [pairs, _] = broadphase::race(scene, MOVING, &contestants, options);
            pairs
        });
    }
}

fn rows(
    options: &Options,
    found: &mut Found,
    name: impl Fn(Sizes) -> String,
    row: impl Fn(Sizes) -> Row,
) {
    let mut uniform = None;
    for sizes in HARD {
        let name = name(sizes);
        if options.wants(&name) {
            let uniform = uniform.get_or_insert_with(|| row(Sizes::Equal));
            let mut row = row(sizes);
            let times = compare(&mut row, uniform);
            (row.name, row.target) = (name, Some(TARGET));
            found.print(row, times);
        }
    }
}

//! The eight nearest of many points in one call: of all points of a set, each its own nearest, and of others. Contestants without
//! such a call search for one point after the other.

use crate::contestant::NearestContestant;
use crate::contestants::{Crate, register};
use crate::jobs::nearest::SEVERAL;
use crate::jobs::{Options, short};
use crate::points::{Order, Set, centers};
use crate::race::{Task, enter};
use crate::table::Summary;
use crate::truth::Slabs;

const TARGET: f64 = 5.0;
/// The size of all rows; larger ones take minutes.
const SIZE: usize = crate::jobs::QUICK_SIZE;

type Entries<const D: usize> = fn(&dyn Crate) -> Vec<NearestContestant<f32, D>>;

pub(crate) fn run(options: &Options) -> Summary {
    let mut summary = Summary::default();
    let entries: [Entries<3>; 3] = [
        |c| c.nearest_of_all3(),
        |c| c.nearest_batch3(),
        |c| c.nearest_n3(),
    ];
    all_sets("batch 3D", entries, options, &mut summary);
    if !options.quick {
        let entries: [Entries<2>; 3] = [
            |c| c.nearest_of_all2(),
            |c| c.nearest_batch2(),
            |c| c.nearest_n2(),
        ];
        all_sets("batch 2D", entries, options, &mut summary);
    }
    summary
}

/// Runs the rows of all sets. The entries are for all points, for other points, and for one point after the other.
fn all_sets<const D: usize>(
    head: &str,
    [of_all, of_others, one_by_one]: [Entries<D>; 3],
    options: &Options,
    summary: &mut Summary,
) {
    let all = Set::ALL.into_iter();
    for (set, order) in all.flat_map(|s| Order::ALL.map(|o| (s, o))) {
        if options.quick && order != Order::Random {
            continue;
        }
        for (what, at_once) in [("all", of_all), ("others", of_others)] {
            let (set_name, order_name) = (set.name(), order.name());
            let name = format!("{head} {what} {set_name} {} {order_name}", short(SIZE));
            if !options.wants(&name) {
                continue;
            }
            let points = order.of(&set.points::<f32, D>(SIZE, options.seed));
            let asking = if what == "all" {
                points.clone()
            } else {
                let many = if options.quick { SIZE / 4 } else { SIZE };
                order.of(&centers(&points, many, options.seed + 1))
            };
            // A crate with a call for many points takes part with that call only.
            let contestants = register(|c| {
                let at_once = at_once(c);
                if at_once.is_empty() {
                    one_by_one(c)
                } else {
                    at_once
                }
            });
            let mut entrants = enter(&contestants, &points, 0.0);
            let task = Task {
                name,
                unit: "ns a point",
                units: asking.len(),
                target: Some(TARGET),
                rounds: options.rounds,
                truth: &Slabs::new(&points).nearest(&asking, SEVERAL),
            };
            let mut ids = Vec::new();
            summary.print(task.race(
                &mut entrants,
                |runner| runner.answers(&points, &asking),
                |runner| runner.run(&asking, &mut ids),
            ));
        }
    }
}

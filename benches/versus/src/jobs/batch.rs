//! The eight nearest of many points in one call: of all points of a set, each its own nearest, and of others. Contestants without
//! such a call search for one point after the other.

use crate::contestant::NearestContestant;
use crate::contestants::{Register, register};
use crate::jobs::nearest::SEVERAL;
use crate::jobs::{Options, short};
use crate::points::{Order, Set, centers};
use crate::race::{Task, enter};
use crate::table::Summary;
use crate::truth::Slabs;

const TARGET: f64 = 5.0;
/// The size of all rows; larger ones take minutes.
const SIZE: usize = crate::jobs::QUICK_SIZE;

/// The entries for many points in one call, and for one point after the other.
type Entries<const D: usize> = fn(Register) -> [Vec<NearestContestant<f32, D>>; 2];

pub(crate) fn run(options: &Options) -> Summary {
    let mut summary = Summary::default();
    let entries: [Entries<3>; 2] = [
        |c| [c.nearest_of_all3, c.nearest_n3],
        |c| [c.nearest_batch3, c.nearest_n3],
    ];
    all_sets("batch 3D", entries, options, &mut summary);
    if !options.quick {
        let entries: [Entries<2>; 2] = [
            |c| [c.nearest_of_all2, c.nearest_n2],
            |c| [c.nearest_batch2, c.nearest_n2],
        ];
        all_sets("batch 2D", entries, options, &mut summary);
    }
    summary
}

/// Runs the rows of all sets. The entries are for all points, and for other points.
fn all_sets<const D: usize>(
    head: &str,
    [of_all, of_others]: [Entries<D>; 2],
    options: &Options,
    summary: &mut Summary,
) {
    for (set, order) in Set::in_orders() {
        if options.quick && order != Order::Random {
            continue;
        }
        for (what, entries) in [("all", of_all), ("others", of_others)] {
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
                let [at_once, one_by_one] = entries(c);
                if at_once.is_empty() {
                    one_by_one
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

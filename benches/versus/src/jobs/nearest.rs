//! The nearest point, and the eight nearest.

use crate::contestant::NearestContestant;
use crate::contestants::register;
use crate::jobs::{Options, QUICK_SIZE, short};
use crate::points::{Scalar, Set, centers};
use crate::race::{Task, enter};
use crate::table::Summary;
use crate::truth::Slabs;

/// The speed-ups wanted for one and for several nearest: in each pair, for trees that fit into caches and for larger ones.
const TARGETS: [[f64; 2]; 2] = [[2.0, 1.7], [3.0, 2.5]];
const QUERIES: usize = 10_000;
pub(crate) const SEVERAL: usize = 8;

pub(crate) fn run(options: &Options) -> Summary {
    let mut summary = Summary::default();
    for n in options.sizes() {
        let registers = [register(|c| c.nearest3), register(|c| c.nearest_n3)];
        all_sets("nearest 3D", &registers, n, options, &mut summary);
        let registers = [register(|c| c.nearest2), register(|c| c.nearest_n2)];
        all_sets("nearest 2D", &registers, n, options, &mut summary);
    }
    summary
}

/// The registers are for one and for several nearest.
fn all_sets<S: Scalar, const D: usize>(
    head: &str,
    registers: &[Vec<NearestContestant<S, D>>; 2],
    n: usize,
    options: &Options,
    summary: &mut Summary,
) {
    for (set, order) in Set::in_orders() {
        let mut scene = None;
        for ((register, wanted), targets) in registers.iter().zip([1, SEVERAL]).zip(TARGETS) {
            let (set_name, size, order_name) = (set.name(), short(n), order.name());
            let name = format!("{head} n={wanted} {set_name} {size} {order_name}");
            if !options.wants(&name) {
                continue;
            }
            let (points, slabs, centers) = scene.get_or_insert_with(|| {
                let points = set.points::<S, D>(n, options.seed);
                let centers = order.of(&centers(&points, QUERIES, options.seed + 1));
                (points.clone(), Slabs::new(&points), centers)
            });
            let mut entrants = enter(register, points, S::zero());
            let task = Task {
                name,
                unit: "ns a query",
                units: QUERIES,
                target: (n >= QUICK_SIZE).then_some(targets[usize::from(n > QUICK_SIZE)]),
                rounds: options.rounds,
                truth: &slabs.nearest(centers, wanted),
            };
            let mut ids = Vec::new();
            summary.print(task.race(
                &mut entrants,
                |runner| runner.answers(points, centers),
                |runner| runner.run(centers, &mut ids),
            ));
        }
    }
}

//! Steps of moving boxes, which give the list of all pairs, or the sorted list with the pairs that began and ended.

mod lockstep;

use crate::contestants::register;
use crate::jobs::{Options, short};
use crate::stepper::StepContestant;
use crate::table::{Row, Summary};
use crate::worlds::{Scene, Sizes};
use lockstep::Lockstep;

const SIZES: [usize; 4] = [1000, 10_000, 100_000, 1_000_000];
const QUICK_SIZE: usize = 10_000;
/// Rows with more boxes are run only for the two larger shares.
const USUAL_SIZE: usize = 100_000;
const BULLET_SIZE: usize = 1024;

/// The shares of boxes that move, and their names in rows.
pub(super) const SHARES: [(f32, &str); 4] = [
    (1.0, "all move"),
    (0.05, "5 % move"),
    (0.005, "0.5 % move"),
    (0.0, "none moves"),
];

/// The result that a row measures.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Pairs,
    /// Sorted pairs and events.
    Events,
}

impl Kind {
    const ALL: [Self; 2] = [Self::Pairs, Self::Events];

    fn name(self) -> &'static str {
        match self {
            Self::Pairs => "pairs",
            Self::Events => "events",
        }
    }
}

/// The speed-up wanted, by the number of boxes and the share that moves.
type Targets = fn(Kind, usize, f32) -> Option<f64>;

fn targets3(kind: Kind, n: usize, share: f32) -> Option<f64> {
    let is_small = match n {
        10_000 => true,
        100_000 => false,
        _ => return None,
    };
    match (kind, share) {
        (Kind::Pairs, 1.0) => Some(if is_small { 15.0 } else { 7.0 }),
        (Kind::Events, 1.0) => Some(if is_small { 10.0 } else { 5.0 }),
        (Kind::Pairs, 0.05) => None,
        (Kind::Events, 0.05) => Some(if is_small { 5.0 } else { 7.0 }),
        (_, 0.0) => Some(4.0),
        _ => Some(2.5),
    }
}

fn targets2(_: Kind, n: usize, share: f32) -> Option<f64> {
    match (n, share) {
        (10_000 | 100_000, 1.0) => Some(7.0),
        (10_000 | 100_000, 0.05) => Some(9.0),
        (10_000 | 100_000, 0.0) => Some(4.0),
        (10_000 | 100_000, _) => Some(2.5),
        _ => None,
    }
}

pub(crate) fn run3(options: &Options) -> Summary {
    let mut summary = Summary::default();
    let contestants = register(|c| c.broadphase3);
    let scene = |scene, name: &str, n, summary: &mut Summary| {
        let name = |kind: Kind| format!("broadphase 3D {} {name} {}", kind.name(), short(n));
        one_scene(scene, n, &contestants, name, |_| None, options, summary);
    };
    if !options.quick {
        scene(Scene::Bullet, "bullet", BULLET_SIZE, &mut summary);
    }
    for n in options.sizes_of(&SIZES, QUICK_SIZE) {
        drifting(
            "broadphase 3D",
            n,
            &contestants,
            targets3,
            options,
            &mut summary,
        );
        if n == QUICK_SIZE || n == USUAL_SIZE && !options.quick {
            scene(Scene::Brownian, "brownian", n, &mut summary);
            scene(Scene::Falling, "falling", n, &mut summary);
            scene(Scene::Gravity, "gravity", n, &mut summary);
        }
    }
    summary
}

pub(crate) fn run2(options: &Options) -> Summary {
    let mut summary = Summary::default();
    let contestants = register(|c| c.broadphase2);
    for n in options.sizes_of(&SIZES, QUICK_SIZE) {
        drifting(
            "broadphase 2D",
            n,
            &contestants,
            targets2,
            options,
            &mut summary,
        );
    }
    summary
}

fn drifting<const D: usize>(
    head: &str,
    n: usize,
    register: &[StepContestant<D>],
    targets: Targets,
    options: &Options,
    summary: &mut Summary,
) {
    for sizes in Sizes::ALL {
        for (share, moving) in SHARES {
            if n > USUAL_SIZE && share < 0.05 {
                continue;
            }
            let name = |kind: Kind| {
                let (kind, sizes, n) = (kind.name(), sizes.name(), short(n));
                format!("{head} {kind} {sizes} {n} {moving}")
            };
            let target = |kind| targets(kind, n, share);
            let scene = Scene::Drift { sizes, share };
            one_scene(scene, n, register, name, target, options, summary);
        }
    }
}

/// Prints both rows of a scene, from the same steps.
fn one_scene<const D: usize>(
    scene: Scene,
    n: usize,
    register: &[StepContestant<D>],
    name: impl Fn(Kind) -> String,
    target: impl Fn(Kind) -> Option<f64>,
    options: &Options,
    summary: &mut Summary,
) {
    if !Kind::ALL.iter().any(|&kind| options.wants(&name(kind))) {
        return;
    }
    for (kind, mut row) in Kind::ALL.into_iter().zip(race(scene, n, register, options)) {
        row.name = name(kind);
        row.target = target(kind);
        if options.wants(&row.name) {
            summary.print(row);
        }
    }
}

/// Runs the row of the list and that of the list with events; the caller sets names and targets.
pub(super) fn race<const D: usize>(
    scene: Scene,
    n: usize,
    register: &[StepContestant<D>],
    options: &Options,
) -> [Row; 2] {
    Lockstep::new(scene, n, register, options.seed).run(options.rounds)
}

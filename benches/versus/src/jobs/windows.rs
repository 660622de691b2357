//! The boxes that overlap a box. Structures are built once, and queried often.

use rand::{RngExt, SeedableRng};

use crate::answers::Answers;
use crate::contestant::at_rest::{FindRun, Finder, enter};
use crate::contestants::register;
use crate::jobs::{Options, QUICK_SIZE, short};
use crate::race::{Entrant, Task};
use crate::scenes::Random;
use crate::table::{Row, Summary};
use crate::worlds::{Bounds, Scene, Sizes, World};

/// The speed-ups wanted for trees that fit into caches, and for larger ones.
const TARGETS: [f64; 2] = [3.0, 2.0];
const QUERIES: usize = 2000;
const MEANS: [usize; 2] = [10, 100];

pub(crate) fn run(options: &Options) -> Summary {
    let mut summary = Summary::default();
    for n in options.sizes() {
        for sizes in Sizes::ALL {
            one_set(
                "windows 3D",
                &register(|c| c.windows3),
                sizes,
                n,
                options,
                &mut summary,
            );
            one_set(
                "windows 2D",
                &register(|c| c.windows2),
                sizes,
                n,
                options,
                &mut summary,
            );
        }
    }
    summary
}

fn one_set<const D: usize>(
    head: &str,
    register: &[Finder<D, Bounds<D>>],
    sizes: Sizes,
    n: usize,
    options: &Options,
    summary: &mut Summary,
) {
    let name = |mean: &usize| format!("{head} {} {} k={mean}", sizes.name(), short(n));
    let wanted = options.wanted(MEANS, name);
    if wanted.is_empty() {
        return;
    }
    let mut race = Race::new(sizes, n, register, options);
    for (mean, name) in wanted {
        let target = Some(TARGETS[usize::from(n > QUICK_SIZE)]);
        summary.print(race.row(name, target, mean, options));
    }
}

/// All contestants with the same boxes.
pub(super) struct Race<const D: usize> {
    world: World<D>,
    entrants: Vec<Entrant<dyn FindRun<D, Bounds<D>>>>,
}

impl<const D: usize> Race<D> {
    pub(super) fn new(
        sizes: Sizes,
        n: usize,
        register: &[Finder<D, Bounds<D>>],
        options: &Options,
    ) -> Self {
        let world = World::<D>::new(Scene::Drift { sizes, share: 1.0 }, n, options.seed);
        Self {
            entrants: enter(register, &world.boxes),
            world,
        }
    }

    pub(super) fn row(
        &mut self,
        name: String,
        target: Option<f64>,
        mean: usize,
        options: &Options,
    ) -> Row {
        let Self { world, entrants } = self;
        let windows = windows(world, mean, options.seed + 1);
        let mut truth = Answers::default();
        for window in &windows {
            let all = world.boxes.iter().zip(0..);
            let meets = all.filter(|(bounds, _)| bounds.overlaps(window));
            truth.push(meets.map(|(_, id)| id));
        }
        let task = Task {
            name,
            unit: "ns a query",
            units: windows.len(),
            target,
            rounds: options.rounds,
            truth: &truth,
        };
        let mut ids = Vec::new();
        task.race(
            entrants,
            |runner| runner.answers(&windows),
            |runner| runner.run(&windows, &mut ids),
        )
    }
}

/// Cubes anywhere, of the size at which they meet so many boxes on average.
fn windows<const D: usize>(world: &World<D>, mean: usize, seed: u64) -> Vec<Bounds<D>> {
    let random = &mut Random::seed_from_u64(seed);
    let side = world.side();
    let points: Vec<[f32; D]> = (0..QUERIES)
        .map(|_| std::array::from_fn(|_| random.random_range(0.0..side)))
        .collect();
    let cube = |&point: &[f32; D], half| Bounds::around(point, [half; D]);
    let some = &points[..QUERIES / 20];
    let (mut low, mut high) = (0.0, side);
    for _ in 0..20 {
        let half = 0.5 * (low + high);
        let met = |window: Bounds<D>| world.boxes.iter().filter(|b| b.overlaps(&window)).count();
        let found: usize = some.iter().map(|point| met(cube(point, half))).sum();
        if found < mean * some.len() {
            low = half;
        } else {
            high = half;
        }
    }
    points.iter().map(|point| cube(point, high)).collect()
}

//! The boxes in a frustum, as a renderer asks for what a camera sees: built once, asked often.
//!
//! Engines take a box for visible that is not outside of one of the planes. That is a little more than the boxes
//! that overlap, which is what orthant answers: it is held to a scan by its own predicate, the others to a scan by
//! planes, and what the one finds has to be among what the other finds.

use std::hint::black_box;

use glam::camera::rh::{proj::directx::perspective, view::look_to_mat4};
use glam::{Mat4, Vec3, Vec3A, Vec4};
use rand::{RngExt, SeedableRng};

use crate::answers::Answers;
use crate::contestants::orthant::overlap_frustum;
use crate::contestants::register;
use crate::jobs::{Options, short};
use crate::race::{Entrant, Kind, Task};
use crate::scenes::Random;
use crate::table::{Row, Summary};
use crate::worlds::{Bounds, Scene, Sizes, World};

/// To be ahead, though others answer less exactly.
const TARGET: f64 = 1.0;
const VIEWS: usize = 24;
/// The shares of all boxes that are seen, on average: one box in so many.
const SHARES: [usize; 2] = [10, 100];

/// What a camera sees.
pub(crate) struct View {
    pub(crate) matrix: Mat4,
    /// Inward normals of one, and distances: what is within has no negative dot product.
    planes: [Vec4; 6],
}

impl View {
    /// By Gribb and Hartmann.
    fn new(matrix: Mat4) -> Self {
        let [x, y, z, w] = [0, 1, 2, 3].map(|i| matrix.row(i));
        let planes = [w + x, w - x, w + y, w - y, z, w - z];
        Self {
            matrix,
            planes: planes.map(|plane| plane / plane.truncate().length()),
        }
    }

    /// Whether a box is not outside of a plane, as engines ask.
    #[inline(always)]
    pub(crate) fn sees(&self, min: Vec3A, max: Vec3A) -> bool {
        let (center, half) = (0.5 * (max + min), 0.5 * (max - min));
        self.planes.iter().all(|&plane| {
            let normal = Vec3A::from_vec4(plane);
            normal.dot(center) + normal.abs().dot(half) + plane.w >= 0.0
        })
    }

    #[inline(always)]
    pub(crate) fn sees_bounds(&self, bounds: &Bounds<3>) -> bool {
        self.sees(bounds.min.into(), bounds.max.into())
    }
}

/// One contestant. Boxes are named by their positions in the slice given to `build`.
pub(crate) trait Cull: Sized + 'static {
    const NAME: &'static str;
    const KIND: Kind = Kind::Peer;

    fn build(boxes: &[Bounds<3>]) -> Self;

    /// `ids` comes empty.
    fn visible(&mut self, view: &View, ids: &mut Vec<u32>);
}

/// A contestant's loop over what is asked.
pub(crate) trait CullRun {
    fn run(&mut self, views: &[View], ids: &mut Vec<u32>) -> u64;

    fn answers(&mut self, views: &[View]) -> Answers;
}

impl<T: Cull> CullRun for T {
    fn run(&mut self, views: &[View], ids: &mut Vec<u32>) -> u64 {
        let mut found = 0;
        for view in views {
            ids.clear();
            self.visible(view, ids);
            found += black_box(ids.as_slice()).len() as u64;
        }
        found
    }

    fn answers(&mut self, views: &[View]) -> Answers {
        let (mut answers, mut ids) = (Answers::default(), Vec::new());
        for view in views {
            ids.clear();
            self.visible(view, &mut ids);
            answers.push_ids(&ids);
        }
        answers
    }
}

pub(crate) type Culler = fn(&[Bounds<3>]) -> Entrant<dyn CullRun>;

pub(crate) fn culler<T: Cull>() -> Culler {
    |boxes| Entrant {
        name: T::NAME,
        kind: T::KIND,
        runner: Box::new(T::build(boxes)),
    }
}

pub(crate) fn run(options: &Options) -> Summary {
    let mut summary = Summary::default();
    for n in options.sizes() {
        for sizes in Sizes::ALL {
            one_set(sizes, n, options, &mut summary);
        }
    }
    summary
}

fn one_set(sizes: Sizes, n: usize, options: &Options, summary: &mut Summary) {
    let mut race = None;
    for share in SHARES {
        let name = format!("frustum {} {} 1/{share}", sizes.name(), short(n));
        if !options.wants(&name) {
            continue;
        }
        let (world, entrants) = race.get_or_insert_with(|| {
            let world = World::<3>::new(Scene::Drift { sizes, share: 1.0 }, n, options.seed);
            let cullers = register(|c| c.frustum());
            let entrants: Vec<_> = cullers.iter().map(|culler| culler(&world.boxes)).collect();
            (world, entrants)
        });
        let views = views(world, share, options.seed + 1);
        let [exact, by_planes] = truths(&world.boxes, &views);
        let answers = entrants.iter_mut().map(|e| e.runner.answers(&views));
        let answers: Vec<_> = answers.collect();
        let task = Task {
            name,
            unit: "us a view",
            units: views.len() * 1000,
            target: Some(TARGET),
            rounds: options.rounds,
            truth: &exact,
            answers: &answers,
        };
        let mut ids = Vec::new();
        let mut row = task.race(entrants, |runner| runner.run(&views, &mut ids));
        hold_to_planes(&mut row, &answers, &by_planes);
        summary.print(row);
    }
}

/// Whose boxes are those that are not outside of a plane, as are those of all but orthant, is right.
fn hold_to_planes(row: &mut Row, answers: &[Answers], by_planes: &Answers) {
    for (entry, answers) in row.entries.iter_mut().zip(answers) {
        if entry.kind != Kind::Own {
            entry.differing = answers.differing(by_planes);
            let more = answers.results().saturating_sub(row.results);
            entry.note = format!("  {more} more than overlap");
        }
    }
}

/// The boxes that overlap each frustum, and those that are not outside of a plane.
fn truths(boxes: &[Bounds<3>], views: &[View]) -> [Answers; 2] {
    let (mut exact, mut by_planes) = (Answers::default(), Answers::default());
    let mut beyond = 0;
    for view in views {
        let overlaps = overlap_frustum(view, boxes);
        let sees: Vec<_> = boxes.iter().map(|b| view.sees_bounds(b)).collect();
        let both = overlaps.iter().zip(&sees);
        beyond += both
            .filter(|(overlaps, sees)| **overlaps && !**sees)
            .count();
        let ids = |is: Vec<bool>| (0..).zip(is).filter_map(|(id, is)| is.then_some(id));
        exact.push(ids(overlaps));
        by_planes.push(ids(sees));
    }
    // Planes are rounded, so that a box at the very boundary may be on either side.
    assert!(
        beyond <= views.len(),
        "{beyond} boxes overlap and are not seen"
    );
    [exact, by_planes]
}

/// Cameras anywhere among the boxes that look anywhere, as far as it takes to see one box in `share` on average.
fn views(world: &World<3>, share: usize, seed: u64) -> Vec<View> {
    let random = &mut Random::seed_from_u64(seed);
    let side = world.side();
    let mut anywhere =
        |low, high| Vec3::from_array([(); 3].map(|()| random.random_range(low..high)));
    let looks: Vec<_> = (0..VIEWS)
        .map(|_| (anywhere(0.0, side), anywhere(-1.0, 1.0).normalize()))
        .collect();
    let view = |&(eye, to): &(Vec3, Vec3), far: f32| {
        View::new(perspective(1.0, 16.0 / 9.0, 1e-3 * far, far) * look_to_mat4(eye, to, Vec3::Y))
    };
    let some: Vec<_> = world
        .boxes
        .iter()
        .step_by(1 + world.boxes.len() / 10_000)
        .collect();
    let (mut low, mut high) = (0.0, 2.0 * side);
    for _ in 0..20 {
        let far = 0.5 * (low + high);
        let seen = |look| {
            let view = view(look, far);
            some.iter()
                .filter(|bounds| view.sees_bounds(bounds))
                .count()
        };
        let found: usize = looks.iter().map(seen).sum();
        if found * share < some.len() * looks.len() {
            low = far;
        } else {
            high = far;
        }
    }
    looks.iter().map(|look| view(look, high)).collect()
}

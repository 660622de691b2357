//! The boxes that a camera sees, as a renderer needs them: structures are built once, and queried often.
//!
//! Engines treat a box as visible if it is not outside one of the planes. These are a few more boxes than those
//! that overlap the frustum, which orthant finds. Its answers are compared with a scan by its own predicate, those of the others with a
//! scan by planes, and the boxes of the first scan have to be among those of the second.

use glam::camera::rh::{proj::directx::perspective, view::look_to_mat4};
use glam::{Mat4, Vec3, Vec3A, Vec4};
use rand::{RngExt, SeedableRng};

use crate::answers::Answers;
use crate::contestant::at_rest::enter;
use crate::contestants::orthant::overlap_frustum;
use crate::contestants::register;
use crate::jobs::{Options, short};
use crate::race::{Kind, Task, answers_of};
use crate::scenes::Random;
use crate::table::{Row, Summary};
use crate::worlds::{Bounds, Scene, Sizes, World};

/// Orthant has to be ahead, although the others answer less exactly.
const TARGET: f64 = 1.0;
const VIEWS: usize = 24;
/// A camera sees one box in this many, on average.
const SHARES: [usize; 2] = [10, 100];

/// The view of a camera.
pub(crate) struct View {
    pub(crate) matrix: Mat4,
    /// Planes as inward normals of length 1 and distances: no point inside has a negative dot product.
    planes: [Vec4; 6],
}

impl View {
    /// Extracts the planes of a matrix, after Gribb and Hartmann.
    fn new(matrix: Mat4) -> Self {
        let [x, y, z, w] = [0, 1, 2, 3].map(|i| matrix.row(i));
        let planes = [w + x, w - x, w + y, w - y, z, w - z];
        Self {
            matrix,
            planes: planes.map(|plane| plane / plane.truncate().length()),
        }
    }

    /// Returns true if a box is not outside a plane, which is the test of engines.
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
    let name = |share: &usize| format!("frustum {} {} 1/{share}", sizes.name(), short(n));
    let wanted = options.wanted(SHARES, name);
    if wanted.is_empty() {
        return;
    }
    let world = World::<3>::new(Scene::Drift { sizes, share: 1.0 }, n, options.seed);
    let entrants = &mut *enter(&register(|c| c.frustum), &world.boxes);
    for (share, name) in wanted {
        let views = views(&world, share, options.seed + 1);
        let [exact, by_planes] = truths(&world.boxes, &views);
        let answers = answers_of(entrants, |runner| runner.answers(&views));
        let task = Task {
            name,
            unit: "us a view",
            units: views.len() * 1000,
            target: Some(TARGET),
            rounds: options.rounds,
            truth: &exact,
        };
        let mut ids = Vec::new();
        let mut row = task.race_checked(entrants, &answers, |runner| runner.run(&views, &mut ids));
        hold_to_planes(&mut row, &answers, &by_planes);
        summary.print(row);
    }
}

/// Compares the answers of all contestants but orthant with the scan by planes.
fn hold_to_planes(row: &mut Row, answers: &[Answers], by_planes: &Answers) {
    for (entry, answers) in row.entries.iter_mut().zip(answers) {
        if entry.kind != Kind::Own {
            entry.differing = answers.differing(by_planes);
            let more = answers.results().saturating_sub(row.results);
            entry.note = format!("  {more} more than overlap");
        }
    }
}

/// The boxes that overlap each frustum, and those that are not outside a plane.
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

/// Cameras in random places and directions, whose far plane is where they see one box in `share` on average.
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

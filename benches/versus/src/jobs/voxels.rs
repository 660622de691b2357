//! The closed voxels that a sphere's surface meets, as voxels, spans and bricks, and their number; and the
//! union of many balls.

mod union;

use std::collections::BTreeSet;
use std::hint::black_box;

use rand::{RngExt, SeedableRng};

use crate::answers::Answers;
use crate::contestants::register;
use crate::jobs::Options;
use crate::race::{Entrant, Kind, Registered, Task, answers_of, interleave, time};
use crate::scenes::Random;
use crate::table::{Entry, Row, Summary};
use crate::worlds::Ball;
#[cfg(feature = "threads")]
pub(crate) use union::cloud;
use union::number;
pub(crate) use union::{Union, Uniter, uniter};

/// One contestant, prepared for a ball. Forms that it does not have keep the default methods.
pub(crate) trait Voxelizer: Sized + 'static {
    const NAME: &'static str;
    const KIND: Kind = Kind::Peer;
    type Voxel;
    type Span;
    type Brick;

    fn ready(ball: Ball) -> Self;

    /// Appends the voxels to the list.
    fn voxels(&self, voxels: &mut Vec<Self::Voxel>);

    fn spans(&self, _spans: &mut Vec<Self::Span>) {}

    fn count(&self) -> u64 {
        0
    }

    fn bricks(&self, _bricks: &mut Vec<Self::Brick>) {}

    // Not timed.

    /// The origin of the contestant's voxel 0, if it chooses that itself.
    fn origin(&self) -> [f32; 3] {
        [0.0; 3]
    }

    fn index(voxel: &Self::Voxel) -> [i32; 3];

    fn of_span(_span: &Self::Span, _voxels: &mut Vec<[i32; 3]>) {}

    fn of_brick(_brick: &Self::Brick, _voxels: &mut Vec<[i32; 3]>) {}
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Form {
    Voxels,
    Spans,
    Count,
    Bricks,
}

/// A contestant's loop over several balls.
pub(crate) trait Runner {
    /// Returns the number of things that were written, or counted.
    fn run(&mut self, form: Form, times: usize) -> u64;

    /// The voxels of each ball.
    fn answers(&self, form: Form) -> Answers;

    /// The number of voxels that the contestant has too many or too few, if it chooses the origin.
    fn differing(&self, balls: &[Ball]) -> u64;
}

struct Loop<T: Voxelizer> {
    ready: Vec<T>,
    voxels: Vec<T::Voxel>,
    spans: Vec<T::Span>,
    bricks: Vec<T::Brick>,
}

impl<T: Voxelizer> Runner for Loop<T> {
    fn run(&mut self, form: Form, times: usize) -> u64 {
        let mut sum = 0;
        for one in (0..times).flat_map(|_| &self.ready) {
            let one = black_box(one);
            sum += match form {
                Form::Voxels => {
                    self.voxels.clear();
                    one.voxels(&mut self.voxels);
                    black_box(&self.voxels).len() as u64
                }
                Form::Spans => {
                    self.spans.clear();
                    one.spans(&mut self.spans);
                    black_box(&self.spans).len() as u64
                }
                Form::Bricks => {
                    self.bricks.clear();
                    one.bricks(&mut self.bricks);
                    black_box(&self.bricks).len() as u64
                }
                Form::Count => one.count(),
            };
        }
        sum
    }

    fn answers(&self, form: Form) -> Answers {
        let mut answers = Answers::default();
        for one in &self.ready {
            if form == Form::Count {
                answers.push(0..one.count());
            } else {
                answers.push(found(one, form).into_iter().map(number));
            }
        }
        answers
    }

    fn differing(&self, balls: &[Ball]) -> u64 {
        let of_ball = |(one, &Ball { center, radius }): (&T, &Ball)| {
            let origin = one.origin();
            let moved = Ball {
                center: std::array::from_fn(|a| center[a] - origin[a]),
                radius,
            };
            let found: BTreeSet<_> = found(one, Form::Voxels).into_iter().collect();
            let truth = brute(&moved).into_iter().collect();
            found.symmetric_difference(&truth).count() as u64
        };
        self.ready.iter().zip(balls).map(of_ball).sum()
    }
}

fn found<T: Voxelizer>(one: &T, form: Form) -> Vec<[i32; 3]> {
    let mut found = Vec::new();
    match form {
        Form::Voxels | Form::Count => {
            let mut voxels = Vec::new();
            one.voxels(&mut voxels);
            found.extend(voxels.iter().map(T::index));
        }
        Form::Spans => {
            let mut spans = Vec::new();
            one.spans(&mut spans);
            spans.iter().for_each(|span| T::of_span(span, &mut found));
        }
        Form::Bricks => {
            let mut bricks = Vec::new();
            one.bricks(&mut bricks);
            bricks
                .iter()
                .for_each(|brick| T::of_brick(brick, &mut found));
        }
    }
    found
}

pub(crate) type VoxelContestant = Registered<fn(&[Ball]) -> Box<dyn Runner>>;

pub(crate) fn voxelizer<T: Voxelizer>() -> VoxelContestant {
    Registered {
        name: T::NAME,
        kind: T::KIND,
        build: |balls| {
            Box::new(Loop::<T> {
                ready: balls.iter().copied().map(T::ready).collect(),
                voxels: Vec::new(),
                spans: Vec::new(),
                bricks: Vec::new(),
            })
        },
    }
}

/// The speed-ups wanted over the row loop and over parry3d.
const TARGET: f64 = 4.0;
const MESH_TARGET: f64 = 500.0;
/// The nanoseconds wanted for a listed voxel, and for a span, whatever the peers take.
const VOXEL: f64 = 1.3;
const SPAN: f64 = 3.0;
/// The nanoseconds a voxel of `OpenVDB`'s `createLevelSetSphere`, as measured elsewhere on a similar machine: for
/// large spheres and for small ones.
const OPENVDB: [f64; 2] = [28.0, 100.0];

const RADII: [f32; 4] = [10.0, 50.0, 200.0, 500.0];
const QUICK: [f32; 3] = [10.0, 50.0, 200.0];
/// The largest radius for parry3d, which would take minutes beyond.
const LARGEST_MESH: f32 = 50.0;
/// A radius whose voxels do not fit into memory; they are only counted.
const LARGEST: f32 = 5000.0;

/// Balls of one radius around random centers.
fn balls(radius: f32, count: usize, seed: u64) -> Vec<Ball> {
    let random = &mut Random::seed_from_u64(seed);
    let mut ball = || Ball {
        center: std::array::from_fn(|_| random.random_range(-100.0..100.0)),
        radius,
    };
    (0..count).map(|_| ball()).collect()
}

pub(crate) fn run(options: &Options) -> Summary {
    let mut summary = Summary::default();
    let radii: &[f32] = if options.quick { &QUICK } else { &RADII };
    for &radius in radii {
        let balls = balls(radius, if radius < 100.0 { 16 } else { 4 }, options.seed);
        // Make a run take some milliseconds at least.
        let times = (1e6 / (radius * radius * balls.len() as f32)).ceil() as usize;
        let mut listing = Listing::new(&register(|c| c.voxels), &balls, times);
        for (form, what) in [
            (Form::Voxels, "voxels"),
            (Form::Spans, "spans"),
            (Form::Count, "count"),
            (Form::Bricks, "bricks"),
        ] {
            let name = format!("{what} of a sphere's surface r={radius}");
            if options.wants(&name) {
                listing.race(form, name, options, &mut summary);
            }
        }
        let name = format!("voxels of a ball's mesh r={radius}");
        if radius <= LARGEST_MESH && options.wants(&name) {
            let mut listing = Listing::new(&register(|c| c.meshes), &balls[..4], 1);
            summary.print(listing.race_mesh(name, options));
        }
    }
    count_largest(options, &mut summary);
    union::race(options, &mut summary);
    summary
}

/// Races at the count of the largest sphere, whose truth is the row loop's count.
fn count_largest(options: &Options, summary: &mut Summary) {
    let name = format!("count of a sphere's surface r={LARGEST}");
    if options.quick || !options.wants(&name) {
        return;
    }
    let balls = balls(LARGEST, 1, options.seed);
    let mut entrants = enter(&register(|c| c.voxels), &balls);
    let answers = answers_of(&mut entrants, |runner| {
        Answers::counted(runner.run(Form::Count, 1))
    });
    let task = Task {
        name,
        unit: "ps a voxel counted",
        units: answers[0].results() as usize,
        target: None,
        rounds: options.rounds.min(5),
        // The last one is the row loop's if that takes part.
        truth: &answers[answers.len() - 1],
    };
    let row = task.race_checked(&mut entrants, &answers, |runner| runner.run(Form::Count, 1));
    let row = row.in_picoseconds();
    let voxels = answers[0].results();
    let all = row.entries[0].median() * voxels as f64 / 1e9;
    summary.print(row);
    println!("  {all:.0} ms a sphere of {voxels} voxels");
}

fn enter(register: &[VoxelContestant], balls: &[Ball]) -> Vec<Entrant<dyn Runner>> {
    let entrants = register.iter().map(|c| c.enter(|build| build(balls)));
    entrants.collect()
}

/// Contestants with the same balls.
struct Listing {
    entrants: Vec<Entrant<dyn Runner>>,
    balls: Vec<Ball>,
    times: usize,
    /// The voxels of each ball.
    truth: Answers,
    /// The number of voxels of each ball.
    counts: Answers,
}

/// Tests every voxel near a ball's surface, with the rounding of all contestants.
fn brute(ball: &Ball) -> Vec<[i32; 3]> {
    let Ball { center, radius } = *ball;
    let limit = radius * radius;
    let squares = |v: i32, c: f32| {
        let (below, above) = (v as f32 - c, c - (v + 1) as f32);
        let (near, far) = (below.max(above).max(0.0), (-below).max(-above));
        (near * near, far * far)
    };
    let range = |a: usize| {
        let (low, high) = ((center[a] - radius).floor(), (center[a] + radius).floor());
        low as i32 - 1..high as i32 + 2
    };
    let mut found = Vec::new();
    for x in range(0) {
        let (near_x, far_x) = squares(x, center[0]);
        for y in range(1) {
            let (near_y, far_y) = squares(y, center[1]);
            for z in range(2) {
                let (near_z, far_z) = squares(z, center[2]);
                if (near_x + near_y) + near_z <= limit && limit <= (far_x + far_y) + far_z {
                    found.push([x, y, z]);
                }
            }
        }
    }
    found
}

impl Listing {
    fn new(register: &[VoxelContestant], balls: &[Ball], times: usize) -> Self {
        let (mut truth, mut counts) = (Answers::default(), Answers::default());
        for voxels in balls.iter().map(brute) {
            counts.push(0..voxels.len() as u64);
            truth.push(voxels.into_iter().map(number));
        }
        Self {
            entrants: enter(register, balls),
            balls: balls.to_vec(),
            times,
            truth,
            counts,
        }
    }

    fn race(&mut self, form: Form, name: String, options: &Options, summary: &mut Summary) {
        let (voxels, times) = (self.truth.results(), self.times);
        if form == Form::Bricks {
            // Peers have no bricks, which are the last form; bricks are compared with our list of voxels.
            self.entrants.retain(|e| !e.kind.may_be_slow());
        }
        let (unit, units) = match form {
            Form::Voxels | Form::Bricks => ("ps a voxel", voxels),
            Form::Count => ("ps a voxel counted", voxels),
            Form::Spans => ("ps a span", self.entrants[0].runner.run(form, 1)),
        };
        let units = units as usize * times;
        let task = Task {
            name,
            unit,
            units,
            target: (form == Form::Voxels).then_some(TARGET),
            rounds: options.rounds,
            truth: match form {
                Form::Count => &self.counts,
                _ => &self.truth,
            },
        };
        let row = task.race(
            &mut self.entrants,
            |runner| runner.answers(form),
            |runner| {
                let written = runner.run(form, times) / times as u64;
                match form {
                    Form::Voxels | Form::Count => written,
                    Form::Spans | Form::Bricks => voxels,
                }
            },
        );
        let mut row = row.in_picoseconds();
        let own = row.entries[0].median() / 1e3;
        let mut remarks = Vec::new();
        match form {
            Form::Voxels => remarks.push(format!("{own:.2} ns a voxel, target {VOXEL}")),
            Form::Spans => remarks.push(format!("{own:.2} ns a span, target {SPAN}")),
            Form::Count => {
                let all = own * voxels as f64 / self.balls.len() as f64 / 1e6;
                remarks.push(format!("{all:.3} ms a sphere"));
            }
            Form::Bricks => {
                let [large, small] = OPENVDB;
                let less = large / own;
                remarks.push(format!("OpenVDB publishes {large} to {small} ns a voxel: {less:.0} times less, target 10"));
                let runner = &mut self.entrants[0].runner;
                let list = |_| time(|| runner.run(Form::Voxels, times)).1 * 1e3 / units as f64;
                let entry = Entry {
                    name: "orthant voxels",
                    kind: Kind::Reference,
                    samples: interleave(&[Kind::Own], options.rounds, list).remove(0),
                    differing: 0,
                    note: String::new(),
                };
                let faster = entry.median() / 1e3 / own;
                remarks.push(format!("{faster:.2} times the speed of listing, target 2"));
                row.entries.push(entry);
            }
        }
        summary.print(row);
        remarks.iter().for_each(|remark| println!("  {remark}"));
    }

    /// Races against a peer whose voxels are not the exact set, and notes how many differ.
    fn race_mesh(&mut self, name: String, options: &Options) -> Row {
        let voxels = self.truth.results();
        let task = Task {
            name,
            unit: "ps a voxel",
            units: voxels as usize,
            target: Some(MESH_TARGET),
            // The peer takes a thousand times as long.
            rounds: options.rounds.min(5),
            truth: &self.truth,
        };
        let answers = self.entrants.iter().map(|e| match e.kind {
            Kind::Peer => self.truth.clone(),
            _ => e.runner.answers(Form::Voxels),
        });
        let answers: Vec<_> = answers.collect();
        let row = task.race_checked(&mut self.entrants, &answers, |runner| {
            runner.run(Form::Voxels, 1);
            voxels
        });
        let mut row = row.in_picoseconds();
        let peers = row.entries.iter_mut().zip(&self.entrants);
        for (entry, entrant) in peers.filter(|(entry, _)| entry.kind == Kind::Peer) {
            let differing = entrant.runner.differing(&self.balls);
            entry.note = format!("  {differing} voxels more or less");
        }
        row
    }
}

//! The closed voxels that a sphere's surface meets, as voxels, spans and bricks, and their number; and the
//! union of many balls.

mod union;

use std::collections::BTreeSet;
use std::hint::black_box;

use rand::{RngExt, SeedableRng};

use crate::contestants::register;
use crate::jobs::Options;
use crate::race::{Kind, interleave, time};
use crate::scenes::Random;
use crate::table::{Entry, Row, Summary};
use crate::worlds::Ball;
#[cfg(feature = "threads")]
pub(crate) use union::cloud;
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
enum Form {
    Voxels,
    Spans,
    Count,
    Bricks,
}

/// A contestant's loop over several balls.
trait Runner {
    /// Returns the number of things that were written, or counted.
    fn run(&mut self, form: Form, times: usize) -> u64;

    /// All voxels of a ball, sorted.
    fn found(&self, form: Form, ball: usize) -> Vec<[i32; 3]>;

    fn count(&self, ball: usize) -> u64;

    fn origin(&self, ball: usize) -> [f32; 3];
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

    fn found(&self, form: Form, ball: usize) -> Vec<[i32; 3]> {
        let one = &self.ready[ball];
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
        found.sort_unstable();
        found
    }

    fn count(&self, ball: usize) -> u64 {
        self.ready[ball].count()
    }

    fn origin(&self, ball: usize) -> [f32; 3] {
        self.ready[ball].origin()
    }
}

/// An entry of the register.
pub(crate) struct Entrant {
    name: &'static str,
    kind: Kind,
    ready: fn(&[Ball]) -> Box<dyn Runner>,
}

pub(crate) fn entrant<T: Voxelizer>() -> Entrant {
    Entrant {
        name: T::NAME,
        kind: T::KIND,
        ready: |balls| {
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
        let listing = listed(&register(|c| c.voxels()), &balls, times);
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
            listed(&register(|c| c.meshes()), &balls[..4], 1).race_mesh(
                name,
                options,
                &mut summary,
            );
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
    let entrants = register(|c| c.voxels());
    let mut runners: Vec<_> = entrants.iter().map(|e| (e.ready)(&balls)).collect();
    let counts: Vec<u64> = runners.iter().map(|runner| runner.count(0)).collect();
    let kinds: Vec<Kind> = entrants.iter().map(|e| e.kind).collect();
    let samples = interleave(&kinds, options.rounds.min(5), |i| {
        time(|| runners[i].run(Form::Count, 1)).1 * 1e3 / counts[0] as f64
    });
    let mut entries: Vec<Entry> = entrants
        .iter()
        .zip(samples)
        .map(|(entrant, samples)| Entry {
            name: entrant.name,
            kind: entrant.kind,
            samples,
            differing: 0,
            note: String::new(),
        })
        .collect();
    // Compare each count with the last one, which is the row loop's if that takes part.
    for (entry, count) in entries.iter_mut().zip(&counts) {
        entry.differing = count.abs_diff(counts[counts.len() - 1]);
    }
    let all = entries[0].median() * counts[0] as f64 / 1e9;
    summary.print(Row {
        name,
        unit: "ps a voxel counted",
        target: None,
        results: counts[0],
        entries,
    });
    println!("  {all:.0} ms a sphere of {} voxels", counts[0]);
}

/// Contestants with the same balls.
struct Listing {
    heads: Vec<(&'static str, Kind)>,
    runners: std::cell::RefCell<Vec<Box<dyn Runner>>>,
    balls: Vec<Ball>,
    times: usize,
    /// The sorted voxels of each ball.
    truth: Vec<Vec<[i32; 3]>>,
}

fn listed(entrants: &[Entrant], balls: &[Ball], times: usize) -> Listing {
    let runners: Vec<_> = entrants.iter().map(|e| (e.ready)(balls)).collect();
    Listing {
        heads: entrants.iter().map(|e| (e.name, e.kind)).collect(),
        runners: runners.into(),
        balls: balls.to_vec(),
        times,
        truth: balls.iter().map(brute).collect(),
    }
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
    fn voxels(&self) -> u64 {
        self.truth.iter().map(|voxels| voxels.len() as u64).sum()
    }

    /// The number of voxels that a contestant has too many or too few.
    fn differing(&self, form: Form, runner: &dyn Runner) -> u64 {
        let of_ball = |(ball, truth): (usize, &Vec<[i32; 3]>)| {
            if form == Form::Count {
                return runner.count(ball).abs_diff(truth.len() as u64);
            }
            let found = runner.found(form, ball);
            let origin = runner.origin(ball);
            let moved = |Ball { center, radius }: Ball| Ball {
                center: std::array::from_fn(|a| center[a] - origin[a]),
                radius,
            };
            let elsewhere = (origin != [0.0; 3]).then(|| brute(&moved(self.balls[ball])));
            let truth = elsewhere.as_ref().unwrap_or(truth);
            if found == *truth {
                return 0;
            }
            let (found, truth): (BTreeSet<_>, BTreeSet<_>) =
                (found.iter().collect(), truth.iter().collect());
            found.symmetric_difference(&truth).count().max(1) as u64
        };
        self.truth.iter().enumerate().map(of_ball).sum()
    }

    /// The picoseconds of each unit.
    fn samples(&self, form: Form, who: &[usize], units: u64, rounds: u16) -> Vec<Vec<f64>> {
        let kinds: Vec<Kind> = who.iter().map(|&i| self.heads[i].1).collect();
        let runs = units as f64 * self.times as f64;
        interleave(&kinds, rounds, |i| {
            let runner = &mut self.runners.borrow_mut()[who[i]];
            time(|| runner.run(form, self.times)).1 * 1e3 / runs
        })
    }

    fn race(&self, form: Form, name: String, options: &Options, summary: &mut Summary) {
        // Peers have no bricks, so the bricks are compared with our list of voxels.
        let lists = |&i: &usize| form != Form::Bricks || !self.heads[i].1.may_be_slow();
        let who: Vec<usize> = (0..self.heads.len()).filter(lists).collect();
        let (unit, units) = match form {
            Form::Voxels | Form::Bricks => ("ps a voxel", self.voxels()),
            Form::Count => ("ps a voxel counted", self.voxels()),
            Form::Spans => ("ps a span", self.runners.borrow_mut()[0].run(form, 1)),
        };
        let differing: Vec<u64> = who
            .iter()
            .map(|&i| self.differing(form, &*self.runners.borrow()[i]))
            .collect();
        let mut samples = self.samples(form, &who, units, options.rounds);
        let listing = (form == Form::Bricks).then(|| {
            self.samples(Form::Voxels, &[0], units, options.rounds)
                .remove(0)
        });
        let entry = |((&i, samples), differing): ((&usize, Vec<f64>), u64)| Entry {
            name: self.heads[i].0,
            kind: self.heads[i].1,
            samples,
            differing,
            note: String::new(),
        };
        let parts = who.iter().zip(samples.drain(..)).zip(differing);
        let mut entries: Vec<Entry> = parts.map(entry).collect();
        let own = entries[0].median() / 1e3;
        let mut remarks = Vec::new();
        match form {
            Form::Voxels => remarks.push(format!("{own:.2} ns a voxel, target {VOXEL}")),
            Form::Spans => remarks.push(format!("{own:.2} ns a span, target {SPAN}")),
            Form::Count => {
                let all = own * units as f64 / self.balls.len() as f64 / 1e6;
                remarks.push(format!("{all:.3} ms a sphere"));
            }
            Form::Bricks => {
                let [large, small] = OPENVDB;
                let times = large / own;
                remarks.push(format!("OpenVDB publishes {large} to {small} ns a voxel: {times:.0} times less, target 10"));
            }
        }
        if let Some(samples) = listing {
            let entry = Entry {
                name: "orthant voxels",
                kind: Kind::Reference,
                samples,
                differing: 0,
                note: String::new(),
            };
            let times = entry.median() / 1e3 / own;
            remarks.push(format!("{times:.2} times the speed of listing, target 2"));
            entries.push(entry);
        }
        summary.print(Row {
            name,
            unit,
            target: (form == Form::Voxels).then_some(TARGET),
            results: self.voxels(),
            entries,
        });
        remarks.iter().for_each(|remark| println!("  {remark}"));
    }

    /// Races against a peer whose voxels are not the exact set, and notes how many differ.
    fn race_mesh(&self, name: String, options: &Options, summary: &mut Summary) {
        let form = Form::Voxels;
        let who: Vec<usize> = (0..self.heads.len()).collect();
        let differing = |i: usize| self.differing(form, &*self.runners.borrow()[i]);
        // The peer takes a thousand times as long.
        let samples = self.samples(form, &who, self.voxels(), options.rounds.min(5));
        let entry = |(i, samples): (usize, Vec<f64>)| {
            let (name, kind) = self.heads[i];
            let is_peer = kind == Kind::Peer;
            let differing = differing(i);
            Entry {
                name,
                kind,
                samples,
                differing: if is_peer { 0 } else { differing },
                note: if is_peer {
                    format!("  {differing} voxels more or less")
                } else {
                    String::new()
                },
            }
        };
        summary.print(Row {
            name,
            unit: "ps a voxel",
            target: Some(MESH_TARGET),
            results: self.voxels(),
            entries: samples.into_iter().enumerate().map(entry).collect(),
        });
    }
}

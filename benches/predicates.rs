//! Times the published forms of the box–sphere test: boxes against one sphere, by the share of boxes that it touches, over an array of
//! structures and over arrays of coordinates.

#![allow(
    clippy::needless_range_loop,
    reason = "plain loops over several arrays at once are what becomes vector instructions"
)]

use std::array::from_fn;
use std::hint::black_box;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{
    BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main,
};
use orthant::{Aabb, InstructionSet, Linear, Overlaps, Sphere, variants};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

const BOXES: usize = 1024;
/// The number of spheres that take turns, so that the branch predictor cannot learn them.
const BALLS: usize = 64;
/// The shares of boxes that touch, in per cent.
const SHARES: [usize; 5] = [5, 25, 50, 75, 95];

type Box<const N: usize> = Aabb<[f32; N]>;
type Ball<const N: usize> = Sphere<[f32; N]>;

fn count<const N: usize>(boxes: &[Box<N>], is_hit: impl Fn(&Box<N>) -> bool) -> usize
where
    [f32; N]: orthant::Vector<Scalar = f32>,
{
    boxes.iter().map(|b| usize::from(is_hit(b))).sum()
}

/// Makes spheres with the radius at which they touch that share of the boxes.
fn balls<const N: usize>(
    boxes: &[Box<N>],
    share: usize,
    random: &mut Xoshiro256PlusPlus,
) -> Vec<Ball<N>>
where
    [f32; N]: orthant::Vector<Scalar = f32>,
{
    let centers: [[f32; N]; BALLS] = from_fn(|_| random.random());
    let of = |radius| centers.map(|center| Sphere::new(center, radius));
    let (mut low, mut high) = (0.0, 2.0);
    for _ in 0..20 {
        let radius = 0.5 * (low + high);
        let hits: usize = of(radius)
            .iter()
            .map(|ball| count(boxes, |b| ball.overlaps(b)))
            .sum();
        if 100 * hits < share * BALLS * boxes.len() {
            low = radius;
        } else {
            high = radius;
        }
    }
    of(high).to_vec()
}

/// The forms over arrays of coordinates. `a` and `b` are the corners, or for the last form the centers and the half edges.
struct Columns<const N: usize> {
    a: [Vec<f32>; N],
    b: [Vec<f32>; N],
}

impl<const N: usize> Columns<N>
where
    [f32; N]: orthant::Vector<Scalar = f32>,
{
    fn new(pairs: &[([f32; N], [f32; N])]) -> Self {
        Self {
            a: from_fn(|axis| pairs.iter().map(|p| p.0[axis]).collect()),
            b: from_fn(|axis| pairs.iter().map(|p| p.1[axis]).collect()),
        }
    }

    /// Counts the boxes that pass a test of the center, the radius and the two numbers of each axis.
    #[inline(always)]
    fn count(
        &self,
        ball: &Ball<N>,
        is_hit: impl Fn([f32; N], f32, [f32; N], [f32; N]) -> bool,
    ) -> usize
    where
        [f32; N]: orthant::Vector<Scalar = f32>,
    {
        let n = self.a[0].len();
        // All slices have one length, so that the loop has no bounds checks.
        let a: [&[f32]; N] = from_fn(|axis| &self.a[axis][..n]);
        let b: [&[f32]; N] = from_fn(|axis| &self.b[axis][..n]);
        let mut count = 0;
        for i in 0..n {
            let (mut x, mut y) = ([0.0; N], [0.0; N]);
            for axis in 0..N {
                (x[axis], y[axis]) = (a[axis][i], b[axis][i]);
            }
            count += u32::from(is_hit(ball.center(), ball.radius(), x, y));
        }
        count as usize
    }
}

#[inline(always)]
fn arvo<const N: usize>(c: [f32; N], r: f32, lo: [f32; N], hi: [f32; N]) -> bool {
    let mut sum = 0.0;
    for i in 0..N {
        if c[i] < lo[i] {
            sum += (c[i] - lo[i]) * (c[i] - lo[i]);
        } else if c[i] > hi[i] {
            sum += (c[i] - hi[i]) * (c[i] - hi[i]);
        }
    }
    sum <= r * r
}

#[inline(always)]
fn quick_interleaved<const N: usize>(c: [f32; N], r: f32, lo: [f32; N], hi: [f32; N]) -> bool {
    let mut sum = 0.0;
    for i in 0..N {
        let (below, above) = (lo[i] - c[i], c[i] - hi[i]);
        if below > r || above > r {
            return false;
        }
        if below > 0.0 {
            sum += below * below;
        } else if above > 0.0 {
            sum += above * above;
        }
    }
    sum <= r * r
}

#[inline(always)]
fn quick_first<const N: usize>(c: [f32; N], r: f32, lo: [f32; N], hi: [f32; N]) -> bool {
    for i in 0..N {
        if lo[i] - c[i] > r || c[i] - hi[i] > r {
            return false;
        }
    }
    arvo(c, r, lo, hi)
}

#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

#[inline(always)]
fn branch_free<const N: usize>(c: [f32; N], r: f32, lo: [f32; N], hi: [f32; N]) -> bool {
    let mut sum = 0.0;
    for i in 0..N {
        let apart = larger(lo[i] - c[i], 0.0) + larger(c[i] - hi[i], 0.0);
        sum += apart * apart;
    }
    sum <= r * r
}

#[inline(always)]
fn center_extents<const N: usize>(c: [f32; N], r: f32, middle: [f32; N], half: [f32; N]) -> bool {
    let mut sum = 0.0;
    for i in 0..N {
        let apart = larger((c[i] - middle[i]).abs() - half[i], 0.0);
        sum += apart * apart;
    }
    sum <= r * r
}

/// Races one form: all spheres against all boxes.
struct Race<'a, 'c, const N: usize>
where
    [f32; N]: orthant::Vector<Scalar = f32>,
{
    group: BenchmarkGroup<'c, WallTime>,
    balls: &'a [Ball<N>],
    share: usize,
    /// The total number of overlaps.
    truth: usize,
}

impl<const N: usize> Race<'_, '_, N>
where
    [f32; N]: orthant::Vector<Scalar = f32>,
{
    fn run(&mut self, form: &str, exact: bool, mut count: impl FnMut(&Ball<N>) -> usize) {
        let found: usize = self.balls.iter().map(&mut count).sum();
        // The one form that rounds differently may differ at ties.
        let leeway = if exact { 0 } else { self.truth / 1000 };
        assert!(found.abs_diff(self.truth) <= leeway, "{form}: {found}");
        let id = BenchmarkId::new(form, format!("{}%", self.share));
        self.group.bench_function(id, |bencher| {
            bencher.iter(|| -> usize { self.balls.iter().map(|b| count(black_box(b))).sum() });
        });
    }
}

fn race<const N: usize>(criterion: &mut Criterion)
where
    [f32; N]: orthant::Vector<Scalar = f32>,
{
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let boxes: Vec<Box<N>> = (0..BOXES)
        .map(|_| {
            let min: [f32; N] = from_fn(|_| random.random_range(0.0..0.9));
            Aabb::new(min, min.map(|x| x + random.random_range(0.01..0.2)))
        })
        .collect();
    let corners: Vec<_> = boxes.iter().map(|b| (b.min(), b.max())).collect();
    let halves: Vec<_> = boxes
        .iter()
        .map(|b| (b.center(), b.size().map(|edge| 0.5 * edge)))
        .collect();
    let corner_columns = Columns::new(&corners);
    let half_columns = Columns::new(&halves);
    let scan = Linear::new(&boxes);
    for share in SHARES {
        let balls = balls(&boxes, share, &mut random);
        let truth = balls
            .iter()
            .map(|ball| count(&boxes, |b| ball.overlaps(b)))
            .sum();
        let mut group = criterion.benchmark_group(format!("predicates {N}D"));
        group.throughput(Throughput::Elements((BOXES * BALLS) as u64));
        let mut race = Race {
            group,
            balls: &balls,
            share,
            truth,
        };
        race.run("structures: plain", true, |ball| {
            count(&boxes, |b| ball.overlaps(b))
        });
        race.run("structures: arvo", true, |ball| {
            count(&boxes, |b| variants::arvo(ball, b))
        });
        race.run("structures: quick_interleaved", true, |ball| {
            count(&boxes, |b| variants::quick_interleaved(ball, b))
        });
        race.run("structures: quick_first", true, |ball| {
            count(&boxes, |b| variants::quick_first(ball, b))
        });
        race.run("structures: branch_free", true, |ball| {
            count(&boxes, |b| variants::branch_free(ball, b))
        });
        race.run("structures: center_extents", false, |ball| {
            let hits = halves
                .iter()
                .map(|(middle, half)| usize::from(variants::center_extents(ball, *middle, *half)));
            hits.sum()
        });
        race.run("columns: arvo", true, |ball| {
            corner_columns.count(ball, arvo)
        });
        race.run("columns: quick_interleaved", true, |ball| {
            corner_columns.count(ball, quick_interleaved)
        });
        race.run("columns: quick_first", true, |ball| {
            corner_columns.count(ball, quick_first)
        });
        race.run("columns: branch_free", true, |ball| {
            corner_columns.count(ball, branch_free)
        });
        race.run("columns: center_extents", false, |ball| {
            half_columns.count(ball, center_extents)
        });
        for set in InstructionSet::available() {
            let scan = scan.clone().with_instructions(set);
            race.run(&format!("scan: {set}"), true, |ball| scan.count(ball));
        }
        race.group.finish();
    }
}

fn predicates(criterion: &mut Criterion) {
    race::<2>(criterion);
    race::<3>(criterion);
    println!(
        "\nused inside: \"structures: plain\", the branch-free form as one maximum of three, wherever \
         one item is asked; \"scan: {}\", the same bits, by `Linear` on this machine",
        InstructionSet::best()
    );
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(400));
    targets = predicates
}
criterion_main!(benches);

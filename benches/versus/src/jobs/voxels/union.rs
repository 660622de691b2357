//! The voxels of many balls, all at once and one ball after the other.

use rand::{RngExt, SeedableRng};

use crate::answers::Answers;
use crate::contestants::register;
use crate::jobs::{Options, short};
use crate::race::{Kind, Registered, interleave, time};
use crate::scenes::Random;
use crate::table::{Entry, Row, Summary};
use crate::worlds::Ball;

/// The nanoseconds wanted for a voxel of the union.
const TARGET: f64 = 2.0;
const BALLS: usize = 100_000;

/// One way to unite balls.
pub(crate) trait Union: Sized + 'static {
    const NAME: &'static str;
    const KIND: Kind;
    /// The form in which the contestant takes the balls.
    type Balls: 'static;

    fn ready(balls: &[Ball]) -> Self::Balls;

    fn unite(balls: &Self::Balls) -> Self;

    // Not timed.

    fn voxels(&self) -> impl Iterator<Item = [i32; 3]>;

    /// A remark, printed after the table.
    fn remark(&self) -> Option<String> {
        None
    }
}

/// A union of any type; it is dropped after the clock has stopped.
pub(crate) trait United {
    fn answers(&self) -> Answers;

    fn remark(&self) -> Option<String>;
}

impl<T: Union> United for T {
    fn answers(&self) -> Answers {
        let mut answers = Answers::default();
        answers.push(self.voxels().map(number));
        answers
    }

    fn remark(&self) -> Option<String> {
        Union::remark(self)
    }
}

/// Each voxel has its own number.
pub(super) fn number(voxel: [i32; 3]) -> u64 {
    let [x, y, z] = voxel.map(|v| v as u64 & 0x1f_ffff);
    x << 42 | y << 21 | z
}

type Unite = Box<dyn Fn() -> Box<dyn United>>;

pub(crate) type Uniter = Registered<fn(&[Ball]) -> Unite>;

pub(crate) fn uniter<T: Union>() -> Uniter {
    Registered {
        name: T::NAME,
        kind: T::KIND,
        build: |balls| {
            let balls = T::ready(balls);
            Box::new(move || Box::new(T::unite(&balls)))
        },
    }
}

/// Balls of radius 5 in random places of a cube a thousand voxels wide.
pub(crate) fn cloud(seed: u64) -> Vec<Ball> {
    let random = &mut Random::seed_from_u64(seed);
    let mut ball = || Ball {
        center: std::array::from_fn(|_| random.random_range(0.0..1000.0)),
        radius: 5.0,
    };
    (0..BALLS).map(|_| ball()).collect()
}

/// Races at the union of all balls. The truth is the union of one ball after the other, which is shown too.
pub(super) fn race(options: &Options, summary: &mut Summary) {
    let name = format!("union of {} balls r=5", short(BALLS));
    if !options.wants(&name) {
        return;
    }
    let balls = cloud(options.seed);
    let uniters = register(|c| c.unions);
    let ready: Vec<Unite> = uniters.iter().map(|u| (u.build)(&balls)).collect();
    let mut remark = None;
    let answers = ready.iter().map(|unite| {
        let set = unite();
        remark = remark.take().or(set.remark());
        set.answers()
    });
    let answers: Vec<_> = answers.collect();
    let one_by_one = uniters.iter().position(|u| u.kind == Kind::Reference);
    let truth = &answers[one_by_one.expect("it takes part")];
    let voxels = truth.results();
    let kinds: Vec<_> = uniters.iter().map(|u| u.kind).collect();
    let samples = interleave(&kinds, options.rounds, |i| {
        let (set, taken) = time(|| ready[i]());
        drop(set);
        taken * 1e3 / voxels as f64
    });
    let entries = uniters.iter().zip(samples).zip(&answers);
    let entries = entries.map(|((uniter, samples), answers)| Entry {
        name: uniter.name,
        kind: uniter.kind,
        samples,
        differing: answers.differing(truth),
        note: String::new(),
    });
    let entries: Vec<_> = entries.collect();
    let own = entries.iter().find(|e| e.kind == Kind::Own);
    let taken = own.map_or(f64::NAN, Entry::median) / 1e3;
    summary.print(Row {
        name,
        unit: "ps a voxel of the union",
        target: None,
        results: voxels,
        entries,
    });
    println!("  {taken:.2} ns a voxel, target {TARGET}");
    println!("  {voxels} voxels in {}", remark.unwrap_or_default());
}

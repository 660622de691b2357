//! The traits that a contestant implements for each job. The id of a point is its position in the slice
//! given to `build`.

pub(crate) mod at_rest;
pub(crate) mod ghosts;
pub(crate) mod one_by_one;
pub(crate) mod rebuilt;

use std::hint::black_box;

use crate::answers::Answers;
use crate::points::Scalar;
use crate::race::Kind;
use crate::truth::distance_sq;

/// A structure of points.
pub(crate) trait Index<S, const D: usize>: Sized + 'static {
    const NAME: &'static str;
    const KIND: Kind = Kind::Peer;
    /// The contestant is left out of larger sets.
    const MOST_POINTS: usize = usize::MAX;
    /// True if the structure is built for one radius.
    const ONE_RADIUS: bool = false;

    /// Builds the structure. Only structures for one radius use `radius`.
    fn build(points: &[[S; D]], radius: S) -> Self;
}

/// Finds all points at most a radius from a center.
pub(crate) trait Radius<S, const D: usize>: Index<S, D> {
    fn count(&mut self, center: &[S; D], radius: S) -> usize;

    /// Appends the ids of the points.
    fn collect(&mut self, center: &[S; D], radius: S, ids: &mut Vec<u32>);
}

pub(crate) trait Nearest<S, const D: usize>: Index<S, D> {
    fn nearest(&mut self, center: &[S; D]) -> u32;
}

pub(crate) trait NearestN<S, const D: usize>: Index<S, D> {
    /// Writes the ids of the nearest points, nearest first, into `ids`, which is empty.
    fn nearest_n(&mut self, center: &[S; D], n: usize, ids: &mut Vec<u32>);
}

/// An entry of a register. `R` is the trait whose methods the job calls.
pub(crate) struct Contestant<S, const D: usize, R: ?Sized> {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) most_points: usize,
    pub(crate) one_radius: bool,
    pub(crate) build: fn(&[[S; D]], S) -> Box<R>,
}

impl<S, const D: usize, R: ?Sized> Contestant<S, D, R> {
    pub(crate) fn of_kind(self, kind: Kind) -> Self {
        Self { kind, ..self }
    }

    /// Leaves the contestant out of sets with more points.
    pub(crate) fn up_to(self, most_points: usize) -> Self {
        Self {
            most_points,
            ..self
        }
    }
}

fn entry<S, const D: usize, T: Index<S, D>, R: ?Sized>(
    build: fn(&[[S; D]], S) -> Box<R>,
) -> Contestant<S, D, R> {
    Contestant {
        name: T::NAME,
        kind: T::KIND,
        most_points: T::MOST_POINTS,
        one_radius: T::ONE_RADIUS,
        build,
    }
}

// Each loop over the centers is compiled for one contestant: there is no dynamic dispatch inside.

pub(crate) trait RadiusRun<S, const D: usize> {
    /// The total number of points found.
    fn count(&mut self, centers: &[[S; D]], radius: S) -> u64;

    fn collect(&mut self, centers: &[[S; D]], radius: S, ids: &mut Vec<u32>) -> u64;

    fn answers(&mut self, centers: &[[S; D]], radius: S) -> Answers;
}

impl<S: Scalar, const D: usize, T: Radius<S, D>> RadiusRun<S, D> for T {
    fn count(&mut self, centers: &[[S; D]], radius: S) -> u64 {
        let counts = centers.iter().map(|c| Radius::count(self, c, radius));
        counts.sum::<usize>() as u64
    }

    fn collect(&mut self, centers: &[[S; D]], radius: S, ids: &mut Vec<u32>) -> u64 {
        let mut found = 0;
        for center in centers {
            ids.clear();
            Radius::collect(self, center, radius, ids);
            found += black_box(ids.as_slice()).len() as u64;
        }
        found
    }

    fn answers(&mut self, centers: &[[S; D]], radius: S) -> Answers {
        let (mut answers, mut ids) = (Answers::default(), Vec::new());
        for center in centers {
            ids.clear();
            Radius::collect(self, center, radius, &mut ids);
            answers.push_ids(&ids);
        }
        answers
    }
}

pub(crate) type RadiusContestant<S, const D: usize> = Contestant<S, D, dyn RadiusRun<S, D>>;

pub(crate) fn radius<S: Scalar, const D: usize, T: Radius<S, D>>() -> RadiusContestant<S, D> {
    entry::<S, D, T, _>(|points, radius| Box::new(T::build(points, radius)))
}

/// Lists the points within a radius of each point.
pub(crate) trait BatchRun<S, const D: usize> {
    /// Makes the lists, and returns their total length. Contestants that can fill memory of the caller use `out`.
    fn lists(&mut self, points: &[[S; D]], radius: S, out: &mut FlatLists) -> u64;

    /// Makes the lists, and returns them. By default, they are in `out`.
    fn answers(&mut self, points: &[[S; D]], radius: S, out: &mut FlatLists) -> Answers {
        self.lists(points, radius, out);
        out.answers()
    }
}

/// Lists one after the other, with the offset of each and the end of the last. The memory is kept.
#[derive(Default)]
pub(crate) struct FlatLists {
    pub(crate) offsets: Vec<usize>,
    pub(crate) ids: Vec<u32>,
}

impl FlatLists {
    pub(crate) fn answers(&self) -> Answers {
        let mut answers = Answers::default();
        for ends in self.offsets.windows(2) {
            answers.push_ids(&self.ids[ends[0]..ends[1]]);
        }
        answers
    }
}

/// Makes lists by a query for each point.
pub(crate) struct Loop<T>(T);

impl<S: Scalar, const D: usize, T: Index<S, D>> Index<S, D> for Loop<T> {
    const NAME: &'static str = T::NAME;
    const KIND: Kind = T::KIND;
    const MOST_POINTS: usize = T::MOST_POINTS;
    const ONE_RADIUS: bool = T::ONE_RADIUS;

    fn build(points: &[[S; D]], radius: S) -> Self {
        Self(T::build(points, radius))
    }
}

impl<S: Scalar, const D: usize, T: Radius<S, D>> BatchRun<S, D> for Loop<T> {
    fn lists(&mut self, points: &[[S; D]], radius: S, out: &mut FlatLists) -> u64 {
        out.offsets.clear();
        out.ids.clear();
        out.offsets.push(0);
        for point in points {
            self.0.collect(point, radius, &mut out.ids);
            out.offsets.push(out.ids.len());
        }
        black_box(out).ids.len() as u64
    }
}

pub(crate) type BatchContestant<S, const D: usize> = Contestant<S, D, dyn BatchRun<S, D>>;

pub(crate) fn batch<S: Scalar, const D: usize, T>() -> BatchContestant<S, D>
where
    T: Index<S, D> + BatchRun<S, D>,
{
    entry::<S, D, T, _>(|points, radius| Box::new(T::build(points, radius)))
}

/// A loop of searches for a fixed number of nearest points.
pub(crate) trait NearestRun<S, const D: usize> {
    fn run(&mut self, centers: &[[S; D]], ids: &mut Vec<u32>) -> u64;

    /// The squared distances of the answers: a contestant may choose between points at the same distance.
    fn answers(&mut self, points: &[[S; D]], centers: &[[S; D]]) -> Answers;
}

pub(crate) type NearestContestant<S, const D: usize> = Contestant<S, D, dyn NearestRun<S, D>>;

struct One<T>(T);

impl<S: Scalar, const D: usize, T: Nearest<S, D>> NearestRun<S, D> for One<T> {
    fn run(&mut self, centers: &[[S; D]], _: &mut Vec<u32>) -> u64 {
        for center in centers {
            black_box(self.0.nearest(center));
        }
        centers.len() as u64
    }

    fn answers(&mut self, points: &[[S; D]], centers: &[[S; D]]) -> Answers {
        let mut answers = Answers::default();
        for center in centers {
            let found = self.0.nearest(center) as usize;
            answers.push([distance_sq(&points[found], center).bits()]);
        }
        answers
    }
}

pub(crate) fn nearest<S: Scalar, const D: usize, T: Nearest<S, D>>() -> NearestContestant<S, D> {
    entry::<S, D, T, _>(|points, radius| Box::new(One(T::build(points, radius))))
}

struct Several<T, const N: usize>(T);

impl<S: Scalar, const D: usize, T: NearestN<S, D>, const N: usize> NearestRun<S, D>
    for Several<T, N>
{
    fn run(&mut self, centers: &[[S; D]], ids: &mut Vec<u32>) -> u64 {
        let mut found = 0;
        for center in centers {
            ids.clear();
            self.0.nearest_n(center, N, ids);
            found += black_box(ids.as_slice()).len() as u64;
        }
        found
    }

    fn answers(&mut self, points: &[[S; D]], centers: &[[S; D]]) -> Answers {
        let (mut answers, mut ids) = (Answers::default(), Vec::new());
        for center in centers {
            ids.clear();
            self.0.nearest_n(center, N, &mut ids);
            let found = ids.iter().map(|&id| &points[id as usize]);
            answers.push(found.map(|point| distance_sq(point, center).bits()));
        }
        answers
    }
}

/// An entry that finds the nearest of many points in one call.
pub(crate) fn nearest_batch<S: Scalar, const D: usize, T: Index<S, D> + NearestRun<S, D>>()
-> NearestContestant<S, D> {
    entry::<S, D, T, _>(|points, radius| Box::new(T::build(points, radius)))
}

pub(crate) fn nearest_n<S: Scalar, const D: usize, T: NearestN<S, D>, const N: usize>()
-> NearestContestant<S, D> {
    entry::<S, D, T, _>(|points, radius| Box::new(Several::<_, N>(T::build(points, radius))))
}

/// The return value of a method that fills lists: now a `Result`, but `()` at the commit of `before`.
pub(crate) trait Filled {
    fn filled(self);
}

impl Filled for () {
    fn filled(self) {}
}

impl<E: std::fmt::Debug> Filled for Result<(), E> {
    fn filled(self) {
        self.expect("memory suffices for the lists");
    }
}

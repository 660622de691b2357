//! Contestants that are rebuilt in each step, and then list or count the neighbors of all points.

use std::marker::PhantomData;

use super::{BatchContestant, BatchRun, Contestant, FlatLists, Index, Radius};
use crate::answers::Answers;
use crate::points::Scalar;
use crate::race::Kind;

/// Counts neighbors.
pub(crate) trait CountRun<S, const D: usize> {
    /// The number of neighbors of all points together; each point is its own neighbor.
    fn count(&mut self, points: &[[S; D]], radius: S) -> u64;
}

pub(crate) type CountContestant<S, const D: usize> = Contestant<S, D, dyn CountRun<S, D>>;

/// The largest size for contestants that take five times as long as the best.
pub(crate) const SMALL: usize = 100_000;

/// An entry that starts without points, and keeps its memory from step to step. Structures for one radius are
/// full peers here.
fn entry<S, const D: usize, R: ?Sized>(
    name: &'static str,
    build: fn(&[[S; D]], S) -> Box<R>,
) -> Contestant<S, D, R> {
    Contestant {
        name,
        kind: Kind::Peer,
        most_points: usize::MAX,
        one_radius: false,
        build,
    }
}

pub(crate) fn lister<S, const D: usize, T>(name: &'static str) -> BatchContestant<S, D>
where
    T: BatchRun<S, D> + Default + 'static,
{
    entry(name, |_, _| Box::new(T::default()))
}

pub(crate) fn counter<S, const D: usize, T>(name: &'static str) -> CountContestant<S, D>
where
    T: CountRun<S, D> + Default + 'static,
{
    entry(name, |_, _| Box::new(T::default()))
}

/// An entry for lists of a structure that other jobs build once.
pub(crate) fn rebuilt<S: Scalar, const D: usize, T>() -> BatchContestant<S, D>
where
    T: Index<S, D> + BatchRun<S, D>,
{
    lister::<S, D, Rebuilt<T>>(T::NAME)
}

pub(crate) fn rebuilt_counter<S: Scalar, const D: usize, T: Radius<S, D>>() -> CountContestant<S, D>
{
    counter::<S, D, Rebuilt<T>>(T::NAME)
}

/// A structure that is rebuilt in each step, and queried as in the jobs that build it once.
pub(crate) struct Rebuilt<T>(PhantomData<T>);

impl<T> Default for Rebuilt<T> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<S: Scalar, const D: usize, T: Index<S, D> + BatchRun<S, D>> BatchRun<S, D> for Rebuilt<T> {
    fn lists(&mut self, points: &[[S; D]], radius: S, out: &mut FlatLists) -> u64 {
        T::build(points, radius).lists(points, radius, out)
    }

    fn answers(&mut self, points: &[[S; D]], radius: S, out: &mut FlatLists) -> Answers {
        T::build(points, radius).answers(points, radius, out)
    }
}

impl<S: Scalar, const D: usize, T: Radius<S, D>> CountRun<S, D> for Rebuilt<T> {
    fn count(&mut self, points: &[[S; D]], radius: S) -> u64 {
        let mut built = T::build(points, radius);
        let counts = points.iter().map(|point| built.count(point, radius));
        counts.sum::<usize>() as u64
    }
}

/// Lists each pair once.
pub(crate) trait PairRun<S, const D: usize> {
    fn pairs(&mut self, points: &[[S; D]], radius: S) -> &[[u32; 2]];
}

/// Makes lists from pairs.
#[derive(Default)]
pub(crate) struct BothWays<T>(T);

impl<S, const D: usize, T: PairRun<S, D>> BatchRun<S, D> for BothWays<T> {
    fn lists(&mut self, points: &[[S; D]], radius: S, out: &mut FlatLists) -> u64 {
        let pairs = self.0.pairs(points, radius);
        both_ways(pairs, points.len(), &[], out);
        out.ids.len() as u64
    }
}

/// Makes lists from pairs: counts, then enters each pair in both lists, and each point in its own list.
/// Ids from `points` on are ghosts: they have no lists, and other lists name them by their owners.
pub(super) fn both_ways(pairs: &[[u32; 2]], points: usize, owners: &[u32], out: &mut FlatLists) {
    let FlatLists { offsets, ids } = out;
    let is_point = |i: u32| (i as usize) < points;
    let name = |i: u32| match (i as usize).checked_sub(points) {
        None => i,
        Some(ghost) => owners[ghost],
    };
    offsets.clear();
    offsets.resize(points + 1, 0);
    for &[a, b] in pairs {
        for i in [a, b].into_iter().filter(|&i| is_point(i)) {
            offsets[i as usize] += 1;
        }
    }
    let mut end = 0;
    for offset in &mut offsets[..points] {
        end += *offset + 1;
        *offset = end;
    }
    offsets[points] = end;
    ids.resize(end, 0);
    let mut put = |i: u32, other: u32| {
        let offset = &mut offsets[i as usize];
        *offset -= 1;
        ids[*offset] = other;
    };
    for i in 0..points as u32 {
        put(i, i);
    }
    for &[a, b] in pairs {
        for (i, other) in [(a, b), (b, a)] {
            if is_point(i) {
                put(i, name(other));
            }
        }
    }
}

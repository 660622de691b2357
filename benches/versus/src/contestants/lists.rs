//! Who finds the neighbours of all points anew each step. All crates count here, also those that are for
//! one radius; what is written by hand is shown.

mod ghosts;
mod kiddo;
mod orthant;
mod parry;
mod plain;
mod splashsurf;
mod zelll;

use std::marker::PhantomData;

use ::orthant::glam::{DVec3, Vec2, Vec3};

#[cfg(feature = "before")]
use super::before;
use super::field;
use super::{kiddo as trees, neighbourhood, parry as boxes, rstar, sif_kdtree, zelll as grids};
use crate::answers::Answers;
use crate::bench::Kind;
use crate::contestant::{BatchRun, Index, Loop, Radius, Room};
use crate::points::Scalar;
use crate::race::Entrant;
use ghosts::{GhostPairs, Ghosts};

pub(crate) type Lister<S, const D: usize> = Entrant<dyn BatchRun<S, D>>;
pub(crate) type Counter<S, const D: usize> = Entrant<dyn CountRun<S, D>>;

/// How many neighbours all points have together, each itself among its own.
pub(crate) trait CountRun<S, const D: usize> {
    fn count(&mut self, points: &[[S; D]], radius: S) -> u64;
}

/// Those that take five times as long as the best take part up to this size only.
const SMALL: usize = 100_000;

pub(crate) fn lists3(n: usize) -> Vec<Lister<f32, 3>> {
    let mut peers = vec![
        lister("zelll pairs", BothWays::<zelll::Pairs<f32, 3>>::default()),
        lister("zelll query", Anew::<Loop<grids::Cells<f32, 3>>>::default()),
        anew::<_, 3, Loop<trees::Immutable<f32, 3>>>(),
        anew::<_, 3, Loop<trees::Flat<f32, 3>>>(),
        anew::<_, 3, trees::Batch<3>>(),
        anew::<_, 3, trees::Join<3>>(),
        lister("parry3d walk", BothWays::<parry::Walk>::default()),
        lister("splashsurf", splashsurf::Nested::default()),
        lister("splashsurf flat", splashsurf::Flat::default()),
        anew::<_, 3, Loop<plain::Grid<f32, 3>>>(),
        lister("plain pairs", BothWays::<plain::Pairs<f32, 3>>::default()),
    ];
    if n <= SMALL {
        peers.extend([
            anew::<_, 3, Loop<boxes::Tree>>(),
            anew::<_, 3, Loop<rstar::Tree<[f32; 3]>>>(),
            anew::<_, 3, Loop<sif_kdtree::Tree<f32, 3>>>(),
            anew::<_, 3, Loop<neighbourhood::Tree3>>(),
        ]);
    }
    field(
        vec![lister("orthant", orthant::Cells::<Vec3>::default())],
        before![lister(
            "before",
            before::lists::Cells::<before::Vec3>::default()
        )],
        peers,
    )
}

pub(crate) fn lists3_f64(n: usize) -> Vec<Lister<f64, 3>> {
    let mut peers = vec![
        lister("zelll pairs", BothWays::<zelll::Pairs<f64, 3>>::default()),
        lister("zelll query", Anew::<Loop<grids::Cells<f64, 3>>>::default()),
        anew::<_, 3, Loop<trees::Immutable<f64, 3>>>(),
        anew::<_, 3, Loop<trees::Flat<f64, 3>>>(),
        lister("splashsurf", splashsurf::Nested::default()),
        lister("splashsurf flat", splashsurf::Flat::default()),
        anew::<_, 3, Loop<plain::Grid<f64, 3>>>(),
        lister("plain pairs", BothWays::<plain::Pairs<f64, 3>>::default()),
    ];
    if n <= SMALL {
        peers.extend([
            anew::<_, 3, Loop<rstar::Tree<[f64; 3]>>>(),
            anew::<_, 3, Loop<sif_kdtree::Tree<f64, 3>>>(),
            anew::<_, 3, Loop<neighbourhood::TreeF64>>(),
        ]);
    }
    field(
        vec![lister("orthant", orthant::Cells::<DVec3>::default())],
        before![lister(
            "before",
            before::lists::Cells::<before::DVec3>::default()
        )],
        peers,
    )
}

pub(crate) fn lists2(n: usize) -> Vec<Lister<f32, 2>> {
    let mut peers = vec![
        lister("zelll pairs", BothWays::<zelll::Pairs<f32, 2>>::default()),
        lister("zelll query", Anew::<Loop<grids::Cells<f32, 2>>>::default()),
        anew::<_, 2, Loop<trees::Immutable<f32, 2>>>(),
        anew::<_, 2, Loop<trees::Flat<f32, 2>>>(),
        anew::<_, 2, trees::Batch<2>>(),
        anew::<_, 2, trees::Join<2>>(),
        anew::<_, 2, Loop<plain::Grid<f32, 2>>>(),
        lister("plain pairs", BothWays::<plain::Pairs<f32, 2>>::default()),
    ];
    if n <= SMALL {
        peers.extend([
            anew::<_, 2, Loop<rstar::Tree<[f32; 2]>>>(),
            anew::<_, 2, Loop<sif_kdtree::Tree<f32, 2>>>(),
            anew::<_, 2, Loop<neighbourhood::Tree2>>(),
        ]);
    }
    field(
        vec![lister("orthant", orthant::Cells::<Vec2>::default())],
        before![lister(
            "before",
            before::lists::Cells::<before::Vec2>::default()
        )],
        peers,
    )
}

/// In the unit cube. Who knows no period is given the images of all points near its faces as points
/// of their own.
pub(crate) fn periodic3(n: usize) -> Vec<Lister<f32, 3>> {
    let mut peers = vec![
        lister("kiddo", kiddo::Periodic),
        lister(
            "zelll pairs, ghosts",
            GhostPairs::<zelll::Pairs<f32, 3>>::default(),
        ),
        lister(
            "plain pairs, ghosts",
            GhostPairs::<plain::Pairs<f32, 3>>::default(),
        ),
        lister(
            "zelll query, ghosts",
            Ghosts::<grids::Cells<f32, 3>>::default(),
        ),
        lister(
            "kiddo flat, ghosts",
            Ghosts::<trees::Flat<f32, 3>>::default(),
        ),
        lister(
            "plain grid, ghosts",
            Ghosts::<plain::Grid<f32, 3>>::default(),
        ),
    ];
    if n <= SMALL {
        peers.extend([
            lister(
                "sif-kdtree, ghosts",
                Ghosts::<sif_kdtree::Tree<f32, 3>>::default(),
            ),
            lister("parry3d, ghosts", Ghosts::<boxes::Tree>::default()),
            lister("rstar, ghosts", Ghosts::<rstar::Tree<[f32; 3]>>::default()),
        ]);
    }
    field(
        vec![lister("orthant", orthant::Cells::<Vec3>::in_unit_cube())],
        before![lister(
            "before",
            before::lists::Cells::<before::Vec3>::in_unit_cube()
        )],
        peers,
    )
}

/// Those that can count without making lists.
pub(crate) fn counts3(n: usize) -> Vec<Counter<f32, 3>> {
    let mut peers = vec![
        counter("zelll pairs", zelll::Pairs::<f32, 3>::default()),
        asked::<_, 3, trees::Immutable<f32, 3>>(),
        asked::<_, 3, trees::Flat<f32, 3>>(),
        counter("kiddo join", kiddo::JoinCount),
        counter("parry3d walk", parry::Walk::default()),
        asked::<_, 3, plain::Grid<f32, 3>>(),
        counter("plain pairs", plain::Pairs::<f32, 3>::default()),
    ];
    if n <= SMALL {
        peers.extend([
            asked::<_, 3, boxes::Tree>(),
            asked::<_, 3, rstar::Tree<[f32; 3]>>(),
            asked::<_, 3, sif_kdtree::Tree<f32, 3>>(),
            asked::<_, 3, neighbourhood::Tree3>(),
        ]);
    }
    field(
        vec![counter("orthant", orthant::Cells::<Vec3>::default())],
        before![counter(
            "before",
            before::lists::Cells::<before::Vec3>::default()
        )],
        peers,
    )
}

fn entrant<R: ?Sized>(name: &'static str, kind: Kind, runner: Box<R>) -> Entrant<R> {
    Entrant { name, kind, runner }
}

fn kind(name: &str) -> Kind {
    match name {
        "orthant" => Kind::Own,
        "before" => Kind::Before,
        _ if name.starts_with("plain") => Kind::Reference,
        _ => Kind::Peer,
    }
}

fn lister<S: Scalar, const D: usize>(
    name: &'static str,
    runner: impl BatchRun<S, D> + 'static,
) -> Lister<S, D> {
    entrant(name, kind(name), Box::new(runner))
}

fn counter<S: Scalar, const D: usize>(
    name: &'static str,
    runner: impl CountRun<S, D> + 'static,
) -> Counter<S, D> {
    entrant(name, kind(name), Box::new(runner))
}

fn anew<S: Scalar, const D: usize, T: Index<S, D> + BatchRun<S, D>>() -> Lister<S, D> {
    lister(T::NAME, Anew::<T>::default())
}

fn asked<S: Scalar, const D: usize, T: Radius<S, D>>() -> Counter<S, D> {
    counter(T::NAME, Anew::<T>::default())
}

/// Built anew, and asked as in the jobs where it is built once.
struct Anew<T>(PhantomData<T>);

impl<T> Default for Anew<T> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<S: Scalar, const D: usize, T: Index<S, D> + BatchRun<S, D>> BatchRun<S, D> for Anew<T> {
    fn lists(&mut self, points: &[[S; D]], radius: S, room: &mut Room) -> u64 {
        T::build(points, radius).lists(points, radius, room)
    }

    fn answers(&mut self, points: &[[S; D]], radius: S, room: &mut Room) -> Answers {
        T::build(points, radius).answers(points, radius, room)
    }
}

impl<S: Scalar, const D: usize, T: Radius<S, D>> CountRun<S, D> for Anew<T> {
    fn count(&mut self, points: &[[S; D]], radius: S) -> u64 {
        let mut built = T::build(points, radius);
        let counts = points.iter().map(|point| built.count(point, radius));
        counts.sum::<usize>() as u64
    }
}

/// Finds each pair once.
trait PairRun<S, const D: usize> {
    fn pairs(&mut self, points: &[[S; D]], radius: S) -> &[[u32; 2]];
}

/// Lists from pairs.
#[derive(Default)]
struct BothWays<T>(T);

impl<S, const D: usize, T: PairRun<S, D>> BatchRun<S, D> for BothWays<T> {
    fn lists(&mut self, points: &[[S; D]], radius: S, room: &mut Room) -> u64 {
        let pairs = self.0.pairs(points, radius);
        both_ways(pairs, points.len(), &[], room);
        room.ids.len() as u64
    }

    fn answers(&mut self, points: &[[S; D]], radius: S, room: &mut Room) -> Answers {
        self.lists(points, radius, room);
        room.answers()
    }
}

/// Makes lists of pairs: counts, then puts each pair in both ways, and each point into its own list.
/// Numbers beyond those of the points are ghosts: no list is theirs, and in
/// others they go by their owner's number.
fn both_ways(pairs: &[[u32; 2]], points: usize, owners: &[u32], room: &mut Room) {
    let Room { offsets, ids } = room;
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

//! Trees that are built from the points. kiddo's archive by rkyv does not take part: rkyv does not check that bytes are a tree, and
//! refuses its own bytes of some sets.

use super::{Flat, Immutable};
use crate::contestant::Nearest;
use crate::jobs::open::{First, OpenContestant, opener};
use crate::race::Kind;

pub(super) fn open<const D: usize>() -> Vec<OpenContestant<D>>
where
    Immutable<f32, D>: Nearest<f32, D>,
    Flat<f32, D>: Nearest<f32, D>,
{
    vec![
        opener("kiddo", Kind::Peer, built::<D, Immutable<f32, D>>),
        opener("kiddo flat", Kind::Peer, built::<D, Flat<f32, D>>),
    ]
}

fn built<const D: usize, T: Nearest<f32, D>>(points: &[[f32; D]]) -> First<D> {
    let points = points.to_vec();
    Box::new(move |center| T::build(&points, 0.0).nearest(center))
}

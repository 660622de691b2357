//! The crate at the commit that `benches/before` names, with the files of the contestant `orthant`. To race against
//! another commit, name it there; `orthant/calls.rs` has the calls that may differ.

#![allow(
    clippy::duplicate_mod,
    clippy::unit_arg,
    reason = "the same files, compiled over two crates, of which one returns nothing from calls that fill lists"
)]

#[path = "orthant/batch.rs"]
mod batch;
#[path = "orthant/boxes.rs"]
mod boxes;
#[path = "orthant/calls.rs"]
mod calls;
#[path = "orthant/entries.rs"]
mod entries;
#[path = "orthant/lists.rs"]
mod lists;
#[path = "orthant/opened.rs"]
mod opened;
#[path = "orthant/pairs.rs"]
mod pairs;
#[path = "orthant/points.rs"]
mod points;
#[path = "orthant/voxels.rs"]
mod voxels;

use ::orthant_before as library;

use crate::jobs::groups::{GroupContestant, grouper};
use crate::jobs::voxels::{Uniter, uniter};
use crate::race::Kind;
use calls::{first_of_ball, first_on_ray, groups, nearest_n, set_bounds};
pub(super) use entries::enter;

const NAME: &str = "before";
const AT_ONCE: &str = NAME;
const KIND: Kind = Kind::Before;

fn groupers<const D: usize>() -> Vec<GroupContestant<D>>
where
    [f32; D]: library::Vector<Scalar = f32>,
{
    vec![grouper(NAME, KIND, groups)]
}

fn unions() -> Vec<Uniter> {
    vec![uniter::<voxels::AtOnce>()]
}

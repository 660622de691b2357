//! Who lists the voxels that a sphere's surface meets.

mod orthant;
mod parry;
mod row_loop;

#[cfg(feature = "before")]
use super::before::voxels as before;
use super::field;
use crate::jobs::voxels::{Entrant, Uniter, entrant, uniter};

pub(crate) fn listing() -> Vec<Entrant> {
    field(
        vec![entrant::<orthant::Grid>()],
        before![entrant::<before::Grid>()],
        vec![entrant::<row_loop::RowLoop>()],
    )
}

pub(crate) fn meshes() -> Vec<Entrant> {
    field(
        vec![entrant::<orthant::Grid>()],
        before![entrant::<before::Grid>()],
        vec![entrant::<parry::Mesh>()],
    )
}

pub(crate) fn unions() -> Vec<Uniter> {
    field(
        vec![uniter::<orthant::AtOnce>(), uniter::<orthant::OneByOne>()],
        before![uniter::<before::Set>()],
        Vec::new(),
    )
}

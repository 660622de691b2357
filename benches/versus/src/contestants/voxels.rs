//! Who lists the voxels that a sphere's surface meets.

mod orthant;
mod parry;
mod row_loop;

use crate::jobs::voxels::{Entrant, entrant};

pub(crate) fn listing() -> Vec<Entrant> {
    vec![entrant::<orthant::Grid>(), entrant::<row_loop::RowLoop>()]
}

pub(crate) fn meshes() -> Vec<Entrant> {
    vec![entrant::<orthant::Grid>(), entrant::<parry::Mesh>()]
}

//! The crate as it was at the commit that `benches/before` names, by what it offered then: what is
//! renamed or goes today leaves these files as they are. To race against another commit, name that
//! one, and take over what the contestant `orthant` does.

pub(crate) mod boxes;
pub(crate) mod lists;
pub(crate) mod points;
pub(crate) mod voxels;

pub(crate) use orthant_before::Sphere;
pub(crate) use orthant_before::glam::{DVec3, Vec2, Vec3};

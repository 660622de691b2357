//! The laws: every structure answers exactly what the scan answers.
//!
//! One runner × structures × vectors × items × regions, each combination a named test, no epsilon
//! anywhere. Coordinates are small integers times a step, so that ties are common.
//!
//! The full product is taken over arrays: both scalars in the plane and in space, and one and four dimensions. A vector of glam is read axis by
//! axis and gives the same answers as the array of its scalar and dimension; only how it is made and read is its own. So each vector type passes
//! each structure once, not in all combinations: compiling the code for a vector and a kind of item, with all instruction sets, takes most of
//! the time and memory. For the same reason there are two programs of the same modules: this one, and `double.rs` for double precision.

#[macro_use]
mod combinations;

mod algebra;
mod answers;
#[path = "../shared/cases.rs"]
mod cases;
mod combined;
mod crowds;
#[path = "../shared/lattice.rs"]
mod lattice;
mod make;
mod models;
mod nearest;
mod relations;
mod runner;
mod shells;
mod solids;

laws! {
    f32x3: [f32; 3],
}
solids! {
    solids_f32x3: [f32; 3],
}
solids! { in the plane solids_f32x2: [f32; 2] }
combined! {
    combined_f32x3: [f32; 3],
}

// In release builds these laws would take minutes more to compile.
#[cfg(debug_assertions)]
laws! {
    f32x1: [f32; 1],
    f32x2: [f32; 2],
}

#[cfg(debug_assertions)]
samples! {
    vec2: Vec2,
    vec3: Vec3,
    vec3a: Vec3A,
    vec4: Vec4,
}

#[cfg(debug_assertions)]
mod solids_vec3a {
    use crate::answers::{Bulk, Cells, check};
    use crate::make::{Brick, Point, Skin};
    use crate::solids::{Camera, Solid};
    use orthant::glam::Vec3A;

    #[test]
    fn hexahedron() {
        check::<Vec3A, Bulk, Brick, Skin<Solid>>();
    }
    #[test]
    fn frustum() {
        check::<Vec3A, Cells, Point, Camera>();
    }
}

//! The laws in double precision: see `main.rs`.

#[macro_use]
mod combinations;

mod answers;
#[path = "../shared/cases.rs"]
mod cases;
mod combined;
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
    f64x2: [f64; 2],
    f64x3: [f64; 3],
    f64x4: [f64; 4],
}
samples! {
    dvec2: DVec2,
    dvec3: DVec3,
    dvec4: DVec4,
}
solids! {
    solids_f64x3: [f64; 3],
}
solids! { in the plane solids_f64x2: [f64; 2] }
combined! {
    combined_f64x2: [f64; 2],
}

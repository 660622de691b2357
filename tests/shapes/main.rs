//! Shapes by themselves: exact vectors of intersection and containment, and what shapes and structures refuse. This program searches little, so
//! it compiles fast with any set of features.

#[path = "../shared/balls.rs"]
mod balls;
mod bounding;
#[path = "../shared/cases.rs"]
mod cases;
mod corners;
mod doors;
mod edges;
mod ellipsoid_ball;
mod errata;
mod hexahedra;
#[path = "../shared/lattice.rs"]
mod lattice;
mod planes;
mod points;
mod predicates;
mod quadrilaterals;
mod refusals;
mod scan;
mod variants;

/// Returns the message of an error.
fn message<T>(result: Result<T, impl std::error::Error>) -> String {
    match result {
        Ok(_) => panic!("was not refused"),
        Err(error) => error.to_string(),
    }
}

//! Shapes by themselves: exact vectors of what they meet and contain, and what they and the structures
//! made of them refuse. Little is searched here, so that this compiles fast with any set of features.

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

/// The message of an error.
fn message<T>(result: Result<T, impl std::error::Error>) -> String {
    match result {
        Ok(_) => panic!("was not refused"),
        Err(error) => error.to_string(),
    }
}

//! Shapes by themselves: exact vectors of what they meet and contain, and what they and the structures
//! made of them refuse. Little is searched here, so that this compiles fast with any set of features.

mod bounding;
mod doors;
mod ellipsoid_ball;
mod errata;
mod hexahedra;
mod planes;
mod predicates;
mod rows;
mod variants;

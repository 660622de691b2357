//! Compares the exact mode with integers of any length: all vectors of `tests/data/predicates.json`, those flagged impossible for plain
//! arithmetic included; random exponents over the whole range; forced ties and their neighbors. The reference uses another library and other
//! expressions: nearest points by clamping, farthest ones over all corners, surfaces face by face.

mod ellipsoid_balls;
mod random;
mod reference;
mod regions;
mod spheres;
mod vectors;

//! The exact mode against integers of any length: the vectors of `tests/data/predicates.json` without
//! exception, those flagged impossible for plain arithmetic included; random exponents over the whole
//! range; forced ties and their neighbours. The reference is another library, and other expressions:
//! nearest points by clamping, farthest ones over all corners, surfaces face by face.

mod ellipsoid_balls;
mod random;
mod reference;
mod regions;
mod spheres;
mod vectors;

//! Compares sets of bricks with sets of single voxels.

mod dense;
mod distances;
mod gather;
mod model;

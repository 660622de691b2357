//! Sets of voxels: against sets of single voxels, one by one.

mod dense;
mod distances;
mod gather;
mod model;

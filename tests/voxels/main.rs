//! Voxels of regions: recorded answers, and the test of every single voxel. Sets of voxels.

mod apart;
mod bricks;
mod brute;
#[path = "../shared/cases.rs"]
mod cases;
#[path = "../shared/distance.rs"]
mod distance;
mod forms;
mod grid;
mod halving;
mod oracle;
mod rows;
mod separation;
mod solids;
mod symmetry;
mod thick;
mod users;
mod whole;

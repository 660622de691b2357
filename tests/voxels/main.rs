//! Voxels of regions, compared with recorded answers and with a test of every single voxel; and sets of voxels.

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

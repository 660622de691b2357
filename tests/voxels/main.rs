//! Voxels of regions: recorded answers, and the test of every single voxel.

mod brute;
mod grid;
mod halving;
mod oracle;
mod rows;

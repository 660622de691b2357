//! One function per bug, with the input that showed it; a file per kind of bug.

mod bodies;
mod memory;
mod nearest;
mod periodic;
mod structures;
mod voxels;

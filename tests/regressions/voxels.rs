//! Voxels whose time has to follow the answer.

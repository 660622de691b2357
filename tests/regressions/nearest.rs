//! Distances that are given out, and radii that reach what was found.

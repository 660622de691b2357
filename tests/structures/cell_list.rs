//! All pairs within a radius, against the scan: bit for bit, whatever the grid, the box, the
//! instructions and the threads.

mod bad_input;
mod between;
mod inputs;
mod one_set;
mod queries;
mod radii;
mod truth;

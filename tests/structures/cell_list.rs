//! Compares all pairs within a radius with the scan, bit for bit, for any grid, box, instruction set and number of threads.

mod bad_input;
mod between;
mod inputs;
mod one_set;
mod queries;
mod radii;
mod truth;

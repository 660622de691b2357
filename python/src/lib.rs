//! What `orthant` asks of the crate from Python: arrays in, arrays out. Names, defaults and shapes of
//! answers are Python's business (the modules in `package/orthant`); here is what takes time.

#![allow(
    clippy::needless_pass_by_value,
    clippy::too_many_arguments,
    reason = "methods take what Python hands over: by value, and as many as it takes"
)]

use pyo3::prelude::*;

mod atoms;
mod bodies;
mod input;
mod memory;
mod tree;
mod voxels;
mod work;

#[global_allocator]
static MEMORY: memory::LargePages = memory::LargePages;

#[pymodule(gil_used = false)]
fn _orthant(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<atoms::Candidates>()?;
    module.add_class::<bodies::Bodies>()?;
    module.add_class::<tree::Tree>()?;
    module.add_function(wrap_pyfunction!(tree::out_of_range, module)?)?;
    module.add_class::<voxels::Voxels>()?;
    Ok(())
}

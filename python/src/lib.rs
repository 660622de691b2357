//! The functions that `orthant` calls from Python: arrays in, arrays out. The modules in `package/orthant` have the names, defaults and shapes
//! of Python; this crate has what takes time.

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

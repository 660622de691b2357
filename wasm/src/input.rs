//! Input from JavaScript, and exceptions that name what is wrong with it.

use js_sys::{Float32Array, Float64Array, Reflect, Uint32Array};
use wasm_bindgen::prelude::*;

pub(crate) type Result<T> = core::result::Result<T, JsError>;

const AXES: [&str; 3] = ["x", "y", "z"];

#[wasm_bindgen]
extern "C" {
    /// Catches an exception of a number's own conversion, which would leave values borrowed.
    #[wasm_bindgen(catch, js_namespace = Float32Array, js_name = from)]
    fn floats_from(numbers: &JsValue) -> core::result::Result<Float32Array, JsValue>;

    #[wasm_bindgen(catch, js_namespace = Float64Array, js_name = from)]
    fn doubles_from(numbers: &JsValue) -> core::result::Result<Float64Array, JsValue>;
}

pub(crate) fn error(what: impl core::fmt::Display) -> JsError {
    JsError::new(&what.to_string())
}

/// Returns a number as JavaScript writes it.
pub(crate) fn shown(number: f64) -> String {
    if number.is_infinite() {
        let sign = if number < 0.0 { "-" } else { "" };
        format!("{sign}Infinity")
    } else {
        number.to_string()
    }
}

/// Checks that `name` is a finite 32-bit float.
pub(crate) fn finite(name: &str, number: f32) -> Result<f32> {
    if number.is_finite() {
        Ok(number)
    } else {
        let number = shown(number.into());
        Err(error(format_args!(
            "{name} is {number}, not a finite 32-bit float"
        )))
    }
}

/// Checks that a position is finite.
pub(crate) fn place<const D: usize>(name: &str, at: [f32; D]) -> Result<[f32; D]> {
    for (axis, number) in AXES.iter().zip(at) {
        finite(axis, number).map_err(|_| {
            let number = shown(number.into());
            error(format_args!(
                "{name}: {axis} is {number}, not a finite 32-bit float"
            ))
        })?;
    }
    Ok(at)
}

/// Checks that a radius is finite and not negative.
pub(crate) fn radius(name: &str, radius: f32) -> Result<f32> {
    if finite(name, radius)? < 0.0 {
        return Err(error(format_args!("{name} is negative: {radius}")));
    }
    Ok(radius)
}

/// Returns the time at which a ray ends: infinity if none is given.
pub(crate) fn end(end: Option<f32>) -> Result<f32> {
    match end {
        None => Ok(f32::INFINITY),
        Some(end) if end >= 0.0 => Ok(end),
        Some(end) => {
            let end = shown(end.into());
            Err(error(format_args!("end is {end}, not a time from 0 on")))
        }
    }
}

/// Checks that a number is whole and not negative.
pub(crate) fn whole(name: &str, number: f64) -> Result<u32> {
    if number >= 0.0 && number <= f64::from(u32::MAX) && number.trunc() == number {
        Ok(number as u32)
    } else {
        let number = shown(number);
        Err(error(format_args!(
            "{name} is {number}, not a whole number from 0 to {}",
            u32::MAX
        )))
    }
}

/// Returns the length of an array or array-like object.
fn length(name: &str, array: &JsValue) -> Result<u32> {
    let length = if array.is_object() {
        Reflect::get(array, &"length".into())
    } else {
        Ok(JsValue::UNDEFINED)
    };
    let length = length.ok().and_then(|length| length.as_f64());
    match length {
        Some(length) => whole("length", length),
        None => {
            let kind = array.js_typeof().as_string().unwrap_or_default();
            let kind = if kind == "object" {
                "something else"
            } else {
                kind.as_str()
            };
            Err(error(format_args!(
                "{name} must be an array of numbers, not {kind}"
            )))
        }
    }
}

/// Returns the numbers of an array, rounded to 32 bits.
pub(crate) fn numbers(name: &str, array: &JsValue) -> Result<Vec<f32>> {
    if let Some(array) = array.dyn_ref::<Float32Array>() {
        return Ok(array.to_vec());
    }
    let length = length(name, array)?;
    match floats_from(array) {
        Ok(numbers) if numbers.length() == length => Ok(numbers.to_vec()),
        _ => Err(error(format_args!("{name} must be an array of numbers"))),
    }
}

/// Returns the ids of bodies in an array.
pub(crate) fn ids(name: &str, array: &JsValue) -> Result<Vec<u32>> {
    if let Some(array) = array.dyn_ref::<Uint32Array>() {
        return Ok(array.to_vec());
    }
    let length = length(name, array)?;
    match doubles_from(array) {
        Ok(numbers) if numbers.length() == length => {
            let numbers = numbers.to_vec().into_iter().enumerate();
            numbers
                .map(|(i, number)| whole(&format!("{name}[{i}]"), number))
                .collect()
        }
        _ => Err(error(format_args!("{name} must be an array of numbers"))),
    }
}

/// Returns rows of `D` numbers; each is called `row` in errors, and its columns by their names.
pub(crate) fn rows<const D: usize>(
    name: &str,
    row: &str,
    columns: [&str; D],
    array: &JsValue,
) -> Result<Vec<[f32; D]>> {
    let numbers = numbers(name, array)?;
    let (rows, rest) = numbers.as_chunks::<D>();
    if !rest.is_empty() {
        let many = numbers.len();
        return Err(error(format_args!(
            "{name}: {many} numbers are not a multiple of {D}"
        )));
    }
    match numbers.iter().position(|number| !number.is_finite()) {
        None => Ok(rows.to_vec()),
        Some(at) => {
            let (i, column, number) = (at / D, columns[at % D], shown(numbers[at].into()));
            Err(error(format_args!(
                "{row} {i}: {column} is {number}, not a finite 32-bit float"
            )))
        }
    }
}

/// Returns points of `D` coordinates.
pub(crate) fn points<const D: usize>(
    name: &str,
    row: &str,
    array: &JsValue,
) -> Result<Vec<[f32; D]>> {
    rows(name, row, core::array::from_fn(|axis| AXES[axis]), array)
}

/// Makes a plain object of `N` entries.
pub(crate) fn object<const N: usize>(entries: [(&str, JsValue); N]) -> JsValue {
    let object = js_sys::Object::new();
    for (name, value) in entries {
        // Only a frozen object would refuse.
        let _ = Reflect::set(&object, &name.into(), &value);
    }
    object.into()
}

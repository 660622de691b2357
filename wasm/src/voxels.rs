//! Voxels of a shape.

use js_sys::Reflect;
use orthant::{
    Aabb, Bounded, Ellipsoid, Hollow, Region, Rule, Sphere, Vector, Voxel, VoxelGrid, Voxelize,
};
use wasm_bindgen::prelude::*;

use crate::input::{self, Result, error, finite, numbers, place, shown};

/// The most voxels that are listed at once, or rows of them that are counted, by an upper estimate: more would exhaust memory or patience.
const MOST: f64 = 1e8;

/// Returns the voxels that a shape meets: two or three indices of each, row by row. It throws if there would be more than about a hundred
/// million.
#[wasm_bindgen(unchecked_return_type = "Int32Array")]
pub fn voxelize(
    #[wasm_bindgen(unchecked_param_type = "Shape")] shape: &JsValue,
    #[wasm_bindgen(unchecked_optional_param_type = "VoxelOptions")] options: &JsValue,
) -> Result<Vec<i32>> {
    match ask(shape, options, true)? {
        Found::Voxels(voxels) => Ok(voxels),
        Found::Count(_) => Ok(Vec::new()),
    }
}

/// Returns the number of voxels that a shape meets, without listing them.
#[wasm_bindgen(js_name = countVoxels)]
pub fn count_voxels(
    #[wasm_bindgen(unchecked_param_type = "Shape")] shape: &JsValue,
    #[wasm_bindgen(unchecked_optional_param_type = "VoxelOptions")] options: &JsValue,
) -> Result<f64> {
    match ask(shape, options, false)? {
        Found::Voxels(voxels) => Ok(voxels.len() as f64),
        Found::Count(count) => Ok(count as f64),
    }
}

enum Found {
    Voxels(Vec<i32>),
    Count(u64),
}

/// The numbers of a shape, in two or three dimensions.
enum Shape {
    Ball(Vec<f32>, f32),
    Ellipsoid(Vec<f32>, Vec<f32>),
    Box(Vec<f32>, Vec<f32>),
}

/// Returns an entry of an object, if it has one.
fn entry(object: &JsValue, name: &str) -> Result<Option<JsValue>> {
    let entry = Reflect::get(object, &name.into());
    let entry = entry.map_err(|_| error(format_args!("{name} cannot be read")))?;
    Ok((!entry.is_undefined() && !entry.is_null()).then_some(entry))
}

fn number(name: &str, value: &JsValue) -> Result<f32> {
    let number = value.as_f64();
    let number = number.ok_or_else(|| error(format_args!("{name} must be a number")))?;
    finite(name, number as f32)
}

fn read(shape: &JsValue) -> Result<Shape> {
    const KINDS: &str = "a shape has center and radius, center and semiAxes, or min and max";
    if !shape.is_object() {
        return Err(error(KINDS));
    }
    let list = |name| -> Result<Option<Vec<f32>>> {
        entry(shape, name)?
            .map(|value| numbers(name, &value))
            .transpose()
    };
    if let Some(center) = list("center")? {
        if let Some(radius) = entry(shape, "radius")? {
            return Ok(Shape::Ball(center, number("radius", &radius)?));
        }
        let semi_axes = list("semiAxes")?.ok_or_else(|| error(KINDS))?;
        return Ok(Shape::Ellipsoid(center, semi_axes));
    }
    match (list("min")?, list("max")?) {
        (Some(min), Some(max)) => Ok(Shape::Box(min, max)),
        _ => Err(error(KINDS)),
    }
}

fn rule(value: &JsValue) -> Result<Rule<f32>> {
    match value.as_string().as_deref() {
        Some("closed") => return Ok(Rule::Closed),
        Some("half-open") => return Ok(Rule::HalfOpen),
        Some("center") => return Ok(Rule::CenterInside),
        Some("thin") => return Ok(Rule::Thin),
        Some(_) => {}
        None if value.is_object() => {
            if let Some(thickness) = entry(value, "shell")? {
                return Ok(Rule::Shell(number("shell", &thickness)?));
            }
            if let Some(width) = entry(value, "band")? {
                return Ok(Rule::NarrowBand(number("band", &width)?));
            }
        }
        None => {}
    }
    let named = value
        .as_string()
        .unwrap_or_else(|| "something else".to_owned());
    Err(error(format_args!(
        "rule must be closed, half-open, center, thin, {{ shell }} or {{ band }}, not {named}"
    )))
}

fn ask(shape: &JsValue, options: &JsValue, list: bool) -> Result<Found> {
    let shape = read(shape)?;
    let (Shape::Ball(first, _) | Shape::Ellipsoid(first, _) | Shape::Box(first, _)) = &shape;
    match first.len() {
        2 => in_grid::<2>(&shape, options, list),
        3 => in_grid::<3>(&shape, options, list),
        axes => Err(error(format_args!("a shape has 2 or 3 axes, not {axes}"))),
    }
}

/// Checks that there are as many numbers as axes, all finite.
fn axes<const D: usize>(name: &str, numbers: &[f32]) -> Result<[f32; D]> {
    match numbers.try_into() {
        Ok(numbers) => place(name, numbers),
        Err(_) => {
            let many = numbers.len();
            Err(error(format_args!("{name} has {many} numbers, not {D}")))
        }
    }
}

fn in_grid<const D: usize>(shape: &Shape, options: &JsValue, list: bool) -> Result<Found>
where
    [f32; D]: Vector<Scalar = f32, Voxel = [i32; D]>,
    [i32; D]: Voxel,
    Sphere<[f32; D]>: Voxelize + Region<Vector = [f32; D]>,
    Ellipsoid<[f32; D]>: Voxelize + Region<Vector = [f32; D]>,
    Aabb<[f32; D]>: Voxelize + Region<Vector = [f32; D]>,
    Hollow<Sphere<[f32; D]>>: Voxelize + Region<Vector = [f32; D]>,
    Hollow<Ellipsoid<[f32; D]>>: Voxelize + Region<Vector = [f32; D]>,
    Hollow<Aabb<[f32; D]>>: Voxelize + Region<Vector = [f32; D]>,
{
    let option = |name| -> Result<Option<JsValue>> {
        if options.is_undefined() || options.is_null() {
            Ok(None)
        } else {
            entry(options, name)
        }
    };
    let origin = match option("origin")? {
        Some(origin) => axes("origin", &numbers("origin", &origin)?)?,
        None => [0.0; D],
    };
    let size = option("voxel")?.map_or(Ok(1.0), |size| number("voxel", &size))?;
    let rule = option("rule")?.map_or(Ok(Rule::Closed), |named| rule(&named))?;
    let grid = VoxelGrid::try_new(origin, size).and_then(|grid| grid.try_with_rule(rule));
    let grid = grid.map_err(error)?;
    let solid = option("solid")?.is_some_and(|solid| solid.is_truthy());
    let asked = Asked { grid, solid, list };
    match shape {
        Shape::Ball(center, radius) => {
            let (center, radius) = (axes("center", center)?, input::radius("radius", *radius)?);
            asked.about(Sphere::try_new(center, radius).map_err(error)?)
        }
        Shape::Ellipsoid(center, semi) => {
            let (center, semi) = (axes("center", center)?, axes("semiAxes", semi)?);
            asked.about(Ellipsoid::try_new(center, semi).map_err(error)?)
        }
        Shape::Box(min, max) => {
            let (min, max) = (axes("min", min)?, axes("max", max)?);
            asked.about(Aabb::try_new(min, max).map_err(error)?)
        }
    }
}

struct Asked<const D: usize>
where
    [f32; D]: Vector<Scalar = f32>,
{
    grid: VoxelGrid<[f32; D]>,
    solid: bool,
    list: bool,
}

impl<const D: usize> Asked<D>
where
    [f32; D]: Vector<Scalar = f32, Voxel = [i32; D]>,
    [i32; D]: Voxel,
{
    fn about<R>(&self, shape: R) -> Result<Found>
    where
        R: Voxelize + Region<Vector = [f32; D]> + Bounded<Vector = [f32; D]>,
        Hollow<R>: Voxelize + Region<Vector = [f32; D]>,
    {
        self.refuse_too_many(&shape.bounds())?;
        if self.solid {
            self.found(shape)
        } else {
            self.found(Hollow(shape))
        }
    }

    /// Refuses shapes by the number of voxels around them: all of them, those near their faces, or their rows.
    fn refuse_too_many(&self, bounds: &Aabb<[f32; D]>) -> Result<()> {
        let size = f64::from(self.grid.voxel_size());
        let reach = match self.grid.rule() {
            Rule::Shell(thickness) => f64::from(thickness) / 2.0,
            Rule::NarrowBand(width) => f64::from(width),
            _ => 0.0,
        };
        let (min, max) = (bounds.min(), bounds.max());
        let side = |axis: usize| {
            let length = f64::from(max[axis]) - f64::from(min[axis]);
            (length + 2.0 * reach) / size + 3.0
        };
        let all: f64 = (0..D).map(side).product();
        let thick = 2.0 * (2.0 * reach / size + 3.0);
        let faces: f64 = (0..D).map(|axis| thick * all / side(axis)).sum();
        let (many, what) = match (self.list, self.solid) {
            (false, _) => (all / side(0), "rows of voxels"),
            (true, true) => (all, "voxels"),
            (true, false) => (all.min(faces), "voxels"),
        };
        if many > MOST {
            let many = shown(many.round());
            return Err(error(format_args!(
                "the shape may have {many} {what}: at most {MOST} are taken at once"
            )));
        }
        Ok(())
    }

    fn found<R: Voxelize + Region<Vector = [f32; D]>>(&self, region: R) -> Result<Found> {
        self.grid.check(&region).map_err(error)?;
        if self.list {
            let voxels: Vec<[i32; D]> = Vec::from(self.grid.voxels(region));
            Ok(Found::Voxels(voxels.into_flattened()))
        } else {
            Ok(Found::Count(self.grid.count(region)))
        }
    }
}

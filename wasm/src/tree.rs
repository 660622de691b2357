//! Trees of points. A quadtree is an octree of points with a third coordinate of zero: squares of zero change no sum, so it answers as a
//! quadtree would, for half of the module's size.

use js_sys::{Float32Array, Uint32Array};
use orthant::{Aabb, Moving, Orthtree, SpatialIndex, Sphere};
use wasm_bindgen::prelude::*;

use crate::input::{self, Result, error, object, place};

pub(crate) type Place = [f32; 3];

/// Returns a position of the plane or of space, in space.
fn in_space<const D: usize>(at: [f32; D]) -> Place {
    core::array::from_fn(|axis| at.get(axis).copied().unwrap_or(0.0))
}

fn points<const D: usize>(name: &str, row: &str, array: &JsValue) -> Result<Vec<Place>> {
    let points = input::points::<D>(name, row, array)?.into_iter();
    Ok(points.map(in_space).collect())
}

pub(crate) fn ball(center: Place, radius: f32) -> Result<Sphere<Place>> {
    let (center, radius) = (place("center", center)?, input::radius("radius", radius)?);
    Sphere::try_new(center, radius).map_err(error)
}

fn bounds(min: Place, max: Place) -> Result<Aabb<Place>> {
    Aabb::try_new(place("min", min)?, place("max", max)?).map_err(error)
}

/// The points of a tree, with the queries of both classes.
#[derive(Debug)]
pub(crate) struct Points(pub(crate) Orthtree<Place>);

impl Points {
    fn new(points: &[Place]) -> Result<Self> {
        Ok(Self(Orthtree::try_new(points).map_err(error)?))
    }

    fn within(&self, ball: Sphere<Place>) -> Vec<u32> {
        let mut found = Vec::new();
        self.0.query(ball).append_to(&mut found);
        found
    }

    fn inside(&self, bounds: Aabb<Place>) -> Vec<u32> {
        let mut found = Vec::new();
        self.0.query(bounds).append_to(&mut found);
        found
    }

    fn lists(&self, centers: &[Place], radius: f32) -> Result<JsValue> {
        let (mut offsets, mut found) = (vec![0], Vec::new());
        for &center in centers {
            self.0.query(ball(center, radius)?).append_to(&mut found);
            offsets.push(found.len() as u32);
        }
        Ok(object([
            ("offsets", Uint32Array::from(&offsets[..]).into()),
            ("indices", Uint32Array::from(&found[..]).into()),
        ]))
    }

    fn counts(&self, centers: &[Place], radius: f32) -> Result<Vec<u32>> {
        let counts = centers.iter();
        counts
            .map(|&center| Ok(self.0.count(ball(center, radius)?) as u32))
            .collect()
    }

    /// This uses the search for several points: one for a single point would be another tenth of the module.
    fn nearest(&self, point: Place) -> Result<JsValue> {
        let near = self.0.nearest_n(place("point", point)?, 1);
        Ok(near.first().map_or(JsValue::UNDEFINED, |near| {
            let (index, distance) = (near.item as u32, near.distance());
            object([("index", index.into()), ("distance", distance.into())])
        }))
    }

    fn nearest_n(&self, point: Place, n: f64) -> Result<JsValue> {
        let n = input::whole("n", n)? as usize;
        let near = self
            .0
            .nearest_n(place("point", point)?, n.min(self.0.len()));
        let indices: Vec<u32> = near.iter().map(|near| near.item as u32).collect();
        let distances: Vec<f32> = near.iter().map(orthant::Nearest::distance).collect();
        Ok(object([
            ("indices", Uint32Array::from(&indices[..]).into()),
            ("distances", Float32Array::from(&distances[..]).into()),
        ]))
    }

    fn cast_ray(
        &self,
        origin: Place,
        way: Place,
        radius: f32,
        end: Option<f32>,
    ) -> Result<JsValue> {
        let (origin, way) = (place("origin", origin)?, place("direction", way)?);
        let (ball, end) = (ball(origin, radius)?, input::end(end)?);
        let moving = Moving::try_new(ball, way).and_then(|moving| moving.try_until(end));
        let hit = self.0.sweep(moving.map_err(error)?);
        Ok(hit.map_or(JsValue::UNDEFINED, |hit| {
            let (index, time) = (hit.item as u32, hit.impact.first);
            object([("index", index.into()), ("time", time.into())])
        }))
    }
}

/// Declares a tree of points with some number of coordinates, and the names of its arguments in JavaScript.
macro_rules! tree {
    (
        $(#[$about:meta])*
        $name:ident of $dim:literal:
        ($($axis:ident),*) ($($min:ident),*) ($($max:ident),*) ($($way:ident),*)
    ) => {
        $(#[$about])*
        #[wasm_bindgen]
        #[derive(Debug)]
        pub struct $name(pub(crate) Points);

        #[wasm_bindgen]
        impl $name {
            /// Builds a tree of points, given coordinate by coordinate. It throws if a coordinate is not finite, and names it.
            #[wasm_bindgen(constructor)]
            pub fn new(#[wasm_bindgen(unchecked_param_type = "Numbers")] points: &JsValue) -> Result<$name> {
                Points::new(&self::points::<$dim>("points", "point", points)?).map(Self)
            }

            /// Builds the tree of other points, in the same memory. If it throws, nothing is changed.
            pub fn rebuild(
                &mut self,
                #[wasm_bindgen(unchecked_param_type = "Numbers")] points: &JsValue,
            ) -> Result<()> {
                let points = self::points::<$dim>("points", "point", points)?;
                self.0.0.rebuild(&points).map_err(error)
            }

            /// The number of points.
            #[wasm_bindgen(getter)]
            pub fn length(&self) -> usize {
                self.0.0.len()
            }

            /// Returns the points within a radius of a center, as indices; touching counts.
            pub fn query(&self, $($axis: f32,)* radius: f32) -> Result<Vec<u32>> {
                Ok(self.0.within(ball(in_space([$($axis),*]), radius)?))
            }

            /// Returns the number of points that `query` would return, in less time.
            pub fn count(&self, $($axis: f32,)* radius: f32) -> Result<usize> {
                Ok(self.0.0.count(ball(in_space([$($axis),*]), radius)?))
            }

            /// Returns the points in a box, as indices; touching counts.
            #[wasm_bindgen(js_name = queryBox)]
            pub fn query_box(&self, $($min: f32,)* $($max: f32),*) -> Result<Vec<u32>> {
                Ok(self.0.inside(bounds(in_space([$($min),*]), in_space([$($max),*]))?))
            }

            /// Returns the number of points that `queryBox` would return.
            #[wasm_bindgen(js_name = countBox)]
            pub fn count_box(&self, $($min: f32,)* $($max: f32),*) -> Result<usize> {
                Ok(self.0.0.count(bounds(in_space([$($min),*]), in_space([$($max),*]))?))
            }

            /// Returns the points within a radius of each of many centers.
            #[wasm_bindgen(unchecked_return_type = "Lists")]
            pub fn queries(
                &self,
                #[wasm_bindgen(unchecked_param_type = "Numbers")] centers: &JsValue,
                radius: f32,
            ) -> Result<JsValue> {
                self.0.lists(&points::<$dim>("centers", "center", centers)?, radius)
            }

            /// Returns the number of points within a radius of each of many centers.
            pub fn counts(
                &self,
                #[wasm_bindgen(unchecked_param_type = "Numbers")] centers: &JsValue,
                radius: f32,
            ) -> Result<Vec<u32>> {
                self.0.counts(&points::<$dim>("centers", "center", centers)?, radius)
            }

            /// Returns the nearest point; of several, that of the least index. Returns nothing if there are no points.
            #[wasm_bindgen(unchecked_return_type = "Nearest | undefined")]
            pub fn nearest(&self, $($axis: f32),*) -> Result<JsValue> {
                self.0.nearest(in_space([$($axis),*]))
            }

            /// Returns the `n` nearest points, the nearest first.
            #[wasm_bindgen(js_name = nearestN, unchecked_return_type = "Neighbors")]
            pub fn nearest_n(&self, $($axis: f32,)* n: f64) -> Result<JsValue> {
                self.0.nearest_n(in_space([$($axis),*]), n)
            }

            /// Returns the point that a ray meets first. The ray is as thick as a ball of `radius` that moves along it, and ends at a time, if
            /// one is given.
            #[wasm_bindgen(js_name = castRay, unchecked_return_type = "PointHit | undefined")]
            pub fn cast_ray(
                &self,
                $($axis: f32,)*
                $($way: f32,)*
                radius: f32,
                end: Option<f32>,
            ) -> Result<JsValue> {
                self.0.cast_ray(in_space([$($axis),*]), in_space([$($way),*]), radius, end)
            }
        }
    };
}

tree! {
    /// A tree of points in the plane: `x, y` of one after the other.
    Quadtree of 2: (x, y) (min_x, min_y) (max_x, max_y) (dx, dy)
}

tree! {
    /// A tree of points in space: `x, y, z` of one after the other.
    Octree of 3: (x, y, z) (min_x, min_y, min_z) (max_x, max_y, max_z) (dx, dy, dz)
}

//! Moving boxes and balls in space, and all pairs of them that touch.

use core::fmt::Display;

use js_sys::Uint32Array;
use orthant::{Aabb, Event, Handle, Overlaps, Ray, Region, Sphere, Volume};
use wasm_bindgen::prelude::*;

use crate::input::{self, Result, error, object, place, shown};

const BOX: [&str; 6] = ["minX", "minY", "minZ", "maxX", "maxY", "maxZ"];
const BALL: [&str; 4] = ["x", "y", "z", "radius"];

type Place = [f32; 3];
type Body = Volume<Place>;

/// Boxes and balls in space that come, move and go, and the pairs of them that touch. Bodies are named by numbers from 0 on; the number of a
/// removed body is reused after the next `update`.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Broadphase {
    engine: orthant::Broadphase<Place>,
    /// The handles by id, which is the slot.
    handles: Vec<Option<Handle>>,
}

fn box_of([a, b, c, d, e, f]: [f32; 6]) -> core::result::Result<Body, impl Display> {
    Aabb::try_new([a, b, c], [d, e, f]).map(Body::from)
}

fn ball_of([x, y, z, radius]: [f32; 4]) -> core::result::Result<Body, impl Display> {
    Sphere::try_new([x, y, z], radius).map(Body::from)
}

/// Adds or changes many bodies, given as rows of numbers.
fn bodies<const N: usize, E: Display>(
    (names, name): (&str, &str),
    columns: [&str; N],
    array: &JsValue,
    make: impl Fn([f32; N]) -> core::result::Result<Body, E>,
) -> Result<Vec<Body>> {
    let rows = input::rows(names, name, columns, array)?
        .into_iter()
        .enumerate();
    rows.map(|(i, row)| make(row).map_err(|why| error(format_args!("{name} {i}: {why}"))))
        .collect()
}

fn boxes(array: &JsValue) -> Result<Vec<Body>> {
    bodies(("boxes", "box"), BOX, array, box_of)
}

fn balls(array: &JsValue) -> Result<Vec<Body>> {
    bodies(("balls", "ball"), BALL, array, ball_of)
}

/// Adds or changes one body.
fn one<const N: usize, E: Display>(
    columns: [&str; N],
    numbers: [f32; N],
    make: impl Fn([f32; N]) -> core::result::Result<Body, E>,
) -> Result<Body> {
    for (name, number) in columns.into_iter().zip(numbers) {
        input::finite(name, number)?;
    }
    make(numbers).map_err(error)
}

fn motion(name: &JsValue) -> Result<orthant::Motion> {
    let named = name.as_string();
    match named.as_deref() {
        Some("dynamic") => Ok(orthant::Motion::Dynamic),
        None if name.is_undefined() => Ok(orthant::Motion::Dynamic),
        Some("kinematic") => Ok(orthant::Motion::Kinematic),
        Some("static") => Ok(orthant::Motion::Static),
        named => {
            let named = named.unwrap_or("something else");
            Err(error(format_args!(
                "motion must be dynamic, kinematic or static, not {named}"
            )))
        }
    }
}

/// Returns pairs as a flat list, the lesser id of each pair first, ascending.
fn flat(pairs: impl Iterator<Item = (Handle, Handle)>) -> Vec<u32> {
    let named = pairs.map(|(a, b)| {
        let (a, b) = (a.slot() as u32, b.slot() as u32);
        [a.min(b), a.max(b)]
    });
    let mut named: Vec<[u32; 2]> = named.collect();
    named.sort_unstable();
    named.into_flattened()
}

#[wasm_bindgen]
impl Broadphase {
    /// Makes a broad phase without bodies. With a margin, boxes are kept that much wider, so that small moves cost next to nothing; it changes
    /// no answer.
    #[wasm_bindgen(constructor)]
    pub fn new(margin: Option<f32>) -> Result<Broadphase> {
        let engine = orthant::Broadphase::new();
        let engine = match margin {
            Some(margin) => engine.try_with_margin(margin).map_err(error)?,
            None => engine,
        };
        Ok(Self {
            engine,
            handles: Vec::new(),
        })
    }

    /// The number of bodies.
    #[wasm_bindgen(getter)]
    pub fn length(&self) -> usize {
        self.engine.len()
    }

    /// Returns true if there is a body of this id.
    pub fn has(&self, id: f64) -> bool {
        self.handle("id", id).is_ok()
    }

    /// Adds a box and returns its id.
    #[wasm_bindgen(js_name = insertBox)]
    pub fn insert_box(
        &mut self,
        min_x: f32,
        min_y: f32,
        min_z: f32,
        max_x: f32,
        max_y: f32,
        max_z: f32,
        #[wasm_bindgen(unchecked_optional_param_type = "Motion")] motion: &JsValue,
    ) -> Result<u32> {
        let body = one(BOX, [min_x, min_y, min_z, max_x, max_y, max_z], box_of)?;
        Ok(self.insert(vec![body], motion)?[0])
    }

    /// Adds a ball and returns its id.
    #[wasm_bindgen(js_name = insertBall)]
    pub fn insert_ball(
        &mut self,
        x: f32,
        y: f32,
        z: f32,
        radius: f32,
        #[wasm_bindgen(unchecked_optional_param_type = "Motion")] motion: &JsValue,
    ) -> Result<u32> {
        let body = one(BALL, [x, y, z, radius], ball_of)?;
        Ok(self.insert(vec![body], motion)?[0])
    }

    /// Adds boxes, six numbers each: `minX, minY, minZ, maxX, maxY, maxZ`. It adds all or none.
    #[wasm_bindgen(js_name = insertBoxes)]
    pub fn insert_boxes(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] boxes: &JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "Motion")] motion: &JsValue,
    ) -> Result<Vec<u32>> {
        self.insert(self::boxes(boxes)?, motion)
    }

    /// Adds balls, four numbers each: `x, y, z, radius`. It adds all or none.
    #[wasm_bindgen(js_name = insertBalls)]
    pub fn insert_balls(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] balls: &JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "Motion")] motion: &JsValue,
    ) -> Result<Vec<u32>> {
        self.insert(self::balls(balls)?, motion)
    }

    /// Makes a body a box, and wakes it.
    #[wasm_bindgen(js_name = setBox)]
    pub fn set_box(
        &mut self,
        id: f64,
        min_x: f32,
        min_y: f32,
        min_z: f32,
        max_x: f32,
        max_y: f32,
        max_z: f32,
    ) -> Result<()> {
        let body = one(BOX, [min_x, min_y, min_z, max_x, max_y, max_z], box_of)?;
        let handle = self.handle("id", id)?;
        self.engine.set_bounds(handle, body);
        Ok(())
    }

    /// Makes a body a ball, and wakes it.
    #[wasm_bindgen(js_name = setBall)]
    pub fn set_ball(&mut self, id: f64, x: f32, y: f32, z: f32, radius: f32) -> Result<()> {
        let body = one(BALL, [x, y, z, radius], ball_of)?;
        let handle = self.handle("id", id)?;
        self.engine.set_bounds(handle, body);
        Ok(())
    }

    /// Makes bodies boxes: all or none.
    #[wasm_bindgen(js_name = setBoxes)]
    pub fn set_boxes(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Ids")] ids: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] boxes: &JsValue,
    ) -> Result<()> {
        self.set(ids, &self::boxes(boxes)?)
    }

    /// Makes bodies balls: all or none.
    #[wasm_bindgen(js_name = setBalls)]
    pub fn set_balls(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Ids")] ids: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] balls: &JsValue,
    ) -> Result<()> {
        self.set(ids, &self::balls(balls)?)
    }

    /// Removes a body; its pairs end with the next `update`.
    pub fn remove(&mut self, id: f64) -> Result<()> {
        let handle = self.handle("id", id)?;
        self.engine.remove(handle);
        self.handles[handle.slot()] = None;
        Ok(())
    }

    /// Brings the pairs up to date, and returns those that began and those that ended.
    #[wasm_bindgen(unchecked_return_type = "Changes")]
    pub fn update(&mut self) -> JsValue {
        let events = self.engine.update();
        let of = |begun: bool| {
            let events = events
                .iter()
                .filter(|event| matches!(event, Event::Begin(..)) == begun);
            Uint32Array::from(&flat(events.map(|event| event.pair()))[..]).into()
        };
        object([("begun", of(true)), ("ended", of(false))])
    }

    /// Returns all pairs as of the last `update`: two ids each, the lesser first, ascending.
    pub fn pairs(&self) -> Vec<u32> {
        flat(self.engine.pairs())
    }

    /// Returns the ids of the bodies that touch a ball, ascending.
    pub fn query(&self, x: f32, y: f32, z: f32, radius: f32) -> Result<Vec<u32>> {
        let (center, radius) = (
            place("center", [x, y, z])?,
            input::radius("radius", radius)?,
        );
        let ball = Sphere::try_new(center, radius).map_err(error)?;
        Ok(self.touching(ball))
    }

    /// Returns the ids of the bodies that touch a box, ascending.
    #[wasm_bindgen(js_name = queryBox)]
    pub fn query_box(
        &self,
        min_x: f32,
        min_y: f32,
        min_z: f32,
        max_x: f32,
        max_y: f32,
        max_z: f32,
    ) -> Result<Vec<u32>> {
        let (min, max) = (
            place("min", [min_x, min_y, min_z])?,
            place("max", [max_x, max_y, max_z])?,
        );
        Ok(self.touching(Aabb::try_new(min, max).map_err(error)?))
    }

    /// Returns the body that a ray touches first; of several, that of the least id. The ray ends at a time, if one is given.
    #[wasm_bindgen(js_name = castRay, unchecked_return_type = "BodyHit | undefined")]
    pub fn cast_ray(
        &self,
        x: f32,
        y: f32,
        z: f32,
        dx: f32,
        dy: f32,
        dz: f32,
        end: Option<f32>,
    ) -> Result<JsValue> {
        let (origin, way) = (
            place("origin", [x, y, z])?,
            place("direction", [dx, dy, dz])?,
        );
        let end = input::end(end)?;
        let ray = Ray::try_new(origin, way)
            .and_then(|ray| ray.try_until(end))
            .map_err(error)?;
        let hit = self.engine.first_on_ray(ray);
        Ok(hit.map_or(JsValue::UNDEFINED, |(handle, time)| {
            object([("id", (handle.slot() as u32).into()), ("time", time.into())])
        }))
    }

    fn touching<R>(&self, region: R) -> Vec<u32>
    where
        R: Region<Vector = Place> + Overlaps<Body>,
    {
        let mut found = Vec::new();
        self.engine.query(region).append_to(&mut found);
        let mut found: Vec<u32> = found
            .into_iter()
            .map(|handle: Handle| handle.slot() as u32)
            .collect();
        found.sort_unstable();
        found
    }

    fn handle(&self, name: &str, id: f64) -> Result<Handle> {
        let handle = input::whole(name, id)
            .ok()
            .and_then(|id| *self.handles.get(id as usize)?);
        handle.ok_or_else(|| {
            let id = shown(id);
            error(format_args!("{name} is {id}, and there is no such body"))
        })
    }

    fn insert(&mut self, bodies: Vec<Body>, name: &JsValue) -> Result<Vec<u32>> {
        let motion = motion(name)?;
        let bodies = bodies.into_iter().map(|body| (body, motion));
        let made = self.engine.try_insert_batch(bodies).map_err(error)?;
        let ids = made.into_iter().map(|handle| {
            let slot = handle.slot();
            if self.handles.len() <= slot {
                self.handles.resize(slot + 1, None);
            }
            self.handles[slot] = Some(handle);
            slot as u32
        });
        Ok(ids.collect())
    }

    fn set(&mut self, ids: &JsValue, bodies: &[Body]) -> Result<()> {
        let ids = input::ids("ids", ids)?;
        if ids.len() != bodies.len() {
            let (many, named) = (bodies.len(), ids.len());
            return Err(error(format_args!("{many} bodies for {named} ids")));
        }
        let handles = ids.iter().enumerate();
        let handles = handles.map(|(i, &id)| self.handle(&format!("ids[{i}]"), id.into()));
        let handles: Vec<Handle> = handles.collect::<Result<_>>()?;
        for (handle, &body) in handles.into_iter().zip(bodies) {
            self.engine.set_bounds(handle, body);
        }
        Ok(())
    }
}

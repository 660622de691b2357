//! A world as a serde value: the bodies with their handles and boxes, and the pairs that were told.
//!
//! The tree is not written. What is read goes on with the same handles, pairs and events.

use alloc::vec::Vec;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::engine::Engine;
use super::rules::{Needs, Needy, Rules};
use super::settings::checked;
use super::slots::Slots;
use super::{Body, Broadphase, Proxy, Volume};
use crate::shape::check_finite;
use crate::{Aabb, Handle, Vector};

#[derive(Serialize, Deserialize)]
#[serde(bound(
    serialize = "V: Serialize, V::Scalar: Serialize",
    deserialize = "V: Deserialize<'de>, V::Scalar: Deserialize<'de>"
))]
struct Raw<V: Vector> {
    rules: Rules<V>,
    bodies: Vec<RawBody<V>>,
    /// Removed since the last update.
    gone: Vec<Handle>,
    pairs: Vec<[u32; 2]>,
    /// Whether nothing has changed since the last update.
    settled: bool,
    /// Of the next body.
    generation: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(bound(
    serialize = "V: Serialize, V::Scalar: Serialize",
    deserialize = "V: Deserialize<'de>, V::Scalar: Deserialize<'de>"
))]
struct RawBody<V: Vector> {
    handle: Handle,
    volume: Volume<V>,
    path: V,
    fat: Aabb<V>,
    proxy: Proxy,
    asleep: bool,
    /// Whether the last update knew it.
    known: bool,
}

impl<V> Serialize for Broadphase<V>
where
    V: Vector + Serialize,
    V::Scalar: Serialize,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let slots = &self.slots;
        let body = |(handle, body): (Handle, &Body<V>)| RawBody {
            handle,
            volume: body.volume,
            path: body.path,
            fat: self.engine.bounds(handle.slot),
            proxy: body.proxy,
            asleep: body.asleep,
            known: body.born < slots.updates,
        };
        let mut gone: Vec<_> = slots.gone.iter().map(|&slot| slots.handle(slot)).collect();
        gone.sort_unstable();
        let raw = Raw {
            rules: self.rules,
            bodies: slots.iter().map(body).collect(),
            gone,
            pairs: self.reported().to_vec(),
            settled: self.settled,
            generation: slots.generation,
        };
        raw.serialize(serializer)
    }
}

impl<'de, V> Deserialize<'de> for Broadphase<V>
where
    V: Vector + Deserialize<'de>,
    V::Scalar: Deserialize<'de>,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Raw::deserialize(deserializer)?;
        checked("margin", raw.rules.margin).map_err(D::Error::custom)?;
        checked("prediction distance", raw.rules.prediction).map_err(D::Error::custom)?;
        for body in &raw.bodies {
            check_finite("path", body.path).map_err(D::Error::custom)?;
        }
        let world = restore(raw).map_err(D::Error::custom)?;
        world.validate().map_err(D::Error::custom)?;
        Ok(world)
    }
}

fn restore<V: Vector>(raw: Raw<V>) -> Result<Broadphase<V>, &'static str> {
    let named = raw.bodies.iter().map(|body| body.handle).chain(raw.gone);
    let mut handles: Vec<Handle> = named.collect();
    handles.sort_unstable();
    if handles.windows(2).any(|two| two[0].slot == two[1].slot) {
        return Err("two bodies in one slot");
    }
    let many = handles.last().map_or(0, |last| last.slot() + 1);
    if many >= u32::MAX as usize {
        return Err("a slot beyond all numbers");
    }
    let mut slots = Slots::new();
    slots.generation = raw.generation;
    slots.updates = 1;
    slots.len = raw.bodies.len();
    slots.bodies.resize_with(many, || None);
    slots.generations.resize(many, 0);
    slots.free = (0..many as u32).collect();
    for handle in handles {
        slots.free.remove(&handle.slot);
        slots.generations[handle.slot()] = handle.generation;
        slots.gone.push(handle.slot);
    }
    let mut engine = Engine::new();
    let mut needy = Needy::NONE;
    for RawBody {
        handle,
        volume,
        path,
        fat,
        proxy,
        asleep,
        known,
    } in raw.bodies
    {
        let mut body = Body {
            volume,
            path,
            proxy,
            asleep,
            needs: Needs::default(),
            born: u64::from(!known),
        };
        body.needs = raw.rules.needs(&body, &fat);
        needy.add(body.needs);
        engine.insert(handle.slot, fat, body.rests());
        slots.bodies[handle.slot()] = Some(body);
    }
    let Slots { bodies, gone, .. } = &mut slots;
    gone.retain(|&slot| bodies[slot as usize].is_none());
    Ok(Broadphase {
        slots,
        engine,
        rules: raw.rules,
        needy,
        settled: raw.settled,
        restored: Some(raw.pairs),
        events: Vec::new(),
    })
}

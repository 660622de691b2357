//! A world as a serde value: the bodies with their handles and boxes, and the pairs that were told.
//!
//! The tree is not written. What is read goes on with the same handles, pairs and events.

use alloc::vec::Vec;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::body::Record;
use super::engine::Engine;
use super::rules::{Rules, check_displacement, checked};
use super::slots::Kind;
use super::slots::Slots;
use super::world::World;
use super::{BodyInfo, Broadphase, Volume};
use crate::handle::Handle;
use crate::shape::Aabb;
use crate::vector::Vector;

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
    /// The other slots below the last of those: what is read takes no more memory than it was told.
    free: Vec<u32>,
    pairs: Vec<[u32; 2]>,
    /// Whether nothing has changed since the last update.
    settled: bool,
    /// The number of bodies so far: its lower 32 bits are the generation of the next.
    inserted: u64,
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
    info: BodyInfo,
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
        let world = &self.world;
        let slots = &world.slots;
        let body = |handle: Handle| {
            let record = &slots.records[handle.slot()];
            RawBody {
                handle,
                volume: world.body(handle.slot).volume.cast(),
                path: V::of_array(record.path),
                fat: world.engine.bounds(handle.slot).cast(),
                info: record.info,
                asleep: slots.kinds[handle.slot()].has(Kind::ASLEEP),
                known: record.born < slots.updates,
            }
        };
        let mut gone: Vec<_> = slots.gone.iter().map(|&slot| slots.handle(slot)).collect();
        gone.sort_unstable();
        let raw = Raw {
            rules: world.rules.cast(),
            bodies: slots.handles().map(body).collect(),
            gone,
            free: slots.free.iter().copied().collect(),
            pairs: world.sorted().into_owned(),
            settled: world.is_current,
            inserted: slots.inserted,
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
        let raw = Raw::<V>::deserialize(deserializer)?;
        checked("margin", raw.rules.margin).map_err(D::Error::custom)?;
        checked("prediction distance", raw.rules.prediction).map_err(D::Error::custom)?;
        for body in &raw.bodies {
            check_displacement("path", &body.volume, body.path).map_err(D::Error::custom)?;
        }
        let world = Self {
            world: restore(raw).map_err(D::Error::custom)?,
        };
        world.validate().map_err(D::Error::custom)?;
        Ok(world)
    }
}

fn restore<V: Vector>(raw: Raw<V>) -> Result<World<V::Array>, &'static str> {
    let rules = raw.rules.cast();
    let mut slots = slots(&raw)?;
    let mut engine = Engine::new();
    for RawBody {
        handle,
        volume,
        path,
        fat,
        info,
        asleep,
        known,
    } in raw.bodies
    {
        let (volume, path, fat) = (volume.cast(), path.array(), fat.cast());
        let kind = Kind::ALIVE.of(&info).with(Kind::ASLEEP, asleep);
        let kind = rules.kind(kind, &volume, path, &fat);
        engine.insert(handle.slot, fat, kind.rests());
        slots.set_kind(handle.slot, kind);
        slots.records[handle.slot()] = Record {
            volume,
            path,
            info,
            born: u64::from(!known),
        };
    }
    Ok(World {
        slots,
        engine,
        rules,
        is_current: raw.settled,
        restored: Some(raw.pairs),
        events: Vec::new(),
    })
}

/// All slots, as yet without bodies.
fn slots<V: Vector>(raw: &Raw<V>) -> Result<Slots<V::Array>, &'static str> {
    let bodies = raw.bodies.iter().map(|body| body.handle);
    let named = bodies.chain(raw.gone.iter().copied());
    if raw.inserted > Handle::MOST {
        return Err("more bodies than there can have been");
    }
    if !named.clone().all(|handle| handle.is_of(raw.inserted)) {
        return Err("a handle of a body that is yet to come");
    }
    let free = raw.free.iter().map(|&slot| Handle {
        slot,
        generation: 0,
    });
    let mut handles: Vec<Handle> = named.chain(free).collect();
    handles.sort_unstable();
    if handles.windows(2).any(|two| two[0].slot == two[1].slot) {
        return Err("two bodies in one slot");
    }
    if handles
        .iter()
        .zip(0..)
        .any(|(handle, slot)| handle.slot != slot)
    {
        return Err("a slot is neither in use nor free");
    }
    let mut slots = Slots::new();
    slots.inserted = raw.inserted;
    slots.updates = 1;
    slots.len = raw.bodies.len();
    slots.gone = raw.gone.iter().map(|handle| handle.slot).collect();
    slots.free = raw.free.iter().copied().collect();
    slots.generations = handles.iter().map(|handle| handle.generation).collect();
    slots.kinds.resize(handles.len(), Kind::NONE);
    slots.records.resize_with(handles.len(), Record::none);
    Ok(slots)
}

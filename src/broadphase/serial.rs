//! A world as a serde value: the bodies with their handles and boxes, and the pairs of the last step.
//!
//! The tree is not written. A world that was read goes on with the same handles, pairs and events.

use alloc::vec::Vec;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::World;
use super::pairs::{ids, pair};
use super::rules::{Judged, Rules, check_displacement, checked};
use super::table::{Bodies, Body, Life};
use super::{BodyInfo, Broadphase, Motion, Volume};
use crate::handle::Handle;
use crate::shape::Aabb;
use crate::vector::{Scalar, Vector};

#[derive(Serialize, Deserialize)]
#[serde(bound(
    serialize = "V: Serialize, V::Scalar: Serialize",
    deserialize = "V: Deserialize<'de>, V::Scalar: Deserialize<'de>"
))]
struct Raw<V: Vector> {
    rules: Rules<V::Scalar>,
    bodies: Vec<RawBody<V>>,
    /// The bodies that were removed since the last update.
    gone: Vec<Handle>,
    /// The free slots, in the order in which they will be taken. They are listed so that input cannot make the reader
    /// allocate more than its own size.
    free: Vec<u32>,
    pairs: Vec<[u32; 2]>,
    /// True if nothing has changed since the last update.
    settled: bool,
    /// The number of insertions so far; its lower 32 bits are the generation of the next body.
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
    /// True if the last update knew it.
    known: bool,
}

impl<V> Serialize for Broadphase<V>
where
    V: Vector + Serialize,
    V::Scalar: Serialize,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let world = &self.world;
        let bodies = &world.bodies;
        let body = |handle: Handle| {
            let (body, details) = (&bodies.table[handle.slot()], &bodies.details[handle.slot()]);
            RawBody {
                handle,
                volume: world.volume(handle.slot).cast(),
                path: V::of_array(details.path),
                fat: body.bounds.cast(),
                info: details.info,
                asleep: body.asleep,
                known: body.life == Life::Known,
            }
        };
        let mut gone: Vec<_> = bodies.gone.iter().map(|&id| bodies.handle(id)).collect();
        gone.sort_unstable();
        let raw = Raw {
            rules: world.rules,
            bodies: bodies.handles().map(body).collect(),
            gone,
            free: free(bodies),
            pairs: world.sorted_pairs().iter().map(|&pair| ids(pair)).collect(),
            settled: bodies.is_current,
            inserted: bodies.inserted,
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
        let world = restore::<V, D::Error>(Raw::deserialize(deserializer)?)?;
        world.validate().map_err(D::Error::custom)?;
        Ok(Self { world })
    }
}

/// The free keys of a table, in the order in which they will be taken.
fn free<V: Vector>(bodies: &Bodies<V>) -> Vec<u32> {
    let mut copy = bodies.table.clone();
    let nowhere = Body::new(Aabb::point(V::splat(V::Scalar::ZERO)));
    let count = bodies.details.len() - copy.len();
    (0..count).map(|_| copy.insert(nowhere) as u32).collect()
}

fn restore<V: Vector, E: serde::de::Error>(raw: Raw<V>) -> Result<World<V::Array>, E> {
    check_slots(&raw).map_err(E::custom)?;
    checked("margin", raw.rules.margin).map_err(E::custom)?;
    checked("prediction distance", raw.rules.prediction).map_err(E::custom)?;
    let mut world = World::<V::Array>::new();
    world.rules = raw.rules;
    let (rules, bodies) = (raw.rules, &mut world.bodies);
    // Fill the table, so that all slots are in use.
    let nowhere = Aabb::point(V::Array::splat(V::Scalar::ZERO));
    for _ in 0..raw.bodies.len() + raw.gone.len() + raw.free.len() {
        let info = Motion::Static.into();
        bodies.insert(Volume::Box(nowhere), info, nowhere, Judged::Never);
    }
    bodies.judged_counts[Judged::Never as usize] = raw.bodies.len();
    // Write the bodies into their slots.
    for body in raw.bodies {
        let (volume, path, bounds) = (body.volume.cast(), body.path.array(), body.fat.cast());
        check_displacement("path", &volume, path).map_err(E::custom)?;
        let reach = rules.reach(&volume, path);
        rules.check_held(&bounds, &reach).map_err(E::custom)?;
        let key = body.handle.slot();
        let (entry, details) = (&mut bodies.table[key], &mut bodies.details[key]);
        bodies.generations[key] = body.handle.generation;
        (entry.bounds, entry.asleep) = (bounds, body.asleep);
        entry.life = if body.known { Life::Known } else { Life::New };
        (details.volume, details.path, details.info) = (volume, path, body.info);
        bodies.rejudge(body.handle.slot, rules.judged(&volume, path, &body.info));
    }
    for handle in raw.gone {
        bodies.generations[handle.slot()] = handle.generation;
        bodies.table[handle.slot()].life = Life::Gone;
        bodies.gone.push(handle.slot);
    }
    bodies.gone.sort_unstable();
    bodies.forgotten.clone_from(&bodies.gone);
    for &key in raw.free.iter().rev() {
        bodies.table.remove(key as usize);
    }
    // All bodies count as changed, since they are not in the tree.
    bodies.changed.clear();
    for (key, _) in &bodies.table {
        bodies.details[key].listed = bodies.changed.len() as u32;
        bodies.changed.push(key as u32);
    }
    bodies.any_rejudged = true;
    (bodies.inserted, bodies.is_current) = (raw.inserted, raw.settled);
    world.pairs = raw.pairs.iter().map(|&ids| pair(ids)).collect();
    Ok(world)
}

/// Checks that each slot is listed once, and that each handle belongs to an insertion so far.
fn check_slots<V: Vector>(raw: &Raw<V>) -> Result<(), &'static str> {
    let bodies = raw.bodies.iter().map(|body| body.handle);
    let mut named = bodies.chain(raw.gone.iter().copied());
    let mut slots: Vec<u32> = named.clone().map(|handle| handle.slot).collect();
    slots.extend(&raw.free);
    slots.sort_unstable();
    if raw.inserted > Handle::MOST {
        return Err("more bodies than there can have been");
    }
    if !named.all(|handle| handle.is_of(raw.inserted)) {
        return Err("a handle of a body that is yet to come");
    }
    // The first slot that is not equal to its index is listed twice, or follows a gap.
    let mut slots = (0..).zip(slots);
    match slots.find(|(at, slot)| at != slot) {
        None => Ok(()),
        Some((at, slot)) if slot < at => Err("two bodies in one slot"),
        Some(_) => Err("a slot is neither in use nor free"),
    }
}

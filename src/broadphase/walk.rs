//! The bodies that meet a region: boxes and balls by lanes, other regions node by node.

use core::ops::Range;

use super::ask::OfBodies;
use super::engine::Around;
use super::{Body, Broadphase, Filter, Volume};
use crate::query::{TreeWalk, Walk};
use crate::simd::{LANES, Room};
use crate::{Handle, Overlaps, Region, Vector};

/// The bodies that are found at a time.
pub(super) const FOUND: usize = 5 * LANES;

/// A walk whose runs are of places in the list of what was found last.
#[allow(
    missing_debug_implementations,
    reason = "cannot be named outside the crate"
)]
pub struct BodyWalk<'a, V: Vector, R> {
    world: &'a Broadphase<V>,
    way: Way<'a, V, R>,
    found: Room<FOUND>,
}

#[allow(
    clippy::large_enum_variant,
    reason = "both are where an iterator works; a box would be an allocation for each query"
)]
enum Way<'a, V: Vector, R> {
    Lanes {
        region: OfBodies<R>,
        around: Around<V>,
        /// Whether the boxes in the engine say it all.
        bare: bool,
    },
    Nodes(TreeWalk<'a, Broadphase<V>, OfBodies<R>>),
}

impl<'a, V: Vector, R: Region<Vector = V>> BodyWalk<'a, V, R> {
    #[inline]
    pub(super) fn new(world: &'a Broadphase<V>, region: R, filter: Option<Filter>) -> Self {
        let around = Around::new(&world.engine, &region);
        let region = OfBodies { region, filter };
        let way = match around {
            Some(around) => Way::Lanes {
                bare: filter.is_none() && world.is_bare(),
                region,
                around,
            },
            None => Way::Nodes(TreeWalk::new(world, region)),
        };
        Self {
            world,
            way,
            found: Room::new(),
        }
    }
}

impl<V: Vector> Broadphase<V> {
    /// Whether every body is its box in the engine, and nothing else.
    pub(super) fn is_bare(&self) -> bool {
        self.rules.is_bare() && self.slots.needy.shape == 0
    }
}

impl<V: Vector, R: Region<Vector = V> + Overlaps<Volume<V>>> Walk for BodyWalk<'_, V, R> {
    type Key = Handle;
    type Run = Range<u32>;

    #[inline]
    fn next_run(&mut self) -> Option<(Range<u32>, bool)> {
        self.found.clear();
        let inside = match &mut self.way {
            Way::Lanes { around, bare, .. } => {
                around.fill(&self.world.engine, &mut self.found) && *bare
            }
            Way::Nodes(walk) => {
                let (run, inside) = walk.next_run()?;
                let mut pile = self.found.pile();
                for slot in run {
                    pile.append(&[slot]);
                }
                inside
            }
        };
        let found = self.found.len();
        (found > 0).then_some((0..found as u32, inside))
    }

    #[inline(always)]
    fn hits(&self, place: u32) -> bool {
        let slot = self.found.as_slice()[place as usize];
        let body: &Body<V> = &self.world.body(slot);
        match &self.way {
            Way::Lanes { region, .. } => region.overlaps(body),
            Way::Nodes(walk) => walk.hits(slot),
        }
    }

    #[inline(always)]
    fn key(&self, place: u32) -> Handle {
        self.world
            .slots
            .handle(self.found.as_slice()[place as usize])
    }
}

//! Questions to all bodies, wherever they were last put.

use core::convert::Infallible;
use core::ops::Deref;

use super::engine::Engine;
use super::walk::BodyWalk;
use super::{Body, Broadphase, Filter, Volume};
use crate::nearest::{in_hierarchy_if, nearest};
use crate::query::{Asked, ItemTree, TreeWalk, queries};
use crate::sweep::sweeps;
use crate::{Aabb, Distance, Handle, Overlaps, Region, Relation, Vector};

/// The bodies that meet a filter: what [`Broadphase::filtered`] gives.
#[derive(Clone, Copy, Debug)]
pub struct Filtered<'a, V: Vector> {
    pub(super) world: &'a Broadphase<V>,
    pub(super) filter: Filter,
}

impl<V: Vector> Broadphase<V> {
    /// The bodies that a body with this filter would meet, to be asked like the world itself.
    ///
    /// ```
    /// use orthant::{Aabb, Broadphase, Filter, Motion, BodyInfo};
    /// let mut world = Broadphase::new();
    /// let glass = Filter { category: 2, ..Filter::ALL };
    /// let unit = Aabb::new([0.0], [1.0]);
    /// let window = world.insert(unit, BodyInfo::from(Motion::Static).with_filter(glass));
    /// assert!(world.query(unit).eq([window]));
    /// let light = Filter { mask: !2, ..Filter::ALL };
    /// assert_eq!(world.filtered(light).count(unit), 0);
    /// ```
    #[must_use]
    pub fn filtered(&self, filter: Filter) -> Filtered<'_, V> {
        Filtered {
            world: self,
            filter,
        }
    }
}

impl<V: Vector> Filtered<'_, V> {
    /// At most so many bodies are found.
    fn len(&self) -> usize {
        self.world.len()
    }

    #[inline]
    pub(super) fn has(&self, body: &Body<V>) -> bool {
        self.filter.meets(body.filter)
    }
}

/// A region of the user's, asked of bodies.
#[derive(Clone, Copy, Debug)]
pub(super) struct OfBodies<R> {
    pub(super) region: R,
    pub(super) filter: Option<Filter>,
}

impl<R: Region> Region for OfBodies<R> {
    type Vector = R::Vector;

    #[inline(always)]
    fn relate(&self, cell: &Aabb<R::Vector>) -> Relation {
        match self.region.relate(cell) {
            // The filters have to be asked as well.
            Relation::Inside if self.filter.is_some() => Relation::Straddles,
            relation => relation,
        }
    }
}

impl<V: Vector, R: Overlaps<Volume<V>>> Overlaps<Body<V>> for OfBodies<R> {
    #[inline(always)]
    fn overlaps(&self, body: &Body<V>) -> bool {
        self.filter.is_none_or(|filter| filter.meets(body.filter))
            && self.region.overlaps(&body.volume)
    }
}

impl<V: Vector> Distance for Body<V> {
    #[inline]
    fn distance_sq(&self, from: V) -> V::Scalar {
        self.volume.distance_sq(from)
    }
}

/// A body that is made when it is asked.
struct Made<T>(T);

impl<T> Deref for Made<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}

/// The engine's tree, with bodies for boxes.
impl<V: Vector> ItemTree for Broadphase<V> {
    type Nodes = Engine<V>;
    type Item = Body<V>;
    type Key = Handle;

    fn nodes(&self) -> &Engine<V> {
        &self.engine
    }

    #[inline(always)]
    fn item(&self, place: u32) -> impl Deref<Target = Body<V>> {
        Made(self.body(place))
    }

    #[inline(always)]
    fn key(&self, place: u32) -> Handle {
        self.slots.handle(place)
    }
}

queries!(
    impl[V: Vector] Broadphase<V>, asked = &Self: |this| this,
    vector = V, item = Volume<V>, key = Handle, listed = Handle,
    complexity = "O(log n + answer) for bodies and regions that are not much longer than wide, O(n) at worst."
);

queries!(
    impl['a, V: Vector] Filtered<'a, V>, asked = Self: |this| *this,
    vector = V, item = Volume<V>, key = Handle, listed = Handle,
    complexity = "That of the world itself."
);

impl<'a, V, R> Asked<R> for &'a Broadphase<V>
where
    V: Vector,
    R: Region<Vector = V> + Overlaps<Volume<V>>,
{
    type Key = Handle;
    type Ahead = Infallible;
    type Walk = BodyWalk<'a, V, R>;

    #[inline]
    fn ahead(self, _: &R) -> Option<Infallible> {
        None
    }

    #[inline]
    fn walk(self, region: R) -> BodyWalk<'a, V, R> {
        BodyWalk::new(self, region, None)
    }
}

impl<'a, V, R> Asked<R> for Filtered<'a, V>
where
    V: Vector,
    R: Region<Vector = V> + Overlaps<Volume<V>>,
{
    type Key = Handle;
    type Ahead = Infallible;
    type Walk = BodyWalk<'a, V, R>;

    #[inline]
    fn ahead(self, _: &R) -> Option<Infallible> {
        None
    }

    #[inline]
    fn walk(self, region: R) -> BodyWalk<'a, V, R> {
        BodyWalk::new(self.world, region, Some(self.filter))
    }
}

nearest!(
    impl[V: Vector] Broadphase<V>, vector = V, key = Handle,
    |this, from, best| in_hierarchy_if(this, from, best, |_| true)
);

nearest!(
    impl[V: Vector] Filtered<'_, V>, vector = V, key = Handle,
    |this, from, best| in_hierarchy_if(this.world, from, best, |body| this.has(body))
);

sweeps!(
    impl[V: Vector] Broadphase<V>, vector = V, item = Volume<V>, key = Handle,
    |this, moving| walk = TreeWalk::new(this, OfBodies { region: moving, filter: None }),
    item = |place| &this.item(place).volume,
    first = |first| this.find_first(None, moving, first)
);

sweeps!(
    impl[V: Vector] Filtered<'_, V>, vector = V, item = Volume<V>, key = Handle,
    |this, moving| walk = TreeWalk::new(
        this.world,
        OfBodies { region: moving, filter: Some(this.filter) },
    ),
    item = |place| &this.world.item(place).volume,
    first = |first| this.world.find_first(Some(this.filter), moving, first),
    where = |place| this.has(&this.world.item(place))
);

//! What a body is, beside its place.

use super::Volume;

use crate::shape::{Aabb, Bounded};
use crate::vector::Vector;

/// How a body moves, as far as pairs are concerned: static bodies pair with dynamic ones only.
///
/// ```
/// use orthant::{Aabb, Broadphase, Motion};
/// let mut world = Broadphase::new();
/// for motion in [Motion::Static, Motion::Kinematic, Motion::Dynamic] {
///     world.insert(Aabb::new([0.0], [1.0]), motion);
/// }
/// world.update();
/// assert_eq!(world.pairs().len(), 2); // not the first two
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Motion {
    /// Never moves by itself: ground, walls.
    Static,
    /// Moved by the caller, not by forces: lifts, doors. Pairs with kinematic and dynamic bodies.
    Kinematic,
    /// Moved by the simulation. Pairs with everything.
    Dynamic,
}

/// Which bodies meet which, whatever their boxes say.
///
/// Two bodies of the same group other than 0 always meet if it is positive, and never if it is
/// negative; all others meet if each has a category that the other's mask names. That is the rule of
/// `Box2D` (E. Catto, `b2Filter`). A mask of 0 names nothing.
///
/// ```
/// use orthant::Filter;
/// let ghost = Filter { category: 0b10, mask: 0b01, group: 0 };
/// assert!(ghost.meets(Filter::ALL)); // of category 1, any mask
/// assert!(!ghost.meets(ghost));
/// let limb = Filter { group: -7, ..Filter::ALL };
/// assert!(!limb.meets(limb) && limb.meets(Filter::ALL));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Filter {
    /// What the body is: a bit for each category, mostly one.
    pub category: u64,
    /// The categories that it meets.
    pub mask: u64,
    /// Of several parts of one thing; 0 for none.
    pub group: i32,
}

impl Filter {
    /// Category 1, which meets all: what bodies have unless told otherwise.
    pub const ALL: Self = Self {
        category: 1,
        mask: u64::MAX,
        group: 0,
    };

    /// Whether two bodies with these filters may be a pair.
    #[inline]
    #[must_use]
    pub fn meets(self, other: Self) -> bool {
        if self.group == other.group && self.group != 0 {
            return self.group > 0;
        }
        self.category & other.mask != 0 && other.category & self.mask != 0
    }
}

impl Default for Filter {
    fn default() -> Self {
        Self::ALL
    }
}

/// What a [`Broadphase`](super::Broadphase) knows of a body beside its place.
///
/// Mostly made of a [`Motion`], which is all that many bodies need.
///
/// ```
/// use orthant::{Aabb, Broadphase, Filter, Motion, BodyInfo};
/// let filter = Filter { category: 4, ..Filter::ALL };
/// let mut world = Broadphase::new();
/// let proxy = BodyInfo::from(Motion::Dynamic).with_filter(filter).with_user(17);
/// let bat = world.insert(Aabb::new([0.0], [1.0]), proxy);
/// assert_eq!(world.user(bat), Some(17));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BodyInfo {
    /// How it moves.
    pub motion: Motion,
    /// What it meets.
    pub filter: Filter,
    /// A number of yours.
    pub user: u64,
}

impl BodyInfo {
    /// The same with another filter.
    #[must_use]
    pub fn with_filter(self, filter: Filter) -> Self {
        Self { filter, ..self }
    }

    /// The same with another number of yours.
    #[must_use]
    pub fn with_user(self, user: u64) -> Self {
        Self { user, ..self }
    }
}

/// Meets everything; its number is 0.
impl From<Motion> for BodyInfo {
    fn from(motion: Motion) -> Self {
        Self {
            motion,
            filter: Filter::ALL,
            user: 0,
        }
    }
}

/// A body as questions see it.
#[derive(Clone, Copy, Debug)]
pub struct Body<V: Vector> {
    pub(super) volume: Volume<V>,
    pub(super) filter: Filter,
}

impl<V: Vector> Body<V> {
    /// The same in other vectors.
    pub(super) fn cast<U>(&self) -> Body<U>
    where
        U: Vector<Array = V::Array, Scalar = V::Scalar>,
    {
        Body {
            volume: self.volume.cast(),
            filter: self.filter,
        }
    }
}

impl<V: Vector> Bounded for Body<V> {
    type Vector = V;

    #[inline]
    fn core(&self) -> Aabb<V> {
        self.volume.bounds()
    }
}

/// What is known of a body beside its kind and its box in the engine.
#[derive(Clone, Debug)]
pub(super) struct Record<V: Vector> {
    /// What it takes up, unless that is its box in the engine.
    pub(super) volume: Volume<V>,
    /// How far it goes until the next place is told; zero unless that was said.
    pub(super) path: V,
    pub(super) info: BodyInfo,
    /// The number of updates before it came.
    pub(super) born: u64,
}

#[cfg(feature = "serde")]
impl<V: Vector> Record<V> {
    /// Of no body.
    pub(super) fn none() -> Self {
        let origin = V::splat(crate::vector::Scalar::ZERO);
        Self {
            volume: Aabb::point(origin).into(),
            path: origin,
            info: super::Motion::Static.into(),
            born: 0,
        }
    }
}

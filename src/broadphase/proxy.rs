use super::{Filter, Motion, Volume};
use crate::{Aabb, Bounded, Vector};

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
    pub(super) proxy: BodyInfo,
    /// The number of updates before it came.
    pub(super) born: u64,
}

#[cfg(feature = "serde")]
impl<V: Vector> Record<V> {
    /// Of no body.
    pub(super) fn none() -> Self {
        let origin = V::splat(crate::Scalar::ZERO);
        Self {
            volume: Aabb::point(origin).into(),
            path: origin,
            proxy: super::Motion::Static.into(),
            born: 0,
        }
    }
}

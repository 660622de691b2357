//! Looks up single bodies by handle, and iterates over all of them.

use alloc::vec::{self, Vec};
use core::ops::Range;

use super::{Broadphase, Filter, Motion, Volume};
use crate::handle::Handle;
use crate::shape::{Aabb, Bounded};
use crate::vector::Vector;

impl<V: Vector> Broadphase<V> {
    /// The number of bodies.
    #[must_use]
    pub fn len(&self) -> usize {
        self.world.bodies.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the handle's body is still in the world.
    #[must_use]
    pub fn contains(&self, handle: Handle) -> bool {
        self.world.bodies.get(handle).is_some()
    }

    /// All bodies with their volumes, in the order of their handles.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Handle, Volume<V>)> {
        self.into_iter()
    }

    /// The box or ball of a body, as it was given; `None` when it has been removed.
    #[must_use]
    pub fn volume(&self, handle: Handle) -> Option<Volume<V>> {
        let known = self.contains(handle);
        known.then(|| self.world.volume(handle.slot).cast())
    }

    /// The tight box of a body; `None` when it has been removed.
    #[must_use]
    pub fn bounds(&self, handle: Handle) -> Option<Aabb<V>> {
        self.volume(handle).map(|volume| volume.core())
    }

    /// The fat box of a body, which the tree holds: the tight box on its path, with the margin and the expected
    /// displacement; `None` when it has been removed. It depends on where the body has been.
    #[must_use]
    pub fn fat_bounds(&self, handle: Handle) -> Option<Aabb<V>> {
        Some(self.world.bodies.get(handle)?.bounds.cast())
    }

    /// The path of a body until it is given another place: zero unless [`set_swept`](Self::set_swept) gave it one.
    /// `None` when it has been removed.
    #[must_use]
    pub fn path(&self, handle: Handle) -> Option<V> {
        Some(V::of_array(self.world.bodies.details(handle)?.path))
    }

    /// How a body moves; `None` when it has been removed.
    #[must_use]
    pub fn motion(&self, handle: Handle) -> Option<Motion> {
        Some(self.world.bodies.details(handle)?.info.motion)
    }

    /// The filter of a body; `None` when it has been removed.
    #[must_use]
    pub fn filter(&self, handle: Handle) -> Option<Filter> {
        Some(self.world.bodies.details(handle)?.info.filter)
    }

    /// The user number of a body. A removed body keeps it until the update after the one that ended its pairs, so that readers of
    /// [`Event::End`](crate::Event::End) can identify both bodies; after that, or if no update has known the body, `None`. A world that was
    /// read by serde does not know the numbers of bodies that were removed before it was written.
    ///
    /// # Complexity
    ///
    /// O(1); O(log n) for a body that has been removed.
    ///
    /// ```
    /// use orthant::{Aabb, BodyInfo, Broadphase, Event, Motion};
    /// let unit = Aabb::new([0.0], [1.0]);
    /// let mut world = Broadphase::new();
    /// let a = world.insert(unit, BodyInfo::from(Motion::Dynamic).with_user(17));
    /// let b = world.insert(unit, Motion::Dynamic);
    /// world.update();
    /// world.remove(a);
    /// world.update();
    /// assert_eq!(world.events(), [Event::End(a, b)]);
    /// assert_eq!(world.user(a), Some(17)); // though it is gone
    /// world.update();
    /// assert_eq!(world.user(a), None);
    /// ```
    #[must_use]
    pub fn user(&self, handle: Handle) -> Option<u64> {
        self.world.bodies.user(handle)
    }

    /// Whether a body sleeps; `None` when it has been removed.
    #[must_use]
    pub fn is_asleep(&self, handle: Handle) -> Option<bool> {
        self.world.bodies.get(handle).map(|body| body.asleep)
    }
}

/// All bodies with their volumes, in the order of their handles.
///
/// ```
/// use orthant::{Aabb, Broadphase, Motion};
/// let unit = Aabb::new([0.0], [1.0]);
/// let world: Broadphase<[f32; 1]> = [(unit, Motion::Dynamic); 3].into_iter().collect();
/// assert!(world.into_iter().all(|(_, volume)| volume == unit.into()));
/// ```
impl<V: Vector> IntoIterator for Broadphase<V> {
    type Item = (Handle, Volume<V>);
    type IntoIter = vec::IntoIter<(Handle, Volume<V>)>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter().collect::<Vec<_>>().into_iter()
    }
}

/// All bodies with their volumes, in the order of their handles.
///
/// ```
/// use orthant::{Broadphase, Motion, Sphere};
/// let mut world = Broadphase::new();
/// let ball = world.insert(Sphere::new([1.0, 2.0], 0.5), Motion::Dynamic);
/// for (body, volume) in &world {
///     assert_eq!((body, volume), (ball, Sphere::new([1.0, 2.0], 0.5).into()));
/// }
/// ```
impl<'a, V: Vector> IntoIterator for &'a Broadphase<V> {
    type Item = (Handle, Volume<V>);
    type IntoIter = Bodies<'a, V>;

    fn into_iter(self) -> Bodies<'a, V> {
        Bodies {
            world: self,
            keys: 0..self.world.bodies.end(),
            left: self.len(),
        }
    }
}

/// The bodies of a [`Broadphase`] in the order of their handles.
#[allow(
    missing_debug_implementations,
    reason = "cannot be named outside the crate"
)]
pub struct Bodies<'a, V: Vector> {
    world: &'a Broadphase<V>,
    keys: Range<u32>,
    left: usize,
}

impl<V: Vector> Iterator for Bodies<'_, V> {
    type Item = (Handle, Volume<V>);

    fn next(&mut self) -> Option<(Handle, Volume<V>)> {
        let world = &self.world.world;
        let handle = self.keys.find_map(|key| world.bodies.alive(key))?;
        self.left -= 1;
        Some((handle, world.volume(handle.slot).cast()))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<V: Vector> ExactSizeIterator for Bodies<'_, V> {}

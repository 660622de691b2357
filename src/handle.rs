//! Handles: names of items that stay valid while others come and go.

/// Names an item of a [`LooseOrthtree`](crate::LooseOrthtree) or a body of a [`Broadphase`](crate::Broadphase) for as long as it lives.
///
/// A slot is used again after a removal, with another generation, so a stale handle is refused (generations repeat after 2³² insertions).
/// Handles are ordered by slot, then generation.
///
/// # Handles of another structure
///
/// A handle is valid only in the structure that returned it, but does not record which one that is. Another structure refuses the handle
/// if none of its items has this slot and generation, and otherwise takes it for one of its own items. If you have several structures,
/// keep their handles apart, for example in a type for each.
///
/// ```
/// use orthant::{LooseOctree, glam::Vec3};
/// let (mut stars, mut ships) = (LooseOctree::new(), LooseOctree::new());
/// let star = stars.insert(Vec3::X);
/// assert_eq!(ships.get(star), None); // nothing lives there yet
/// ships.insert(Vec3::Y);
/// assert_eq!(ships.get(star), Some(&Vec3::Y)); // the ship, not the star
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Handle {
    pub(crate) slot: u32,
    pub(crate) generation: u32,
}

impl Handle {
    /// A small number, different for all items that are alive: an index into your own tables.
    ///
    /// After the removal of a body, a [`Broadphase`](crate::Broadphase) reuses its slot only after the next update (or refresh), unless no
    /// update has seen the body. So while you read its [`End`](crate::Event::End), and before you insert anything, an entry in your table
    /// is still that of the removed body. Slots of a [`LooseOrthtree`](crate::LooseOrthtree) may be reused at once.
    ///
    /// You can keep your own data in a `Vec` by slot:
    ///
    /// ```
    /// use orthant::{Handle, LooseOctree, glam::Vec3};
    /// fn put(names: &mut Vec<Option<String>>, handle: Handle, name: &str) {
    ///     names.resize(names.len().max(handle.slot() + 1), None);
    ///     names[handle.slot()] = Some(name.into());
    /// }
    /// let (mut tree, mut names) = (LooseOctree::new(), Vec::new());
    /// let sun = tree.insert(Vec3::ZERO);
    /// put(&mut names, sun, "sun");
    /// put(&mut names, tree.insert(Vec3::X), "earth");
    /// tree.remove(sun);
    /// assert_eq!(names[sun.slot()].take().as_deref(), Some("sun"));
    /// put(&mut names, tree.insert(Vec3::Y), "moon");
    /// let near = tree.nearest(Vec3::Y).unwrap().item;
    /// assert_eq!(names[near.slot()].as_deref(), Some("moon"));
    /// ```
    #[inline]
    #[must_use]
    pub fn slot(self) -> usize {
        self.slot as usize
    }

    /// Returns true if a structure may have returned this handle in its first `inserted` insertions. Deserialized
    /// handles are checked by this; otherwise a later item might get an equal handle.
    #[cfg(feature = "serde")]
    pub(crate) fn is_of(self, inserted: u64) -> bool {
        u64::from(self.generation) < inserted
    }

    /// The most insertions that a deserialized structure may claim.
    #[cfg(feature = "serde")]
    pub(crate) const MOST: u64 = i64::MAX as u64;

    /// Orders two handles so that `is` holds for the first: `a` first if it holds for both, `None` if it holds for
    /// neither. Use it for pairs of two kinds of bodies, of which either may come first.
    ///
    /// ```
    /// # #[cfg(feature = "broadphase")] {
    /// use orthant::{Aabb, BodyInfo, Broadphase, Handle, Motion};
    /// const BULLET: u64 = 1;
    /// let unit = Aabb::new([0.0], [1.0]);
    /// let mut world = Broadphase::new();
    /// let wall = world.insert(unit, Motion::Static);
    /// let bullet = world.insert(unit, BodyInfo::from(Motion::Dynamic).with_user(BULLET));
    /// world.update();
    /// let (a, b) = world.events()[0].pair();
    /// assert_eq!((a, b), (wall, bullet));
    /// let is_bullet = |body| world.user(body) == Some(BULLET);
    /// assert_eq!(Handle::ordered_by(a, b, is_bullet), Some((bullet, wall)));
    /// # }
    /// ```
    pub fn ordered_by(a: Self, b: Self, mut is: impl FnMut(Self) -> bool) -> Option<(Self, Self)> {
        if is(a) {
            Some((a, b))
        } else {
            is(b).then_some((b, a))
        }
    }
}

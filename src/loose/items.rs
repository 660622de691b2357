//! Implementations of the standard library's traits for collections.

use alloc::vec;
use core::ops::Index;

use super::LooseOrthtree;
use super::tree::Slot;
use crate::error::shown_as;
use crate::handle::Handle;
use crate::shape::Bounded;

impl<T: Bounded> Default for LooseOrthtree<T> {
    fn default() -> Self {
        Self::new()
    }
}

shown_as!(
    impl[T: Bounded] LooseOrthtree<T> as "LooseOrthtree",
    |this| items: this.core.tree.len, bounds: this.bounds()
);

/// Adds items as [`insert_batch`](LooseOrthtree::insert_batch) does, and panics where it does.
///
/// ```
/// use orthant::{LooseOctree, Sphere, glam::Vec3};
/// let mut tree = LooseOctree::new();
/// tree.extend([Vec3::X, Vec3::Y].map(|at| Sphere::new(at, 1.0)));
/// assert_eq!(tree.len(), 2);
/// ```
impl<T: Bounded> Extend<T> for LooseOrthtree<T> {
    #[track_caller]
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        self.insert_batch(items);
    }
}

/// Collects items into a tree; handles ascend in the order of the items. Panics where
/// [`insert_batch`](LooseOrthtree::insert_batch) does.
///
/// ```
/// use orthant::{LooseOctree, Sphere, glam::Vec3};
/// let balls = [Vec3::X, Vec3::Y].map(|at| Sphere::new(at, 1.0));
/// let tree: LooseOctree = balls.into_iter().collect();
/// assert!((&tree).into_iter().map(|(_, ball)| *ball).eq(balls));
/// ```
impl<T: Bounded> FromIterator<T> for LooseOrthtree<T> {
    #[track_caller]
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut tree = Self::new();
        tree.insert_batch(items);
        tree
    }
}

/// The items with the handles that they had, in the order of the handles.
impl<T: Bounded> IntoIterator for LooseOrthtree<T> {
    type Item = (Handle, T);
    type IntoIter = vec::IntoIter<(Handle, T)>;

    fn into_iter(mut self) -> Self::IntoIter {
        self.drain()
    }
}

/// The items of [`iter`](LooseOrthtree::iter).
impl<'a, T: Bounded> IntoIterator for &'a LooseOrthtree<T> {
    type Item = (Handle, &'a T);
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        Iter {
            slots: &self.core.slots,
            items: self.items.iter(),
        }
    }
}

/// Items with their handles, by slot.
#[allow(
    missing_debug_implementations,
    reason = "cannot be named outside the crate"
)]
pub struct Iter<'a, T> {
    slots: &'a [Slot],
    items: slab::Iter<'a, T>,
}

impl<'a, T> Iterator for Iter<'a, T> {
    type Item = (Handle, &'a T);

    fn next(&mut self) -> Option<(Handle, &'a T)> {
        let (slot, item) = self.items.next()?;
        let generation = self.slots[slot].generation;
        let slot = slot as u32;
        Some((Handle { slot, generation }, item))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.items.size_hint()
    }
}

impl<T> ExactSizeIterator for Iter<'_, T> {}

/// # Panics
///
/// On a stale handle.
impl<T: Bounded> Index<Handle> for LooseOrthtree<T> {
    type Output = T;

    #[track_caller]
    fn index(&self, handle: Handle) -> &T {
        match self.get(handle) {
            Some(item) => item,
            None => panic!("{}", crate::error::Error::Stale { handle }),
        }
    }
}

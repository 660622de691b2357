//! The items of a tree, as they are lent.

use super::Orthtree;
use crate::query::Held;
use crate::shape::Bounded;

impl<T: Bounded> Orthtree<T> {
    /// The item in a slot.
    #[inline]
    pub(super) fn item(&self, slot: u32) -> Held<'_, T> {
        let parts = T::FROM_PARTS.then(|| self.core.items.get(slot as usize));
        let made = parts.and_then(|extent| T::from_parts(extent.core.cast(), extent.most));
        match made {
            Some(item) => Held::Made(item),
            None => Held::Kept(&self.whole[slot as usize]),
        }
    }
}

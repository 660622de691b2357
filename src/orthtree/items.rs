//! The items of a tree, as they are lent.

use super::Orthtree;
use crate::query::Held;
use crate::shape::Bounded;

impl<T: Bounded> Orthtree<T> {
    /// The item in a slot.
    #[inline]
    pub(super) fn item(&self, slot: u32) -> Held<'_, T> {
        let parts = self.core.parts(slot);
        let made = parts.and_then(|(core, radius)| T::from_parts(core.cast(), radius));
        match made {
            Some(item) => Held::Made(item),
            None => Held::Kept(&self.whole[slot as usize]),
        }
    }
}

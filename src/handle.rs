/// Names an item of a [`LooseOrthtree`](crate::LooseOrthtree) or a proxy of a
/// [`Broadphase`](crate::Broadphase) for as long as it lives.
///
/// A slot is used again after a removal, with another generation: a stale handle is refused, never
/// taken for its successor (generations repeat after 2³² insertions). Handles order by slot, then
/// generation. They mean something only to the structure that gave them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Handle {
    pub(crate) slot: u32,
    pub(crate) generation: u32,
}

impl Handle {
    /// A small number, unique among the items alive: an index for tables of yours.
    #[inline]
    #[must_use]
    pub fn slot(self) -> usize {
        self.slot as usize
    }
}

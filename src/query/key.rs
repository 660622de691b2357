//! Keys, which name items to the user, and the buffer for the keys that a search finds.

use alloc::vec::Vec;
use core::fmt::Debug;

use super::SpatialIndex;
use crate::error::{Error, reserve};
use crate::handle::Handle;
use crate::lists::Listed;
use crate::simd::{ArrayVec, ListWriter};

/// The largest number of keys that a search finds at a time.
pub(crate) const BUFFER: usize = 256;

/// The name of an item in a structure: its index in the slice that the structure was built from, or the
/// [`Handle`] that its insertion gave.
///
/// ```
/// use orthant::{Key, Octree, SpatialIndex, Sphere, glam::Vec3};
/// let tree = Octree::new(&[Vec3::ZERO, Vec3::X]);
/// let lists = tree.query_batch(&[Sphere::new(Vec3::X, 0.5)]);
/// assert_eq!(lists[0], [1_u32]); // packed
/// assert_eq!(usize::unpack(lists[0][0]), 1);
/// assert_eq!(lists.list(0).iter().next(), Some(1_usize)); // unpacked as it is read
/// ```
pub trait Key: Copy + Debug + Ord + Send + Sync + 'static {
    /// The key as it stands in lists, where an index takes 32 bits: [`Packed`].
    type Packed: Listed<Key = Self> + Debug + PartialEq + Send + Sync + 'static;

    /// The key as it stands in lists.
    fn pack(self) -> Self::Packed;

    /// The key that stands in a list.
    #[inline(always)]
    fn unpack(packed: Self::Packed) -> Self {
        packed.key()
    }

    /// The index, or the [slot](Handle::slot) of the handle: a small number of its own for each item that
    /// a structure holds.
    fn slot(self) -> usize;

    /// Appends the key to a buffer.
    #[doc(hidden)]
    fn push(self, to: &mut KeyWriter<'_>);

    /// The key at a place of a buffer.
    #[doc(hidden)]
    fn found(all: &KeyBuffer, place: usize) -> Option<Self>;

    /// Wraps a list, so that a search can append to it.
    #[doc(hidden)]
    fn list(list: &mut Vec<Self::Packed>) -> KeyList<'_>;
}

/// The name of an item in lists: `u32` for those whose keys are indices ([`Orthtree`](crate::Orthtree),
/// [`CellList`](crate::CellList), [`Linear`](crate::Linear)), [`Handle`] for those whose keys are handles.
///
/// ```
/// use orthant::{LooseOctree, Octree, Packed, Sphere, glam::Vec3};
/// let ball = Sphere::new(Vec3::X, 0.5);
/// let mut indices: Vec<Packed<Octree>> = Vec::new(); // of `u32`
/// Octree::new(&[Vec3::ZERO, Vec3::X]).query(ball).append_to(&mut indices);
/// assert_eq!(indices, [1_u32]);
///
/// let (mut tree, mut handles) = (LooseOctree::new(), Vec::new()); // of `Handle`
/// let handle = tree.insert(ball);
/// tree.query(ball).append_to(&mut handles);
/// assert_eq!(handles, [handle]);
/// ```
pub type Packed<S> = <<S as SpatialIndex>::Key as Key>::Packed;

/// Keys that a search has found: indices, or slots and generations of handles. Both are lists of 32-bit numbers, into which lanes are
/// compressed.
#[derive(Clone, Debug, Default)]
pub struct KeyBuffer {
    slots: ArrayVec<BUFFER>,
    /// Empty for indices.
    generations: ArrayVec<BUFFER>,
}

/// A writer of keys, to a [`KeyBuffer`] or, if keys are indices, to a list of the user's.
#[derive(Debug)]
pub struct KeyWriter<'a> {
    pub(crate) slots: ListWriter<'a>,
    pub(crate) generations: ListWriter<'a>,
}

impl KeyBuffer {
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        self.slots.clear();
        self.generations.clear();
    }

    #[inline(always)]
    pub(crate) fn writer(&mut self) -> KeyWriter<'_> {
        KeyWriter {
            slots: self.slots.writer(),
            generations: self.generations.writer(),
        }
    }

    /// Appends the handles to a list.
    #[inline(never)]
    fn append_to(&self, list: &mut Vec<Handle>) -> Result<(), Error> {
        reserve(list, self.len())?;
        let both = self
            .slots
            .as_slice()
            .iter()
            .zip(self.generations.as_slice());
        list.extend(both.map(|(&slot, &generation)| Handle { slot, generation }));
        Ok(())
    }
}

impl KeyWriter<'_> {
    /// The number of keys that still fit.
    #[inline(always)]
    pub(crate) fn room(&self) -> usize {
        self.slots.room()
    }

    /// Appends the keys of a buffer, for which there has to be room.
    #[inline(always)]
    pub(crate) fn append(&mut self, found: &KeyBuffer) {
        self.slots.append(found.slots.as_slice());
        self.generations.append(found.generations.as_slice());
    }

    /// Reborrows the writer.
    #[inline(always)]
    pub(crate) fn writer(&mut self) -> KeyWriter<'_> {
        KeyWriter {
            slots: self.slots.writer(),
            generations: self.generations.writer(),
        }
    }
}

/// A list of keys that a search appends to.
#[derive(Debug)]
pub enum KeyList<'a> {
    Indices(&'a mut Vec<u32>),
    Handles(&'a mut Vec<Handle>),
}

impl KeyList<'_> {
    /// Lets `fill` append keys. There is room for at least `room` of them, which may be up to [`BUFFER`]; for indices, all spare capacity of the
    /// list is room.
    #[inline(always)]
    pub(crate) fn extend(
        &mut self,
        room: usize,
        fill: impl FnOnce(&mut KeyWriter<'_>),
    ) -> Result<(), Error> {
        match self {
            Self::Indices(list) => {
                if list.capacity() - list.len() < room {
                    reserve(list, list.len().max(room))?;
                }
                let mut none = ArrayVec::<0>::new();
                ListWriter::extend(
                    list,
                    #[inline(always)]
                    |slots| {
                        fill(&mut KeyWriter {
                            slots: slots.writer(),
                            generations: none.writer(),
                        });
                    },
                );
            }
            Self::Handles(list) => {
                let mut found = KeyBuffer::default();
                fill(&mut found.writer());
                found.append_to(list)?;
            }
        }
        Ok(())
    }
}

impl Key for usize {
    type Packed = u32;

    #[inline(always)]
    fn pack(self) -> u32 {
        self as u32
    }

    #[inline(always)]
    fn slot(self) -> usize {
        self
    }

    #[inline(always)]
    fn push(self, to: &mut KeyWriter<'_>) {
        to.slots.append(&[self as u32]);
    }

    #[inline(always)]
    fn found(all: &KeyBuffer, place: usize) -> Option<Self> {
        all.slots.as_slice().get(place).map(|&index| index as Self)
    }

    #[inline(always)]
    fn list(list: &mut Vec<u32>) -> KeyList<'_> {
        KeyList::Indices(list)
    }
}

impl Key for Handle {
    type Packed = Self;

    #[inline(always)]
    fn pack(self) -> Self {
        self
    }

    #[inline(always)]
    fn slot(self) -> usize {
        Self::slot(self)
    }

    #[inline(always)]
    fn push(self, to: &mut KeyWriter<'_>) {
        to.slots.append(&[self.slot]);
        to.generations.append(&[self.generation]);
    }

    #[inline(always)]
    fn found(all: &KeyBuffer, place: usize) -> Option<Self> {
        let slot = *all.slots.as_slice().get(place)?;
        let generation = *all.generations.as_slice().get(place)?;
        Some(Self { slot, generation })
    }

    #[inline(always)]
    fn list(list: &mut Vec<Self>) -> KeyList<'_> {
        KeyList::Handles(list)
    }
}

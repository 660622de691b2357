//! What names an item to the user, and the buffers in which a search by blocks leaves what it finds.

use alloc::vec::Vec;
use core::fmt::Debug;

use super::SpatialIndex;
use crate::error::{Error, reserve};
use crate::handle::Handle;
use crate::lists::Listed;
use crate::simd::{ArrayVec, ListWriter};

/// How many are found at a time.
pub(crate) const BUFFER: usize = 256;

/// What names an item of a structure: its index in the slice that the structure was built from, or the
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
    /// The same in lists: an index takes 32 bits there. [`Packed`] is its name.
    type Packed: Listed<Key = Self> + Debug + PartialEq + Send + Sync + 'static;

    /// A buffer of keys.
    #[doc(hidden)]
    type Buffer: KeyBuffer<Key = Self> + Clone;

    /// The key as it stands in lists.
    fn pack(self) -> Self::Packed;

    /// The key that stands in a list.
    fn unpack(packed: Self::Packed) -> Self;

    /// The index, or the [slot](Handle::slot) of the handle: a small number of its own for each item that
    /// a structure holds.
    fn slot(self) -> usize;

    /// Lets `fill` append up to `room` keys to a list, which is no more than a buffer takes.
    #[doc(hidden)]
    fn extend(
        list: &mut Vec<Self::Packed>,
        room: usize,
        fill: impl FnOnce(&mut Writer<'_, Self>),
    ) -> Result<(), Error>;
}

/// What stands in lists for the items of a structure: `u32` for those whose keys are indices ([`Orthtree`](crate::Orthtree),
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

/// Keys that were found.
pub trait KeyBuffer {
    type Key;
    /// What is filled by vectors.
    type Writer<'a>
    where
        Self: 'a;

    fn new() -> Self;

    fn len(&self) -> usize;

    fn clear(&mut self);

    fn writer(&mut self) -> Self::Writer<'_>;

    /// How many keys more a writer takes.
    fn room(to: &Self::Writer<'_>) -> usize;

    /// The same writer, held by another for a while.
    fn again<'a>(to: &'a mut Self::Writer<'_>) -> Self::Writer<'a>;

    /// Those from a place on.
    fn after(&self, place: usize) -> impl Iterator<Item = Self::Key>;
}

/// What a search fills.
pub(crate) type Writer<'a, K> = <<K as Key>::Buffer as KeyBuffer>::Writer<'a>;

impl Key for usize {
    type Packed = u32;
    type Buffer = ArrayVec<BUFFER>;

    #[inline(always)]
    fn pack(self) -> u32 {
        self as u32
    }

    #[inline(always)]
    fn unpack(packed: u32) -> Self {
        packed as Self
    }

    #[inline(always)]
    fn slot(self) -> usize {
        self
    }

    #[inline(always)]
    fn extend(
        list: &mut Vec<u32>,
        room: usize,
        fill: impl FnOnce(&mut ListWriter<'_>),
    ) -> Result<(), Error> {
        if list.capacity() - list.len() < room {
            reserve(list, list.len().max(room))?;
        }
        ListWriter::extend(list, fill);
        Ok(())
    }
}

impl KeyBuffer for ArrayVec<BUFFER> {
    type Key = usize;
    type Writer<'a> = ListWriter<'a>;

    #[inline(always)]
    fn new() -> Self {
        Self::new()
    }

    #[inline(always)]
    fn len(&self) -> usize {
        self.len()
    }

    #[inline(always)]
    fn clear(&mut self) {
        self.clear();
    }

    #[inline(always)]
    fn writer(&mut self) -> ListWriter<'_> {
        self.writer()
    }

    #[inline(always)]
    fn room(to: &ListWriter<'_>) -> usize {
        to.room()
    }

    #[inline(always)]
    fn again<'a>(to: &'a mut ListWriter<'_>) -> ListWriter<'a> {
        to.writer()
    }

    #[inline(always)]
    fn after(&self, place: usize) -> impl Iterator<Item = usize> {
        self.as_slice()[place..].iter().map(|&index| index as usize)
    }
}

/// Handles, in two lists.
#[derive(Clone, Debug)]
pub struct HandleBuffer {
    slots: ArrayVec<BUFFER>,
    generations: ArrayVec<BUFFER>,
}

/// Both lists, to be worked on.
#[derive(Debug)]
pub struct HandleWriter<'a> {
    pub(crate) slots: ListWriter<'a>,
    pub(crate) generations: ListWriter<'a>,
}

impl Key for Handle {
    type Packed = Self;
    type Buffer = HandleBuffer;

    #[inline(always)]
    fn pack(self) -> Self {
        self
    }

    #[inline(always)]
    fn unpack(packed: Self) -> Self {
        packed
    }

    #[inline(always)]
    fn slot(self) -> usize {
        Self::slot(self)
    }

    #[inline(always)]
    fn extend(
        list: &mut Vec<Self>,
        _: usize,
        fill: impl FnOnce(&mut HandleWriter<'_>),
    ) -> Result<(), Error> {
        let mut found = HandleBuffer::new();
        fill(&mut found.writer());
        reserve(list, found.len())?;
        list.extend(found.after(0));
        Ok(())
    }
}

impl KeyBuffer for HandleBuffer {
    type Key = Handle;
    type Writer<'a> = HandleWriter<'a>;

    #[inline(always)]
    fn new() -> Self {
        Self {
            slots: ArrayVec::new(),
            generations: ArrayVec::new(),
        }
    }

    #[inline(always)]
    fn len(&self) -> usize {
        self.slots.len()
    }

    #[inline(always)]
    fn clear(&mut self) {
        self.slots.clear();
        self.generations.clear();
    }

    #[inline(always)]
    fn writer(&mut self) -> HandleWriter<'_> {
        HandleWriter {
            slots: self.slots.writer(),
            generations: self.generations.writer(),
        }
    }

    #[inline(always)]
    fn room(to: &HandleWriter<'_>) -> usize {
        to.slots.room()
    }

    #[inline(always)]
    fn again<'a>(to: &'a mut HandleWriter<'_>) -> HandleWriter<'a> {
        HandleWriter {
            slots: to.slots.writer(),
            generations: to.generations.writer(),
        }
    }

    #[inline(always)]
    fn after(&self, place: usize) -> impl Iterator<Item = Handle> {
        let slots = self.slots.as_slice()[place..].iter();
        let both = slots.zip(&self.generations.as_slice()[place..]);
        both.map(|(&slot, &generation)| Handle { slot, generation })
    }
}

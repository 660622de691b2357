//! One node, and the arithmetic of its cell.

use smallvec::SmallVec;

use crate::overlap::Extent;
use crate::{Aabb, Scalar, Vector};

/// No node, no child.
pub(super) const NONE: u32 = u32::MAX;

/// A leaf is split when it holds this many items, or at each doubling of that if it could not be.
pub(super) const SPLIT: u32 = 32;

/// Eight children in place, or eight items.
pub(super) type List = SmallVec<[u32; 8]>;

#[derive(Clone)]
pub(super) struct Node<V: Vector> {
    /// Where items go; says nothing about where they lie.
    pub(super) cell: Aabb<V>,
    /// Of everything below, and perhaps a little more.
    pub(super) extent: Extent<V>,
    pub(super) parent: u32,
    /// The items below.
    pub(super) count: u32,
    /// How often something below left since the extent was tight.
    pub(super) departures: u32,
    /// The number of items here at which to try a split.
    pub(super) split_at: u32,
    /// A child for each octant, `NONE` where there is none; an empty list in a leaf.
    pub(super) octants: List,
    /// The items that lie here.
    pub(super) slots: List,
}

impl<V: Vector> Node<V> {
    pub(super) fn new(cell: Aabb<V>, parent: u32, extent: Extent<V>) -> Self {
        Self {
            cell,
            extent,
            parent,
            count: 0,
            departures: 0,
            split_at: SPLIT,
            octants: List::new(),
            slots: List::new(),
        }
    }

    #[inline(always)]
    pub(super) fn children(&self) -> impl DoubleEndedIterator<Item = u32> {
        self.octants.iter().copied().filter(|&child| child != NONE)
    }

    #[inline]
    pub(super) fn is_leaf(&self) -> bool {
        self.octants.is_empty()
    }
}

/// The longest edge.
pub(super) fn width<V: Vector>(cell: &Aabb<V>) -> V::Scalar {
    let size = cell.size();
    (0..V::DIM).fold(V::Scalar::ZERO, |most, a| most.larger(size.axis(a)))
}

/// The octant of a cell that a point belongs to: bit `a` is set in the upper half of axis `a`.
pub(super) fn octant<V: Vector>(cell: &Aabb<V>, p: V) -> usize {
    let middle = cell.center();
    (0..V::DIM).fold(0, |bits, a| {
        bits | usize::from(p.axis(a) >= middle.axis(a)) << a
    })
}

/// The cell of an octant.
pub(super) fn child_cell<V: Vector>(cell: &Aabb<V>, octant: usize) -> Aabb<V> {
    let middle = cell.center();
    let upper = |a: usize| octant >> a & 1 == 1;
    Aabb::from_corners(
        V::from_fn(|a| if upper(a) { middle } else { cell.min() }.axis(a)),
        V::from_fn(|a| if upper(a) { cell.max() } else { middle }.axis(a)),
    )
}

/// A cell about twice as wide, towards a point, and the octant that the old one is in it.
pub(super) fn parent_cell<V: Vector>(cell: &Aabb<V>, towards: V) -> (Aabb<V>, usize) {
    let width = width(cell);
    let lower = |a: usize| towards.axis(a) < cell.min().axis(a);
    let zero = V::Scalar::ZERO;
    let limit = |x: V::Scalar| x.smaller(V::Scalar::MAX).larger(zero - V::Scalar::MAX);
    // At least to the next number: far from the origin a small width is rounded away.
    let min = V::from_fn(|a| {
        let min = cell.min().axis(a);
        if lower(a) {
            limit((min - width).smaller(min.next_down()))
        } else {
            min
        }
    });
    let max = V::from_fn(|a| {
        let max = cell.max().axis(a);
        if lower(a) {
            max
        } else {
            limit((max + width).larger(max.next_up()))
        }
    });
    let octant = (0..V::DIM).fold(0, |bits, a| bits | usize::from(lower(a)) << a);
    (Aabb::from_corners(min, max), octant)
}

/// A cell to begin with: a cube around what is there.
pub(super) fn cube<V: Vector>(around: &Aabb<V>) -> Aabb<V> {
    let width = width(around).smaller(V::Scalar::MAX);
    let max = V::from_fn(|a| {
        let (min, max) = (around.min().axis(a), around.max().axis(a));
        max.larger((min + width).smaller(V::Scalar::MAX))
    });
    Aabb::from_corners(around.min(), max)
}

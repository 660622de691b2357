//! Builds a tree: first the order of the items, then their columns in that order, then the boxes of nodes.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::ops::Range;

use super::bounds::bound;
use super::median_order;
use crate::overlap::Extent;
use crate::overlap::columns::{Columns, all, set_point};
use crate::parallel::{GRAIN, fill, parts};
use crate::shape::{ArrayOf, Bounded, Layout};
use crate::simd::{Column, InstructionSet, LANES, from_fn};
use crate::vector::{Scalar, Vector};
use crate::wide_nodes::{Items, Levels, Tree, first_lanes};

/// The number of items in a leaf of the wide nodes: each of its columns takes 256 bytes.
pub(super) const fn wide_leaf<S>() -> usize {
    256 / size_of::<S>()
}

impl<A: Vector> Tree<A> {
    /// Lays out a tree for a number of items, without their columns.
    pub(super) fn of_len(layout: Layout, len: usize) -> Self {
        let mut tree = Self::empty(layout);
        (tree.len, tree.instructions) = (len, InstructionSet::best());
        tree.lay_out();
        tree
    }

    fn lay_out(&mut self) {
        let leaf = wide_leaf::<A::Scalar>();
        self.nodes.levels = Levels::for_regions(self.len);
        self.wide_nodes.levels = Levels::for_nearest(self.len, leaf);
        for nodes in [&mut self.nodes, &mut self.wide_nodes] {
            nodes.height = nodes.levels.height();
        }
    }

    /// A bit for each lane of a block that has an item.
    #[inline(always)]
    pub(super) fn lanes_of(&self, block: usize) -> u32 {
        first_lanes(self.len - block * LANES)
    }
}

/// The items from which a tree is built.
#[derive(Debug)]
pub enum Source<'a, A: Vector> {
    Points(Cow<'a, [A]>),
    Extents {
        layout: Layout,
        has_radii: bool,
        extents: Cow<'a, [Extent<A>]>,
    },
}

/// Takes points as they lie, and converts other items.
pub(super) fn source<T: Bounded + Sync>(items: &[T]) -> Source<'_, ArrayOf<T>> {
    if let Some(points) = T::points(items) {
        return Source::Points(points);
    }
    let mut extents = Vec::new();
    fill(&mut extents, items.len(), 1, |index| {
        Extent::of(&items[index]).cast()
    });
    Source::Extents {
        layout: T::LAYOUT,
        has_radii: T::HAS_RADIUS,
        extents: extents.into(),
    }
}

impl<A: Vector> Source<'_, A> {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Points(points) => points.len(),
            Self::Extents { extents, .. } => extents.len(),
        }
    }

    /// The layout of the items, and whether they have radii.
    fn layout(&self) -> (Layout, bool) {
        match *self {
            Self::Points(_) => (Layout::Point, false),
            Self::Extents {
                layout, has_radii, ..
            } => (layout, has_radii),
        }
    }

    /// An item's center.
    #[inline(always)]
    pub(crate) fn center(&self, index: usize) -> A {
        match self {
            Self::Points(points) => points[index],
            Self::Extents {
                layout, extents, ..
            } => layout.center(&extents[index].core),
        }
    }

    #[inline(always)]
    fn extent(&self, index: usize) -> Extent<A> {
        match self {
            Self::Points(points) => Extent::of(&points[index]),
            Self::Extents { extents, .. } => extents[index],
        }
    }

    /// The index of the first item in a range that is not finite, has its corners in the wrong order or has a negative radius.
    fn invalid_in(&self, mut range: Range<usize>) -> Option<usize> {
        if let Self::Points(points) = self {
            // Test all points without a branch, so that the compiler uses vector instructions.
            let mut all = true;
            for point in &points[range.clone()] {
                for axis in 0..A::DIM {
                    all &= point.axis(axis).abs() <= A::Scalar::MAX;
                }
            }
            if all {
                return None;
            }
        }
        range.find(|&index| self.extent(index).check().is_err())
    }
}

/// Rebuilds a tree in its memory. If an item is invalid, returns the index of the first one and leaves the tree as it was.
pub(super) fn build<A: Vector>(tree: &mut Tree<A>, source: &Source<'_, A>) -> Result<(), usize> {
    let (mut invalid, find) = (None, |range| source.invalid_in(range));
    parts(source.len(), GRAIN, &find, &mut |found| {
        invalid = invalid.or(found);
    });
    if let Some(index) = invalid {
        return Err(index);
    }
    // Order the items. If points are moved sixteen at a time, this fills their columns too.
    tree.len = source.len();
    let (set, items, indices) = (tree.instructions, &mut tree.items, &mut tree.indices);
    items
        .points
        .edit(|points| indices.edit(|indices| median_order::order(source, set, indices, points)));
    // Fill the other columns in this order.
    place(&mut tree.items, source, &tree.indices);
    tree.lay_out();
    // Compute the boxes of nodes.
    bound(tree);
    if tree.items.layout == Layout::Whole {
        // Searches test these items one by one, and need no columns.
        tree.items = Tree::empty(Layout::Whole).items;
    }
    Ok(())
}

/// The indices of valid items in the order of a tree.
pub(crate) fn order<A: Vector>(source: &Source<'_, A>, set: InstructionSet) -> Vec<u32> {
    let (mut indices, mut points) = (Vec::new(), Vec::new());
    median_order::order(source, set, &mut indices, &mut points);
    indices.truncate(source.len());
    indices
}

/// The indices of points in the order of their tree. All points must be finite.
pub(crate) fn order_of_points<A: Vector>(points: &[A], set: InstructionSet) -> Vec<u32> {
    order(&Source::Points(points.into()), set)
}

/// The length of a list of indices with padding, so that sixteen indices can be loaded from any position.
pub(super) fn padded(len: usize) -> usize {
    len.next_multiple_of(LANES) + LANES
}

/// Copies the items into their columns, in the order of the tree. Columns of points may be filled already.
fn place<A: Vector>(to: &mut Items<A>, source: &Source<'_, A>, indices: &[u32]) {
    let last = source.len().saturating_sub(1);
    // Unused lanes repeat the last item, so that boxes can be computed from whole blocks.
    let item = |block: usize, lane: usize| {
        let slot = (block * LANES + lane).min(last);
        source.extent(indices[slot] as usize)
    };
    let low = |block| columns(|lane| item(block, lane).core.min());
    let high = |block| columns(|lane| item(block, lane).core.max());
    let radii = |block| Column(from_fn(|lane| item(block, lane).most));
    let (layout, has_radii) = source.layout();
    let blocks_if = |is_kept: bool| {
        if is_kept {
            source.len().div_ceil(LANES)
        } else {
            0
        }
    };
    to.layout = layout;
    to.points.edit(|points| {
        if points.is_empty() {
            fill(points, blocks_if(true), LANES, low);
        }
    });
    let blocks = blocks_if(layout.has_corners());
    to.highs.edit(|highs| fill(highs, blocks, LANES, high));
    let blocks = blocks_if(has_radii);
    to.radii.edit(|column| fill(column, blocks, LANES, radii));
}

fn columns<A: Vector>(point: impl Fn(usize) -> A) -> Columns<A> {
    let mut columns = all::<A>(A::Scalar::ZERO);
    (0..LANES).for_each(|lane| set_point(&mut columns, lane, point(lane)));
    columns
}

//! Builds a tree: first the order of the items, then their columns in that order, then the boxes of nodes.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use super::bounds::{bound, bound_wide};
use super::median_order;
use crate::overlap::Extent;
use crate::overlap::columns::{all, set_point};
use crate::parallel::{GRAIN, fill, join};
use crate::shape::{Aabb, Bounded, Layout};
use crate::simd::{Column, InstructionSet, LANES};
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

/// The items from which a tree is built, as arrays.
#[derive(Debug)]
pub struct Source<'a, A: Vector> {
    layout: Layout,
    /// Points, the least corners of boxes, or the centers of balls.
    pub(super) low: Cow<'a, [A]>,
    /// The largest corners of boxes.
    high: Vec<A>,
    /// Empty if items have no radii.
    radii: Vec<A::Scalar>,
}

impl<'a, A: Vector> Source<'a, A> {
    /// Makes a source of points or of centers.
    pub(super) fn points(points: &'a [A]) -> Self {
        let (layout, low) = (Layout::Point, Cow::Borrowed(points));
        let (high, radii) = (Vec::new(), Vec::new());
        Self {
            layout,
            low,
            high,
            radii,
        }
    }

    /// Makes a source of items of any type.
    pub(super) fn new<T>(items: &'a [T]) -> Self
    where
        T: Bounded<Vector: Vector<Array = A, Scalar = A::Scalar>> + Sync,
    {
        let extent = |index: usize| {
            let (core, radius) = (items[index].core(), items[index].radius());
            Extent {
                core: Aabb::from_corners(core.min().array(), core.max().array()),
                least: radius,
                most: radius,
            }
        };
        let low = T::points(items).unwrap_or_else(|| {
            let mut low = Vec::new();
            fill(&mut low, items.len(), 1, |index| extent(index).core.min());
            Cow::Owned(low)
        });
        Self::of(T::LAYOUT, T::HAS_RADIUS, low, extent)
    }

    /// Makes a source of extents.
    pub(crate) fn of_extents(layout: Layout, has_radii: bool, extents: &[Extent<A>]) -> Self {
        let low = extents.iter().map(|extent| extent.core.min()).collect();
        Self::of(layout, has_radii, low, |index| extents[index])
    }

    fn of(
        layout: Layout,
        has_radii: bool,
        low: Cow<'a, [A]>,
        extent: impl Fn(usize) -> Extent<A> + Send + Sync,
    ) -> Self {
        let (mut high, mut radii, len) = (Vec::new(), Vec::new(), low.len());
        if matches!(layout, Layout::Box | Layout::Whole) {
            fill(&mut high, len, 1, |index| extent(index).core.max());
        }
        if has_radii {
            fill(&mut radii, len, 1, |index| extent(index).most);
        }
        Self {
            layout,
            low,
            high,
            radii,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.low.len()
    }

    pub(super) fn are_points(&self) -> bool {
        self.layout == Layout::Point
    }

    /// An item's center.
    #[inline(always)]
    pub(crate) fn center(&self, index: usize) -> A {
        // A point is its own center. Computing the center of a box instead would take a tenth of a build.
        match self.high.get(index) {
            Some(&high) => Aabb::from_corners(self.low[index], high).center(),
            None => self.low[index],
        }
    }

    /// The corners and the radius of an item.
    #[inline(always)]
    pub(crate) fn extent(&self, index: usize) -> Extent<A> {
        let low = self.low[index];
        let high = self.high.get(index).copied().unwrap_or(low);
        let radius = self.radii.get(index).copied();
        let radius = radius.unwrap_or(A::Scalar::ZERO);
        Extent {
            core: Aabb::from_corners(low, high),
            least: radius,
            most: radius,
        }
    }

    /// The index of the first item in a range that is not finite, has its corners in the wrong order or has a negative radius.
    fn invalid_in(&self, from: usize, to: usize) -> Option<usize> {
        if to - from > GRAIN {
            let middle = from.midpoint(to);
            let (first, second) = join(
                || self.invalid_in(from, middle),
                || self.invalid_in(middle, to),
            );
            return first.or(second);
        }
        let most = A::Scalar::MAX;
        if self.are_points() {
            // Test all points without a branch, so that the compiler uses vector instructions.
            let mut all = true;
            for point in &self.low[from..to] {
                for axis in 0..A::DIM {
                    all &= point.axis(axis).abs() <= most;
                }
            }
            if all {
                return None;
            }
        }
        (from..to).find(|&index| self.extent(index).check().is_err())
    }
}

/// Rebuilds a tree in its memory. If an item is invalid, returns the index of the first one and leaves the tree as it was.
pub(super) fn build<A: Vector>(tree: &mut Tree<A>, source: &Source<'_, A>) -> Result<(), usize> {
    if let Some(index) = source.invalid_in(0, source.len()) {
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
    bound(&mut tree.nodes, &tree.items, tree.instructions);
    let leaf = wide_leaf::<A::Scalar>();
    bound_wide(&mut tree.wide_nodes, &tree.nodes, leaf, tree.instructions);
    if source.layout == Layout::Whole {
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
    order(&Source::points(points), set)
}

/// The length of a list of indices with padding, so that sixteen indices can be loaded from any position.
pub(super) fn padded(len: usize) -> usize {
    len.next_multiple_of(LANES) + LANES
}

/// Copies the items into their columns, in the order of the tree. Columns of points may be filled already.
fn place<A: Vector>(to: &mut Items<A>, source: &Source<'_, A>, indices: &[u32]) {
    let len = source.len();
    let indices = &indices[..len];
    let blocks = |columns: usize| if columns > 0 { len.div_ceil(LANES) } else { 0 };
    // Unused lanes repeat the last item, so that boxes can be computed from whole blocks.
    let of = |block: usize| {
        let index = move |lane: usize| indices[(block * LANES + lane).min(len - 1)] as usize;
        (0..LANES).map(move |lane| (lane, index(lane)))
    };
    let corners = |from: &[A], block: usize| {
        let mut columns = all::<A>(A::Scalar::ZERO);
        of(block).for_each(|(lane, index)| set_point(&mut columns, lane, from[index]));
        columns
    };
    to.layout = source.layout;
    to.points.edit(|points| {
        if points.is_empty() {
            let make = |block| corners(&source.low, block);
            fill(points, blocks(len), LANES, make);
        }
    });
    let high = &source.high;
    let make = |block| corners(high, block);
    to.highs
        .edit(|highs| fill(highs, blocks(high.len()), LANES, make));
    to.radii.edit(|radii| {
        fill(radii, blocks(source.radii.len()), LANES, |block| {
            let mut column = Column([A::Scalar::ZERO; LANES]);
            of(block).for_each(|(lane, index)| column.0[lane] = source.radii[index]);
            column
        });
    });
}

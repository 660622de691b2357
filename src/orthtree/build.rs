//! Building: the shape first, then coordinates in its order.

use alloc::vec::Vec;
use core::mem::take;

use super::blocks::edges_of;
use super::split::{Part, Shape, Splitter};
use super::{INNER, Items, Orthtree, ScalarOf, blocks_of};
use crate::overlap::lanes::{Boxes, Columns, Layout};
use crate::overlap::{Extent, check_items};
use crate::simd::{Column, LANES};
use crate::{Bounded, Error, Scalar, Vector};

/// Builds a tree in the memory of an old one, which stays as it is where items are refused.
pub(super) fn build<T: Bounded + Clone>(tree: &mut Orthtree<T>, items: &[T]) -> Result<(), Error> {
    check_items(items)?;
    let mut old = Shape {
        blocks: Vec::new(),
        order: take(&mut tree.indices),
    };
    old.order.clear();
    let shape = Splitter::shape(items, old);
    tree.len = items.len();
    place(tree, items, &shape.order);
    tree.indices = shape.order;
    let slots = padded(items.len());
    tree.indices.reserve_exact(slots - items.len());
    tree.indices.resize(slots, 0);
    bound(tree, &shape.blocks);
    Ok(())
}

/// As many indices as any sixteen that begin at an item take.
pub(super) fn padded(len: usize) -> usize {
    len.next_multiple_of(LANES) + LANES
}

/// Copies the items into the tree's order.
fn place<T: Bounded + Clone>(tree: &mut Orthtree<T>, items: &[T], order: &[u32]) {
    let Items {
        points,
        highs,
        radii,
        whole,
    } = &mut tree.items;
    let blocks = order.len().div_ceil(LANES);
    let many = |wanted: bool| if wanted { blocks } else { 0 };
    let zero = Column([ScalarOf::<T>::ZERO; LANES]);
    let zeros = <T::Vector as Vector>::axes(zero);
    renew(points, zeros, many(T::LAYOUT != Layout::Whole));
    renew(highs, zeros, many(T::LAYOUT == Layout::Box));
    renew(radii, zero, many(T::LAYOUT == Layout::Ball));
    whole.clear();
    if T::LAYOUT == Layout::Whole {
        whole.reserve_exact(items.len());
        whole.extend(order.iter().map(|&index| items[index as usize].clone()));
        return;
    }
    for (block, order) in order.chunks(LANES).enumerate() {
        for (lane, &index) in order.iter().enumerate() {
            let item = &items[index as usize];
            let core = item.core();
            set(&mut points[block], lane, core.min());
            match T::LAYOUT {
                Layout::Box => set(&mut highs[block], lane, core.max()),
                Layout::Ball => radii[block].0[lane] = item.rounding(),
                Layout::Whole | Layout::Point => {}
            }
        }
    }
}

/// Makes a list of equals, in its old memory if that is enough.
fn renew<X: Clone>(list: &mut Vec<X>, each: X, many: usize) {
    list.clear();
    list.reserve_exact(many);
    list.resize(many, each);
}

#[inline(always)]
fn set<V: Vector>(columns: &mut Columns<V>, lane: usize, to: V) {
    for (axis, column) in columns.as_mut().iter_mut().enumerate() {
        column.0[lane] = to.axis(axis);
    }
}

/// Fills in the bounds of all cells, children before parents.
fn bound<T: Bounded>(tree: &mut Orthtree<T>, blocks: &[[Part; LANES]]) {
    let nodes = &mut tree.nodes;
    renew(&mut nodes.children, [0; LANES], blocks.len());
    renew(&mut nodes.edges, [0; LANES], blocks.len());
    renew(&mut nodes.runs, [(0, 0); LANES], blocks.len());
    let infinity = ScalarOf::<T>::INFINITY;
    let nowhere = Boxes {
        low: T::Vector::axes(Column([infinity; LANES])),
        high: T::Vector::axes(Column([ScalarOf::<T>::ZERO - infinity; LANES])),
    };
    renew(&mut nodes.cells, nowhere, blocks.len());
    let zero = [Column([ScalarOf::<T>::ZERO; LANES]); 2];
    renew(
        &mut nodes.roundings,
        zero,
        if T::ROUNDED { blocks.len() } else { 0 },
    );
    for (block, parts) in blocks.iter().enumerate() {
        tree.nodes.children[block] = parts.map(|part| part.child);
        tree.nodes.runs[block] = parts.map(|part| (part.from, part.to));
        for (lane, part) in parts.iter().enumerate() {
            if part.from == part.to {
                continue;
            }
            tree.nodes.edges[block][lane] = edges_of(part.from, part.to);
            let extent = extent(tree, part);
            let cells = &mut tree.nodes.cells[block];
            set(&mut cells.low, lane, extent.core.min());
            set(&mut cells.high, lane, extent.core.max());
            if let Some([least, most]) = tree.nodes.roundings.get_mut(block) {
                least.0[lane] = extent.least;
                most.0[lane] = extent.most;
            }
        }
    }
}

/// The bounds of what a child holds.
fn extent<T: Bounded>(tree: &Orthtree<T>, part: &Part) -> Extent<T::Vector> {
    let mut all: Option<Extent<T::Vector>> = None;
    let mut add = |one: Extent<T::Vector>| {
        all = Some(all.as_ref().map_or(one, |all| all.union(&one)));
    };
    if part.child & INNER == 0 {
        for slot in part.from..part.to {
            add(Extent::of(&*tree.held(slot)));
        }
    } else {
        let blocks = blocks_of(part.child);
        for lane in blocks.start * LANES..blocks.end * LANES {
            let (from, to) = tree.nodes.runs[lane / LANES][lane % LANES];
            if from < to {
                add(tree.cell(lane as u32));
            }
        }
    }
    all.expect("no child is empty")
}

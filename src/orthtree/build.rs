//! Building: the shape first, then coordinates in its order.

use alloc::vec::Vec;
use core::iter::repeat_n;
use core::mem::take;

use super::split::{Part, Shape, Splitter};
use super::{Orthtree, blocks_of};
use crate::overlap::lanes::{Layout, cell_columns};
use crate::overlap::{Extent, check_items};
use crate::simd::{Column, LANES};
use crate::{Bounded, Error, Scalar, Vector};

type ScalarOf<T> = <<T as Bounded>::Vector as Vector>::Scalar;

/// Builds a tree in the memory of an old one, which stays as it is where items are refused.
pub(super) fn build<T: Bounded + Clone>(tree: &mut Orthtree<T>, items: &[T]) -> Result<(), Error> {
    check_items(items)?;
    let mut old = Shape {
        blocks: Vec::new(),
        leaves: take(&mut tree.leaves),
        order: take(&mut tree.indices),
    };
    old.leaves.clear();
    old.order.clear();
    let shape = Splitter::shape(items, old);
    tree.len = items.len();
    place(tree, items, &shape.order);
    tree.leaves = shape.leaves;
    tree.leaves.shrink_to_fit();
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
    let axes = T::Vector::DIM;
    let many = T::LAYOUT.columns(axes);
    tree.kept.clear();
    tree.items.clear();
    if T::LAYOUT == Layout::Whole {
        tree.kept.reserve_exact(items.len());
        let kept = order.iter().map(|&index| items[index as usize].clone());
        return tree.kept.extend(kept);
    }
    let empty = Column([ScalarOf::<T>::ZERO; LANES]);
    tree.items.reserve_exact(order.len().div_ceil(LANES) * many);
    tree.items.resize(order.len().div_ceil(LANES) * many, empty);
    for (block, order) in tree.items.chunks_exact_mut(many).zip(order.chunks(LANES)) {
        for (lane, &index) in order.iter().enumerate() {
            let item = &items[index as usize];
            let core = item.core();
            for axis in 0..axes {
                block[axis].0[lane] = core.min().axis(axis);
            }
            match T::LAYOUT {
                Layout::Box => {
                    for axis in 0..axes {
                        block[axes + axis].0[lane] = core.max().axis(axis);
                    }
                }
                Layout::Ball => block[axes].0[lane] = item.rounding(),
                Layout::Whole | Layout::Point => {}
            }
        }
    }
}

/// Fills in the bounds of all cells, children before parents.
fn bound<T: Bounded>(tree: &mut Orthtree<T>, blocks: &[[Part; LANES]]) {
    let many = cell_columns::<T>();
    let nodes = &mut tree.nodes;
    nodes.children.clear();
    nodes.children.reserve_exact(blocks.len());
    let none = tree.leaves.len() as u32 - 2;
    let child = |part: Part| {
        if part.from < part.to {
            part.child
        } else {
            none
        }
    };
    nodes
        .children
        .extend(blocks.iter().map(|parts| parts.map(child)));
    nodes.runs.clear();
    nodes.runs.reserve_exact(blocks.len());
    nodes.runs.extend(
        blocks
            .iter()
            .map(|parts| parts.map(|part| (part.from, part.to))),
    );
    nodes.columns.clear();
    nodes.columns.reserve_exact(blocks.len() * many);
    // A lane without a cell is infinitely far.
    let infinity = ScalarOf::<T>::INFINITY;
    for _ in blocks {
        let of = |value| repeat_n(Column([value; LANES]), many / 2);
        nodes
            .columns
            .extend(of(infinity).chain(of(ScalarOf::<T>::ZERO - infinity)));
    }
    for (number, parts) in blocks.iter().enumerate() {
        for (lane, part) in parts
            .iter()
            .enumerate()
            .filter(|(_, part)| part.from < part.to)
        {
            let extent = extent(tree, part);
            set(
                &mut tree.nodes.columns[number * many..][..many],
                lane,
                &extent,
                T::ROUNDED,
            );
        }
    }
}

/// The bounds of what a child holds.
fn extent<T: Bounded>(tree: &Orthtree<T>, part: &Part) -> Extent<T::Vector> {
    let mut all: Option<Extent<T::Vector>> = None;
    let mut add = |one: Extent<T::Vector>| {
        all = Some(all.as_ref().map_or(one, |all| all.union(&one)));
    };
    if part.child & super::INNER == 0 {
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

fn set<V: Vector>(
    columns: &mut [Column<V::Scalar>],
    lane: usize,
    extent: &Extent<V>,
    rounded: bool,
) {
    for axis in 0..V::DIM {
        columns[axis].0[lane] = extent.core.min().axis(axis);
        columns[V::DIM + axis].0[lane] = extent.core.max().axis(axis);
    }
    if rounded {
        columns[2 * V::DIM].0[lane] = extent.least;
        columns[2 * V::DIM + 1].0[lane] = extent.most;
    }
}

//! Splitting: a full leaf or node is divided in two by a plane, and its cell too.

use super::tree::{LooseTree, ROOM, ROOT, everywhere};
use crate::overlap::columns::{Boxes, ends};
use crate::shape::Aabb;
use crate::simd::LANES;
use crate::vector::{Scalar, Vector};
use crate::wide_nodes::MOST_BLOCKS;

/// A half with fewer items counts as small; the median is used instead of the mean.
const SMALL: u32 = ROOM as u32 / 8;

/// The axis and coordinate of a cut; `None` if no plane separates.
type Plane<S> = Option<(usize, S)>;

impl<A: Vector> LooseTree<A> {
    /// Splits a full leaf or node, and full nodes above it.
    ///
    /// ```text
    /// make room above: a new root above the root, or split the node above if it is full
    /// choose a plane, and the items or children beyond it
    /// move them to a new group, whose cell is the part beyond the plane
    /// refit both boxes
    /// ```
    #[inline(never)]
    pub(super) fn split(&mut self, height: usize, number: usize) {
        let home = self.group(height, number).home as usize;
        if home == ROOT {
            self.add_root(height, number);
        } else if self.nodes[home / ROOM].len as usize == ROOM {
            self.split(height + 1, home / ROOM);
        }
        let (plane, moves) = match height {
            0 => self.middle(number),
            _ => self.separator(number),
        };
        let cell = self.group(height, number).cell;
        let [below, beyond] = match plane {
            Some((axis, at)) => cut(&cell, axis, at),
            None => [cell, Boxes::empty().get(0)],
        };
        let other = self.add_group(height, beyond);
        self.group(height, number).cell = below;
        // Partition the lanes, keeping their order; `to` never passes `from`.
        let mut len = [0; 2];
        for lane in 0..ROOM {
            let half = (moves >> lane & 1) as usize;
            let (from, to) = (
                number * ROOM + lane,
                [number, other][half] * ROOM + len[half],
            );
            len[half] += 1;
            if from != to {
                match height {
                    0 => self.copy_item(from, to),
                    _ => self.copy_child(from, to),
                }
            }
        }
        for (half, len) in [number, other].into_iter().zip(len) {
            self.set_len(height, half, len);
            let bounds = self.around(height, half);
            let group = self.group(height, half);
            (group.bounds, group.changes) = (bounds, 0);
        }
        let home = self.group(height, number).home as usize;
        self.write_child(home, height, number);
        self.push_child(home / ROOM, height, other);
    }

    /// Puts a new root above a leaf or node.
    pub(super) fn add_root(&mut self, height: usize, number: usize) {
        let root = self.add_group(height + 1, everywhere());
        self.push_child(root, height, number);
        self.set_root(height + 1, root);
    }

    /// Makes a node the root.
    pub(super) fn set_root(&mut self, height: usize, number: usize) {
        self.write_child(ROOT, height, number);
        self.tree.nodes.height = height;
    }

    /// Gives a node that has room one more child.
    pub(super) fn push_child(&mut self, node: usize, height: usize, child: usize) {
        let group = &mut self.nodes[node];
        let place = node * ROOM + group.len as usize;
        group.len += 1;
        let bounds = self.group(height, child).bounds;
        let node = &mut self.nodes[node];
        node.bounds = node.bounds.union(&bounds);
        self.write_child(place, height, child);
        self.write_entry(height + 1, place / ROOM);
    }

    /// Copies a child of a node to another place.
    fn copy_child(&mut self, from: usize, to: usize) {
        let child = self.child(from);
        let height = self.nodes[from / ROOM].height as usize - 1;
        self.write_child(to, height, child);
    }

    /// Chooses the cut of a full leaf: at the mean of the centers on their widest axis, or at the median if the mean leaves few on one
    /// side. If all centers are equal there is no plane; all items but one move to a leaf with an empty cell.
    fn middle(&self, leaf: usize) -> (Plane<A::Scalar>, u64) {
        let centers = self.centers(leaf);
        let (low, high) = ends::<A>(&centers, ROOM);
        let spread = |axis: usize| high.axis(axis) - low.axis(axis);
        let axis = (1..A::DIM).fold(0, |best, axis| {
            if spread(axis) > spread(best) {
                axis
            } else {
                best
            }
        });
        let (low, high) = (low.axis(axis), high.axis(axis));
        if low == high {
            return (None, !1);
        }
        let mut on_axis = [A::Scalar::ZERO; ROOM];
        for (to, columns) in on_axis.chunks_exact_mut(LANES).zip(&centers) {
            to.copy_from_slice(&columns.as_ref()[axis].0);
        }
        let beyond = |at: A::Scalar| {
            let bits = on_axis.iter().enumerate();
            bits.fold(0, |bits, (lane, &x)| bits | u64::from(x >= at) << lane)
        };
        // Move the cut above the lowest center, so that both sides get an item.
        let above_low = |at: A::Scalar| {
            if at > low {
                return at;
            }
            let others = on_axis.iter().filter(|&&x| x > low);
            others.fold(high, |next, &x| next.smaller(x))
        };
        let mean = on_axis.iter().map(|&x| x.into() / ROOM as f64).sum();
        let mut at = above_low(A::Scalar::from_f64(mean));
        let many = beyond(at).count_ones();
        if many < SMALL || ROOM as u32 - many < SMALL {
            let mut sorted: [f64; ROOM] = on_axis.map(Into::into);
            let (_, median, _) = sorted.select_nth_unstable_by(ROOM / 2, f64::total_cmp);
            at = above_low(A::Scalar::from_f64(*median));
        }
        (Some((axis, at)), beyond(at))
    }

    /// Chooses the cut of a full node: the most balanced plane that crosses no child's cell. Cells come from successive cuts, so one exists
    /// if two cells are not empty. Otherwise every second child with an empty cell moves.
    fn separator(&self, node: usize) -> (Plane<A::Scalar>, u64) {
        /// A plane is good enough if each side gets this many children.
        const EVEN: usize = ROOM / 3;
        let cells: [Aabb<A>; ROOM] = crate::simd::from_fn(|lane| {
            let block = node * MOST_BLOCKS + lane / LANES;
            self.cells[block].get(lane % LANES)
        });
        let infinity = A::Scalar::INFINITY;
        let (mut best, mut fewest) = (None, 0);
        for axis in 0..A::DIM {
            for at in cells.iter().map(|cell| cell.min().axis(axis)) {
                if fewest >= EVEN {
                    break;
                }
                if at.abs() == infinity {
                    continue;
                }
                let (mut below, mut above, mut crossed) = (0, 0, 0);
                for cell in cells.iter().filter(|cell| !is_empty(cell)) {
                    if cell.max().axis(axis) <= at {
                        below += 1;
                    } else if cell.min().axis(axis) >= at {
                        above += 1;
                    } else {
                        crossed += 1;
                    }
                }
                if crossed == 0 && below.min(above) > fewest {
                    (best, fewest) = (Some((axis, at)), below.min(above));
                }
            }
        }
        let moves = |lane: usize| match best {
            Some((axis, at)) if is_empty(&cells[lane]) => {
                let block = node * MOST_BLOCKS + lane / LANES;
                let bounds = self.tree.nodes.extent(block, lane % LANES);
                bounds.core.center().axis(axis) >= at
            }
            Some((axis, at)) => cells[lane].min().axis(axis) >= at,
            None => is_empty(&cells[lane]) && lane % 2 == 1,
        };
        let bit = |lane: usize| u64::from(moves(lane)) << lane;
        (best, (0..ROOM).fold(0, |bits, lane| bits | bit(lane)))
    }
}

/// Cuts a cell in two. A half without interior becomes the empty cell.
pub(super) fn cut<A: Vector>(cell: &Aabb<A>, at_axis: usize, at: A::Scalar) -> [Aabb<A>; 2] {
    // Items may lie outside the cell of their leaf. No half may.
    let (low, high) = (cell.min().axis(at_axis), cell.max().axis(at_axis));
    let at = at.larger(low).smaller(high);
    let put = |corner: A| {
        A::from_fn(|axis| {
            if axis == at_axis {
                at
            } else {
                corner.axis(axis)
            }
        })
    };
    let halves = [
        Aabb::from_corners(cell.min(), put(cell.max())),
        Aabb::from_corners(put(cell.min()), cell.max()),
    ];
    halves.map(|half| {
        if is_empty(&half) {
            Boxes::empty().get(0)
        } else {
            half
        }
    })
}

/// True if a cell contains no point.
pub(super) fn is_empty<A: Vector>(cell: &Aabb<A>) -> bool {
    (0..A::DIM).any(|axis| cell.min().axis(axis) >= cell.max().axis(axis))
}

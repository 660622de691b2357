//! Splits a full leaf or node in two by a plane, and its cell too.

use fearless_simd::Simd;

use super::tree::{LooseTree, ROOM, ROOT, everywhere};
use crate::overlap::columns::{Boxes, Columns, ends_of};
use crate::overlap::lanes::W;
use crate::shape::Aabb;
use crate::simd::{LANES, Lane, Mask, Wide, run};
use crate::vector::{Scalar, Vector};
use crate::wide_nodes::{MOST_BLOCKS, Tree};

/// If the mean would leave fewer items on one side, the cut is at the median instead.
const SMALL: u32 = ROOM as u32 / 8;

/// A plane between children is good enough if each side gets at least this many.
const EVEN: u32 = ROOM as u32 / 3;

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
        // Make room for one more child above.
        let home = self.groups(height)[number].home as usize;
        if home == ROOT {
            self.add_root(height, number);
        } else if self.nodes[home / ROOM].len as usize == ROOM {
            self.split(height + 1, home / ROOM);
        }
        let home = self.groups(height)[number].home as usize;
        // Choose the plane.
        let cell = self.cell(home);
        let set = self.tree.instructions;
        let (plane, moves) = match height {
            0 => run!(set, |simd| middle(simd, self, number)),
            _ => run!(set, |simd| separator(simd, self, number)),
        };
        let cells = match plane {
            Some((axis, at)) => cut(&cell, axis, at),
            None => [cell, Boxes::empty().get(0)],
        };
        // Move the lanes beyond the plane to a new group.
        let halves = [number, self.add_groups(height, 1)];
        run!(set, |simd| part(simd, self, height, halves, moves));
        let many = moves.count_ones() as usize;
        self.set_len(height, number, ROOM - many);
        self.set_len(height, halves[1], many);
        // Refit both halves.
        let bounds = halves.map(|half| {
            self.update_places(height, half);
            self.groups_mut(height)[half].changes = 0;
            self.around(height, half)
        });
        self.write_child(height, home, number, &bounds[0], &cells[0]);
        self.push_child(height, home / ROOM, halves[1], &bounds[1], &cells[1]);
    }

    /// Puts a new root above a leaf or node.
    pub(super) fn add_root(&mut self, height: usize, number: usize) {
        let (root, bounds) = (self.add_groups(height + 1, 1), self.bounds(ROOT));
        self.push_child(height, root, number, &bounds, &everywhere());
        self.write_child(height + 1, ROOT, root, &bounds, &everywhere());
        self.tree.nodes.height = height + 1;
    }

    /// Updates the stored place of all items of a leaf, or of all children of a node.
    fn update_places(&mut self, height: usize, number: usize) {
        let places = number * ROOM..number * ROOM + self.groups(height)[number].len as usize;
        for place in places {
            if height == 0 {
                self.slots[self.tree.indices[place] as usize].place = place as u32;
            } else {
                let child = self.child(place);
                self.groups_mut(height - 1)[child].home = place as u32;
            }
        }
    }
}

/// Chooses the cut of a full leaf: at the mean of the centers on their widest axis, or at the median if the mean leaves few on one
/// side. If all centers are equal there is no plane; all items but one move to a leaf with an empty cell.
#[inline(always)]
fn middle<A: Vector, S: Simd>(
    simd: S,
    tree: &LooseTree<A>,
    leaf: usize,
) -> (Plane<A::Scalar>, u64) {
    // Find the axis on which the centers are spread widest.
    let mut centers = [[A::Scalar::ZERO; LANES]; MOST_BLOCKS];
    let (mut axis, mut ends) = (0, [A::Scalar::ZERO; 2]);
    for on_axis in 0..A::DIM {
        let other = centers_on(tree, leaf, on_axis);
        let (low, high) = ends_of(other.iter(), ROOM);
        if on_axis == 0 || high - low > ends[1] - ends[0] {
            (axis, ends, centers) = (on_axis, [low, high], other);
        }
    }
    let [low, high] = ends;
    if low == high {
        return (None, !1);
    }
    let beyond = |at: A::Scalar| {
        let at = <W<A, S>>::splat(simd, at);
        lanes(simd, |block| {
            at.at_most(<W<A, S>>::load(simd, &centers[block]))
        })
    };
    // Moves a cut above the lowest center, so that both sides get an item.
    let above_low = |at: A::Scalar| {
        if at > low {
            return at;
        }
        let others = centers.as_flattened().iter().filter(|&&x| x > low);
        others.fold(high, |next, &x| next.smaller(x))
    };
    // Cut at the mean or, if that leaves few items on one side, at the median.
    let mut sums = [0.0; LANES];
    for block in &centers {
        for (sum, &x) in sums.iter_mut().zip(block) {
            *sum += x.into() / ROOM as f64;
        }
    }
    let mut at = above_low(A::Scalar::from_f64(sums.iter().sum()));
    let many = beyond(at).count_ones();
    if many < SMALL || ROOM as u32 - many < SMALL {
        let mut sorted = centers.map(|block| block.map(Into::<f64>::into));
        let sorted = sorted.as_flattened_mut();
        let (_, median, _) = sorted.select_nth_unstable_by(ROOM / 2, f64::total_cmp);
        at = above_low(A::Scalar::from_f64(*median));
    }
    (Some((axis, at)), beyond(at))
}

/// The centers of the items of a full leaf on an axis.
#[inline(always)]
fn centers_on<A: Vector>(
    tree: &LooseTree<A>,
    leaf: usize,
    axis: usize,
) -> [[A::Scalar; LANES]; MOST_BLOCKS] {
    let items = &tree.tree.items;
    crate::simd::from_fn(|block| {
        let block = leaf * MOST_BLOCKS + block;
        let low = items.points[block].as_ref()[axis].0;
        let Some(high) = items.highs.get(block) else {
            return low;
        };
        let high = high.as_ref()[axis].0;
        crate::simd::from_fn(|lane| {
            let [low, high] = [low, high].map(|column| A::splat(column[lane]));
            Aabb::from_corners(low, high).center().axis(0)
        })
    })
}

/// Chooses the cut of a full node: of the planes that cross no child's cell, the first that is good enough or the most balanced. Cells
/// come from successive cuts, so there is such a plane if two are not empty. Otherwise every second child with an empty cell moves.
#[inline(always)]
fn separator<A: Vector, S: Simd>(
    simd: S,
    tree: &LooseTree<A>,
    node: usize,
) -> (Plane<A::Scalar>, u64) {
    let cells = &tree.cells[node * MOST_BLOCKS..][..MOST_BLOCKS];
    let at_most = |at: A::Scalar, axis: usize, corners: fn(&Boxes<A>) -> &Columns<A>| {
        let at = <W<A, S>>::splat(simd, at);
        lanes(simd, |block| {
            let corners = &corners(&cells[block]).as_ref()[axis].0;
            at.at_most(<W<A, S>>::load(simd, corners))
        })
    };
    let empty = (0..ROOM).fold(0, |empty, lane| {
        empty | u64::from(cells[lane / LANES].is_empty(lane % LANES)) << lane
    });
    // Try the low faces of cells, until one divides the children evenly enough.
    let (mut best, mut fewest, mut moves) = (None, 0, empty & ALTERNATE);
    for axis in 0..A::DIM {
        for lane in 0..ROOM {
            let at = cells[lane / LANES].low.as_ref()[axis].0[lane % LANES];
            if fewest >= EVEN {
                break;
            }
            if at.abs() == A::Scalar::INFINITY {
                continue;
            }
            // A plane crosses no cell if all cells that reach it lie above it.
            let above = at_most(at, axis, |cell| &cell.low) & !empty;
            let reaching = at_most(at, axis, |cell| &cell.high) & !empty;
            let even = above.count_ones().min((!reaching & !empty).count_ones());
            if above == reaching && even > fewest {
                (best, fewest, moves) = (Some((axis, at)), even, above);
            }
        }
    }
    if let Some((axis, at)) = best {
        // Assign children with an empty cell by the centers of their boxes.
        for lane in (0..ROOM).filter(|lane| empty >> lane & 1 == 1) {
            let center = tree.bounds(node * ROOM + lane).core.center().axis(axis);
            moves |= u64::from(center >= at) << lane;
        }
    }
    (best, moves)
}

/// Every second lane.
const ALTERNATE: u64 = u64::MAX / 3 * 2;

/// Returns a bit for each lane of a group that passes a test.
#[inline(always)]
fn lanes<S: Simd>(simd: S, test: impl Fn(usize) -> Mask) -> u64 {
    let bits = |block| u64::from(test(block).bits(simd)) << (block * LANES);
    (0..MOST_BLOCKS).fold(0, |all, block| all | bits(block))
}

/// Divides the lanes of a full group: those in `moves` go to the second group.
#[inline(always)]
fn part<A: Vector, S: Simd>(
    simd: S,
    tree: &mut LooseTree<A>,
    height: usize,
    groups: [usize; 2],
    moves: u64,
) {
    let halves = Halves { groups, moves };
    let (zero, infinity) = (A::Scalar::ZERO, A::Scalar::INFINITY);
    let Tree { items, nodes, .. } = &mut tree.tree;
    if height == 0 {
        for axis in 0..A::DIM {
            for corners in [&mut items.points, &mut items.highs] {
                let corners = corners.to_mut();
                halves.divide(simd, corners, |block| &mut block.as_mut()[axis].0, zero);
            }
        }
        halves.divide(simd, items.radii.to_mut(), |block| &mut block.0, zero);
        for list in [&mut tree.tree.indices, &mut tree.tree.generations] {
            let blocks = list.to_mut().as_chunks_mut().0;
            halves.divide(simd, blocks, |block| block, 0);
        }
        return;
    }
    for boxes in [nodes.boxes.to_mut(), &mut tree.cells] {
        for axis in 0..A::DIM {
            halves.divide(
                simd,
                boxes,
                |block| &mut block.low.as_mut()[axis].0,
                infinity,
            );
            halves.divide(
                simd,
                boxes,
                |block| &mut block.high.as_mut()[axis].0,
                zero - infinity,
            );
        }
    }
    for end in 0..2 {
        let radii = nodes.radii.to_mut();
        halves.divide(simd, radii, |block| &mut block[end].0, zero);
    }
    halves.divide(simd, nodes.entries.to_mut(), |block| block, 0);
}

/// The groups of the halves of a split, and the lanes of the first that move to the second.
struct Halves {
    groups: [usize; 2],
    moves: u64,
}

impl Halves {
    /// Divides one column, and fills unused lanes with `rest`. Does nothing for a column that items lack.
    #[inline(always)]
    fn divide<S: Simd, X: Lane, B>(
        &self,
        simd: S,
        blocks: &mut [B],
        column: impl Fn(&mut B) -> &mut [X; LANES],
        rest: X,
    ) {
        if blocks.is_empty() {
            return;
        }
        let mut halves = [[[rest; LANES]; MOST_BLOCKS + 1]; 2];
        let mut len = [0; 2];
        for block in 0..MOST_BLOCKS {
            let lanes = *column(&mut blocks[self.groups[0] * MOST_BLOCKS + block]);
            for (half, bits) in [!self.moves, self.moves].into_iter().enumerate() {
                let mask = Mask::new(simd, (bits >> (block * LANES)) as u32);
                let to = halves[half].as_flattened_mut();
                X::compress(simd, &lanes, mask, to, len[half]);
                len[half] += mask.count();
            }
        }
        for (half, len) in halves.iter_mut().zip(len) {
            half.as_flattened_mut()[len..][..LANES].fill(rest);
        }
        for (half, group) in halves.iter().zip(self.groups) {
            let blocks = &mut blocks[group * MOST_BLOCKS..][..MOST_BLOCKS];
            for (block, half) in blocks.iter_mut().zip(half) {
                *column(block) = *half;
            }
        }
    }
}

/// Cuts a cell in two. A half without points becomes the empty cell. Cells are closed: the lower half ends at the last float before the
/// cut.
pub(super) fn cut<A: Vector>(cell: &Aabb<A>, at_axis: usize, at: A::Scalar) -> [Aabb<A>; 2] {
    let put = |corner: A, at: A::Scalar| {
        A::from_fn(|axis| {
            if axis == at_axis {
                at
            } else {
                corner.axis(axis)
            }
        })
    };
    let (low, high) = (cell.min().axis(at_axis), cell.max().axis(at_axis));
    let below = Aabb::from_corners(cell.min(), put(cell.max(), high.smaller(at.next_down())));
    let beyond = Aabb::from_corners(put(cell.min(), low.larger(at)), cell.max());
    [below, beyond].map(|half| {
        if is_empty(&half) {
            Boxes::empty().get(0)
        } else {
            half
        }
    })
}

/// True if a cell contains no point.
pub(super) fn is_empty<A: Vector>(cell: &Aabb<A>) -> bool {
    (0..A::DIM).any(|axis| cell.min().axis(axis) > cell.max().axis(axis))
}

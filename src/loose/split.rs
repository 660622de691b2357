//! Splits a full leaf or node in two by a plane, and its cell too.

use super::tree::{LooseTree, ROOM, ROOT, everywhere};
use crate::overlap::columns::{Boxes, ends_of};
use crate::shape::Aabb;
use crate::simd::{LANES, from_fn};
use crate::vector::{Scalar, Vector};
use crate::wide_nodes::MOST_BLOCKS;

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
        let (plane, moves) = match height {
            0 => middle(self, number),
            _ => separator(self, number),
        };
        let cells = match plane {
            Some((axis, at)) => cut(&cell, axis, at),
            None => [cell, Boxes::empty().get(0)],
        };
        // Move the items or children beyond the plane to a new group, and those that stay to the front of the old one.
        let halves = [number, self.add_groups(height, 1)];
        let mut lens = [0; 2];
        for lane in 0..ROOM {
            let (from, half) = (number * ROOM + lane, (moves >> lane & 1) as usize);
            let to = halves[half] * ROOM + lens[half];
            lens[half] += 1;
            if height == 0 {
                let extent = self.tree.items.get(from);
                self.write_item(to, self.tree.indices[from], &extent);
            } else {
                let (child, bounds, cell) = (self.child(from), self.bounds(from), self.cell(from));
                self.write_child(height - 1, to, child, &bounds, &cell);
            }
        }
        if height > 0 {
            // The search for a leaf needs empty cells in lanes without a child.
            for place in number * ROOM + lens[0]..(number + 1) * ROOM {
                self.cells[place / LANES].clear(place % LANES);
            }
        }
        // Refit both halves.
        let bounds = [0, 1].map(|half| {
            self.set_len(height, halves[half], lens[half]);
            self.groups_mut(height)[halves[half]].changes = 0;
            self.around(height, halves[half])
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
}

/// The number of coordinates of a group that are at least a number.
fn count_from<X: Scalar>(coordinates: &[X; ROOM], at: X) -> u32 {
    coordinates.iter().map(|&x| u32::from(at <= x)).sum()
}

/// A bit for each lane of a group that passes a test.
fn lanes_where(test: impl Fn(usize) -> bool) -> u64 {
    (0..ROOM).fold(0, |lanes, lane| lanes | u64::from(test(lane)) << lane)
}

/// Chooses the cut of a full leaf: at the mean of the centers on their widest axis, or at the median if the mean leaves few on one
/// side. If all centers are equal there is no plane; all items but one move to a leaf with an empty cell.
fn middle<A: Vector>(tree: &LooseTree<A>, leaf: usize) -> (Plane<A::Scalar>, u64) {
    // Find the axis on which the centers are spread widest.
    let mut centers = [A::Scalar::ZERO; ROOM];
    let (mut axis, mut ends) = (0, [A::Scalar::ZERO; 2]);
    for on_axis in 0..A::DIM {
        let other = centers_on(tree, leaf, on_axis);
        let (low, high) = ends_of(other.as_chunks().0.iter(), ROOM);
        if on_axis == 0 || high - low > ends[1] - ends[0] {
            (axis, ends, centers) = (on_axis, [low, high], other);
        }
    }
    let [low, high] = ends;
    if low == high {
        return (None, !1);
    }
    // Moves a cut above the lowest center, so that both sides get an item.
    let above_low = |at: A::Scalar| {
        if at > low {
            return at;
        }
        let others = centers.iter().filter(|&&x| x > low);
        others.fold(high, |next, &x| next.smaller(x))
    };
    // Cut at the mean or, if that leaves few items on one side, at the median.
    let mut sums = [0.0; LANES];
    for block in centers.as_chunks::<LANES>().0 {
        for (sum, &x) in sums.iter_mut().zip(block) {
            *sum += x.into() / ROOM as f64;
        }
    }
    let mut at = above_low(A::Scalar::from_f64(sums.iter().sum()));
    let many = count_from(&centers, at);
    if many < SMALL || ROOM as u32 - many < SMALL {
        let half = ROOM as u32 / 2;
        let is_median = |x: A::Scalar| {
            count_from(&centers, x) >= half && half > count_from(&centers, x.next_up())
        };
        let median = centers.iter().find(|&&x| is_median(x));
        at = above_low(*median.expect("half of the centers are at least the median"));
    }
    (Some((axis, at)), lanes_where(|lane| at <= centers[lane]))
}

/// The centers of the items of a full leaf on an axis.
fn centers_on<A: Vector>(tree: &LooseTree<A>, leaf: usize, axis: usize) -> [A::Scalar; ROOM] {
    let items = &tree.tree.items;
    let mut centers = [A::Scalar::ZERO; ROOM];
    for (block, centers) in centers.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
        let block = leaf * MOST_BLOCKS + block;
        *centers = items.points[block].as_ref()[axis].0;
        if let Some(high) = items.highs.get(block) {
            for (center, &high) in centers.iter_mut().zip(&high.as_ref()[axis].0) {
                let [low, high] = [*center, high].map(A::splat);
                *center = Aabb::from_corners(low, high).center().axis(0);
            }
        }
    }
    centers
}

/// Chooses the cut of a full node: of the planes that cross no child's cell, the first that is good enough or the most balanced. Cells
/// come from successive cuts, so there is such a plane if two are not empty. Otherwise every second child with an empty cell moves.
fn separator<A: Vector>(tree: &LooseTree<A>, node: usize) -> (Plane<A::Scalar>, u64) {
    let cells: [Aabb<A>; ROOM] = from_fn(|lane| tree.cell(node * ROOM + lane));
    let empty = lanes_where(|lane| is_empty(&cells[lane]));
    let many = empty.count_zeros();
    // Try the low faces of cells, until one divides the children evenly enough.
    let (mut best, mut fewest) = (None, 0);
    for axis in 0..A::DIM {
        let lows: [_; ROOM] = from_fn(|lane| cells[lane].min().axis(axis));
        let highs: [_; ROOM] = from_fn(|lane| cells[lane].max().axis(axis));
        for at in lows {
            if fewest >= EVEN {
                break;
            }
            if at.abs() == A::Scalar::INFINITY {
                continue;
            }
            // A plane crosses no cell if all cells that reach it lie above it. The low faces of empty cells lie above all planes.
            let above = count_from(&lows, at) - empty.count_ones();
            let reaching = count_from(&highs, at);
            let even = above.min(many - reaching);
            if above == reaching && even > fewest {
                (best, fewest) = (Some((axis, at)), even);
            }
        }
    }
    let Some((axis, at)) = best else {
        return (None, empty & ALTERNATE);
    };
    // Assign children by the low faces of their cells, or by the centers of their boxes if the cell is empty.
    let moves = lanes_where(|lane| {
        let is_empty = empty >> lane & 1 == 1;
        let center = || tree.bounds(node * ROOM + lane).core.center();
        let corner = if is_empty {
            center()
        } else {
            cells[lane].min()
        };
        corner.axis(axis) >= at
    });
    (best, moves)
}

/// Every second lane.
const ALTERNATE: u64 = u64::MAX / 3 * 2;

/// Cuts a cell in two. A half without points becomes the empty cell. Cells are closed: the lower half ends at the last float before the
/// cut.
pub(super) fn cut<A: Vector>(cell: &Aabb<A>, axis: usize, at: A::Scalar) -> [Aabb<A>; 2] {
    let (low, high) = (cell.min().axis(axis), cell.max().axis(axis));
    let halves = [(low, high.smaller(at.next_down())), (low.larger(at), high)];
    halves.map(|(low, high)| {
        let mut half = Boxes::empty();
        if low <= high {
            half.set(0, cell);
            half.set_on(axis, 0, low, high);
        }
        half.get(0)
    })
}

/// True if a cell contains no point.
pub(super) fn is_empty<A: Vector>(cell: &Aabb<A>) -> bool {
    (0..A::DIM).any(|axis| cell.min().axis(axis) > cell.max().axis(axis))
}

//! Grids: to which leaf, or which finer grid, an item goes, and by what arithmetic.

use super::node::{FANOUT, NONE};
use crate::simd::LANES;
use crate::vector::{Scalar, Vector};

/// What a cell leads to that is a grid and not a leaf: the highest bit of its number.
pub(super) const FINER: u32 = 1 << 31;

/// Cells that say where an item goes. The first tells sizes apart: it has a cell for each class.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid<A: Vector> {
    pub(super) partition: Partition<A>,
    /// The grid that it is in a cell of; `NONE` of the first.
    pub(super) parent: u32,
    /// The number of a leaf, or that of a grid with [`FINER`]; `NONE` where nothing lies.
    pub(super) cells: [u32; FANOUT],
}

impl<A: Vector> Grid<A> {
    /// All cells of which lead to the same.
    pub(super) fn new(partition: Partition<A>, parent: u32, to: u32) -> Self {
        Self {
            partition,
            parent,
            cells: [to; FANOUT],
        }
    }

    /// The cell of an item, and whether it lies far outside of what the partition was made for.
    #[inline(always)]
    pub(super) fn cell(&self, center: A, slot: u32) -> (usize, bool) {
        self.partition.cell(center, slot)
    }

    /// The partition of a finer grid for items, which all lie in one cell.
    pub(super) fn partition_below(&self, cell: usize, items: &LeafItems<A>) -> Partition<A> {
        Partition::of_items(items, self.partition.region(cell))
    }

    /// Lets all cells that led to one thing lead to another.
    #[inline(always)]
    pub(super) fn redirect(&mut self, old: u32, new: u32) {
        for cell in &mut self.cells {
            *cell = if *cell == old { new } else { *cell };
        }
    }

    /// The one thing that cells lead to, if there are not several; `NONE` where there is nothing.
    pub(super) fn only(&self) -> Option<u32> {
        // All bits are set in the number of nothing.
        let (mut all, mut any) = (NONE, 0);
        for &cell in &self.cells {
            all &= cell;
            any |= if cell == NONE { 0 } else { cell };
        }
        (all == any || any == 0).then_some(all)
    }

    /// Takes from a leaf the cells that differ in a bit from those of all of its items: halves in
    /// which nothing lies. A bit for each cell that it had, and for each that it keeps.
    pub(super) fn drop_empty_halves(&mut self, leaf: u32, cells: &[usize; LANES]) -> (u64, u64) {
        let (mut all, mut any) = (usize::MAX, 0);
        for cell in cells {
            (all, any) = (all & cell, any | cell);
        }
        // All the bits that there are: slots use them in any dimension.
        let same = !(all ^ any) & (FANOUT - 1);
        let (mut own, mut kept) = (0, 0);
        for (cell, to) in self.cells.iter_mut().enumerate() {
            let is_own = *to == leaf;
            let is_kept = is_own && (cell ^ all) & same == 0;
            own |= u64::from(is_own) << cell;
            kept |= u64::from(is_kept) << cell;
            *to = if is_own && !is_kept { NONE } else { *to };
        }
        (own, kept)
    }
}

/// So many grids above each other are nothing unusual: each is four times as wide as the one below.
const USUAL_DEPTH: u32 = 8;

/// How the cells of a grid divide items.
#[derive(Clone, Copy, Debug)]
pub(super) enum Partition<A: Vector> {
    /// By the class of their sizes: the first grid.
    Sizes,
    /// By the cell of a cubic grid that holds their center, or is nearest to it. The origin is
    /// halved, so that no difference overflows. Nothing depends on where cells end.
    Cubes {
        origin: A,
        scale: A::Scalar,
        /// How many grids below it coarser ones were put above.
        coarser: u32,
        /// Whether the outer cells are for all that lies beyond.
        is_open: bool,
    },
    /// All are within a reach of one center: by bits of their slots. What came one after the other
    /// shares a leaf.
    Slots {
        shift: u32,
        /// What slots have in common above the bits of a cell.
        block: u32,
        center: A,
        reach: A::Scalar,
    },
}

impl<A: Vector> Partition<A> {
    /// Chooses the partition for the items of a full leaf, which come from a region, halved, if that is
    /// known.
    ///
    /// ```text
    /// a grid of the region and the items, unless they fill a small part of it or crowd in one cell
    /// else a grid of the items; while most crowd in one cell, of those
    /// else, where all lie in one place, the bits of their slots
    /// ```
    pub(super) fn of_items(items: &LeafItems<A>, region: Option<(A, A)>) -> Self {
        let reach = items.size * Scalar::from_f64(NEAR);
        let all = (1 << LANES) - 1;
        let (low, high) = halved(&items.centers, all);
        let enough = reach * half::<A>();
        if let Some((low, high)) = filled(low, high, region)
            && let Some(partition) = grid_of(low, high, enough, false)
            && crowd(&partition, items).count_ones() <= CROWD_AT_FIRST
        {
            return partition;
        }
        if let Some(mut partition) = grid_of(low, high, enough, false) {
            // Where sizes of gaps differ by much, most lie in one cell: a grid of that, and the outer
            // cells for the rest, else the tree would be as deep as there are such sizes.
            let mut fullest = crowd(&partition, items);
            while fullest.count_ones() > CROWD {
                let (low, high) = halved(&items.centers, fullest);
                let Some(finer) = grid_of(low, high, enough, true) else {
                    break;
                };
                partition = finer;
                // Of those, the outermost are in different cells now.
                fullest &= crowd(&partition, items);
            }
            if fullest != all {
                return partition;
            }
        }
        let mut shift = FIRST_BITS;
        let block = |shift: u32, slot: u32| u64::from(slot) >> (shift + FANOUT.ilog2());
        while items
            .slots
            .iter()
            .any(|&slot| block(shift, slot) != block(shift, items.slots[0]))
        {
            shift += FANOUT.ilog2();
        }
        Self::Slots {
            shift,
            block: block(shift, items.slots[0]) as u32,
            center: items.centers[0],
            reach,
        }
    }

    /// A grid for many items in a box, which come from a region, both halved: `size` is the shortest edge of any.
    pub(super) fn of_many(
        low: A,
        high: A,
        region: Option<(A, A)>,
        size: A::Scalar,
    ) -> Option<Self> {
        let (low, high) = filled(low, high, region).unwrap_or((low, high));
        grid_of(
            low,
            high,
            size * Scalar::from_f64(NEAR) * half::<A>(),
            false,
        )
    }

    /// A coarser partition, in which the item and all of this one have different cells, this one in the corner
    /// away from the item; or one with more slots. With it the cell of this one there, and whether that cell is larger than
    /// need be.
    pub(super) fn coarser_for(&self, towards: A, slot: u32) -> Option<(Self, usize, bool)> {
        let (origin, width, coarser) = match *self {
            Self::Sizes => return None,
            Self::Slots { center, reach, .. } => {
                if !is_far(center, towards, reach) {
                    return self.with_more_slots(slot);
                }
                let halved = |axis| center.axis(axis) * half::<A>();
                (A::from_fn(halved), Scalar::ZERO, 0)
            }
            Self::Cubes {
                origin,
                scale,
                coarser,
                ..
            } => (origin, cells_along::<A>() / scale, coarser),
        };
        let last: A::Scalar = Scalar::from_f64(((1 << axis_bits::<A>()) - 1) as f64);
        let (mut beyond, mut cell) = (A::Scalar::ZERO, 0);
        let is_below = |axis| towards.axis(axis) * half::<A>() < origin.axis(axis);
        for axis in 0..A::DIM {
            let apart = towards.axis(axis) * half::<A>() - origin.axis(axis);
            beyond = beyond.larger((apart - width).larger(A::Scalar::ZERO - apart));
            if is_below(axis) {
                cell |= ((1 << axis_bits::<A>()) - 1) << (axis_bits::<A>() * axis);
            }
        }
        // Where grids are put above grids again and again, cells are larger than need be.
        let often = coarser.clamp(USUAL_DEPTH, USUAL_DEPTH + 12) - USUAL_DEPTH;
        let ahead = Scalar::from_f64((1_u64 << (2 * often)) as f64);
        // The item lies in the middle of the last cell, so that rounding does not bring it here.
        let edge = (width * ahead).larger(beyond / (last + half::<A>()));
        let origin = A::from_fn(|axis| {
            let origin = origin.axis(axis);
            if is_below(axis) {
                // At once, since each step would be rounded.
                origin - (edge + edge * last - width)
            } else {
                origin
            }
        });
        let scale = A::Scalar::ONE / edge;
        let is_usable = (edge * last).is_finite() && origin.non_finite_axis().is_none();
        let is_usable = is_usable && scale > Scalar::ZERO && scale < Scalar::INFINITY;
        let wider = Self::Cubes {
            origin,
            scale,
            coarser: coarser + 1,
            is_open: false,
        };
        let has_room = edge > width;
        // Else the item would come here again, and so on without end.
        let is_apart = wider.cell(towards, slot).0 != cell;
        if is_usable && (is_apart || has_room && matches!(self, Self::Cubes { .. })) {
            return Some((wider, cell, has_room));
        }
        self.with_more_slots(slot)
    }

    /// Slots above these, unless the slot is among these or they are none.
    fn with_more_slots(&self, slot: u32) -> Option<(Self, usize, bool)> {
        let Self::Slots {
            shift,
            block,
            center,
            reach,
        } = *self
        else {
            return None;
        };
        let wider = Self::Slots {
            shift: shift + FANOUT.ilog2(),
            block: block / FANOUT as u32,
            center,
            reach,
        };
        let is_there = (slot >> shift) / FANOUT as u32 == block;
        (!is_there).then_some((wider, block as usize % FANOUT, false))
    }

    /// What lies beyond goes to the outer cells from now on.
    pub(super) fn open(&mut self) {
        if let Self::Cubes { is_open, .. } = self {
            *is_open = true;
        }
    }

    /// The corners of a cell, halved.
    pub(super) fn region(&self, cell: usize) -> Option<(A, A)> {
        let Self::Cubes { origin, scale, .. } = *self else {
            return None;
        };
        let edge = A::Scalar::ONE / scale;
        let corner = |end: usize| {
            A::from_fn(|axis| {
                let number = cell >> (axis_bits::<A>() * axis) & ((1 << axis_bits::<A>()) - 1);
                origin.axis(axis) + edge * Scalar::from_f64((number + end) as f64)
            })
        };
        let (low, high) = (corner(0), corner(1));
        let is_usable = low.non_finite_axis().is_none() && high.non_finite_axis().is_none();
        is_usable.then_some((low, high))
    }

    /// The cell of an item, and whether it lies far outside of what this was made for.
    #[inline(always)]
    pub(super) fn cell(&self, center: A, slot: u32) -> (usize, bool) {
        match *self {
            Self::Sizes => (0, false),
            Self::Cubes {
                origin,
                scale,
                is_open,
                ..
            } => {
                let last: A::Scalar = Scalar::from_f64(((1 << axis_bits::<A>()) - 1) as f64);
                let middle = last * half::<A>();
                // Added to this, a small number is rounded to an integer, which stands in the lowest bits.
                let large = A::Scalar::ONE / A::Scalar::EPSILON;
                let (mut cell, mut farthest) = (0, A::Scalar::ZERO);
                for axis in 0..A::DIM {
                    let along = (center.axis(axis) * half::<A>() - origin.axis(axis)) * scale;
                    let along = along - half::<A>();
                    // NaN, which comes of 0 times infinity, is smaller than all.
                    farthest = (along - middle).abs().larger(farthest);
                    let number = along.larger(Scalar::ZERO).smaller(last) + large;
                    let number = number.to_bits() as usize & ((1 << axis_bits::<A>()) - 1);
                    cell |= number << (axis_bits::<A>() * axis);
                }
                // More than a cell outside.
                (cell, !is_open && farthest > middle + Scalar::from_f64(1.5))
            }
            Self::Slots {
                shift,
                block,
                center: one,
                reach,
            } => {
                let number = (slot >> shift) as usize;
                let is_elsewhere = number / FANOUT != block as usize;
                (number % FANOUT, is_elsewhere | is_far(center, one, reach))
            }
        }
    }
}

/// Whether two points are farther from each other than a reach on any axis.
#[inline(always)]
fn is_far<A: Vector>(a: A, b: A, reach: A::Scalar) -> bool {
    let mut is_far = false;
    for axis in 0..A::DIM {
        is_far |= (a.axis(axis) - b.axis(axis)).abs() > reach;
    }
    is_far
}

/// The bits of a cell's number on each axis.
pub(super) const fn axis_bits<A: Vector>() -> usize {
    FANOUT.trailing_zeros() as usize / A::DIM
}

/// The bits of a cell's number.
pub(super) const fn cell_bits<A: Vector>() -> usize {
    axis_bits::<A>() * A::DIM
}

/// How many cells lie along an axis.
pub(super) fn cells_along<A: Vector>() -> A::Scalar {
    Scalar::from_f64((1 << axis_bits::<A>()) as f64)
}

#[inline(always)]
pub(super) fn half<A: Vector>() -> A::Scalar {
    Scalar::from_f64(0.5)
}

/// The bits of a slot that tell nothing apart: as many as fit into a leaf.
const FIRST_BITS: u32 = LANES.ilog2();
/// More than so many items in one cell are a crowd.
const CROWD: u32 = LANES as u32 * 3 / 4;
/// The same in a grid of the whole region, from which others are to come.
const CROWD_AT_FIRST: u32 = LANES as u32 - 2;
/// What lies nearer than this share of its size is as good as in one place.
const NEAR: f64 = 1.0 / 4096.0;

/// What is to be known of the items of a full leaf to split it.
pub(super) struct LeafItems<A: Vector> {
    pub(super) centers: [A; LANES],
    pub(super) slots: [u32; LANES],
    /// The shortest edge of any.
    pub(super) size: A::Scalar,
}

/// The corners of a box and the region that what it holds comes from, as others will, unless it fills a small
/// part of that.
fn filled<A: Vector>(low: A, high: A, region: Option<(A, A)>) -> Option<(A, A)> {
    let filled =
        |(from, to): &(A, A)| width(low, high) * Scalar::from_f64(4.0) >= width(*from, *to);
    region.filter(filled).map(|(from, to)| {
        (
            A::from_fn(|axis| low.axis(axis).smaller(from.axis(axis))),
            A::from_fn(|axis| high.axis(axis).larger(to.axis(axis))),
        )
    })
}

/// A grid of a box, halved, unless that is no larger than need be told apart.
fn grid_of<A: Vector>(low: A, high: A, enough: A::Scalar, is_open: bool) -> Option<Partition<A>> {
    let scale = cells_along::<A>() / width(low, high);
    let is_usable = scale.is_finite() && width(low, high) > enough;
    is_usable.then_some(Partition::Cubes {
        origin: low,
        scale,
        coarser: 0,
        is_open,
    })
}

/// The items in the cell that has most.
fn crowd<A: Vector>(partition: &Partition<A>, items: &LeafItems<A>) -> u32 {
    let cells = items.centers.map(|center| partition.cell(center, 0).0);
    let mut held = [0_u8; FANOUT];
    let (mut fullest, mut most) = (0, 0);
    for cell in cells {
        held[cell % FANOUT] += 1;
        if held[cell % FANOUT] > most {
            (fullest, most) = (cell, held[cell % FANOUT]);
        }
    }
    let held = |at: usize| u32::from(cells[at] == fullest) << at;
    (0..LANES).fold(0, |all, at| all | held(at))
}

/// The corners of the box around some of the points, halved.
fn halved<A: Vector>(points: &[A; LANES], which: u32) -> (A, A) {
    let first = points[which.trailing_zeros() as usize % LANES];
    let (mut low, mut high) = (first, first);
    for (at, point) in points.iter().enumerate() {
        if which >> at & 1 == 1 {
            low = A::from_fn(|axis| low.axis(axis).smaller(point.axis(axis)));
            high = A::from_fn(|axis| high.axis(axis).larger(point.axis(axis)));
        }
    }
    let half_of = |corner: A| A::from_fn(|axis| corner.axis(axis) * half::<A>());
    (half_of(low), half_of(high))
}

/// The longest edge.
fn width<A: Vector>(low: A, high: A) -> A::Scalar {
    let apart = |axis| high.axis(axis) - low.axis(axis);
    (0..A::DIM).fold(A::Scalar::ZERO, |most, axis| most.larger(apart(axis)))
}

//! The arithmetic that says to which cell of a node an item goes.

use crate::{Scalar, Vector};

/// The cells of a node, and the most lanes that it has.
pub(super) const FAN: usize = 64;

/// So many grids above each other are nothing unusual: each is four times as wide as the one below.
const OFTEN: u32 = 8;

/// How items are told apart.
#[derive(Clone, Copy)]
pub(super) enum Rule<V: Vector> {
    /// By the class of their sizes: the first node.
    Sizes,
    /// By the cell of a cubic grid that holds their center, or is nearest to it. The origin is
    /// halved, so that no difference overflows. Nothing depends on where cells end.
    Grid {
        origin: V,
        scale: V::Scalar,
        /// How many grids are below that this was put above.
        raises: u32,
        /// Whether the outer cells are for all that lies beyond.
        is_open: bool,
    },
    /// All are within a reach of one center: by bits of their slots. What came one after the other
    /// shares a leaf.
    Slots {
        shift: u32,
        /// What slots have in common above the bits of a cell.
        block: u32,
        center: V,
        reach: V::Scalar,
    },
}

impl<V: Vector> Rule<V> {
    /// A rule that tells what this is for from an item: a grid with this in one cell, in the corner
    /// away from the item, or more slots. Its cell for what this is for, and whether that is larger
    /// than need be.
    pub(super) fn wider(&self, towards: V, slot: u32) -> Option<(Self, usize, bool)> {
        let (origin, width, raises) = match *self {
            Self::Sizes => return None,
            Self::Slots { center, reach, .. } => {
                if !is_far(center, towards, reach) {
                    return self.with_more_slots(slot);
                }
                let halved = |axis| center.axis(axis) * half::<V>();
                (V::from_fn(halved), Scalar::ZERO, 0)
            }
            Self::Grid {
                origin,
                scale,
                raises,
                ..
            } => (origin, cells_along::<V>() / scale, raises),
        };
        let last: V::Scalar = Scalar::from_f64(((1 << bits::<V>()) - 1) as f64);
        let (mut beyond, mut cell) = (V::Scalar::ZERO, 0);
        let is_below = |axis| towards.axis(axis) * half::<V>() < origin.axis(axis);
        for axis in 0..V::DIM {
            let apart = towards.axis(axis) * half::<V>() - origin.axis(axis);
            beyond = beyond.larger((apart - width).larger(V::Scalar::ZERO - apart));
            if is_below(axis) {
                cell |= ((1 << bits::<V>()) - 1) << (bits::<V>() * axis);
            }
        }
        // Where grids are put above grids again and again, cells are larger than need be.
        let often = raises.clamp(OFTEN, OFTEN + 12) - OFTEN;
        let ahead = Scalar::from_f64((1_u64 << (2 * often)) as f64);
        // The item lies in the middle of the last cell, so that rounding does not bring it here.
        let edge = (width * ahead).larger(beyond / (last + half::<V>()));
        let origin = V::from_fn(|axis| {
            let origin = origin.axis(axis);
            if is_below(axis) {
                // At once, since each step would be rounded.
                origin - (edge + edge * last - width)
            } else {
                origin
            }
        });
        let scale = V::Scalar::ONE / edge;
        let is_usable = (edge * last).is_finite() && origin.non_finite_axis().is_none();
        let is_usable = is_usable && scale > Scalar::ZERO && scale < Scalar::INFINITY;
        let wider = Self::Grid {
            origin,
            scale,
            raises: raises + 1,
            is_open: false,
        };
        let has_room = edge > width;
        // Else the item would come here again, and so on without end.
        let is_parted = wider.cell(towards, slot).0 != cell;
        if is_usable && (is_parted || has_room && matches!(self, Self::Grid { .. })) {
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
            shift: shift + FAN.ilog2(),
            block: block / FAN as u32,
            center,
            reach,
        };
        let is_there = (slot >> shift) / FAN as u32 == block;
        (!is_there).then_some((wider, block as usize % FAN, false))
    }

    /// What lies beyond goes to the outer cells from now on.
    pub(super) fn open(&mut self) {
        if let Self::Grid { is_open, .. } = self {
            *is_open = true;
        }
    }

    /// The corners of a cell, halved.
    pub(super) fn region(&self, cell: usize) -> Option<(V, V)> {
        let Self::Grid { origin, scale, .. } = *self else {
            return None;
        };
        let edge = V::Scalar::ONE / scale;
        let corner = |end: usize| {
            V::from_fn(|axis| {
                let number = cell >> (bits::<V>() * axis) & ((1 << bits::<V>()) - 1);
                origin.axis(axis) + edge * Scalar::from_f64((number + end) as f64)
            })
        };
        let (low, high) = (corner(0), corner(1));
        let is_usable = low.non_finite_axis().is_none() && high.non_finite_axis().is_none();
        is_usable.then_some((low, high))
    }

    /// The cell of an item, and whether it lies far outside of what this was made for.
    #[inline(always)]
    pub(super) fn cell(&self, center: V, slot: u32) -> (usize, bool) {
        match *self {
            Self::Sizes => (0, false),
            Self::Grid {
                origin,
                scale,
                is_open,
                ..
            } => {
                let last: V::Scalar = Scalar::from_f64(((1 << bits::<V>()) - 1) as f64);
                let middle = last * half::<V>();
                // Added to this, a small number is rounded to an integer in the lowest bits.
                let large = V::Scalar::ONE / V::Scalar::EPSILON;
                let (mut cell, mut farthest) = (0, V::Scalar::ZERO);
                for axis in 0..V::DIM {
                    let along = (center.axis(axis) * half::<V>() - origin.axis(axis)) * scale;
                    let along = along - half::<V>();
                    // NaN, which comes of 0 times infinity, is smaller than all.
                    farthest = (along - middle).abs().larger(farthest);
                    let number = along.larger(Scalar::ZERO).smaller(last) + large;
                    let number = number.to_bits() as usize & ((1 << bits::<V>()) - 1);
                    cell |= number << (bits::<V>() * axis);
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
                let is_elsewhere = number / FAN != block as usize;
                (number % FAN, is_elsewhere | is_far(center, one, reach))
            }
        }
    }
}

/// Whether two points are farther from each other than a reach on any axis.
#[inline(always)]
fn is_far<V: Vector>(a: V, b: V, reach: V::Scalar) -> bool {
    let mut is_far = false;
    for axis in 0..V::DIM {
        is_far |= (a.axis(axis) - b.axis(axis)).abs() > reach;
    }
    is_far
}

/// The bits of a cell's number on each axis.
pub(super) const fn bits<V: Vector>() -> usize {
    FAN.trailing_zeros() as usize / V::DIM
}

/// The bits of a cell's number.
pub(super) const fn all_bits<V: Vector>() -> usize {
    bits::<V>() * V::DIM
}

/// How many cells lie along an axis.
pub(super) fn cells_along<V: Vector>() -> V::Scalar {
    Scalar::from_f64((1 << bits::<V>()) as f64)
}

#[inline(always)]
pub(super) fn half<V: Vector>() -> V::Scalar {
    Scalar::from_f64(0.5)
}

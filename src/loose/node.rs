//! Nodes and leaves, and the arithmetic that says where an item goes.

use crate::overlap::Extent;
use crate::overlap::lanes::{Boxes, Columns, Layout};
use crate::simd::{Column, LANES};
use crate::{Bounded, Scalar, Vector};

/// No lane, no node.
pub(super) const NONE: u32 = u32::MAX;

/// The most lanes of a node, and its cells.
pub(super) const FAN: usize = 64;
pub(super) const BLOCKS: usize = FAN / LANES;

/// A child that is a node and not a leaf: the highest bit of its number.
pub(super) const INNER: u32 = 1 << 31;

/// The bits of a slot that tell nothing apart: as many as fit into a leaf.
pub(super) const FIRST_BITS: u32 = LANES.ilog2();

/// A cell that has no lane.
pub(super) const EMPTY: u8 = u8::MAX;

/// Up to sixteen items. The lists of a tree's other columns run parallel to that of its leaves.
#[derive(Clone, Copy)]
pub(super) struct Leaf<V: Vector> {
    /// Points, the least corners of boxes, or the centres of balls.
    pub(super) points: Columns<V>,
    pub(super) slots: [u32; LANES],
    pub(super) generations: [u32; LANES],
    /// The lane that holds it.
    pub(super) parent: u32,
    pub(super) len: u32,
    /// How often an item left or moved since the bounds were tight.
    pub(super) departures: u32,
}

impl<V: Vector> Leaf<V> {
    pub(super) fn new(parent: u32) -> Self {
        Self {
            points: zeros::<V>(),
            slots: [0; LANES],
            generations: [0; LANES],
            parent,
            len: 0,
            departures: 0,
        }
    }

    pub(super) fn slots(&self) -> &[u32] {
        &self.slots[..self.len as usize]
    }
}

/// Children in lanes, with their bounds in columns, and cells that say which lane an item goes to.
/// A lane is named by its node's number times [`FAN`] and its place there.
#[derive(Clone, Copy)]
pub(super) struct Node<V: Vector> {
    pub(super) rule: Rule<V>,
    /// The lane that holds it; `NONE` of the first node.
    pub(super) parent: u32,
    pub(super) lanes: u32,
    /// How often the bounds of a lane shrank since those of the node were tight.
    pub(super) departures: u32,
    pub(super) lane_of: [u8; FAN],
    pub(super) children: [[u32; LANES]; BLOCKS],
    pub(super) bounds: [Boxes<V>; BLOCKS],
}

/// How items are told apart.
#[derive(Clone, Copy)]
pub(super) enum Rule<V: Vector> {
    /// By [`class_of`] their sizes: the first node.
    Sizes,
    /// By the cell of a cubic grid that holds their centre, or is nearest to it. The origin is
    /// halved, so that no difference overflows. Nothing depends on where cells end.
    Grid {
        origin: V,
        scale: V::Scalar,
        /// How many grids are below that this was put above.
        raises: u32,
        /// Whether the outer cells are for all that lies beyond.
        is_open: bool,
    },
    /// All are within a reach of one centre: by bits of their slots. What came one after the other
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
    /// A rule that tells what this is for from an item, and its cell for that: a grid of which this is
    /// in one cell, in the corner away from the item, or more slots. Whether the cell is larger than
    /// need be.
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
        // Where grids are put above grids again and again, more than need be.
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

    #[inline(always)]
    fn cell(&self, center: V, slot: u32) -> (usize, bool) {
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

pub(super) fn zeros<V: Vector>() -> Columns<V> {
    V::axes(Column([V::Scalar::ZERO; LANES]))
}

impl<V: Vector> Node<V> {
    pub(super) fn new(rule: Rule<V>, parent: u32) -> Self {
        let nowhere = Boxes {
            low: zeros::<V>(),
            high: zeros::<V>(),
        };
        Self {
            rule,
            parent,
            lanes: 0,
            departures: 0,
            lane_of: [EMPTY; FAN],
            children: [[0; LANES]; BLOCKS],
            bounds: [nowhere; BLOCKS],
        }
    }

    /// The cell of an item, and whether it lies far outside of what the rule was made for.
    #[inline(always)]
    pub(super) fn cell(&self, center: V, slot: u32) -> (usize, bool) {
        self.rule.cell(center, slot)
    }

    /// The cell of a number, halved: its corners.
    fn region(&self, cell: usize) -> Option<(V, V)> {
        let Rule::Grid { origin, scale, .. } = self.rule else {
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

    /// The rule of a child for items, which all lie in one cell.
    pub(super) fn rule_below(&self, cell: usize, items: &Items<V>) -> Rule<V> {
        rule_for(items, self.region(cell))
    }
}

/// What is to be known of the items of a full leaf to divide it.
pub(super) struct Items<V: Vector> {
    pub(super) centers: [V; LANES],
    pub(super) slots: [u32; LANES],
    /// The shortest edge of any.
    pub(super) size: V::Scalar,
}

#[inline(always)]
fn half<V: Vector>() -> V::Scalar {
    Scalar::from_f64(0.5)
}

/// More than so many items in one cell are a crowd, and where others are to come.
const CROWD: u32 = LANES as u32 * 3 / 4;
const CROWD_AT_FIRST: u32 = LANES as u32 - 2;
/// So many grids above each other are nothing unusual: each is four times as wide as the one below.
const OFTEN: u32 = 8;
/// What lies nearer than this share of its size is as good as in one place.
const NEAR: f64 = 1.0 / 4096.0;

/// The rule for items, which come from a region, halved, if that is known.
pub(super) fn rule_for<V: Vector>(items: &Items<V>, region: Option<(V, V)>) -> Rule<V> {
    let reach = items.size * Scalar::from_f64(NEAR);
    let all = (1 << LANES) - 1;
    let (low, high) = halved(&items.centers, all);
    let enough = reach * half::<V>();
    // Others will come from all of the region, unless these fill a small part of it.
    let filled =
        region.filter(|(from, to)| width(low, high) * Scalar::from_f64(4.0) >= width(*from, *to));
    if let Some((from, to)) = filled {
        let low = V::from_fn(|axis| low.axis(axis).smaller(from.axis(axis)));
        let high = V::from_fn(|axis| high.axis(axis).larger(to.axis(axis)));
        if let Some(rule) = grid(low, high, enough, false)
            && crowd(&rule, items).count_ones() <= CROWD_AT_FIRST
        {
            return rule;
        }
    }
    if let Some(mut rule) = grid(low, high, enough, false) {
        // Where sizes of gaps differ by much, most lie in one cell: a grid of that, and the outer
        // cells for the rest, else the tree would be as deep as there are such sizes.
        let mut fullest = crowd(&rule, items);
        while fullest.count_ones() > CROWD {
            let (low, high) = halved(&items.centers, fullest);
            let Some(finer) = grid(low, high, enough, true) else {
                break;
            };
            rule = finer;
            // Of those, the outermost are in different cells now.
            fullest &= crowd(&rule, items);
        }
        if fullest != all {
            return rule;
        }
    }
    let mut shift = FIRST_BITS;
    let block = |shift: u32, slot: u32| u64::from(slot) >> (shift + FAN.ilog2());
    while items
        .slots
        .iter()
        .any(|&slot| block(shift, slot) != block(shift, items.slots[0]))
    {
        shift += FAN.ilog2();
    }
    Rule::Slots {
        shift,
        block: block(shift, items.slots[0]) as u32,
        center: items.centers[0],
        reach,
    }
}

/// A grid of a box, halved, unless that is no larger than need be told apart.
fn grid<V: Vector>(low: V, high: V, enough: V::Scalar, is_open: bool) -> Option<Rule<V>> {
    let scale = cells_along::<V>() / width(low, high);
    let is_usable = scale.is_finite() && width(low, high) > enough;
    is_usable.then_some(Rule::Grid {
        origin: low,
        scale,
        raises: 0,
        is_open,
    })
}

/// The items in the cell that has most.
fn crowd<V: Vector>(rule: &Rule<V>, items: &Items<V>) -> u32 {
    let cells = items.centers.map(|center| rule.cell(center, 0).0);
    let mut held = [0_u8; FAN];
    let (mut fullest, mut most) = (0, 0);
    for cell in cells {
        held[cell % FAN] += 1;
        if held[cell % FAN] > most {
            (fullest, most) = (cell, held[cell % FAN]);
        }
    }
    let held = |at: usize| u32::from(cells[at] == fullest) << at;
    (0..LANES).fold(0, |all, at| all | held(at))
}

/// The corners of the box around some of the points, halved.
fn halved<V: Vector>(points: &[V; LANES], which: u32) -> (V, V) {
    let first = points[which.trailing_zeros() as usize % LANES];
    let (mut low, mut high) = (first, first);
    for (at, point) in points.iter().enumerate() {
        if which >> at & 1 == 1 {
            low = V::from_fn(|axis| low.axis(axis).smaller(point.axis(axis)));
            high = V::from_fn(|axis| high.axis(axis).larger(point.axis(axis)));
        }
    }
    let half_of = |corner: V| V::from_fn(|axis| corner.axis(axis) * half::<V>());
    (half_of(low), half_of(high))
}

/// How many cells lie along an axis.
fn cells_along<V: Vector>() -> V::Scalar {
    Scalar::from_f64((1 << bits::<V>()) as f64)
}

/// The longest edge.
fn width<V: Vector>(low: V, high: V) -> V::Scalar {
    let apart = |axis| high.axis(axis) - low.axis(axis);
    (0..V::DIM).fold(V::Scalar::ZERO, |most, axis| most.larger(apart(axis)))
}

/// What is to be known of an item to place it.
#[derive(Clone, Copy)]
pub(super) struct Spot<V: Vector> {
    pub(super) extent: Extent<V>,
    pub(super) center: V,
    pub(super) class: u32,
}

impl<V: Vector> Spot<V> {
    #[inline(always)]
    pub(super) fn of<T: Bounded<Vector = V>>(item: &T) -> Self {
        Self {
            extent: Extent::of(item),
            center: center_of(item),
            class: class_of(item),
        }
    }
}

#[inline(always)]
pub(super) fn center_of<T: Bounded>(item: &T) -> T::Vector {
    match T::LAYOUT {
        Layout::Point | Layout::Ball => item.core().min(),
        Layout::Box | Layout::Whole => item.core().center(),
    }
}

/// Sizes that differ by less than 32 times have the same class or adjacent ones. There are fewer
/// classes of `f32` than lanes.
#[inline(always)]
pub(super) fn class_of<T: Bounded>(item: &T) -> u32 {
    if T::LAYOUT == Layout::Point {
        return 0;
    }
    let (core, rounding) = (item.core(), item.rounding());
    let zero: <T::Vector as Vector>::Scalar = Scalar::ZERO;
    let edge = (0..T::Vector::DIM).fold(zero, |most, axis| {
        most.larger(core.max().axis(axis) - core.min().axis(axis))
    });
    let size: f64 = (edge + rounding + rounding).into();
    (size.to_bits() >> 52) as u32 / 5
}

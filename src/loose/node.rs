//! Nodes and leaves, and the arithmetic that says where an item goes.

use crate::overlap::Extent;
use crate::overlap::lanes::{Boxes, Columns, Layout};
use crate::simd::{Column, LANES};
use crate::{Aabb, Bounded, Scalar, Vector};

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
    Grid { origin: V, scale: V::Scalar },
    /// All have one centre, or nearly: by bits of their slots, as many as lanes can tell apart. What
    /// came one after the other shares a leaf.
    Slots { shift: u32, center: V },
}

impl<V: Vector> Rule<V> {
    /// A rule that tells what this is for from a point, and its cell for that: a grid of which this
    /// is one cell, in the corner away from the point.
    pub(super) fn wider(&self, towards: V) -> Option<(Self, usize)> {
        let (origin, scale) = match *self {
            Self::Sizes => return None,
            Self::Slots { center, .. } => {
                let rule = rule_for(&[center, towards], None, FIRST_BITS);
                let is_grid = matches!(rule, Self::Grid { .. });
                return is_grid.then(|| (rule, rule.cell(center, 0).0));
            }
            Self::Grid { origin, scale } => (origin, scale),
        };
        let width = cells_along::<V>() / scale;
        let last = (1 << bits::<V>()) - 1;
        let is_below = |axis| towards.axis(axis) * half::<V>() < origin.axis(axis);
        let cell = (0..V::DIM).filter(|&axis| is_below(axis));
        let cell = cell.fold(0, |cell, axis| cell | last << (bits::<V>() * axis));
        let below = width * Scalar::from_f64(last as f64);
        let origin = V::from_fn(|axis| {
            origin.axis(axis) - if is_below(axis) { below } else { Scalar::ZERO }
        });
        let scale = V::Scalar::ONE / width;
        let is_usable = below.is_finite() && origin.non_finite_axis().is_none();
        let is_usable = is_usable && scale > Scalar::ZERO && scale < Scalar::INFINITY;
        is_usable.then_some((Self::Grid { origin, scale }, cell))
    }

    #[inline(always)]
    fn cell(&self, center: V, slot: u32) -> (usize, bool) {
        match *self {
            Self::Sizes => (0, false),
            Self::Grid { origin, scale } => {
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
                (cell, farthest > middle + Scalar::from_f64(1.5))
            }
            Self::Slots { shift, center: one } => ((slot >> shift) as usize % FAN, center != one),
        }
    }
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
        let Rule::Grid { origin, scale } = self.rule else {
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

    /// The rule of a child for items with these centres, which all lie in one cell.
    pub(super) fn rule_below(&self, cell: usize, centers: &[V]) -> Rule<V> {
        match self.rule {
            Rule::Slots { shift, .. } => rule_for(centers, None, shift + FAN.ilog2()),
            _ => rule_for(centers, self.region(cell), FIRST_BITS),
        }
    }
}

#[inline(always)]
fn half<V: Vector>() -> V::Scalar {
    Scalar::from_f64(0.5)
}

/// The rule for items with these centres, which come from a region, halved, if that is known.
pub(super) fn rule_for<V: Vector>(centers: &[V], region: Option<(V, V)>, shift: u32) -> Rule<V> {
    let Some((low, high)) = halved(centers) else {
        return Rule::Sizes;
    };
    // Others will come from all of the region, unless these fill a small part of it.
    let filled =
        region.filter(|(from, to)| width(low, high) * Scalar::from_f64(4.0) >= width(*from, *to));
    let around = filled.map(|(from, to)| {
        (
            V::from_fn(|axis| low.axis(axis).smaller(from.axis(axis))),
            V::from_fn(|axis| high.axis(axis).larger(to.axis(axis))),
        )
    });
    for (low, high) in around.into_iter().chain([(low, high)]) {
        let scale = cells_along::<V>() / width(low, high);
        if !scale.is_finite() {
            // Less apart than a grid can tell.
            continue;
        }
        let rule = Rule::Grid { origin: low, scale };
        let cell = |&center| rule.cell(center, 0).0;
        let one = cell(&centers[0]);
        if centers.iter().any(|center| cell(center) != one) {
            return rule;
        }
    }
    let center = centers[0];
    Rule::Slots { shift, center }
}

/// The corners of the box around some points, halved.
fn halved<V: Vector>(points: &[V]) -> Option<(V, V)> {
    let points = points.iter().map(|&point| Aabb::point(point));
    let all = points.reduce(|a, b| a.union(&b))?;
    let half_of = |corner: V| V::from_fn(|axis| corner.axis(axis) * half::<V>());
    Some((half_of(all.min()), half_of(all.max())))
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

/// Sizes that differ by less than 8 times have the same class or adjacent ones.
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
    (size.to_bits() >> 52) as u32 / 3
}

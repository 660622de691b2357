//! What is to be known of an item to place it.

use crate::overlap::Extent;
use crate::overlap::lanes::Layout;
use crate::{Bounded, Scalar, Vector};

/// The bounds of an item, and what decides where it goes.
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
    let (core, rounding) = (item.core(), item.radius());
    let zero: <T::Vector as Vector>::Scalar = Scalar::ZERO;
    let edge = (0..T::Vector::DIM).fold(zero, |most, axis| {
        most.larger(core.max().axis(axis) - core.min().axis(axis))
    });
    let size: f64 = (edge + rounding + rounding).into();
    (size.to_bits() >> 52) as u32 / 5
}

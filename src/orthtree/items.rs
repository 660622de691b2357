//! The items of a tree: how each is lent, and the distances of sixteen.

use core::ops::Deref;

use fearless_simd::Simd;

use super::tree::{Items, Tree};
use super::{Kernels, Orthtree};
use crate::overlap::lanes::{Probe, W};
use crate::query::{ItemTree, tree_of_nodes};
use crate::shape::{Bounded, Layout};
use crate::vector::Vector;

impl<A: Vector> Items<A> {
    /// The squared distances of the items of a block.
    #[inline(always)]
    pub(super) fn distance_sq<S: Simd, const MEASURE: bool>(
        &self,
        probe: &Probe<A, S, false, MEASURE>,
        layout: Layout,
        block: usize,
    ) -> W<A, S> {
        let points = &self.points[block];
        if MEASURE {
            // Points as boxes: a third of the code.
            let highs = if layout == Layout::Box {
                &self.highs[block]
            } else {
                points
            };
            let apart = probe.near_measure(points, highs);
            return match layout {
                Layout::Ball => probe.beyond_sq(apart, &self.radii[block]),
                _ => apart,
            };
        }
        match layout {
            Layout::Box => probe.near_measure(points, &self.highs[block]),
            Layout::Whole | Layout::Point => probe.point_measure(points),
            Layout::Ball => probe.beyond_sq(probe.point_sq(points), &self.radii[block]),
        }
    }
}

/// An item that is kept as it is, or made from its columns.
enum Held<'a, T> {
    Kept(&'a T),
    Made(T),
}

impl<T> Deref for Held<'_, T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        match self {
            Self::Kept(item) => item,
            Self::Made(item) => item,
        }
    }
}

impl<T: Bounded> ItemTree for Orthtree<T> {
    type Key = usize;

    tree_of_nodes!();

    #[inline]
    fn item(&self, slot: u32) -> impl Deref<Target = T> {
        let parts = self.core.parts(slot);
        let made = parts.and_then(|(core, radius)| T::from_parts(core.cast(), radius));
        match made {
            Some(item) => Held::Made(item),
            None => Held::Kept(&self.whole[slot as usize]),
        }
    }

    #[inline]
    fn key(&self, slot: u32) -> usize {
        self.core.indices[slot as usize] as usize
    }
}

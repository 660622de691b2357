//! The images that a region may reach: a block of numbers of the reduced vectors.
//!
//! A region reaches an image only where the offset of that image lies in a box as large as the region and all items together, or
//! within the radii of such a box. Along each reduced vector, the least and the greatest coordinate of these offsets bound the
//! numbers of the images. Reduced vectors lean little, so that a block holds few other images.

use alloc::vec::Vec;
use core::cmp::Ordering;

use super::Periodic;
use super::image::is_tested_by_difference;
use super::lattice::{LAST, Wide, dot, wide};
use super::translate::Translate;
use crate::error::{Error, reserve};
use crate::lattice::{Block, ceil, floor};
use crate::overlap::lanes::Plain;
use crate::overlap::{Extent, Region};
use crate::query::SpatialIndex;
use crate::shape::Bounded;
use crate::vector::{Scalar, Vector, Voxel};

/// How many boxes a region may reach on either side, as the radius of a [`CellList`](crate::CellList) may.
pub(crate) const MOST_IMAGES: i32 = 100;

/// More images than this are worth a search for the images that each item reaches.
const MANY: usize = 1000;

/// Bound on the relative rounding error of rows and dot products: a reduced vector is the difference of vectors that
/// may be a million times as long.
const ROUNDED: f64 = 1e-9;

/// The order of images, axis 0 fastest.
pub(crate) fn by_image<X: Voxel>(a: &X, b: &X) -> Ordering {
    let axes = |image: X| (0..X::DIM).rev().map(move |axis| image.axis(axis));
    axes(*a).cmp(axes(*b))
}

/// The bounds of a region: a box with a radius.
pub(super) struct Outline {
    pub(super) low: Wide,
    pub(super) high: Wide,
    pub(super) radius: f64,
    /// True if the region takes one difference of coordinates. Then it is not rounded by the size of coordinates; a
    /// larger tolerance would admit many needless images far from the origin.
    pub(super) is_exact: bool,
}

impl Outline {
    /// The outline of a region that tests items of type `T`.
    pub(super) fn new<T: Bounded, R>(region: &R) -> Self
    where
        R: Translate + Region<Vector = T::Vector>,
    {
        let plain = region.plain();
        let is_exact = plain.as_ref().is_some_and(is_tested_by_difference::<T>);
        // A radius whose square is infinite reaches everything.
        let radius = match plain {
            Some(Plain::Ball(ball)) if !ball.limits().1.is_finite() => f64::INFINITY,
            _ => region.radius().into(),
        };
        let [low, high] = [region.core().min(), region.core().max()].map(wide);
        Self {
            low,
            high,
            radius,
            is_exact,
        }
    }
}

impl<V: Vector> Periodic<V> {
    /// A superset of the images of items in an extent that a region reaches, by the numbers of the reduced vectors; errors
    /// name the region by `index`.
    ///
    /// `heights` limit the region's radius. They are those of the cell, or those of the reduced cell where the cell may be
    /// thin only because its vectors lean.
    pub(super) fn reached(
        &self,
        extent: &Extent<V>,
        region: &Outline,
        index: usize,
        heights: &Wide,
    ) -> Result<Block<V::Voxel>, Error> {
        let reduced = &self.lattice.reduced;
        let mut radius = region.radius + extent.most.into();
        let reach = V::Scalar::from_f64(radius);
        if extent.most > V::Scalar::ZERO && !(reach * reach).is_finite() {
            radius = f64::INFINITY;
        }
        let (epsilon, least): (f64, f64) =
            (V::Scalar::EPSILON.into(), V::Scalar::MIN_POSITIVE.into());
        radius *= 1.0 + 16.0 * epsilon;
        // The box around the offsets: its center, and half its lengths.
        let [low, high] = [extent.core.min(), extent.core.max()].map(wide);
        let (mut middle, mut half) = ([0.0; 4], [0.0; 4]);
        let (rounding, vanishing) = if region.is_exact {
            (0.0, Scalar::sqrt(8.0 * least * epsilon))
        } else {
            (16.0, 4.0 * Scalar::sqrt(least))
        };
        for a in 0..V::DIM {
            let (from, to) = (region.low[a], region.high[a]);
            middle[a] = (from - high[a]) / 2.0 + (to - low[a]) / 2.0;
            half[a] = (to / 2.0 - from / 2.0) + (high[a] / 2.0 - low[a] / 2.0);
            let sizes = low[a].abs() + high[a].abs() + from.abs() + to.abs();
            let rounded = rounding * sizes + 8.0 * (middle[a].abs() + half[a]);
            half[a] += rounded * epsilon + vanishing;
        }
        // The first and last number along a row of an inverse.
        let ends = |row: &Wide, height: f64, half: &Wide| {
            let (sizes, at) = (row.map(f64::abs), dot(row, &middle));
            let reach = dot(&sizes, half) + radius / height;
            let reach = reach + (reach + dot(&sizes, &middle.map(f64::abs))) * ROUNDED;
            (ceil(at - reach), floor(at + reach))
        };
        // An offset is a sum of multiples of vectors, which are rounded too, and may be much longer than the offset if
        // the cell leans.
        let mut multiples = [0.0; 4];
        for v in self.lattice.periodic_vectors() {
            let (from, to) = ends(&reduced.inverse[v], reduced.heights[v], &half);
            let most = from.abs().max(to.abs()).min(LAST) as f64;
            for (sum, size) in multiples.iter_mut().zip(reduced.sizes[v]) {
                *sum += most * size;
            }
        }
        for (half, multiples) in half.iter_mut().zip(multiples) {
            *half += multiples.min(f64::MAX) * 4.0 * epsilon;
        }

        // Only the region counts towards the limit, not the spread of the items.
        let size = crate::simd::from_fn(|a| region.high[a] / 2.0 - region.low[a] / 2.0);
        let (mut start, mut end) = (V::Voxel::from_fn(|_| 0), V::Voxel::from_fn(|_| 1));
        for axis in self.lattice.periodic_vectors() {
            let row = &self.lattice.inverse[axis];
            let boxes = dot(&row.map(f64::abs), &size) + region.radius / heights[axis];
            let own = ends(row, self.lattice.heights[axis], &half);
            let (from, to) = ends(&reduced.inverse[axis], reduced.heights[axis], &half);
            let is_beyond = own.0.min(from) <= -LAST || own.1.max(to) >= LAST;
            if is_beyond || boxes > f64::from(MOST_IMAGES) {
                let region = index;
                return Err(Error::TooManyImages { region, axis });
            }
            if from > to {
                return Ok(Block { start, end: start });
            }
            start = start.with(axis, from as i32);
            end = end.with(axis, to as i32 + 1);
        }
        Ok(Block { start, end })
    }

    /// The images of items of a structure that a region may reach, in their order; errors name the region by `index`.
    ///
    /// The box around items that lie far apart, as along an open vector that leans, reaches many more images than they
    /// do. Then find the images that each item reaches.
    ///
    /// It takes an outline instead of the region, so that it is compiled once for each type of structure.
    pub(super) fn images_of_items<S: SpatialIndex<Vector = V>>(
        &self,
        structure: &S,
        extent: &Extent<V>,
        outline: &Outline,
        index: usize,
    ) -> Result<Vec<V::Voxel>, Error> {
        let near = |extent: &_| self.reached(extent, outline, index, &self.lattice.heights);
        let block = near(extent)?;
        let is_small = || {
            let of_one = near(&Extent::of(&extent.core.min()));
            let most = |one: &Block<_>| one.cells().saturating_mul(structure.len());
            of_one.is_ok_and(|one| most(&one) < block.cells())
        };
        let mut images = Vec::new();
        if block.cells() <= MANY || !is_small() {
            reserve(&mut images, block.cells())?;
            images.extend(self.lattice.images_in(&block));
        } else {
            structure.best_first(
                |extent| (!near(extent).ok()?.is_empty()).then_some(V::Scalar::ZERO),
                |run| {
                    structure.each_item(run.part, run.slots, |_, item| {
                        let block = near(&Extent::of(item)).ok();
                        images.extend(block.iter().flat_map(|b| self.lattice.images_in(b)));
                    });
                    V::Scalar::ZERO
                },
            );
        }
        images.sort_unstable_by(by_image);
        images.dedup();
        Ok(images)
    }
}

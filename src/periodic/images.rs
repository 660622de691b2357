//! The images that a region may reach: lattice points near a place, enumerated vector by vector.
//!
//! A region reaches an image only where the offset of that image lies in a box as large as the region and all items
//! together. The numbers of the vectors are chosen from the last to the first, as in a sphere decoder (U. Fincke and M. Pohst,
//! "Improved methods for calculating vectors of short length in a lattice", 1985). Seen along the direction at right angles to
//! the vectors below, the offset depends on the numbers that are chosen and on one more, which has a first and a last value:
//!
//! ```text
//! for each k of the last vector whose layer of the lattice meets the box:
//!     for each k of the vector before it whose row in that layer may meet the box:
//!         for each k of the first vector whose point in that row may lie in the box
//! ```
//!
//! Where vectors lean over each other, most numbers that each vector may have by itself lead out of the box: all but one in
//! `L²` for a cell in space that leans by `L` of its heights.
//!
//! The cost is O(images + rows + layers).

use alloc::vec::{self, Vec};
use core::cmp::Ordering;

use super::Periodic;
use super::image::is_tested_by_difference;
use super::lattice::{Lattice, Wide, dot, wide};
use super::translate::Translate;
use crate::error::Error;
use crate::lattice::{ceil, floor};
use crate::overlap::lanes::Plain;
use crate::overlap::{Extent, Region};
use crate::query::SpatialIndex;
use crate::shape::Bounded;
use crate::vector::{Scalar, Vector, Voxel};

/// The largest number of an image on either side.
pub(super) const LAST: i64 = i32::MAX as i64;

/// How many boxes a region may reach on either side, as the radius of a [`CellList`](crate::CellList) may.
pub(crate) const MOST_IMAGES: i64 = 100;

/// Up to this many candidate images are enumerated without looking at the items.
const MANY: f64 = 1000.0;

/// Bound on the relative rounding error of directions and dot products.
const ROUNDED: f64 = 1e-9;

/// The order of images, axis 0 fastest.
pub(crate) fn by_image<X: Voxel>(a: &X, b: &X) -> Ordering {
    let axes = (0..X::DIM).rev().map(|axis| (a.axis(axis), b.axis(axis)));
    axes.fold(Ordering::Equal, |order, (a, b)| order.then(a.cmp(&b)))
}

/// The first and last image on each axis.
pub(super) type Block = [(i64, i64); 4];

/// Iterates over a block of images, or those of it whose offsets may lie in a box; axis 0 fastest.
#[derive(Clone, Debug)]
pub(super) struct Images<X> {
    /// The first and last number of each vector in the block.
    block: Block,
    /// The center and half the length of the box, seen along the direction of each vector.
    middle: Wide,
    half: Wide,
    /// `leans[v][w]`: the component of vector `w` along direction `v`.
    leans: [Wide; 4],
    next: Option<[i64; 4]>,
    /// Images that are listed one by one, and follow the block.
    listed: vec::IntoIter<X>,
}

impl<X: Voxel> Images<X> {
    /// The images of a list.
    fn listed(images: Vec<X>) -> Self {
        Self {
            next: None,
            listed: images.into_iter(),
            ..Self::block([(0, 0); 4])
        }
    }

    /// The number of images in the block.
    fn most(&self) -> f64 {
        let lens = self.block.map(|(from, to)| (to - from + 1) as f64);
        lens.iter().product()
    }

    /// All images of a block; none if a range is empty.
    pub(super) fn block(block: Block) -> Self {
        let is_filled = block.iter().all(|(from, to)| from <= to);
        Self {
            block,
            middle: [0.0; 4],
            half: [f64::INFINITY; 4],
            leans: [[0.0; 4]; 4],
            next: is_filled.then(|| block.map(|ends| ends.0)),
            listed: Vec::new().into_iter(),
        }
    }

    /// The images of a block whose offsets lie in a box, given by its center and half its lengths; maybe some outside
    /// of it.
    fn in_box<V: Vector<Voxel = X>>(
        lattice: &Lattice<V>,
        block: Block,
        (middle, half): (Wide, Wide),
    ) -> Self {
        let mut images = Self::block(block);
        for v in lattice.periodic_vectors() {
            let direction = &lattice.above[v];
            let sizes = direction.map(f64::abs);
            let mut rounded = dot(&sizes, &half) + dot(&sizes, &middle.map(f64::abs));
            for w in lattice.periodic_vectors().filter(|&w| w > v) {
                let edge = lattice.edge(w);
                images.leans[v][w] = dot(direction, &edge);
                let most = block[w].0.abs().max(block[w].1.abs()) as f64;
                rounded += most * dot(&sizes, &edge.map(f64::abs));
            }
            images.middle[v] = dot(direction, &middle);
            images.half[v] = dot(&sizes, &half) + rounded * ROUNDED;
        }
        images.next = images.settle([0; 4], X::DIM);
        images
    }

    /// The first image in which the vectors from `chosen` on have their numbers of `image`, or the next numbers if
    /// there is none.
    fn settle(&self, mut image: [i64; 4], mut chosen: usize) -> Option<[i64; 4]> {
        while chosen > 0 {
            let (from, to) = self.range(chosen - 1, &image);
            if from <= to {
                chosen -= 1;
                image[chosen] = from;
            } else {
                chosen = self.step(&mut image, chosen)?;
            }
        }
        Some(image)
    }

    /// Takes the next number of the first vector that has one, from a vector on. Returns that vector.
    fn step(&self, image: &mut [i64; 4], from: usize) -> Option<usize> {
        let stepping = (from..X::DIM).find(|&v| image[v] < self.range(v, image).1)?;
        image[stepping] += 1;
        Some(stepping)
    }

    /// The first and last number of a vector, where the numbers of the vectors above it are chosen.
    fn range(&self, vector: usize, image: &[i64; 4]) -> (i64, i64) {
        let (from, to) = self.block[vector];
        let half = self.half[vector];
        if half == f64::INFINITY {
            // Only the block bounds the number.
            return (from, to);
        }
        let above = image.iter().zip(self.leans[vector]).skip(vector + 1);
        let middle = above.fold(self.middle[vector], |at, (k, lean)| at - *k as f64 * lean);
        (from.max(ceil(middle - half)), to.min(floor(middle + half)))
    }
}

impl<X: Voxel> Iterator for Images<X> {
    type Item = X;

    fn next(&mut self) -> Option<X> {
        let Some(image) = self.next else {
            return self.listed.next();
        };
        let mut after = image;
        let chosen = self.step(&mut after, 0);
        self.next = chosen.and_then(|chosen| self.settle(after, chosen));
        Some(X::from_fn(|a| image[a] as i32))
    }
}

/// The bounds of a region, and how far rounding and underflow may extend them.
pub(super) struct Outline {
    low: Wide,
    high: Wide,
    radius: f64,
    /// How far coordinates may be rounded: relative to them in units of the scalar's precision, and by an absolute
    /// length.
    rounding: f64,
    vanishing: f64,
}

impl Outline {
    /// The outline of a region that tests items of type `T`.
    pub(super) fn new<T: Bounded, R>(region: &R) -> Self
    where
        R: Translate + Region<Vector = T::Vector>,
    {
        let epsilon: f64 = <T::Vector as Vector>::Scalar::EPSILON.into();
        let least: f64 = <T::Vector as Vector>::Scalar::MIN_POSITIVE.into();
        let plain = region.plain();
        // A region that takes one difference of coordinates is itself not rounded. A larger tolerance would admit many needless
        // images far from the origin.
        let (rounding, vanishing) = match &plain {
            Some(plain) if is_tested_by_difference::<T>(plain) => {
                (0.0, Scalar::sqrt(8.0 * least * epsilon))
            }
            Some(_) => (2.0, 4.0 * Scalar::sqrt(least)),
            None => (16.0, 4.0 * Scalar::sqrt(least)),
        };
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
            rounding,
            vanishing,
        }
    }

    /// A box around the offsets of all images of items in an extent that the region may reach, by its center and half its
    /// lengths.
    fn offsets<V: Vector>(&self, extent: &Extent<V>) -> (Wide, Wide) {
        let [low, high] = [extent.core.min(), extent.core.max()].map(wide);
        let mut radii = self.radius + extent.most.into();
        let reach = V::Scalar::from_f64(radii);
        if extent.most > V::Scalar::ZERO && !(reach * reach).is_finite() {
            radii = f64::INFINITY;
        }
        let (mut middle, mut half) = ([0.0; 4], [0.0; 4]);
        for a in 0..V::DIM {
            let (from, to) = (self.low[a], self.high[a]);
            middle[a] = (from - high[a]) / 2.0 + (to - low[a]) / 2.0;
            half[a] = (to - from) / 2.0 + (high[a] - low[a]) / 2.0 + radii;
            let sizes = low[a].abs() + high[a].abs() + from.abs() + to.abs();
            let rounded = self.rounding * sizes + 8.0 * (middle[a].abs() + half[a]);
            half[a] += rounded * V::Scalar::EPSILON.into() + self.vanishing;
        }
        (middle, half)
    }
}

impl<V: Vector> Periodic<V> {
    /// A superset of the images of items in an extent that a region reaches; errors name the region by `index`.
    ///
    /// `heights` limit the region's radius. They are those of the cell, or those of the reduced cell where the cell may be
    /// thin only because its vectors lean.
    pub(super) fn images(
        &self,
        extent: &Extent<V>,
        region: &Outline,
        index: usize,
        heights: &Wide,
    ) -> Result<Images<V::Voxel>, Error> {
        let lattice = &self.lattice;
        let (middle, mut half) = region.offsets(extent);
        // The first and last number of a vector, whatever the numbers of the others.
        let ends = |vector: usize, half: &Wide| {
            let middle = dot(&lattice.inverse[vector], &middle);
            let half = lattice.most_times(vector, half);
            (ceil(middle - half), floor(middle + half))
        };
        // An offset is a sum of multiples of vectors, which are rounded too, and may be much longer than the offset if
        // the cell leans.
        let mut multiples = [0.0; 4];
        for vector in lattice.periodic_vectors() {
            let (from, to) = ends(vector, &half);
            let most = from.abs().max(to.abs()).min(LAST) as f64;
            for (sum, x) in multiples.iter_mut().zip(lattice.edge(vector)) {
                *sum += most * x.abs();
            }
        }
        for (half, multiples) in half.iter_mut().zip(multiples) {
            *half += multiples.min(f64::MAX) * 4.0 * V::Scalar::EPSILON.into();
        }

        // Only the region counts towards the limit, not the spread of the items.
        let size = crate::simd::from_fn(|a| region.high[a] / 2.0 - region.low[a] / 2.0);
        let mut block = [(0, 0); 4];
        for axis in lattice.periodic_vectors() {
            let (from, to) = ends(axis, &half);
            let boxes = dot(&lattice.inverse[axis].map(f64::abs), &size);
            let is_too_wide = boxes + region.radius / heights[axis] > MOST_IMAGES as f64;
            if from <= -LAST || to >= LAST || is_too_wide {
                let region = index;
                return Err(Error::TooManyImages { region, axis });
            }
            if from > to {
                return Ok(Images::listed(Vec::new()));
            }
            block[axis] = (from, to);
        }
        Ok(Images::in_box(lattice, block, (middle, half)))
    }

    /// A superset of the images of items of a structure that a region reaches; errors name the region by `index`.
    ///
    /// The box around items that lie far apart, as along an open vector that leans, reaches many more images than they
    /// do. Then find the images that each item reaches.
    ///
    /// It takes an outline instead of the region, so that it is compiled once for each type of structure.
    pub(super) fn images_of_items<S: SpatialIndex<Vector = V>>(
        &self,
        structure: &S,
        extent: Option<&Extent<V>>,
        outline: &Outline,
        index: usize,
    ) -> Result<Images<V::Voxel>, Error> {
        let Some(extent) = extent else {
            return Ok(Images::listed(Vec::new()));
        };
        let near = |extent: &_| self.images(extent, outline, index, &self.lattice.heights);
        let images = near(extent)?;
        let is_small = || {
            let of_one = near(&Extent::of(&extent.core.min()));
            of_one.is_ok_and(|one| one.most() * (structure.len() as f64) < images.most())
        };
        if images.most() <= MANY || !is_small() {
            return Ok(images);
        }
        let mut reached = Vec::new();
        structure.best_first(
            |extent| near(extent).ok()?.next().map(|_| V::Scalar::ZERO),
            |run| {
                structure.each_item(run.part, run.slots, |_, item| {
                    reached.extend(near(&Extent::of(item)).into_iter().flatten());
                });
                V::Scalar::ZERO
            },
        );
        reached.sort_unstable_by(by_image);
        reached.dedup();
        Ok(Images::listed(reached))
    }
}

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
//! O(images + rows + layers).

use core::cmp::Ordering;
use core::marker::PhantomData;

use super::Periodic;
use super::lattice::{Lattice, Wide, dot, times, wide};
use super::translate::Translate;
use crate::error::Error;
use crate::overlap::{Extent, Region};
use crate::shape::{Bounded, Sphere};
use crate::vector::{Scalar, Vector, Voxel};
use crate::voxel::{ceil, floor};

/// The last image on either side.
pub(super) const LAST: i64 = i32::MAX as i64;

/// How many boxes a region may reach on either side, as the radius of a [`CellList`](crate::CellList) may.
pub(crate) const MOST_IMAGES: i64 = 100;

/// How much directions and sums are rounded, at most.
const ROUNDED: f64 = 1e-9;

/// The order of images, axis 0 fastest.
pub(crate) fn by_image<X: Voxel>(a: &X, b: &X) -> Ordering {
    let axes = (0..X::DIM).rev().map(|axis| (a.axis(axis), b.axis(axis)));
    axes.fold(Ordering::Equal, |order, (a, b)| order.then(a.cmp(&b)))
}

/// The first and last image on each axis.
pub(super) type Block = [(i64, i64); 4];

/// A block of images, or those of it whose offsets may lie in a box; axis 0 fastest.
#[derive(Clone, Debug)]
pub(super) struct Images<X> {
    /// The first and last number of each vector at all.
    block: Block,
    /// The center and half the length of the box, seen along the direction of each vector.
    middle: Wide,
    half: Wide,
    /// How often a vector is held by each vector above it.
    leans: [Wide; 4],
    next: Option<[i64; 4]>,
    voxel: PhantomData<X>,
}

impl<X: Voxel> Images<X> {
    fn none() -> Self {
        Self {
            next: None,
            ..Self::block([(0, 0); 4])
        }
    }

    /// All images of a block.
    pub(super) fn block(block: Block) -> Self {
        Self {
            block,
            middle: [0.0; 4],
            half: [f64::INFINITY; 4],
            leans: [[0.0; 4]; 4],
            next: Some(block.map(|ends| ends.0)),
            voxel: PhantomData,
        }
    }

    /// The images of a block whose offsets lie in a box, given by its center and half its lengths; maybe some beside it.
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

    /// The first image with the numbers that are chosen from a vector on, or the next ones.
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
        let mut middle = self.middle[vector];
        for (k, lean) in image.iter().zip(self.leans[vector]).skip(vector + 1) {
            middle -= *k as f64 * lean;
        }
        let half = self.half[vector];
        let (from, to) = self.block[vector];
        (from.max(ceil(middle - half)), to.min(floor(middle + half)))
    }
}

impl<X: Voxel> Iterator for Images<X> {
    type Item = X;

    fn next(&mut self) -> Option<X> {
        let image = self.next?;
        let mut after = image;
        let chosen = self.step(&mut after, 0);
        self.next = chosen.and_then(|chosen| self.settle(after, chosen));
        Some(X::from_fn(|a| image[a] as i32))
    }
}

impl<V: Vector> Periodic<V> {
    /// The images of the items in an extent that a region may reach, and others; `index` names the region. `T` is the type of
    /// the items.
    pub(super) fn images<T, R>(
        &self,
        extent: Option<&Extent<V>>,
        region: &R,
        index: usize,
    ) -> Result<Images<V::Voxel>, Error>
    where
        T: Bounded<Vector = V>,
        R: Translate + Region<Vector = V>,
    {
        let Some(extent) = extent else {
            return Ok(Images::none());
        };
        // How far apart the items lie is not the fault of the region.
        let core = region.core();
        let half: Wide = wide(core.max()).map(|x| x / 2.0);
        let half = crate::simd::from_fn(|a| half[a] - wide(core.min())[a] / 2.0);
        let is_too_wide = |axis: usize| {
            let row = self.lattice.inverse[axis].map(f64::abs);
            let boxes = times::<V>(&row, &half) + region.radius().into() / self.height(axis);
            boxes > MOST_IMAGES as f64
        };
        self.images_at(offsets::<T, R>(extent, region), index, is_too_wide)
    }

    /// The images of the items in an extent that a ball may reach, and others. It is refused for the reduced vectors of the
    /// lattice, and not where the cell is thin because its own vectors lean.
    pub(super) fn images_in_ball<T: Bounded<Vector = V>>(
        &self,
        extent: &Extent<V>,
        ball: &Sphere<V>,
    ) -> Result<Images<V::Voxel>, Error> {
        let radius: f64 = ball.radius().into();
        let is_too_wide = |axis| radius / self.lattice.reduced_height(axis) > MOST_IMAGES as f64;
        self.images_at(offsets::<T, _>(extent, ball), 0, is_too_wide)
    }

    /// The images whose offsets may lie in a box.
    fn images_at(
        &self,
        (middle, mut half): (Wide, Wide),
        index: usize,
        is_too_wide: impl Fn(usize) -> bool,
    ) -> Result<Images<V::Voxel>, Error> {
        let lattice = &self.lattice;
        // The first and last number of a vector by itself.
        let ends = |vector: usize, half: &Wide| {
            let middle = lattice.times(vector, &middle);
            let half = lattice.most_times(vector, half);
            (ceil(middle - half), floor(middle + half))
        };
        // An offset is a sum of multiples, which may be much longer than it where the cell leans: they are rounded, too.
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

        let mut block = [(0, 0); 4];
        for axis in lattice.periodic_vectors() {
            let (from, to) = ends(axis, &half);
            if from <= -LAST || to >= LAST || is_too_wide(axis) {
                let region = index;
                return Err(Error::TooManyImages { region, axis });
            }
            if from > to {
                return Ok(Images::none());
            }
            block[axis] = (from, to);
        }
        Ok(Images::in_box(lattice, block, (middle, half)))
    }
}

/// A box around the offsets of all images that a region may reach, by its center and half its lengths. The core and the
/// radius of the region say where it ends but for rounding, and for squares that vanish.
fn offsets<T: Bounded, R>(extent: &Extent<T::Vector>, region: &R) -> (Wide, Wide)
where
    R: Translate + Region<Vector = T::Vector>,
{
    let epsilon: f64 = <T::Vector as Vector>::Scalar::EPSILON.into();
    let least: f64 = <T::Vector as Vector>::Scalar::MIN_POSITIVE.into();
    // Balls and boxes that are seen in an image take one difference of coordinates and are themselves not rounded. Far from
    // the origin, more would be many more images.
    let (rounding, vanishing) = if T::IS_ROUNDED && region.plain().is_some() {
        (0.0, Scalar::sqrt(8.0 * least * epsilon))
    } else if region.plain().is_some() || region.measured().is_some() {
        (2.0, 4.0 * Scalar::sqrt(least))
    } else {
        (16.0, 4.0 * Scalar::sqrt(least))
    };
    let core = region.core();
    let [low, high] = [extent.core.min(), extent.core.max()].map(wide);
    let [from, to] = [core.min(), core.max()].map(wide);
    let radii: f64 = region.radius().into() + extent.most.into();
    let (mut middle, mut half) = ([0.0; 4], [0.0; 4]);
    for a in 0..T::Vector::DIM {
        middle[a] = (from[a] - high[a]) / 2.0 + (to[a] - low[a]) / 2.0;
        half[a] = (to[a] - from[a]) / 2.0 + (high[a] - low[a]) / 2.0 + radii;
        let sizes = low[a].abs() + high[a].abs() + from[a].abs() + to[a].abs();
        let rounded = rounding * sizes + 8.0 * (middle[a].abs() + half[a]);
        half[a] += rounded * epsilon + vanishing;
    }
    (middle, half)
}

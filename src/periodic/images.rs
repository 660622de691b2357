//! How regions are moved, and which images of the items they may reach.
//!
//! On each axis alone: the region is asked about a slab, as thick as the items and endless on the
//! other axes, so that by the law of [`Region`] an image is left out only if no item of it can
//! overlap, rounding included. A division finds the first and the last that is not, but for rounding:
//! beyond the guess the slab only goes away, so that the ends can be searched.
//!
//! Skewed cells have no such slabs. There the offsets of images lie in a box, and if the block around them is large, they are
//! enumerated one by one ([`LatticeInBox`]).

use alloc::boxed::Box;
use core::cmp::Ordering;

use super::Periodic;
use super::image::Image;
use super::lattice_in_box::LatticeInBox;
use super::skew::Skew;
use crate::error::Error;
use crate::norm::{Norm, NormBall};
use crate::overlap::{Difference, Extent, Intersection, Overlaps, Region, Relation, Union};
use crate::query::SpatialIndex;
use crate::shape::{Aabb, Bounded, Ellipsoid, Hollow, Shell, Sphere};
use crate::sweep::Moving;
use crate::vector::{Scalar, Vector, Voxel};
use crate::voxel::{ceil, farthest, floor};

/// A region that can be moved: what can be asked of a [`Periodic`](super::Periodic) box.
///
/// Implemented for [`Sphere`], [`Shell`], [`Ellipsoid`] and [`Aabb`], their surfaces, [`NormBall`], and what two of
/// them make together; open, for regions of yours. Those have to be [`Outside`](crate::Relation::Outside) of cells that are far
/// enough away, since all others are images to be asked for.
///
/// ```
/// use orthant::{Sphere, Translate};
/// let ball = Sphere::new([1.0, 2.0], 0.5);
/// assert_eq!(ball.translated([4.0, 0.0]), Some(Sphere::new([5.0, 2.0], 0.5)));
/// assert_eq!(ball.translated([f64::INFINITY, 0.0]), None);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be asked about in a `Periodic` box: it does not implement `Translate`",
    label = "cannot be moved to its images",
    note = "points, `Sphere`, `Shell`, `Ellipsoid` and `Aabb` can, `Hollow`, `Moving` or neither, and what two of them make together; a region of yours by `impl orthant::Translate`"
)]
pub trait Translate: Region + Bounded<Vector = <Self as Region>::Vector> + Sized {
    /// The region moved by a vector: a sum for each coordinate, rounded once. `None` where one is not
    /// finite.
    fn translated(&self, by: <Self as Region>::Vector) -> Option<Self>;
}

fn sum<V: Vector>(place: V, by: V) -> V {
    V::from_fn(|a| place.axis(a) + by.axis(a))
}

impl<V: Region<Vector = V> + Vector> Translate for V {
    #[inline]
    fn translated(&self, by: V) -> Option<Self> {
        let moved = sum(*self, by);
        moved.non_finite_axis().is_none().then_some(moved)
    }
}

impl<V: Vector> Translate for Sphere<V> {
    #[inline]
    fn translated(&self, by: V) -> Option<Self> {
        Self::try_new(sum(self.center(), by), self.radius()).ok()
    }
}

impl<V: Vector> Translate for Shell<V> {
    #[inline]
    fn translated(&self, by: V) -> Option<Self> {
        Self::try_new(sum(self.center(), by), self.inner(), self.outer()).ok()
    }
}

impl<V: Vector> Translate for Ellipsoid<V> {
    #[inline]
    fn translated(&self, by: V) -> Option<Self> {
        Self::try_new(sum(self.center(), by), self.semi_axes()).ok()
    }
}

impl<V: Vector, N: Norm<V>> Translate for NormBall<V, N> {
    #[inline]
    fn translated(&self, by: V) -> Option<Self> {
        Self::try_new(sum(self.center(), by), self.radius(), self.norm()).ok()
    }
}

impl<V: Vector> Translate for Aabb<V> {
    #[inline]
    fn translated(&self, by: V) -> Option<Self> {
        Self::try_new(sum(self.min(), by), sum(self.max(), by)).ok()
    }
}

impl<S> Translate for Hollow<S>
where
    S: Translate,
    Self: Region<Vector = <S as Region>::Vector>,
{
    #[inline]
    fn translated(&self, by: <S as Region>::Vector) -> Option<Self> {
        self.0.translated(by).map(Hollow)
    }
}

impl<S> Translate for Moving<S>
where
    S: Translate,
    Self: Region<Vector = <S as Region>::Vector> + Bounded<Vector = <S as Region>::Vector>,
{
    #[inline]
    fn translated(&self, by: <S as Region>::Vector) -> Option<Self> {
        let shape = self.shape().translated(by)?;
        Some(Self::new(shape, self.displacement()).until(self.horizon()))
    }
}

macro_rules! pair {
    ($name:ident) => {
        impl<A, B> Translate for $name<A, B>
        where
            A: Translate,
            B: Translate + Region<Vector = <A as Region>::Vector>,
            Self: Bounded<Vector = <A as Region>::Vector>,
        {
            #[inline]
            fn translated(&self, by: <A as Region>::Vector) -> Option<Self> {
                Some(Self(self.0.translated(by)?, self.1.translated(by)?))
            }
        }
    };
}

pair!(Union);
pair!(Intersection);
pair!(Difference);

/// The last image on either side.
pub(super) const LAST: i64 = i32::MAX as i64;

/// How many boxes a region may reach on either side, as the radius of a [`CellList`](crate::CellList) may.
pub(crate) const MOST_IMAGES: i64 = 100;

/// Blocks of up to so many images are gone through: choosing those of them whose offsets lie in a box takes longer.
const FEW_IMAGES: f64 = 64.0;

/// The order of images, axis 0 fastest.
pub(crate) fn by_image<X: Voxel>(a: &X, b: &X) -> Ordering {
    let axes = (0..X::DIM).rev().map(|axis| (a.axis(axis), b.axis(axis)));
    axes.fold(Ordering::Equal, |order, (a, b)| order.then(a.cmp(&b)))
}

/// A block of images, or those of it whose offsets lie in a box; axis 0 fastest.
#[derive(Clone, Debug)]
pub(super) struct Images<X> {
    from: X,
    to: X,
    next: Option<X>,
    lattice: Option<Box<LatticeInBox>>,
}

impl<X: Voxel> Images<X> {
    fn none() -> Self {
        let zero = X::from_fn(|_| 0);
        Self {
            from: zero,
            to: zero,
            next: None,
            lattice: None,
        }
    }

    pub(super) fn block(ranges: [(i64, i64); 4]) -> Self {
        let from = X::from_fn(|a| ranges[a].0 as i32);
        Self {
            from,
            to: X::from_fn(|a| ranges[a].1 as i32),
            next: Some(from),
            lattice: None,
        }
    }

    fn in_box(lattice: LatticeInBox, ranges: [(i64, i64); 4]) -> Self {
        Self {
            next: lattice.first().map(|k| X::from_fn(|a| k[a] as i32)),
            lattice: Some(Box::new(lattice)),
            ..Self::block(ranges)
        }
    }
}

impl<X: Voxel> Iterator for Images<X> {
    type Item = X;

    fn next(&mut self) -> Option<X> {
        let image = self.next?;
        if let Some(lattice) = &self.lattice {
            let mut numbers = [0; 4];
            for (axis, number) in numbers.iter_mut().enumerate().take(X::DIM) {
                *number = image.axis(axis).into();
            }
            self.next = lattice.after(numbers).map(|k| X::from_fn(|a| k[a] as i32));
            return Some(image);
        }
        let stepping = (0..X::DIM).find(|&a| image.axis(a) < self.to.axis(a));
        self.next = stepping.map(|axis| {
            X::from_fn(|a| match a {
                a if a < axis => self.from.axis(a),
                a if a == axis => image.axis(a) + 1,
                a => image.axis(a),
            })
        });
        Some(image)
    }
}

impl<V: Vector> Periodic<V> {
    /// The images of the items in an extent that a region may reach, and others; `index` names the
    /// region.
    pub(super) fn images<S, R>(
        &self,
        extent: Option<&Extent<V>>,
        region: &R,
        index: usize,
    ) -> Result<Images<V::Voxel>, Error>
    where
        S: SpatialIndex<Vector = V>,
        R: Translate + Region<Vector = V> + Overlaps<S::Item>,
    {
        let Some(extent) = extent else {
            return Ok(Images::none());
        };
        let mut ranges = [(0, 0); 4];
        if let Some(skew) = &self.skew {
            let is_too_wide = |axis| self.is_too_wide(region, axis);
            return self.images_of_cell(skew, index, offsets(extent, region), 0.0, is_too_wide);
        }
        for axis in (0..V::DIM).filter(|&a| self.lengths.axis(a) > V::Scalar::ZERO) {
            let slab = slab(extent, axis);
            let reaches = |k: i64| {
                let image = Voxel::from_fn(|a| if a == axis { k as i32 } else { 0 });
                Image::new::<S::Item>(region, self.offset(image))
                    .is_some_and(|moved| slab.relate::<S::Item>(&moved) != Relation::Outside)
            };
            let range = reached(self.guess(extent, region, axis), reaches);
            match range.map_err(|()| Error::TooManyImages {
                region: index,
                axis,
            })? {
                Some(_) if self.is_too_wide(region, axis) => {
                    return Err(Error::TooManyImages {
                        region: index,
                        axis,
                    });
                }
                Some(range) => ranges[axis] = range,
                None => return Ok(Images::none()),
            }
        }
        Ok(Images::block(ranges))
    }

    /// The images of the items in an extent that a ball may reach, and others. `beyond` is how far the items lie along open axes,
    /// where the ball need not reach them. A skewed cell refuses the ball for the shortest vectors of its lattice, and not where
    /// it is thin because its own vectors lean.
    pub(super) fn images_in_ball<S: SpatialIndex<Vector = V>>(
        &self,
        extent: &Extent<V>,
        ball: &Sphere<V>,
        beyond: f64,
    ) -> Result<Images<V::Voxel>, Error>
    where
        Sphere<V>: Overlaps<S::Item>,
    {
        let Some(skew) = &self.skew else {
            return self.images::<S, _>(Some(extent), ball, 0);
        };
        let radius: f64 = ball.radius().into();
        let is_too_wide = |axis| radius / skew.short_height(axis) > MOST_IMAGES as f64;
        self.images_of_cell(skew, 0, offsets(extent, ball), beyond, is_too_wide)
    }

    /// The images in a skewed cell whose offsets lie in a box along its vectors, and in one that is larger by `beyond` along the
    /// axes.
    fn images_of_cell(
        &self,
        skew: &Skew<V>,
        index: usize,
        offsets: ([f64; 4], [f64; 4]),
        beyond: f64,
        is_too_wide: impl Fn(usize) -> bool,
    ) -> Result<Images<V::Voxel>, Error> {
        let mut offsets = offsets;
        // An offset is a sum of multiples, which may be much longer than it where the cell leans: they are rounded, too.
        let mut multiples = [0.0; 4];
        for vector in skew.periodic_vectors() {
            let (from, to) = along(skew, &offsets, vector);
            let most = from.abs().max(to.abs()).min(LAST) as f64;
            for (sum, x) in multiples.iter_mut().zip(self.edge(vector)) {
                *sum += most * x.abs();
            }
        }
        for (half, multiples) in offsets.1.iter_mut().zip(multiples) {
            *half += multiples.min(f64::MAX) * 4.0 * V::Scalar::EPSILON.into();
        }
        let mut ranges = [(0, 0); 4];
        for axis in skew.periodic_vectors() {
            let range = along(skew, &offsets, axis);
            if range.0 <= -LAST || range.1 >= LAST || is_too_wide(axis) {
                return Err(Error::TooManyImages {
                    region: index,
                    axis,
                });
            }
            if range.0 > range.1 {
                return Ok(Images::none());
            }
            ranges[axis] = range;
        }
        let block = ranges.map(|(from, to)| (to - from + 1) as f64);
        if block.iter().product::<f64>() <= FEW_IMAGES {
            return Ok(Images::block(ranges));
        }
        offsets.1 = offsets.1.map(|half| half + beyond);
        let is_periodic = |vector: usize| self.height(vector) > 0.0;
        let vectors = crate::simd::from_fn(|vector| self.edge(vector));
        let lattice = LatticeInBox::new(V::DIM, vectors, is_periodic, offsets, ranges);
        Ok(Images::in_box(lattice, ranges))
    }

    /// Whether a region reaches more images on an axis than one may; how far apart the items lie is not its fault.
    fn is_too_wide<R: Bounded<Vector = V>>(&self, region: &R, axis: usize) -> bool {
        let core = region.core();
        let mut half = [0.0; 4];
        for (a, half) in half.iter_mut().enumerate().take(V::DIM) {
            *half = core.max().axis(a).into() / 2.0 - core.min().axis(a).into() / 2.0;
        }
        let height = self.height(axis);
        let boxes = match &self.skew {
            Some(skew) => skew.most_times(axis, &half),
            None => half[axis] / height,
        };
        boxes + region.radius().into() / height > MOST_IMAGES as f64
    }

    /// Images among which is the nearest one, mostly one more on either side than are reached.
    fn guess<R>(&self, extent: &Extent<V>, region: &R, axis: usize) -> (i64, i64)
    where
        R: Translate + Region<Vector = V>,
    {
        let ends = |bounds: Aabb<V>| -> (f64, f64) {
            (
                bounds.min().axis(axis).into(),
                bounds.max().axis(axis).into(),
            )
        };
        let length: f64 = self.lengths.axis(axis).into();
        let items = ends(extent.core.grown(extent.most));
        let bounds = ends(region.bounds());
        // Of the multiple of the length, and of the place it leads to.
        let sizes = items.0.abs() + items.1.abs() + bounds.0.abs() + bounds.1.abs();
        let error = sizes / length * (8.0 * V::Scalar::EPSILON.into());
        let below = floor((bounds.0 - items.1) / length - error);
        let above = floor((bounds.1 - items.0) / length + error);
        (below, above + 1)
    }
}

/// A box around the offsets of all images that a region may reach, by its center and half its lengths. The bounds of the region say
/// where it ends but for rounding, and for squares that vanish.
fn offsets<V: Vector, R: Translate + Region<Vector = V>>(
    extent: &Extent<V>,
    region: &R,
) -> ([f64; 4], [f64; 4]) {
    let items = extent.core.grown(extent.most);
    let bounds = region.bounds();
    // Balls by any norm and boxes take one difference of coordinates. Far from the origin, more would be many more images.
    let is_measured = region.plain().is_some();
    let rounding = if is_measured { (2.0, 8.0) } else { (16.0, 0.0) };
    let (mut middle, mut half) = ([0.0; 4], [0.0; 4]);
    for a in 0..V::DIM {
        let ends = [items.min(), items.max(), bounds.min(), bounds.max()];
        let [low, high, from, to] = ends.map(|end| end.axis(a).into());
        let sizes = low.abs() + high.abs() + from.abs() + to.abs();
        let vanishing = 4.0 * Scalar::sqrt(V::Scalar::MIN_POSITIVE.into());
        let rounded = rounding.0 * sizes + rounding.1 * (to - from);
        let rounded = rounded * V::Scalar::EPSILON.into() + vanishing;
        middle[a] = (from - high) / 2.0 + (to - low) / 2.0;
        half[a] = (to - from) / 2.0 + (high - low) / 2.0 + rounded;
    }
    (middle, half)
}

/// The first and last image on an axis of a skewed cell whose offset lies in a box.
fn along<V: Vector>(
    skew: &Skew<V>,
    (middle, half): &([f64; 4], [f64; 4]),
    vector: usize,
) -> (i64, i64) {
    let middle = skew.times(vector, middle);
    let half = skew.most_times(vector, half);
    (ceil(middle - half), floor(middle + half))
}

/// As thick as the extent on one axis, without end on the others.
fn slab<V: Vector>(extent: &Extent<V>, axis: usize) -> Extent<V> {
    let end = |core: V, far: V::Scalar| V::from_fn(|a| if a == axis { core.axis(a) } else { far });
    let (min, max) = (extent.core.min(), extent.core.max());
    Extent {
        core: Aabb::from_corners(
            end(min, V::Scalar::ZERO - V::Scalar::MAX),
            end(max, V::Scalar::MAX),
        ),
        ..*extent
    }
}

/// The first and last number that `reaches`; an error where they do not end.
fn reached(
    (below, above): (i64, i64),
    reaches: impl Fn(i64) -> bool,
) -> Result<Option<(i64, i64)>, ()> {
    if below < -LAST || above > LAST {
        return Err(());
    }
    let ends = (
        (below..=above).find(|&k| reaches(k)),
        (below..=above).rfind(|&k| reaches(k)),
    );
    let (Some(mut from), Some(mut to)) = ends else {
        return Ok(None);
    };
    if from == below {
        from -= farthest(from + LAST, 0, |k| k == 0 || reaches(from - k));
    }
    if to == above {
        to += farthest(LAST - to, 0, |k| k == 0 || reaches(to + k));
    }
    if from == -LAST || to == LAST {
        return Err(());
    }
    Ok(Some((from, to)))
}

//! Points within a radius of a box or of its images: those of which another rank needs copies.
//!
//! Squares are summed as for points, but of gaps, which are no longer than the differences of coordinates that they stand for: subtraction,
//! maximum, squares and sums are monotone after rounding. So a point that is left out is near no point of the box in the arithmetic that
//! compares points, and no margin is needed.
//!
//! In a periodic box the offset of an image is added to the difference, so a gap is the least over all images. Axes are
//! independent of each other: the least sum is the sum of the least squares.

use orthant::{Aabb, Bounded, Overlaps, Periodic, Region, Relation, Scalar, Translate, Vector};

use crate::Cause;

/// The lengths of a periodic box, and how many images on either side may be near.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Images<P: Vector> {
    lengths: P,
    most: [u32; 4],
}

impl<P: Vector> Images<P> {
    /// Returns the images that a radius may reach from points in the box; none without a box.
    pub(crate) fn new(periodic: Option<&Periodic<P>>, radius: P::Scalar) -> Self {
        let lengths = periodic.map_or(P::splat(P::Scalar::ZERO), Periodic::lengths);
        let mut most = [0; 4];
        for (axis, most) in most.iter_mut().enumerate().take(P::DIM) {
            let length: f64 = lengths.axis(axis).into();
            if length > 0.0 {
                // One more image for the length of the box itself, and one for rounding. A cell list refuses more than a hundred.
                *most = (radius.into() / length).min(100.0) as u32 + 2;
            }
        }
        Self { lengths, most }
    }

    /// Returns the least difference between coordinates of two intervals, in any image.
    fn gap(&self, axis: usize, a: (P::Scalar, P::Scalar), b: (P::Scalar, P::Scalar)) -> P::Scalar {
        let seen = |offset: P::Scalar| {
            let (below, above) = ((b.0 - a.1) + offset, (a.0 - b.1) - offset);
            below.larger(above).larger(P::Scalar::ZERO)
        };
        let mut least = seen(P::Scalar::ZERO);
        for k in 1..=self.most[axis] {
            if least == P::Scalar::ZERO {
                break;
            }
            let offset = P::Scalar::from_f64(k.into()) * self.lengths.axis(axis);
            let (up, down) = (seen(offset), seen(P::Scalar::ZERO - offset));
            least = least.smaller(up).smaller(down);
        }
        least
    }
}

/// A region that holds the points within a radius of a box, for queries of trees of points or boxes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near<P: Vector> {
    pub(crate) around: Aabb<P>,
    pub(crate) radius: P::Scalar,
    pub(crate) images: Images<P>,
}

impl<P: Vector> Near<P> {
    fn reaches(&self, low: P, high: P) -> bool {
        let (min, max) = (self.around.min(), self.around.max());
        let square = |axis: usize| {
            let (a, b) = (
                (min.axis(axis), max.axis(axis)),
                (low.axis(axis), high.axis(axis)),
            );
            let gap = self.images.gap(axis, a, b);
            gap * gap
        };
        let sum = (1..P::DIM).fold(square(0), |sum, axis| sum + square(axis));
        sum <= self.radius * self.radius
    }
}

impl<P: Vector> Overlaps<P> for Near<P> {
    fn overlaps(&self, other: &P) -> bool {
        self.reaches(*other, *other)
    }
}

impl<P: Vector> Overlaps<Aabb<P>> for Near<P> {
    fn overlaps(&self, other: &Aabb<P>) -> bool {
        self.reaches(other.min(), other.max())
    }
}

impl<P: Vector> Region for Near<P> {
    type Vector = P;

    fn relate(&self, cell: &Aabb<P>) -> Relation {
        if self.overlaps(cell) {
            Relation::Straddles
        } else {
            Relation::Outside
        }
    }
}

/// A region that asks of boxes whether another region may meet anything in them.
///
/// In a periodic box the region is moved to the boxes, while points in them are measured by differences to its original position. So boxes are
/// grown by more than the rounding error between the two.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meets<R: Region> {
    region: R,
    /// The largest coordinate of the region before it was moved; 0 if it is not moved.
    size: <R::Vector as Vector>::Scalar,
}

/// Returns the largest coordinate of a box.
fn size<P: Vector>(cell: &Aabb<P>) -> P::Scalar {
    let of = |axis| {
        cell.min()
            .axis(axis)
            .abs()
            .larger(cell.max().axis(axis).abs())
    };
    (1..P::DIM).fold(of(0), |most, axis| most.larger(of(axis)))
}

/// Returns a box grown on each axis by more than the rounding of differences between it and coordinates of up to `size`.
fn grown<P: Vector>(cell: &Aabb<P>, size: P::Scalar) -> Aabb<P> {
    let slack = |x: P::Scalar| {
        let epsilon: f64 = P::Scalar::EPSILON.into();
        let sizes: f64 = x.abs().into() + size.into();
        P::Scalar::from_f64(sizes * 32.0 * epsilon)
    };
    let (min, max) = (cell.min(), cell.max());
    Aabb::new(
        P::from_fn(|a| min.axis(a).sub_down(slack(min.axis(a)))),
        P::from_fn(|a| max.axis(a).add_up(slack(max.axis(a)))),
    )
}

impl<R: Region> Meets<R> {
    /// Makes a region that is not moved.
    pub(crate) fn new(region: R) -> Self {
        let size = Scalar::ZERO;
        Self { region, size }
    }
}

impl<R: Translate> Meets<R> {
    /// Makes a region that is tested image by image.
    pub(crate) fn in_images(region: R) -> Self {
        let size = size(&region.bounds());
        Self { region, size }
    }
}

impl<R: Region> Region for Meets<R> {
    type Vector = R::Vector;

    fn relate(&self, cell: &Aabb<R::Vector>) -> Relation {
        let relation = if self.size > Scalar::ZERO {
            self.region.relate(&grown(cell, self.size))
        } else {
            self.region.relate(cell)
        };
        match relation {
            Relation::Outside => Relation::Outside,
            _ => Relation::Straddles,
        }
    }
}

impl<R: Region> Overlaps<Aabb<R::Vector>> for Meets<R> {
    fn overlaps(&self, other: &Aabb<R::Vector>) -> bool {
        self.relate(other) != Relation::Outside
    }
}

impl<R: Translate> Bounded for Meets<R> {
    type Vector = <R as Region>::Vector;

    fn core(&self) -> Aabb<<R as Region>::Vector> {
        self.region.bounds()
    }
}

impl<R: Translate> Translate for Meets<R> {
    fn translated(&self, by: <R as Region>::Vector) -> Option<Self> {
        let region = self.region.translated(by)?;
        Some(Self { region, ..*self })
    }
}

/// Refuses a cell whose faces are not aligned with the axes: gaps on one axis would depend on the others.
pub(crate) fn check_box<P: Vector>(periodic: &Periodic<P>) -> Result<(), Cause> {
    let (vectors, lengths) = (periodic.vectors(), periodic.lengths());
    let is_box = vectors.as_ref().iter().enumerate().all(|(axis, vector)| {
        (0..P::DIM).all(|a| {
            let expected = if a == axis {
                lengths.axis(a)
            } else {
                P::Scalar::ZERO
            };
            vector.axis(a) == expected
        })
    });
    if is_box {
        Ok(())
    } else {
        Err(Cause::argument(
            "a periodic cell whose faces are not aligned with the axes",
        ))
    }
}

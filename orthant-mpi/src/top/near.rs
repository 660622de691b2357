//! What lies within a radius of a box, of its images too: which points another rank needs copies of.
//!
//! Squares are summed as for points, but of gaps, which are no longer than the differences of coordinates they
//! stand for: subtraction, the maximum, squares and sums are monotone after rounding. So what this leaves out is
//! near no point of the box in the arithmetic in which points are compared, and no margin is needed.
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
    /// Those that a radius may reach from points in the box; none without a box.
    pub(crate) fn new(periodic: Option<&Periodic<P>>, radius: P::Scalar) -> Self {
        let lengths = periodic.map_or(P::splat(P::Scalar::ZERO), Periodic::lengths);
        let mut most = [0; 4];
        for (axis, most) in most.iter_mut().enumerate().take(P::DIM) {
            let length: f64 = lengths.axis(axis).into();
            if length > 0.0 {
                // One for the length of the box itself, one for what is rounded. A cell list refuses more
                // than a hundred.
                *most = (radius.into() / length).min(100.0) as u32 + 2;
            }
        }
        Self { lengths, most }
    }

    /// The least difference of a coordinate of one interval and one of another, in any image.
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

/// What lies within a radius of a box: a question to a tree of points or boxes.
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

/// Another region, asked of boxes by what it says of cells: whether it may meet anything in them.
///
/// In a periodic box it is moved to where the boxes are, while points in them are measured by differences to where it was. So
/// boxes are grown by more than the two may be rounded apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meets<R: Region> {
    region: R,
    /// The largest coordinate of the region before it was moved; 0 if it stays where it is.
    size: <R::Vector as Vector>::Scalar,
}

/// The largest coordinate of a box.
fn size<P: Vector>(cell: &Aabb<P>) -> P::Scalar {
    let of = |axis| {
        cell.min()
            .axis(axis)
            .abs()
            .larger(cell.max().axis(axis).abs())
    };
    (1..P::DIM).fold(of(0), |most, axis| most.larger(of(axis)))
}

/// A box grown on each axis by more than differences between it and what is up to `size` from zero are rounded by.
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
    /// A region that stays where it is.
    pub(crate) fn new(region: R) -> Self {
        let size = Scalar::ZERO;
        Self { region, size }
    }
}

impl<R: Translate> Meets<R> {
    /// A region to be asked image by image.
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

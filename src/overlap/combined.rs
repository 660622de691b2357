//! Regions made of others.
//!
//! They combine answers, not sets of points: an item belongs to an intersection if both regions overlap it, even
//! in different places. So the answer of a tree or a grid to a combination is the combination of its answers, bit
//! for bit, and relations combine by Kleene's logic of three values, which is monotone. Rejected: the algebra of
//! points (whether a box holds a point of one shape outside another is a problem of its own for each pair of shapes).

use super::{Overlaps, Region, Relation};
use crate::shape::{Aabb, Bounded};
use crate::vector::{Scalar, Vector};

/// The items that either of two regions overlaps.
///
/// ```
/// use orthant::{Octree, Sphere, Union, glam::Vec3};
/// let tree = Octree::new(&[Vec3::ZERO, Vec3::X, 5.0 * Vec3::X]);
/// let ball = |x| Sphere::new(Vec3::new(x, 0.0, 0.0), 0.5);
/// assert_eq!(tree.count(Union(ball(0.0), ball(5.0))), 2);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Union<A, B>(pub A, pub B);

/// The items that both of two regions overlap, even in different places.
///
/// ```
/// use orthant::{Aabb, Intersection, Octree, Sphere, glam::Vec3};
/// let tree = Octree::new(&[Vec3::ZERO, Vec3::X, 5.0 * Vec3::X]);
/// let (ball, rod) = (Sphere::new(Vec3::ZERO, 2.0), Aabb::new(Vec3::X, 9.0 * Vec3::X));
/// assert_eq!(tree.query(Intersection(ball, rod)).collect::<Vec<_>>(), [1]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Intersection<A, B>(pub A, pub B);

/// The items that the first region overlaps and the second does not.
///
/// ```
/// # #[cfg(feature = "voxels")] {
/// use orthant::{Difference, Sphere, VoxelGrid, glam::Vec3};
/// let grid = VoxelGrid::new(Vec3::ZERO, 1.0);
/// let ball = |radius| Sphere::new(Vec3::ZERO, radius);
/// let left = grid.count(Difference(ball(8.0), ball(4.0)));
/// assert_eq!(left, grid.count(ball(8.0)) - grid.count(ball(4.0)));
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Difference<A, B>(pub A, pub B);

/// The items that a region does not overlap.
///
/// It has no bounds: a [`VoxelGrid`](crate::VoxelGrid) refuses it as out of range, unless it is clipped by an
/// [`Intersection`] with a bounded region or by a [window](crate::VoxelGrid::within).
///
/// ```
/// use orthant::{Complement, Octree, Sphere, glam::Vec3};
/// let tree = Octree::new(&[Vec3::ZERO, Vec3::X, 5.0 * Vec3::X]);
/// assert_eq!(tree.count(Complement(Sphere::new(Vec3::ZERO, 1.0))), 1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Complement<R>(pub R);

/// Kleene's or; `b` is called only if it matters.
#[inline]
pub(crate) fn either(a: Relation, b: impl FnOnce() -> Relation) -> Relation {
    if a == Relation::Inside {
        return a;
    }
    // `Inside` wins over `Straddles`, and that over `Outside`: the variants are declared in this order.
    let b = b();
    if (a as u8) < b as u8 { b } else { a }
}

#[inline]
pub(crate) fn opposite(a: Relation) -> Relation {
    match a {
        Relation::Outside => Relation::Inside,
        Relation::Straddles => Relation::Straddles,
        Relation::Inside => Relation::Outside,
    }
}

#[inline]
pub(crate) fn both(a: Relation, b: impl FnOnce() -> Relation) -> Relation {
    opposite(either(opposite(a), || opposite(b())))
}

#[inline]
pub(crate) fn only_first(a: Relation, b: impl FnOnce() -> Relation) -> Relation {
    both(a, || opposite(b()))
}

type ScalarOf<R> = <<R as Region>::Vector as Vector>::Scalar;

/// Implements a combination of two regions, such as `Union`, by three expressions: they combine the answers of the two regions, their
/// relations to a cell, and their bounding boxes.
macro_rules! pair {
    ($name:ident, |$a:ident, $b:ident| $overlaps:expr, $relate:ident, $hint:expr) => {
        impl<T: ?Sized, A: Overlaps<T>, B: Overlaps<T>> Overlaps<T> for $name<A, B> {
            #[inline]
            fn overlaps(&self, item: &T) -> bool {
                let ($a, $b) = (self.0.overlaps(item), || self.1.overlaps(item));
                $overlaps
            }
        }

        impl<A: Region, B: Region<Vector = A::Vector>> Region for $name<A, B> {
            type Vector = A::Vector;

            #[inline]
            fn relate(&self, cell: &Aabb<A::Vector>) -> Relation {
                $relate(self.0.relate(cell), || self.1.relate(cell))
            }

            #[inline]
            fn hint(&self) -> Option<Aabb<A::Vector>> {
                let ($a, $b) = (self.0.hint(), self.1.hint());
                $hint
            }

            #[inline]
            fn relate_balls(
                &self,
                centers: &Aabb<A::Vector>,
                least: ScalarOf<A>,
                most: ScalarOf<A>,
            ) -> Relation {
                $relate(self.0.relate_balls(centers, least, most), || {
                    self.1.relate_balls(centers, least, most)
                })
            }
        }
    };
}

pair!(Union, |a, b| a || b(), either, Some(a?.union(&b?)));
pair!(
    Intersection,
    |a, b| a && b(),
    both,
    match (a, b) {
        (Some(a), Some(b)) => Some(common(&a, &b)),
        (a, b) => a.or(b),
    }
);
pair!(Difference, |a, b| a && !b(), only_first, {
    let _ = b;
    a
});

/// The common part of two boxes on each axis; where that is empty, the gap between them. A box
/// that meets both meets this: on each axis it shares a point with the common part or spans the gap.
fn common<V: Vector>(a: &Aabb<V>, b: &Aabb<V>) -> Aabb<V> {
    let low = |i| a.min().axis(i).larger(b.min().axis(i));
    let high = |i| a.max().axis(i).smaller(b.max().axis(i));
    Aabb::from_corners(
        V::from_fn(|i| low(i).smaller(high(i))),
        V::from_fn(|i| high(i).larger(low(i))),
    )
}

impl<T: ?Sized, R: Overlaps<T>> Overlaps<T> for Complement<R> {
    #[inline]
    fn overlaps(&self, item: &T) -> bool {
        !self.0.overlaps(item)
    }
}

impl<R: Region> Region for Complement<R> {
    type Vector = R::Vector;

    #[inline]
    fn relate(&self, cell: &Aabb<R::Vector>) -> Relation {
        opposite(self.0.relate(cell))
    }

    #[inline]
    fn relate_balls(
        &self,
        centers: &Aabb<R::Vector>,
        least: ScalarOf<R>,
        most: ScalarOf<R>,
    ) -> Relation {
        opposite(self.0.relate_balls(centers, least, most))
    }
}

impl<A: Bounded, B: Bounded<Vector = A::Vector>> Bounded for Union<A, B> {
    type Vector = A::Vector;

    #[inline]
    fn core(&self) -> Aabb<A::Vector> {
        self.0.bounds().union(&self.1.bounds())
    }
}

impl<A: Bounded, B: Bounded<Vector = A::Vector>> Bounded for Intersection<A, B> {
    type Vector = A::Vector;

    #[inline]
    fn core(&self) -> Aabb<A::Vector> {
        common(&self.0.bounds(), &self.1.bounds())
    }
}

impl<A: Bounded, B> Bounded for Difference<A, B> {
    type Vector = A::Vector;

    #[inline]
    fn core(&self) -> Aabb<A::Vector> {
        self.0.bounds()
    }
}

/// The bounds are all finite numbers.
impl<R: Region> Bounded for Complement<R> {
    type Vector = R::Vector;

    #[inline]
    fn core(&self) -> Aabb<R::Vector> {
        let most = ScalarOf::<R>::MAX;
        Aabb::from_corners(
            Vector::splat(ScalarOf::<R>::ZERO - most),
            Vector::splat(most),
        )
    }
}

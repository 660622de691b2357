//! What a body takes up.
//!
//! Balls lie in trees by their boxes, rounded outwards, and not by center and radius: a node need not
//! know what it holds. A ball's own predicate may, by a rounding, say yes where that of its box says no,
//! which a tree could not answer; so the box is asked first, here, once for all structures. The two
//! agree but for the last bit, and where squares vanish or overflow.

#[cfg(feature = "exact")]
use crate::overlap::exact::Exact;
use crate::overlap::{Distance, Overlaps, Region, Relation};
use crate::shape::{Aabb, Bounded, Ellipsoid, Frustum, Hexahedron, Hollow, Shell, Sphere};
use crate::sweep::{Impact, Moving, Sweep, Times};
use crate::vector::{Scalar, Vector};

/// A box or a ball: what a body of a [`Broadphase`](super::Broadphase) takes up.
///
/// A region meets a volume if it meets the volume's [`bounds`](Bounded::bounds) and, unless it
/// encloses them, the volume.
///
/// ```
/// use orthant::{Aabb, Overlaps, Sphere, Volume};
/// let ball = Volume::from(Sphere::new([0.0, 0.0], 5.0));
/// let corner = |x| Volume::from(Aabb::new([x, 4.0], [9.0, 9.0]));
/// assert!(ball.overlaps(&corner(3.0))); // touching counts
/// assert!(!ball.overlaps(&corner(3.1))); // though the boxes overlap
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(bound(
        serialize = "V: serde::Serialize, V::Scalar: serde::Serialize",
        deserialize = "V: serde::Deserialize<'de>, V::Scalar: serde::Deserialize<'de>"
    ))
)]
pub enum Volume<V: Vector> {
    /// A box.
    Box(Aabb<V>),
    /// A ball.
    Sphere(Sphere<V>),
}

impl<V: Vector> From<Aabb<V>> for Volume<V> {
    fn from(bounds: Aabb<V>) -> Self {
        Self::Box(bounds)
    }
}

impl<V: Vector> From<Sphere<V>> for Volume<V> {
    fn from(ball: Sphere<V>) -> Self {
        Self::Sphere(ball)
    }
}

impl<V: Vector> Volume<V> {
    /// The same in other vectors.
    #[inline(always)]
    pub(super) fn cast<U>(&self) -> Volume<U>
    where
        U: Vector<Array = V::Array, Scalar = V::Scalar>,
    {
        match self {
            Self::Box(bounds) => Volume::Box(bounds.cast()),
            Self::Sphere(ball) => Volume::Sphere(ball.cast()),
        }
    }

    /// The volume with its corners or its radius moved outwards, at most to the largest number.
    #[inline(always)]
    pub(super) fn inflated(&self, by: V::Scalar) -> Self {
        if by == V::Scalar::ZERO {
            return *self;
        }
        let most = V::Scalar::MAX;
        match self {
            Self::Box(b) => Self::Box(Aabb::from_corners(
                V::from_fn(|a| (b.min().axis(a) - by).larger(V::Scalar::ZERO - most)),
                V::from_fn(|a| (b.max().axis(a) + by).smaller(most)),
            )),
            Self::Sphere(ball) => {
                let radius = (ball.radius() + by).smaller(most);
                Self::Sphere(Sphere::valid(ball.center(), radius))
            }
        }
    }

    /// Whether two overlap whose boxes do.
    #[inline(always)]
    pub(super) fn shape_overlaps(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Box(a), Self::Box(b)) => a.overlaps(b),
            (Self::Sphere(a), Self::Sphere(b)) => a.overlaps(b),
            (Self::Sphere(ball), Self::Box(b)) | (Self::Box(b), Self::Sphere(ball)) => {
                ball.overlaps(b)
            }
        }
    }
}

impl<V: Vector> Bounded for Volume<V> {
    type Vector = V;

    #[inline(always)]
    fn core(&self) -> Aabb<V> {
        match self {
            Self::Box(b) => *b,
            Self::Sphere(ball) => ball.bounds(),
        }
    }
}

impl<V: Vector> Distance for Volume<V> {
    #[inline]
    fn distance_sq(&self, from: V) -> V::Scalar {
        match self {
            Self::Box(b) => b.distance_sq(from),
            Self::Sphere(ball) => {
                let bounds = ball.bounds().distance_sq(from);
                bounds.larger(ball.distance_sq(from))
            }
        }
    }
}

impl<V: Vector> Overlaps<Volume<V>> for Volume<V> {
    #[inline]
    fn overlaps(&self, other: &Self) -> bool {
        self.shape_overlaps(other) && self.core().overlaps(&other.core())
    }
}

/// Whether a region meets a volume.
#[inline(always)]
fn meets<V, R>(region: &R, volume: &Volume<V>) -> bool
where
    V: Vector,
    R: Region<Vector = V> + Overlaps<Aabb<V>> + Overlaps<Sphere<V>>,
{
    match volume {
        Volume::Box(b) => region.overlaps(b),
        Volume::Sphere(ball) => match region.relate(&ball.bounds()) {
            Relation::Outside => false,
            Relation::Straddles => region.overlaps(ball),
            Relation::Inside => true,
        },
    }
}

macro_rules! regions {
    ($($region:ty),*) => {$(
        impl<V: Vector> Overlaps<Volume<V>> for $region {
            #[inline]
            fn overlaps(&self, volume: &Volume<V>) -> bool {
                meets(self, volume)
            }
        }
    )*};
}

regions!(
    Aabb<V>,
    Hollow<Aabb<V>>,
    Sphere<V>,
    Hollow<Sphere<V>>,
    Shell<V>,
    Ellipsoid<V>,
    Hollow<Ellipsoid<V>>,
    Hexahedron<V>,
    Hollow<Hexahedron<V>>,
    Frustum<V>,
    Hollow<Frustum<V>>
);
#[cfg(feature = "exact")]
regions!(
    Exact<Sphere<V>>,
    Exact<Hollow<Sphere<V>>>,
    Exact<Ellipsoid<V>>,
    Exact<Hollow<Ellipsoid<V>>>
);

macro_rules! movers {
    ($($mover:ident),*) => {$(
        /// A ball is not touched before its box is.
        impl<V: Vector> Sweep<Volume<V>> for Moving<$mover<V>> {
            type Vector = V;

            fn times(&self, target: &Volume<V>) -> Option<Times<V>> {
                match target {
                    Volume::Box(b) => self.times(b),
                    Volume::Sphere(ball) => {
                        let enter = self.bound_of(&ball.bounds())?;
                        let (first, last) = self.times(ball)?;
                        let first = first.larger(enter);
                        Some((first, last.larger(first)))
                    }
                }
            }

            fn first(&self, target: &Volume<V>, limit: V::Scalar) -> Option<V::Scalar> {
                match target {
                    Volume::Box(b) => self.first(b, limit),
                    Volume::Sphere(_) => self.times(target).map(|times| times.0),
                }
            }

            fn sweep(&self, target: &Volume<V>) -> Option<Impact<V>> {
                let (first, last) = self.times(target)?;
                let impact = match target {
                    Volume::Box(b) => self.sweep(b),
                    Volume::Sphere(ball) => self.sweep(ball),
                }?;
                Some(Impact { first, last, ..impact })
            }
        }
    )*};
}

movers!(Sphere, Aabb);

//! The parts of a body: its volume, its motion and its filter.
//!
//! The tree stores the box of a ball, rounded outwards, so that a node need not know what it holds. Rounding may let a
//! ball overlap a region that misses its box, and the tree would not find it. So a region has to overlap both. The two
//! tests differ in the last bit only, or where squares vanish or overflow.

use crate::norm::{DistanceBy, Norm, NormBall};
#[cfg(feature = "exact")]
use crate::overlap::exact::Exact;
use crate::overlap::{Distance, Overlaps, Region, Relation, RoundedBox};
use crate::shape::{Aabb, Bounded, ConvexSolid, Ellipsoid, Hollow, Shell, Sphere};
use crate::sweep::{Impact, Moving, Ray, Sweep, Times};
use crate::vector::{Scalar, Vector};

/// How a body moves, as far as pairs are concerned: static bodies pair with dynamic ones only.
///
/// ```
/// use orthant::{Aabb, Broadphase, Motion};
/// let mut world = Broadphase::new();
/// for motion in [Motion::Static, Motion::Kinematic, Motion::Dynamic] {
///     world.insert(Aabb::new([0.0], [1.0]), motion);
/// }
/// world.update();
/// assert_eq!(world.pairs().len(), 2); // not the first two
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Motion {
    /// Never moves by itself: ground, walls.
    Static,
    /// Moved by the caller, not by forces: lifts, doors. Pairs with kinematic and dynamic bodies.
    Kinematic,
    /// Moved by the simulation. Pairs with everything.
    Dynamic,
}

/// Which bodies may form pairs, by their categories and groups.
///
/// Two bodies of the same group other than 0 always meet if it is positive, and never if it is negative; all others meet if each has a
/// category that the other's mask names. This is the rule of `Box2D` (E. Catto, `b2Filter`). A mask of 0 names nothing.
///
/// ```
/// use orthant::Filter;
/// let ghost = Filter { category: 0b10, mask: 0b01, group: 0 };
/// assert!(ghost.meets(Filter::ALL)); // of category 1, any mask
/// assert!(!ghost.meets(ghost));
/// let limb = Filter { group: -7, ..Filter::ALL };
/// assert!(!limb.meets(limb) && limb.meets(Filter::ALL));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Filter {
    /// The categories of the body: a bit for each, mostly one.
    pub category: u64,
    /// The categories that it meets.
    pub mask: u64,
    /// The group of parts that belong to one object; 0 for none.
    pub group: i32,
}

impl Filter {
    /// The default: category 1, a mask of all categories, and no group.
    pub const ALL: Self = Self {
        category: 1,
        mask: u64::MAX,
        group: 0,
    };

    /// Whether two bodies with these filters may be a pair.
    #[inline]
    #[must_use]
    pub fn meets(self, other: Self) -> bool {
        if self.group == other.group && self.group != 0 {
            return self.group > 0;
        }
        self.category & other.mask != 0 && other.category & self.mask != 0
    }
}

impl Default for Filter {
    fn default() -> Self {
        Self::ALL
    }
}

/// The motion, the filter and the user data of a body.
///
/// Usually made from a [`Motion`], which is all that many bodies need.
///
/// ```
/// use orthant::{Aabb, Broadphase, Filter, Motion, BodyInfo};
/// let filter = Filter { category: 4, ..Filter::ALL };
/// let mut world = Broadphase::new();
/// let info = BodyInfo::from(Motion::Dynamic).with_filter(filter).with_user(17);
/// let bat = world.insert(Aabb::new([0.0], [1.0]), info);
/// assert_eq!(world.user(bat), Some(17));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BodyInfo {
    /// How it moves.
    pub motion: Motion,
    /// The bodies that it meets.
    pub filter: Filter,
    /// A number for your own use.
    pub user: u64,
}

impl BodyInfo {
    /// Replaces the filter.
    #[must_use]
    pub fn with_filter(self, filter: Filter) -> Self {
        Self { filter, ..self }
    }

    /// Replaces the user number.
    #[must_use]
    pub fn with_user(self, user: u64) -> Self {
        Self { user, ..self }
    }
}

/// Has the filter [`Filter::ALL`] and the user number 0.
impl From<Motion> for BodyInfo {
    fn from(motion: Motion) -> Self {
        Self {
            motion,
            filter: Filter::ALL,
            user: 0,
        }
    }
}

// Volumes.

/// A box or a ball: what a body of a [`Broadphase`](super::Broadphase) takes up.
///
/// A region meets a volume if it meets the volume's [`bounds`](Bounded::bounds) and, unless it encloses them, the volume.
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
    /// Converts to other vectors.
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

    /// The volume with its corners moved outwards, or its radius enlarged, by a distance: at most to the largest number.
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

    /// True if two volumes overlap, given that their boxes do.
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
    const IS_ROUNDED: bool = true;

    #[inline(always)]
    fn core(&self) -> Aabb<V> {
        match self {
            Self::Box(b) => *b,
            Self::Sphere(ball) => ball.bounds(),
        }
    }

    #[inline]
    fn rounded(&self) -> (Aabb<V>, Option<V::Scalar>) {
        match self {
            Self::Box(b) => (*b, None),
            Self::Sphere(ball) => (ball.core(), Some(ball.radius())),
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

impl<V: Vector> From<Volume<V>> for RoundedBox<V> {
    fn from(volume: Volume<V>) -> Self {
        Self::of(&volume)
    }
}

impl<V: Vector, N: Norm<V>> DistanceBy<N> for Volume<V> {
    #[inline]
    fn measure(&self, norm: &N, from: V) -> V::Scalar {
        match self {
            Self::Box(b) => b.measure(norm, from),
            Self::Sphere(ball) => ball.measure(norm, from),
        }
    }
}

impl<V: Vector, N: Norm<V>> Overlaps<Volume<V>> for NormBall<V, N> {
    #[inline]
    fn overlaps(&self, volume: &Volume<V>) -> bool {
        match volume {
            Volume::Box(b) => self.overlaps(b),
            Volume::Sphere(ball) => self.overlaps(ball),
        }
    }
}

impl<V: Vector> Overlaps<Volume<V>> for Volume<V> {
    #[inline]
    fn overlaps(&self, other: &Self) -> bool {
        self.shape_overlaps(other) && self.core().overlaps(&other.core())
    }
}

/// True if a region meets a volume.
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
    ConvexSolid<V>,
    Hollow<ConvexSolid<V>>,
    Hollow<Moving<Sphere<V>>>
);
#[cfg(feature = "exact")]
regions!(
    Exact<Sphere<V>>,
    Exact<Hollow<Sphere<V>>>,
    Exact<Ellipsoid<V>>,
    Exact<Hollow<Ellipsoid<V>>>
);

/// A ball is touched no sooner than its box.
impl<V, S> Sweep<Volume<V>> for Moving<S>
where
    V: Vector,
    S: Bounded<Vector = V> + Region<Vector = V>,
    Self: Sweep<Aabb<V>, Vector = V> + Sweep<Sphere<V>, Vector = V>,
{
    type Vector = V;

    fn times(&self, target: &Volume<V>) -> Option<Times<V>> {
        match target {
            Volume::Box(b) => self.times(b),
            Volume::Sphere(ball) => {
                let enter = self.bound_of_cell(&ball.bounds())?;
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
        match target {
            Volume::Box(b) => self.sweep(b),
            Volume::Sphere(ball) => {
                let (first, last) = self.times(target)?;
                let impact = self.sweep(ball)?;
                Some(Impact {
                    first,
                    last,
                    ..impact
                })
            }
        }
    }
}

/// A ray touches a ball as a moving ball of radius 0 does: no sooner than the box of the ball.
impl<V: Vector> Sweep<Volume<V>> for Ray<V> {
    type Vector = V;

    fn times(&self, target: &Volume<V>) -> Option<Times<V>> {
        match target {
            Volume::Box(b) => self.times(b),
            Volume::Sphere(_) => self.as_ball().times(target),
        }
    }

    fn first(&self, target: &Volume<V>, limit: V::Scalar) -> Option<V::Scalar> {
        match target {
            Volume::Box(b) => self.first(b, limit),
            Volume::Sphere(_) => self.as_ball().first(target, limit),
        }
    }

    fn sweep(&self, target: &Volume<V>) -> Option<Impact<V>> {
        match target {
            Volume::Box(b) => self.sweep(b),
            Volume::Sphere(_) => self.as_ball().sweep(target),
        }
    }
}

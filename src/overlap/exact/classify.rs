use super::body::{Body, Offset};
use crate::shape::{Aabb, Ellipsoid, Hollow, Sphere};
use crate::vector::Vector;

/// How two shapes meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Meeting {
    /// They share no point.
    Separate,
    /// They touch without crossing: what they share lies on the surfaces of both, and where one is
    /// hollow, it stays on one side of the other's surface.
    Tangent,
    /// They share more than that.
    Overlapping,
}

/// How two shapes meet, exactly.
///
/// # Complexity
///
/// That of [`Exact`](super::Exact).
///
/// ```
/// use orthant::exact::{Meeting, classify};
/// use orthant::{Aabb, Hollow, Sphere};
/// let cell = Aabb::new([3.0, 4.0], [6.0, 6.0]);
/// let ball = |radius| Sphere::new([0.0, 0.0], radius);
/// assert_eq!(classify(&ball(4.9), &cell), Meeting::Separate);
/// assert_eq!(classify(&ball(5.0), &cell), Meeting::Tangent);
/// assert_eq!(classify(&ball(5.1), &cell), Meeting::Overlapping);
/// // From inside: the ball fills a hollow box up to its lower face.
/// assert_eq!(classify(&Sphere::new([4.5, 4.5], 0.5), &Hollow(cell)), Meeting::Tangent);
/// ```
#[must_use]
pub fn classify<S: Classify<T>, T>(shape: &S, other: &T) -> Meeting {
    shape.meeting(other)
}

/// Shapes that [`classify`] compares: solid and hollow spheres and ellipsoids with solid and hollow
/// boxes, and spheres with spheres.
pub trait Classify<T> {
    /// How the two meet.
    fn meeting(&self, other: &T) -> Meeting;
}

impl Meeting {
    /// From three exclusive cases.
    #[inline(always)]
    fn of(separate: bool, tangent: impl FnOnce() -> bool) -> Self {
        if separate {
            Self::Separate
        } else if tangent() {
            Self::Tangent
        } else {
            Self::Overlapping
        }
    }
}

macro_rules! round {
    ($shape:ident) => {
        impl<V: Vector> Classify<Aabb<V>> for $shape<V> {
            fn meeting(&self, cell: &Aabb<V>) -> Meeting {
                let near = self.near(cell);
                // A sphere of radius 0 within the box is as near as its radius, but no tangent.
                Meeting::of(near.is_gt(), || near.is_eq() && self.surface(cell).is_eq())
            }
        }

        impl<V: Vector> Classify<Hollow<Aabb<V>>> for $shape<V> {
            fn meeting(&self, shell: &Hollow<Aabb<V>>) -> Meeting {
                let surface = self.surface(&shell.0);
                Meeting::of(surface.is_gt(), || surface.is_eq())
            }
        }

        impl<V: Vector> Classify<Aabb<V>> for Hollow<$shape<V>> {
            fn meeting(&self, cell: &Aabb<V>) -> Meeting {
                let (near, far) = (self.0.near(cell), self.0.far(cell));
                Meeting::of(near.is_gt() || far.is_lt(), || {
                    far.is_eq() || near.is_eq() && self.0.surface(cell).is_eq()
                })
            }
        }

        impl<V: Vector> Classify<Hollow<Aabb<V>>> for Hollow<$shape<V>> {
            fn meeting(&self, shell: &Hollow<Aabb<V>>) -> Meeting {
                // In one dimension surfaces are single points, and never cross.
                Meeting::of(!self.0.surfaces_meet(&shell.0), || {
                    V::DIM == 1 || self.0.far(&shell.0).is_eq() || self.0.surface(&shell.0).is_eq()
                })
            }
        }
    };
}

round!(Sphere);
round!(Ellipsoid);

impl<V: Vector> Classify<Sphere<V>> for Sphere<V> {
    fn meeting(&self, other: &Sphere<V>) -> Meeting {
        let both = Offset::grown(self, other.radius()).center(other);
        Meeting::of(both.is_gt(), || both.is_eq())
    }
}

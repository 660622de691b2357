//! Items with something attached.
//!
//! All that is asked of the whole goes to the item in it, one impl for each region: an impl for all regions
//! at once would not be told apart from that for references to regions. Structures keep the numbers of the
//! item in columns as if it were alone, so that it is asked by vector instructions, and the whole beside
//! them.

use core::ops::Deref;

use crate::overlap::{Contains, Distance, Overlaps};
use crate::shape::{Aabb, Bounded, Ellipsoid, Frustum, Hexahedron, Hollow, Layout, Shell, Sphere};
use crate::sweep::{Impact, Moving, Sweep, Times};
use crate::vector::Vector;

/// An item with data attached: a point with its name, a box with the entity that it surrounds.
///
/// It is where its item is, and answers every question as its item does: regions, the nearest, and what
/// moving shapes touch. Structures search it as fast as the item alone, if it is a point, a box or a sphere.
/// It dereferences to the item.
///
/// ```
/// use orthant::{Aabb, Frustum, Moving, Orthtree, Sphere, With};
/// let shop = With::new(Aabb::new([0.0, 0.0], [4.0, 3.0]), "bakery");
/// let home = With::new(Aabb::new([8.0, 0.0], [9.0, 5.0]), "school");
/// let town = [shop, home];
/// let tree = Orthtree::new(&town);
/// let near = tree.query(Sphere::new([5.0, 1.0], 2.0));
/// assert!(near.map(|i| town[i].data).eq(["bakery"]));
/// assert_eq!(town[tree.nearest([7.5, 2.0]).unwrap().item].data, "school");
/// assert_eq!(town[1].max(), [9.0, 5.0]); // that of its box
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct With<T, D> {
    /// Where it is.
    pub item: T,
    /// What is attached: no answer depends on it.
    pub data: D,
}

impl<T, D> With<T, D> {
    /// Attaches data to an item.
    ///
    /// ```
    /// use orthant::With;
    /// let city = With::new([13.4, 52.5], "Berlin");
    /// assert_eq!((city.item, city.data), ([13.4, 52.5], "Berlin"));
    /// ```
    #[inline]
    #[must_use]
    pub const fn new(item: T, data: D) -> Self {
        Self { item, data }
    }
}

impl<T, D> Deref for With<T, D> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.item
    }
}

impl<T: Bounded, D> Bounded for With<T, D> {
    type Vector = T::Vector;
    const HAS_RADIUS: bool = T::HAS_RADIUS;
    const LAYOUT: Layout = T::LAYOUT;

    #[inline(always)]
    fn core(&self) -> Aabb<T::Vector> {
        self.item.core()
    }

    #[inline(always)]
    fn radius(&self) -> <T::Vector as Vector>::Scalar {
        self.item.radius()
    }

    #[inline]
    fn bounds(&self) -> Aabb<T::Vector> {
        self.item.bounds()
    }
}

impl<T: Distance, D> Distance for With<T, D> {
    #[inline(always)]
    fn distance_sq(&self, from: T::Vector) -> <T::Vector as Vector>::Scalar {
        self.item.distance_sq(from)
    }
}

macro_rules! overlaps {
    ($($region:ty),*) => {$(
        impl<V: Vector, T, D> Overlaps<With<T, D>> for $region
        where
            $region: Overlaps<T>,
        {
            #[inline(always)]
            fn overlaps(&self, with: &With<T, D>) -> bool {
                self.overlaps(&with.item)
            }
        }
    )*};
}

overlaps!(
    Sphere<V>,
    Ellipsoid<V>,
    Shell<V>,
    Aabb<V>,
    Hexahedron<V>,
    Frustum<V>,
    Hollow<Sphere<V>>,
    Hollow<Ellipsoid<V>>,
    Hollow<Aabb<V>>,
    Hollow<Hexahedron<V>>,
    Hollow<Frustum<V>>,
    Hollow<Moving<Sphere<V>>>
);

macro_rules! contains {
    ($($region:ident),*) => {$(
        impl<V: Vector, T, D> Contains<With<T, D>> for $region<V>
        where
            $region<V>: Contains<T>,
        {
            #[inline]
            fn contains(&self, with: &With<T, D>) -> bool {
                self.contains(&with.item)
            }

            #[inline]
            fn contains_strictly(&self, with: &With<T, D>) -> bool {
                self.contains_strictly(&with.item)
            }
        }
    )*};
}

contains!(Sphere, Ellipsoid, Shell, Aabb, Hexahedron, Frustum);

impl<S: Bounded, T, D> Sweep<With<T, D>> for Moving<S>
where
    Self: Sweep<T>,
{
    type Vector = <Self as Sweep<T>>::Vector;

    #[inline]
    fn times(&self, with: &With<T, D>) -> Option<Times<Self::Vector>> {
        self.times(&with.item)
    }

    #[inline]
    fn first(
        &self,
        with: &With<T, D>,
        limit: <Self::Vector as Vector>::Scalar,
    ) -> Option<<Self::Vector as Vector>::Scalar> {
        self.first(&with.item, limit)
    }

    #[inline]
    fn sweep(&self, with: &With<T, D>) -> Option<Impact<Self::Vector>> {
        self.sweep(&with.item)
    }
}

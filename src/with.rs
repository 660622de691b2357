//! Items that contain a shape: shapes with data attached ([`With`]), and the user's types ([`item!`](crate::item)).
//!
//! Every predicate forwards to the shape, with one impl for each region: a single impl for all regions would conflict
//! with the one for references to regions. Structures keep the numbers of the shape in columns, so that vector
//! instructions compare them as fast as bare shapes, and the whole item beside the columns.

use core::ops::Deref;

/// An item with data attached: a point with its name, a box with the entity that it surrounds.
///
/// It lies where its item lies, and every test answers as for its item: regions, the nearest, and moving
/// shapes. Structures search it as fast as the item alone, if the item is a point, a box or a sphere. It
/// dereferences to the item. To make a type of your own such an item, use [`item!`](crate::item).
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
    /// The item, on which all answers depend.
    pub item: T,
    /// The data, on which no answer depends.
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

/// Makes a type of yours an item, for which every test answers as for a shape in it: all regions, the nearest,
/// and moving shapes.
///
/// `item!(Type: Shape, |this| expression)`: the shape is a point, [`Aabb`](crate::Aabb), [`Sphere`](crate::Sphere) or
/// another item that passes these tests, such as a [`Hexahedron`](crate::Hexahedron) (an oriented box), and the
/// expression returns it, the same shape each time. Structures search such items as fast as their shapes. The line
/// expands to implementations of [`Bounded`](crate::Bounded), [`Distance`](crate::Distance),
/// [`DistanceBy`](crate::DistanceBy), [`Contains`](crate::Contains), [`Sweep`](crate::Sweep) and, for each region,
/// [`Overlaps`](crate::Overlaps). For a type with parameters write `impl<…>` in front, with up to one bound for each.
///
/// ```
/// use orthant::{Aabb, LooseOrthtree, Moving, Orthtree, SpatialIndex, Sphere};
///
/// #[derive(Clone)]
/// struct Building { name: &'static str, walls: Aabb<[f32; 2]> }
/// orthant::item!(Building: Aabb<[f32; 2]>, |building| building.walls);
///
/// let walls = Aabb::new([0.0, 0.0], [4.0, 3.0]);
/// let town = Orthtree::new(&[Building { name: "bakery", walls }]);
/// let bullet = Moving::new(Sphere::new([9.0, 1.0], 0.0), [-10.0, 0.0]);
/// let hit = town.sweep(bullet).unwrap();
/// assert_eq!((town.items()[hit.item].name, hit.impact.first), ("bakery", 0.5));
///
/// struct Plant<K> { kind: K, at: [f32; 2], radius: f32 }
/// orthant::item!(impl<K> Plant<K>: Sphere<[f32; 2]>, |plant| Sphere::new(plant.at, plant.radius));
///
/// let mut garden = LooseOrthtree::new();
/// let elm = garden.insert(Plant { kind: "elm", at: [6.0, 1.0], radius: 0.5 });
/// assert_eq!(garden.nearest([5.0, 1.0]).unwrap().distance(), 0.5);
/// assert_eq!(garden[elm].kind, "elm");
/// ```
#[macro_export]
macro_rules! item {
    (impl<$($parameter:ident $(: $bound:path)?),*> $item:ty: $shape:ty, |$this:ident| $of:expr $(,)?) => {
        impl<$($parameter $(: $bound)?),*> $crate::Bounded for $item
        where
            $shape: $crate::Bounded,
        {
            type Vector = <$shape as $crate::Bounded>::Vector;
            const HAS_RADIUS: bool = <$shape as $crate::Bounded>::HAS_RADIUS;
            const LAYOUT: $crate::Layout = <$shape as $crate::Bounded>::LAYOUT;
            const IS_ROUNDED: bool = <$shape as $crate::Bounded>::IS_ROUNDED;

            $crate::item!(@methods Bounded |$this| $of;
                fn core() -> $crate::Aabb<Self::Vector>;
                fn radius() -> <Self::Vector as $crate::Vector>::Scalar;
                fn bounds() -> $crate::Aabb<Self::Vector>;
                fn rounded() -> ($crate::Aabb<Self::Vector>, Option<<Self::Vector as $crate::Vector>::Scalar>);
            );
        }

        impl<$($parameter $(: $bound)?),*> $crate::Distance for $item
        where
            $shape: $crate::Distance,
        {
            $crate::item!(@methods Distance |$this| $of;
                fn distance_sq(from: Self::Vector) -> <Self::Vector as $crate::Vector>::Scalar;
            );
        }

        impl<AnyNorm, $($parameter $(: $bound)?),*> $crate::DistanceBy<AnyNorm> for $item
        where
            $shape: $crate::DistanceBy<AnyNorm>,
        {
            $crate::item!(@methods DistanceBy |$this| $of;
                fn measure(norm: &AnyNorm, from: Self::Vector) -> <Self::Vector as $crate::Vector>::Scalar;
            );
        }

        $crate::item!(@sweeps [Body: $crate::Bounded] [$($parameter $(: $bound)?),*] $item, $shape, |$this| $of;
            $crate::Moving<Body>);
        $crate::item!(@sweeps [AnyVector: $crate::Vector] [$($parameter $(: $bound)?),*] $item, $shape, |$this| $of;
            $crate::Ray<AnyVector>);
        $crate::item!(@overlaps [AnyVector: $crate::Vector] [$($parameter $(: $bound)?),*] $item, $shape, |$this| $of;
            $crate::Sphere<AnyVector>,
            $crate::Ellipsoid<AnyVector>,
            $crate::Shell<AnyVector>,
            $crate::Aabb<AnyVector>,
            $crate::ConvexSolid<AnyVector>,
            $crate::Hollow<$crate::Sphere<AnyVector>>,
            $crate::Hollow<$crate::Ellipsoid<AnyVector>>,
            $crate::Hollow<$crate::Aabb<AnyVector>>,
            $crate::Hollow<$crate::ConvexSolid<AnyVector>>,
            $crate::Hollow<$crate::Moving<$crate::Sphere<AnyVector>>>);
        $crate::item!(@overlaps [AnyVector: $crate::Vector, AnyNorm] [$($parameter $(: $bound)?),*] $item, $shape, |$this| $of;
            $crate::NormBall<AnyVector, AnyNorm>);
        $crate::item!(@contains [AnyVector: $crate::Vector] [$($parameter $(: $bound)?),*] $item, $shape, |$this| $of;
            $crate::Sphere<AnyVector>,
            $crate::Ellipsoid<AnyVector>,
            $crate::Shell<AnyVector>,
            $crate::Aabb<AnyVector>,
            $crate::ConvexSolid<AnyVector>);
    };
    (@methods $trait:ident |$this:ident| $of:expr; $(fn $method:ident($($arg:ident: $type:ty),*) -> $out:ty;)*) => {
        $(
            #[inline(always)]
            fn $method(&self, $($arg: $type),*) -> $out {
                let $this = self;
                $crate::$trait::$method(&$of, $($arg),*)
            }
        )*
    };
    // Each region is expanded by itself, since a macro cannot repeat the parameters within a repetition over regions.
    (@overlaps $any:tt $parameters:tt $item:ty, $shape:ty, |$this:ident| $of:expr; $($region:ty),*) => {
        $($crate::item!(@region $any $parameters $item, $shape, |$this| $of; $region: Overlaps {
            fn overlaps() -> bool;
        });)*
    };
    (@contains $any:tt $parameters:tt $item:ty, $shape:ty, |$this:ident| $of:expr; $($region:ty),*) => {
        $($crate::item!(@region $any $parameters $item, $shape, |$this| $of; $region: Contains {
            fn contains() -> bool;
            fn contains_strictly() -> bool;
        });)*
    };
    (@sweeps $any:tt $parameters:tt $item:ty, $shape:ty, |$this:ident| $of:expr; $mover:ty) => {
        $crate::item!(@region $any $parameters $item, $shape, |$this| $of; $mover: Sweep {
            type Vector;
            fn times() -> Option<$crate::Times<Self::Vector>>;
            fn first(limit: <Self::Vector as $crate::Vector>::Scalar) -> Option<<Self::Vector as $crate::Vector>::Scalar>;
            fn sweep() -> Option<$crate::Impact<Self::Vector>>;
        });
    };
    (
        @region [$($any:tt)*] [$($parameter:tt)*] $item:ty, $shape:ty, |$this:ident| $of:expr; $region:ty: $trait:ident {
            $(type $associated:ident;)?
            $(fn $method:ident($($arg:ident: $type:ty)?) -> $out:ty;)*
        }
    ) => {
        impl<$($any)*, $($parameter)*> $crate::$trait<$item> for $region
        where
            Self: $crate::$trait<$shape>,
        {
            $(type $associated = <Self as $crate::$trait<$shape>>::$associated;)?
            $(
                #[inline(always)]
                fn $method(&self, item: &$item, $($arg: $type)?) -> $out {
                    let $this = item;
                    $crate::$trait::<$shape>::$method(self, &$of, $($arg)?)
                }
            )*
        }
    };
    ($item:ty: $shape:ty, |$this:ident| $of:expr $(,)?) => {
        $crate::item!(impl<> $item: $shape, |$this| $of);
    };
}

item!(impl<T, D> With<T, D>: T, |with| with.item);

#[cfg(feature = "exact")]
mod exact {
    use super::With;
    use crate::overlap::exact::Exact;
    use crate::shape::{Ellipsoid, Hollow, Sphere};

    item!(@overlaps [AnyVector: crate::vector::Vector] [T, D] With<T, D>, T, |with| with.item;
        Exact<Sphere<AnyVector>>,
        Exact<Ellipsoid<AnyVector>>,
        Exact<Hollow<Sphere<AnyVector>>>,
        Exact<Hollow<Ellipsoid<AnyVector>>>);
}

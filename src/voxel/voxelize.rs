//! What can be turned into voxels.

use crate::{
    Aabb, Bounded, Complement, Difference, Ellipsoid, Hexahedron, Hollow, Intersection, Overlaps,
    Region, Shell, Sphere, Union,
};

/// A region whose voxels a [`VoxelGrid`](crate::VoxelGrid) can list.
///
/// Implemented for solid and hollow [`Sphere`], [`Ellipsoid`] and [`Aabb`] and for [`Shell`], whose
/// rows are found directly, and for [`Hexahedron`]. For that one, and for a region of yours with an empty
/// implementation, the voxels around its bounds are halved, pruned by [`relate`](Region::relate),
/// and single ones are asked by [`overlaps`](Overlaps::overlaps). The answer is that of `overlaps`
/// alone for a region that keeps the law of [`Region`], its voxels being the items, and that says no
/// of voxels far from its bounds (by more than a voxel and a ten-thousandth of their extent).
///
/// Under [`Rule::HalfOpen`](crate::Rule::HalfOpen) a region of yours is asked with the closed box of
/// the floats that lie in the half-open voxel, from its lower face to the float before the upper.
///
/// ```
/// use orthant::{Aabb, Bounded, Overlaps, Region, Relation, VoxelGrid, Voxelize};
///
/// /// The points with |x| + |y| up to a bound.
/// struct Diamond(f32);
/// impl Overlaps<Aabb<[f32; 2]>> for Diamond {
///     fn overlaps(&self, cell: &Aabb<[f32; 2]>) -> bool {
///         let near = |a: usize| cell.min()[a].max(-cell.max()[a]).max(0.0);
///         near(0) + near(1) <= self.0
///     }
/// }
/// impl Region for Diamond {
///     type Vector = [f32; 2];
///     fn relate(&self, cell: &Aabb<[f32; 2]>) -> Relation {
///         if self.overlaps(cell) { Relation::Straddles } else { Relation::Outside }
///     }
/// }
/// impl Bounded for Diamond {
///     type Vector = [f32; 2];
///     fn core(&self) -> Aabb<[f32; 2]> { Aabb::new([-self.0; 2], [self.0; 2]) }
/// }
/// impl Voxelize for Diamond {}
///
/// let grid = VoxelGrid::new([0.0, 0.0], 1.0);
/// assert_eq!(grid.count(Diamond(1.5)), 12);
/// ```
pub trait Voxelize:
    Region + Bounded<Vector = <Self as Region>::Vector> + Overlaps<Aabb<<Self as Region>::Vector>>
{
    /// The shape behind the region, if its rows can be found directly.
    #[doc(hidden)]
    fn shape(&self) -> Option<Shape<<Self as Region>::Vector>> {
        None
    }
}

/// The shapes whose rows are found directly, and whether only the surface is meant.
#[doc(hidden)]
#[derive(Debug)]
pub enum Shape<V: crate::Vector> {
    Sphere(Sphere<V>, bool),
    Ellipsoid(Ellipsoid<V>, bool),
    Aabb(Aabb<V>, bool),
    Shell(Shell<V>),
}

macro_rules! voxelize {
    ($shape:ident) => {
        impl<V: crate::Vector> Voxelize for $shape<V> {
            #[inline]
            fn shape(&self) -> Option<Shape<V>> {
                Some(Shape::$shape(*self, false))
            }
        }

        impl<V: crate::Vector> Voxelize for Hollow<$shape<V>> {
            #[inline]
            fn shape(&self) -> Option<Shape<V>> {
                Some(Shape::$shape(self.0, true))
            }
        }
    };
}

voxelize!(Sphere);
voxelize!(Ellipsoid);
voxelize!(Aabb);

impl<V: crate::Vector> Voxelize for Shell<V> {
    #[inline]
    fn shape(&self) -> Option<Shape<V>> {
        Some(Shape::Shell(*self))
    }
}

impl<V: crate::Vector> Voxelize for Hexahedron<V> {}

impl<V: crate::Vector> Voxelize for Hollow<Hexahedron<V>> {}

impl<A, B> Voxelize for Union<A, B>
where
    A: Voxelize,
    B: Voxelize + Region<Vector = <A as Region>::Vector>,
{
}

impl<A, B> Voxelize for Intersection<A, B>
where
    A: Voxelize,
    B: Voxelize + Region<Vector = <A as Region>::Vector>,
{
}

impl<A, B> Voxelize for Difference<A, B>
where
    A: Voxelize,
    B: Region<Vector = <A as Region>::Vector> + Overlaps<Aabb<<A as Region>::Vector>>,
{
}

/// Only to clip it: on its own it is out of every grid's range.
impl<R: Region + Overlaps<Aabb<<R as Region>::Vector>>> Voxelize for Complement<R> {}

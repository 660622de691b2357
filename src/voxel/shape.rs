//! Grids and shapes as the kernels take them, generic over the scalar alone and with up to four axes; and the choice
//! of how a shape's rows are found.

use alloc::boxed::Box;

use super::voxelize::{ScalarOf, VectorOf};
use crate::error::Error;
use crate::kernels::kernels;
use crate::shape::Aabb;
use crate::simd::InstructionSet;
use crate::vector::{Scalar, Vector};
use crate::voxel::lattice::{Block, Lattice};
use crate::voxel::layers::Layers;
use crate::voxel::round::{Round, RoundSlabs};
use crate::voxel::slab::{BoxSlabs, Slab, SlabWalk, Slabs};
use crate::voxel::{Rule, VoxelGrid, Voxelize};

/// A grid, as the kernels take it.
#[derive(Clone, Copy, Debug)]
pub struct Grid<S> {
    pub(super) lattice: Lattice<S>,
    pub(super) rule: Rule<S>,
    pub(super) window: Option<Block<[i32; 4]>>,
    pub(super) instructions: InstructionSet,
}

/// The shapes whose rows are found directly, as the kernels take them; 0 on axes that the grid lacks.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum Shape<S> {
    /// A ball or an ellipsoid, perhaps with a hole; the hole of a surface has the same radius.
    Round {
        dim: usize,
        center: [S; 4],
        /// The semi-axes of an ellipsoid, which are its units of distance.
        semi_axes: Option<[S; 4]>,
        outer: S,
        inner: Option<S>,
        is_surface: bool,
    },
    Box {
        dim: usize,
        ends: [(S, S); 4],
        is_surface: bool,
    },
}

/// One value for each axis of a vector, and `none` on axes that it lacks.
#[inline]
pub(super) fn padded<V: Vector, X: Copy>(on: impl Fn(usize) -> X, none: X) -> [X; 4] {
    crate::simd::from_fn(|a| if a < V::DIM { on(a) } else { none })
}

/// Describes a ball, or an ellipsoid if semi-axes are given, to the kernels.
pub(super) fn round_shape<V: Vector>(
    center: V,
    semi_axes: Option<V>,
    outer: V::Scalar,
    inner: Option<V::Scalar>,
    is_surface: bool,
) -> Shape<V::Scalar> {
    Shape::Round {
        dim: V::DIM,
        center: padded::<V, _>(|a| center.axis(a), Scalar::ZERO),
        semi_axes: semi_axes.map(|axes| padded::<V, _>(|a| axes.axis(a), Scalar::ONE)),
        outer,
        inner,
        is_surface,
    }
}

pub(super) fn box_shape<V: Vector>(solid: &Aabb<V>, is_surface: bool) -> Shape<V::Scalar> {
    let (min, max) = (solid.min(), solid.max());
    Shape::Box {
        dim: V::DIM,
        ends: padded::<V, _>(|a| (min.axis(a), max.axis(a)), Default::default()),
        is_surface,
    }
}

/// The rows of a region, if they can be found directly.
pub(super) fn rows_of<R: Voxelize>(
    grid: &VoxelGrid<VectorOf<R>>,
    region: &R,
) -> Result<Option<Box<SlabWalk<ScalarOf<R>>>>, Error> {
    let Some(shape) = region.shape() else {
        return Ok(None);
    };
    if matches!(shape, Shape::Box { .. }) {
        // A point that is not finite has a box that is not finite.
        region.bounds().check()?;
    }
    Kernels::rows_of(&grid.core(), &shape)
}

kernels! {
    /// The work of listing the voxels of a shape.
    pub trait Kernels for scalars {
        fn rows_of(grid: &Grid<Self>, shape: &Shape<Self>) -> Result<Option<Box<SlabWalk<Self>>>, Error> = walk_of;
        fn fill_next(walk: &mut SlabWalk<Self>, slab: &mut Slab) -> bool = SlabWalk::fill_next;
        fn next_bricks(layers: &mut Layers<Self>) -> Result<bool, Error> = Layers::advance;
    }
}

/// The rows of a shape; `None` if they cannot be found directly under the grid's rule, or the shape reaches beyond the
/// range of indices and the grid has a window. Such a shape is halved.
fn walk_of<S: Scalar>(grid: &Grid<S>, shape: &Shape<S>) -> Result<Option<Box<SlabWalk<S>>>, Error> {
    let slabs = if let Shape::Box {
        dim,
        ends,
        is_surface,
    } = shape
    {
        BoxSlabs::new(grid, &ends[..*dim], *is_surface).map(|slabs| slabs.map(Slabs::Boxes))
    } else if let Some(round) = Round::new(shape, grid.rule) {
        RoundSlabs::new(grid, round).map(|slabs| slabs.map(Slabs::Round))
    } else {
        Ok(None)
    };
    match slabs {
        Err(_) if grid.window.is_some() => Ok(None),
        slabs => Ok(slabs?.map(|slabs| Box::new(SlabWalk::new(slabs)))),
    }
}

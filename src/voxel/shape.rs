//! Grids and shapes as the kernels take them, generic over the scalar alone and with up to four axes; and the choice
//! of how a shape's rows are found.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::voxelize::{Form, ScalarOf, VectorOf};
use crate::error::Error;
use crate::kernels::kernels;
use crate::simd::InstructionSet;
use crate::vector::{Scalar, Vector};
use crate::voxel::lattice::{Block, Lattice};
use crate::voxel::layers::Layers;
use crate::voxel::round::{Round, RoundSlabs};
use crate::voxel::slab::{BoxSlabs, Slab, SlabWalk, Slabs};
use crate::voxel::{Brick, Rule, VoxelGrid, Voxelize};

/// A grid, as the kernels take it.
#[derive(Clone, Copy, Debug)]
pub struct Grid<S> {
    pub(super) lattice: Lattice<S>,
    pub(super) rule: Rule<S>,
    pub(super) window: Option<Block<[i32; 4]>>,
    pub(super) instructions: InstructionSet,
}

/// The shapes whose rows are found directly, as the kernels take them; 0 on axes that the grid lacks.
#[derive(Clone, Copy, Debug)]
pub enum Shape<S> {
    Round(Round<S>),
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

/// The rows of a region, if they can be found directly.
pub(super) fn rows_of<R: Voxelize>(
    grid: &VoxelGrid<VectorOf<R>>,
    region: &R,
) -> Result<Option<Box<SlabWalk<ScalarOf<R>>>>, Error> {
    let shape = if let Form::Box(solid) = region.form() {
        // A point that is not finite has a box that is not finite.
        region.bounds().check()?;
        let (min, max) = (solid.min(), solid.max());
        Shape::Box {
            dim: VectorOf::<R>::DIM,
            ends: padded::<VectorOf<R>, _>(|a| (min.axis(a), max.axis(a)), Default::default()),
            is_surface: R::IS_SURFACE,
        }
    } else if let Some(round) = Round::new(region, grid.rule) {
        Shape::Round(round)
    } else {
        return Ok(None);
    };
    Kernels::rows_of(&grid.core(), &shape)
}

kernels! {
    /// The work of listing the voxels of a shape.
    pub trait Kernels for scalars {
        fn rows_of(grid: &Grid<Self>, shape: &Shape<Self>) -> Result<Option<Box<SlabWalk<Self>>>, Error> = walk_of;
        fn fill_next(walk: &mut SlabWalk<Self>, slab: &mut Slab) -> bool = SlabWalk::fill_next;
        fn next_bricks(layers: &mut Layers<Self>, to: &mut Vec<Brick<[i32; 3]>>) -> Result<(), Error> = Layers::advance;
    }
}

/// The rows of a shape; `None` if they cannot be found directly under the grid's rule, or the shape reaches beyond the
/// range of indices and the grid has a window. Such a shape is halved.
fn walk_of<S: Scalar>(grid: &Grid<S>, shape: &Shape<S>) -> Result<Option<Box<SlabWalk<S>>>, Error> {
    let slabs = match shape {
        Shape::Round(round) => RoundSlabs::new(grid, *round).map(|slabs| slabs.map(Slabs::Round)),
        Shape::Box {
            dim,
            ends,
            is_surface,
        } => BoxSlabs::new(grid, &ends[..*dim], *is_surface).map(|slabs| slabs.map(Slabs::Boxes)),
    };
    match slabs {
        Err(_) if grid.window.is_some() => Ok(None),
        slabs => Ok(slabs?.map(|slabs| Box::new(SlabWalk::new(slabs)))),
    }
}

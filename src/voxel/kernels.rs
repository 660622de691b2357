//! What is compiled here of listing voxels: by scalar alone, for vectors of one to four axes.

use super::boxes::BoxSlabs;
use super::lattice::{Block, Lattice};
use super::layers::Layers;
use super::round::{Round, RoundSlabs};
use super::slab::{SlabSpans, SlabWalk, Slabs};
use super::{Rule, Shape};
use crate::{Error, InstructionSet, Scalar};

/// A grid, as the kernels take it.
#[derive(Clone, Copy, Debug)]
pub struct Grid<S> {
    pub(super) lattice: Lattice<S>,
    pub(super) rule: Rule<S>,
    pub(super) window: Option<Block<[i32; 4]>>,
    pub(super) instructions: InstructionSet,
}

/// The kernels of a scalar.
pub trait Kernels: Sized {
    /// The rows of a shape, if they can be found directly under the grid's rule.
    fn rows_of(grid: &Grid<Self>, shape: &Shape<Self>) -> Result<Option<SlabSpans<Self>>, Error>;

    /// Fills the slab of a walk with the next strips; `false` if there are none.
    fn fill_next(walk: &mut SlabWalk<Self>) -> bool;

    /// The number of voxels that are left.
    fn count_voxels(rows: SlabSpans<Self>, instructions: InstructionSet) -> u64;

    /// Makes the next row of bricks; `false` if there are none.
    fn next_bricks(layers: &mut Layers<Self>) -> bool;
}

macro_rules! compiled {
    ($($scalar:ident)*) => {
        $(
            impl Kernels for $scalar {
                #[inline(never)]
                fn rows_of(
                    grid: &Grid<Self>,
                    shape: &Shape<Self>,
                ) -> Result<Option<SlabSpans<Self>>, Error> {
                    slabs_of(grid, shape).map(|slabs| slabs.map(SlabSpans::new))
                }

                #[inline(never)]
                fn fill_next(walk: &mut SlabWalk<Self>) -> bool {
                    walk.fill_next()
                }

                #[inline(never)]
                fn count_voxels(rows: SlabSpans<Self>, instructions: InstructionSet) -> u64 {
                    rows.count_all(instructions)
                }

                #[inline(never)]
                fn next_bricks(layers: &mut Layers<Self>) -> bool {
                    layers.advance()
                }
            }
        )*
    };
}

compiled!(f32 f64);

fn slabs_of<S: Scalar>(grid: &Grid<S>, shape: &Shape<S>) -> Result<Option<Slabs<S>>, Error> {
    let (rule, window) = (grid.rule, grid.window.as_ref());
    if let Shape::Box {
        dim,
        ends,
        is_surface,
    } = shape
    {
        let slabs = BoxSlabs::new(&ends[..*dim], *is_surface, &grid.lattice, rule, window)?;
        return Ok(slabs.map(Slabs::Boxes));
    }
    let Some(round) = Round::new(shape, rule) else {
        return Ok(None);
    };
    let slabs = RoundSlabs::new(round, grid.lattice, window, grid.instructions)?;
    Ok(slabs.map(Slabs::Round))
}

//! What is compiled here of listing voxels: grids and shapes by scalar alone, for vectors of one to four
//! axes, and what is asked of them.

use super::Rule;
use super::boxes::BoxSlabs;
use super::lattice::{Block, Lattice};
use super::layers::Layers;
use super::round::{Round, RoundSlabs};
use super::slab::{SlabSpans, SlabWalk, Slabs};
use crate::error::Error;
use crate::shape::{Aabb, Ellipsoid, Sphere};
use crate::simd::InstructionSet;
use crate::vector::{Scalar, Vector};

/// A grid, as the kernels take it.
#[derive(Clone, Copy, Debug)]
pub struct Grid<S> {
    pub(super) lattice: Lattice<S>,
    pub(super) rule: Rule<S>,
    pub(super) window: Option<Block<[i32; 4]>>,
    pub(super) instructions: InstructionSet,
}

/// The shapes whose rows are found directly, as the kernels take them; 0 on axes that there are not.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum Shape<S> {
    /// A ball, perhaps with a hole; or its surface, all of which is hole.
    Ball {
        dim: usize,
        center: [S; 4],
        outer: S,
        inner: Option<S>,
        is_surface: bool,
    },
    Ellipsoid {
        dim: usize,
        center: [S; 4],
        semi_axes: [S; 4],
        is_surface: bool,
    },
    Box {
        dim: usize,
        ends: [(S, S); 4],
        is_surface: bool,
    },
}

/// What a vector has on each axis, and something else on those that it lacks.
#[inline]
pub(super) fn padded<V: Vector, X: Copy>(on: impl Fn(usize) -> X, none: X) -> [X; 4] {
    core::array::from_fn(|a| if a < V::DIM { on(a) } else { none })
}

pub(super) fn ball_shape<V: Vector>(ball: &Sphere<V>, is_surface: bool) -> Shape<V::Scalar> {
    Shape::Ball {
        dim: V::DIM,
        center: padded::<V, _>(|a| ball.center().axis(a), Scalar::ZERO),
        outer: ball.radius(),
        inner: is_surface.then_some(ball.radius()),
        is_surface,
    }
}

pub(super) fn ellipsoid_shape<V: Vector>(egg: &Ellipsoid<V>, is_surface: bool) -> Shape<V::Scalar> {
    Shape::Ellipsoid {
        dim: V::DIM,
        center: padded::<V, _>(|a| egg.center().axis(a), Scalar::ZERO),
        semi_axes: padded::<V, _>(|a| egg.semi_axes().axis(a), Scalar::ONE),
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

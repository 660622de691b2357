//! Grids and shapes as the kernels take them: by scalar alone, for vectors of one to four axes; and how a shape's
//! rows are found.
//!
//! The surface of a ball is a ball with a hole of the same radius.

use crate::error::Error;
use crate::kernels::kernels;
use crate::overlap::Region;
use crate::shape::{Aabb, Ellipsoid, Shell, Sphere};
use crate::simd::InstructionSet;
use crate::vector::{Scalar, Vector};
use crate::voxel::lattice::{Block, Lattice};
use crate::voxel::layers::Layers;
use crate::voxel::round::{Round, RoundSlabs};
use crate::voxel::slab::{BoxSlabs, SlabWalk, Slabs};
use crate::voxel::spans::SlabSpans;
use crate::voxel::{Rule, VoxelGrid, Voxelize};

type ScalarOf<R> = <<R as Region>::Vector as Vector>::Scalar;

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
    /// A ball, perhaps with a hole; or its surface, whose hole has the same radius (`inner` is none then).
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

/// The parts of a vector on its axes, and something else on axes that it lacks.
#[inline]
fn padded<V: Vector, X: Copy>(on: impl Fn(usize) -> X, none: X) -> [X; 4] {
    crate::simd::from_fn(|a| if a < V::DIM { on(a) } else { none })
}

pub(super) fn ball_shape<V: Vector>(ball: &Sphere<V>, is_surface: bool) -> Shape<V::Scalar> {
    let inner = is_surface.then_some(ball.radius());
    ball_around(ball.center(), ball.radius(), inner, is_surface)
}

pub(super) fn shell_shape<V: Vector>(shell: &Shell<V>) -> Shape<V::Scalar> {
    let inner = Some(shell.inner()).filter(|&inner| inner > Scalar::ZERO);
    ball_around(shell.center(), shell.outer(), inner, false)
}

fn ball_around<V: Vector>(
    center: V,
    outer: V::Scalar,
    inner: Option<V::Scalar>,
    is_surface: bool,
) -> Shape<V::Scalar> {
    Shape::Ball {
        dim: V::DIM,
        center: padded::<V, _>(|a| center.axis(a), Scalar::ZERO),
        outer,
        inner,
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

/// The rows of a region, if they can be found directly.
pub(super) fn rows_of<R: Voxelize>(
    grid: &VoxelGrid<<R as Region>::Vector>,
    region: &R,
) -> Result<Option<SlabSpans<ScalarOf<R>>>, Error> {
    let Some(shape) = region.shape() else {
        return Ok(None);
    };
    if matches!(shape, Shape::Box { .. }) {
        // The box of a point that is not finite is not either.
        region.bounds().check()?;
    }
    Kernels::rows_of(&grid.core(), &shape)
}

kernels! {
    /// The work of listing the voxels of a shape.
    pub trait Kernels for scalars {
        fn rows_of(grid: &Grid<Self>, shape: &Shape<Self>) -> Result<Option<SlabSpans<Self>>, Error> = spans_of;
        fn fill_next(walk: &mut SlabWalk<Self>) -> bool = SlabWalk::fill_next;
        fn count_voxels(rows: SlabSpans<Self>, instructions: InstructionSet) -> u64 = SlabSpans::count_all;
        fn next_bricks(layers: &mut Layers<Self>) -> Result<bool, Error> = Layers::advance;
    }
}

/// The rows of a shape, if they can be found directly under the grid's rule.
fn spans_of<S: Scalar>(grid: &Grid<S>, shape: &Shape<S>) -> Result<Option<SlabSpans<S>>, Error> {
    slabs_of(grid, shape).map(|slabs| slabs.map(SlabSpans::new))
}

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

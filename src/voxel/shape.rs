//! Grids and shapes as the kernels take them, generic over the scalar alone and with up to four axes; and the choice
//! of how a shape's rows are found.

use alloc::boxed::Box;

use super::lattice::{Block, Lattice};
use super::layers::Layers;
use super::round::{Marks, RoundSlabs};
use super::slab::{BoxSlabs, Slab, SlabWalk, Slabs};
use super::{Rule, VoxelGrid, Voxelize};
use crate::error::Error;
use crate::kernels::kernels;
use crate::overlap::Region;
use crate::overlap::distance::{far_apart, near_apart};
use crate::shape::Aabb;
use crate::simd::InstructionSet;
use crate::vector::{Scalar, Vector};

type ScalarOf<R> = <<R as Region>::Vector as Vector>::Scalar;

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
    Round(Round<S>),
    Box {
        dim: usize,
        ends: [(S, S); 4],
        is_surface: bool,
    },
}

/// One value for each axis of a vector, and `none` on axes that it lacks.
#[inline]
fn padded<V: Vector, X: Copy>(on: impl Fn(usize) -> X, none: X) -> [X; 4] {
    crate::simd::from_fn(|a| if a < V::DIM { on(a) } else { none })
}

impl<S: Scalar> Shape<S> {
    /// A ball under a rule, or an ellipsoid whose distances are measured in its semi-axes, perhaps with a hole; that of
    /// a surface has the same radius. `None` if squared distances do not decide it.
    pub(super) fn round<V: Vector<Scalar = S>>(
        rule: Rule<S>,
        center: V,
        semi_axes: Option<V>,
        (outer, inner): (S, Option<S>),
        is_surface: bool,
    ) -> Option<Self> {
        // An ellipsoid that grows by a length has another form.
        if semi_axes.is_some() && rule.reach().is_some() {
            return None;
        }
        let by = rule.reach().unwrap_or_default();
        let test = RowTest::of(rule, is_surface);
        let outer = outer + by;
        let inner = inner.filter(|_| test != RowTest::Layer);
        let inner = inner.map(|inner| inner - by);
        let inner = inner.filter(|&inner| inner >= S::ZERO);
        let semi_axis = |a| semi_axes.map_or(S::ONE, |axes| axes.axis(a));
        Some(Self::Round(Round {
            dim: V::DIM,
            center: padded::<V, _>(|a| center.axis(a), S::ZERO),
            is_ellipsoid: semi_axes.is_some(),
            semi_axes: padded::<V, _>(semi_axis, S::ONE),
            limit: outer * outer,
            hole: inner.map(|inner| inner * inner),
            test,
        }))
    }

    pub(super) fn solid_box<V: Vector<Scalar = S>>(solid: &Aabb<V>, is_surface: bool) -> Self {
        let ends = |a| (solid.min().axis(a), solid.max().axis(a));
        Self::Box {
            dim: V::DIM,
            ends: padded::<V, _>(ends, Default::default()),
            is_surface,
        }
    }
}

/// How the cells of a row are decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowTest {
    /// By the nearest point and the farthest corner.
    Closed,
    /// By the nearest point and the farthest corner that belong to the half-open cell.
    HalfOpen,
    /// By the middle, up to the limit and from the hole's on.
    Middle,
    /// By the middle, below the limit and above the hole's.
    Band,
    /// By the middle, and the middles of the cells across a face.
    Layer,
    /// By the segments through the middle.
    Thin,
}

impl RowTest {
    fn of<S: Scalar>(rule: Rule<S>, is_surface: bool) -> Self {
        match rule {
            Rule::Closed | Rule::Shell(_) => Self::Closed,
            Rule::HalfOpen => Self::HalfOpen,
            Rule::CenterInside if is_surface => Self::Layer,
            Rule::CenterInside => Self::Middle,
            Rule::Thin => Self::Thin,
            Rule::NarrowBand(_) => Self::Band,
        }
    }

    /// The marks by which slabs and rows are decided.
    pub(super) fn marks(self) -> Marks {
        match self {
            Self::Closed | Self::HalfOpen | Self::Thin => Marks::Planes,
            Self::Middle | Self::Band | Self::Layer => Marks::Middles,
        }
    }
}

/// A ball or an ellipsoid, with a squared distance up to which cells are met, and one within which they are not.
#[derive(Clone, Copy, Debug)]
pub struct Round<S> {
    /// The number of axes. The others add 0.
    pub(super) dim: usize,
    pub(super) center: [S; 4],
    /// Distances from an ellipsoid's center are measured in them.
    pub(super) semi_axes: [S; 4],
    pub(super) is_ellipsoid: bool,
    pub(crate) limit: S,
    pub(crate) hole: Option<S>,
    pub(super) test: RowTest,
}

impl<S: Scalar> Round<S> {
    /// Whether one comparison of a cell's middle decides it.
    pub(crate) fn is_solid_by_middle(&self) -> bool {
        self.test == RowTest::Middle && self.hole.is_none()
    }

    /// A coordinate difference in units of the limit's distance.
    #[inline(always)]
    pub(super) fn scaled(&self, axis: usize, difference: S) -> S {
        if self.is_ellipsoid {
            difference / self.semi_axes[axis]
        } else {
            difference
        }
    }

    /// The distance to the nearest point of `[lo, hi]` on one axis.
    #[inline(always)]
    pub(crate) fn near_on(&self, axis: usize, lo: S, hi: S) -> S {
        self.scaled(axis, near_apart(self.center[axis], lo, hi))
    }

    /// The distance to the farther end of `[lo, hi]` on one axis.
    #[inline(always)]
    pub(crate) fn far_on(&self, axis: usize, lo: S, hi: S) -> S {
        self.scaled(axis, far_apart(self.center[axis], lo, hi))
    }

    /// The squared distances to the nearest point and to the farthest corner of the box around the marks of a
    /// block, and of some cells more on all sides.
    pub(super) fn near_far_sq(
        &self,
        lattice: &Lattice<S>,
        block: &Block<[i32; 4]>,
        marks: Marks,
        more: i64,
    ) -> [S; 2] {
        let mut sums = [S::ZERO; 2];
        for a in 0..self.dim {
            let (first, end) = (
                i64::from(block.start[a]) - more,
                i64::from(block.end[a]) + more,
            );
            let (lo, hi) = match marks {
                Marks::Planes => (lattice.face(a, first), lattice.face(a, end)),
                Marks::Middles => (lattice.middle(a, first), lattice.middle(a, end - 1)),
            };
            let (near, far) = (self.near_on(a, lo, hi), self.far_on(a, lo, hi));
            sums = [sums[0] + near * near, sums[1] + far * far];
        }
        sums
    }
}

/// The rows of a region, if they can be found directly.
pub(super) fn rows_of<R: Voxelize>(
    grid: &VoxelGrid<<R as Region>::Vector>,
    region: &R,
) -> Result<Option<Box<SlabWalk<ScalarOf<R>>>>, Error> {
    let Some(shape) = region.shape(grid.rule) else {
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

/// The rows of a shape, if they can be found directly under the grid's rule. In a window, a shape that reaches beyond
/// the range of indices is halved.
fn walk_of<S: Scalar>(grid: &Grid<S>, shape: &Shape<S>) -> Result<Option<Box<SlabWalk<S>>>, Error> {
    let slabs = match *shape {
        Shape::Round(round) => RoundSlabs::new(grid, round).map(|slabs| slabs.map(Slabs::Round)),
        Shape::Box {
            dim,
            ends,
            is_surface,
        } => BoxSlabs::new(grid, &ends[..dim], is_surface).map(|slabs| slabs.map(Slabs::Boxes)),
    };
    match slabs {
        Err(_) if grid.window.is_some() => Ok(None),
        slabs => Ok(slabs?.map(|slabs| Box::new(SlabWalk::new(slabs)))),
    }
}

//! The iterator over spans.

use core::iter::FusedIterator;

use super::boxes::BoxSlabs;
use super::lattice::Block;
use super::merged::Merged;
use super::round::{Question, RoundSlabs, Way};
use super::slab::Rows;
use super::voxelize::Shape;
use super::{Rule, Span, VoxelGrid, Voxelize, Voxels};
use crate::overlap::round::Round;
use crate::{Ellipsoid, Error, InstructionSet, Region, Scalar, Shell, Sphere, Vector};

type VectorOf<R> = <R as Region>::Vector;
type VoxelOf<R> = <VectorOf<R> as Vector>::Voxel;

/// The spans of a region, from [`VoxelGrid::spans`].
#[derive(Clone, Debug)]
#[must_use = "iterators are lazy and do nothing unless consumed"]
pub struct Spans<R: Voxelize> {
    pub(super) source: Source<R>,
    pub(super) instructions: InstructionSet,
}

#[derive(Clone, Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "one per listing, on the stack; a box would allocate"
)]
pub(super) enum Source<R: Voxelize> {
    Sphere(Rows<RoundSlabs<Sphere<VectorOf<R>>>>),
    Ellipsoid(Rows<RoundSlabs<Ellipsoid<VectorOf<R>>>>),
    Aabb(Rows<BoxSlabs<VectorOf<R>>>),
    Any(Merged<R>),
}

/// The same for all sources that go by slabs.
macro_rules! by_slabs {
    ($source:expr, $rows:ident => $slabs:expr, $merged:ident => $any:expr) => {
        match $source {
            Source::Sphere($rows) => $slabs,
            Source::Ellipsoid($rows) => $slabs,
            Source::Aabb($rows) => $slabs,
            Source::Any($merged) => $any,
        }
    };
}
pub(super) use by_slabs;

impl<R: Voxelize> Spans<R> {
    pub(super) fn new(grid: &VoxelGrid<VectorOf<R>>, region: R) -> Result<Self, Error> {
        let source = match Self::by_slabs(grid, &region)? {
            Some(source) => source,
            None => Source::Any(Merged::new(grid, region)?),
        };
        Ok(Self {
            source,
            instructions: grid.instructions,
        })
    }

    /// The slabs of a shape that has them under the grid's rule.
    fn by_slabs(grid: &VoxelGrid<VectorOf<R>>, region: &R) -> Result<Option<Source<R>>, Error> {
        let Some(shape) = region.shape() else {
            return Ok(None);
        };
        let (rule, window) = (grid.rule, grid.window.as_ref());
        Ok(match shape {
            Shape::Sphere(ball, hollow) => {
                let (center, r) = (ball.center(), ball.radius());
                let shell = Shell::valid(center, r, r);
                round(grid, ball, ring(&shell, hollow, hollow, rule))?.map(Source::Sphere)
            }
            Shape::Shell(shell) => {
                let hollow = shell.inner() > Scalar::ZERO;
                let ring = ring(&shell, hollow, false, rule);
                round(grid, shell.filled(), ring)?.map(Source::Sphere)
            }
            Shape::Ellipsoid(egg, hollow) => {
                let limit = egg.limit();
                match way(rule, hollow) {
                    // Grown, it would be an ellipsoid of another form.
                    _ if rule.reach().is_some() => None,
                    Way::Layer => round(grid, egg, (limit, None, Way::Layer))?,
                    way => round(grid, egg, (limit, hollow.then_some(limit), way))?,
                }
                .map(Source::Ellipsoid)
            }
            Shape::Aabb(solid, hollow) => {
                let slabs = BoxSlabs::new(&solid, hollow, &grid.lattice(), rule, window)?;
                slabs.map(|slabs| Source::Aabb(Rows::new(slabs)))
            }
        })
    }

    /// The voxels of the spans, in their order.
    ///
    /// ```
    /// use orthant::{Sphere, VoxelGrid};
    /// let grid = VoxelGrid::new([0.0f32; 3], 1.0);
    /// let spans = grid.try_spans(Sphere::new([0.0; 3], 2.0)).unwrap();
    /// assert_eq!(spans.voxels().count(), 88);
    /// ```
    #[inline]
    pub fn voxels(self) -> Voxels<R> {
        Voxels::new(self)
    }

    /// The number of voxels in the spans that are left.
    pub(super) fn voxel_count(self) -> u64 {
        let set = self.instructions;
        by_slabs!(
            self.source,
            rows => rows.count_voxels(set),
            merged => merged.fold(0, |sum: u64, span| sum.saturating_add(span.len().into()))
        )
    }
}

/// How the rows of a round shape are told under a rule.
fn way<S: Scalar>(rule: Rule<S>, is_surface: bool) -> Way {
    match rule {
        Rule::Closed | Rule::Shell(_) => Way::Closed,
        Rule::HalfOpen => Way::HalfOpen,
        Rule::CenterInside if is_surface => Way::Layer,
        Rule::CenterInside => Way::Middle,
        Rule::Thin => Way::Thin,
        Rule::NarrowBand(_) => Way::Band,
    }
}

/// The square of a radius, that of a hole's, and how both are asked.
type Limits<S> = (S, Option<S>, Way);

/// The limits and the way of a ball with a hole.
fn ring<V: Vector>(
    shell: &Shell<V>,
    hollow: bool,
    is_surface: bool,
    rule: Rule<V::Scalar>,
) -> Limits<V::Scalar> {
    let way = way(rule, is_surface);
    let by = rule.reach().unwrap_or_default();
    let (outer, inner) = (shell.outer() + by, shell.inner() - by);
    let hollow = hollow && way != Way::Layer && inner >= Scalar::ZERO;
    (outer * outer, hollow.then_some(inner * inner), way)
}

fn round<R: Round>(
    grid: &VoxelGrid<R::Vector>,
    round: R,
    (limit, hole, way): Limits<<R::Vector as Vector>::Scalar>,
) -> Result<Option<Rows<RoundSlabs<R>>>, Error> {
    let question = Question {
        round,
        limit,
        hole,
        way,
    };
    let window: Option<&Block<_>> = grid.window.as_ref();
    let slabs = RoundSlabs::new(question, grid.lattice(), window, grid.instructions)?;
    Ok(slabs.map(Rows::new))
}

impl<R: Voxelize> Iterator for Spans<R> {
    type Item = Span<VoxelOf<R>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        by_slabs!(&mut self.source, rows => rows.next(), merged => merged.next())
    }

    #[inline]
    fn fold<B, F: FnMut(B, Self::Item) -> B>(self, init: B, f: F) -> B {
        by_slabs!(self.source, rows => rows.fold(init, f), merged => merged.fold(init, f))
    }
}

impl<R: Voxelize> FusedIterator for Spans<R> {}

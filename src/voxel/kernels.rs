//! What is compiled here of listing voxels: by scalar alone, for vectors of one to four axes.

use super::boxes::BoxSlabs;
use super::lattice::{Block, Lattice};
use super::layers::Layers;
use super::round::{Round, RoundSlabs, RowTest};
use super::slab::{Rows, Slabs, Walk};
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
    fn rows_of(grid: &Grid<Self>, shape: &Shape<Self>) -> Result<Option<Rows<Self>>, Error>;

    /// Fills the slab of a walk with the next strips; `false` if there are none.
    fn fill_next(walk: &mut Walk<Self>) -> bool;

    /// The number of voxels that are left.
    fn count_voxels(rows: Rows<Self>, instructions: InstructionSet) -> u64;

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
                ) -> Result<Option<Rows<Self>>, Error> {
                    slabs_of(grid, shape).map(|slabs| slabs.map(Rows::new))
                }

                #[inline(never)]
                fn fill_next(walk: &mut Walk<Self>) -> bool {
                    walk.fill_next()
                }

                #[inline(never)]
                fn count_voxels(rows: Rows<Self>, instructions: InstructionSet) -> u64 {
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

impl<S: Scalar> Round<S> {
    /// What a rule asks of a ball or an ellipsoid, if it can be asked by squared distances.
    pub(crate) fn new(shape: &Shape<S>, rule: Rule<S>) -> Option<Self> {
        match *shape {
            Shape::Ball {
                dim,
                center,
                outer,
                inner,
                is_surface,
            } => {
                let by = rule.reach().unwrap_or_default();
                let (test, outer) = (row_test(rule, is_surface), outer + by);
                let inner = inner.filter(|_| test != RowTest::Layer);
                let inner = inner
                    .map(|inner| inner - by)
                    .filter(|&inner| inner >= S::ZERO);
                Some(Self {
                    dim,
                    center,
                    semi_axes: [S::ONE; 4],
                    is_ellipsoid: false,
                    limit: outer * outer,
                    hole: inner.map(|inner| inner * inner),
                    test,
                })
            }
            // Grown, it would be an ellipsoid of another form.
            Shape::Ellipsoid { .. } if rule.reach().is_some() => None,
            Shape::Ellipsoid {
                dim,
                center,
                semi_axes,
                is_surface,
            } => {
                let test = row_test(rule, is_surface);
                Some(Self {
                    dim,
                    center,
                    semi_axes,
                    is_ellipsoid: true,
                    limit: S::ONE,
                    hole: (is_surface && test != RowTest::Layer).then_some(S::ONE),
                    test,
                })
            }
            Shape::Box { .. } => None,
        }
    }
}

/// How the rows of a round shape are told under a rule.
fn row_test<S: Scalar>(rule: Rule<S>, is_surface: bool) -> RowTest {
    match rule {
        Rule::Closed | Rule::Shell(_) => RowTest::Closed,
        Rule::HalfOpen => RowTest::HalfOpen,
        Rule::CenterInside if is_surface => RowTest::Layer,
        Rule::CenterInside => RowTest::Middle,
        Rule::Thin => RowTest::Thin,
        Rule::NarrowBand(_) => RowTest::Band,
    }
}

//! What a cell list is made of, and how it comes to be: bounds of the points, a grid for them, and the
//! points sorted into its cells.

use alloc::borrow::Cow;
use core::ops::Range;

use super::CellList;
use super::ask::Ask;
use super::buckets::Buckets;
use super::grid::{Grid, reach};
use super::near::Limit;
use super::passes;
use crate::error::Error;
use crate::overlap::{check_count, check_items};
use crate::parallel;
use crate::periodic::Periodic;
use crate::shape::Aabb;
use crate::simd::InstructionSet;
use crate::vector::{Scalar, Vector};

/// More images on an axis than this are refused.
const MOST_IMAGES: f64 = 100.0;

/// What a cell list is made of, whatever vectors its user has.
#[derive(Clone, Debug)]
pub struct Cells<A: Vector> {
    pub(super) radius: A::Scalar,
    pub(super) periodic: Option<Periodic<A>>,
    pub(super) instructions: InstructionSet,
    pub(super) grid: Grid<A>,
    pub(super) buckets: Buckets<A>,
}

impl<V: Vector> CellList<V> {
    pub(super) fn empty(radius: V::Scalar, periodic: Option<Periodic<V>>) -> Result<Self, Error> {
        let positive = radius.is_finite() && radius > V::Scalar::ZERO;
        if !positive {
            return Err(Error::Radius {
                radius: radius.into(),
            });
        }
        if let Some(periodic) = &periodic {
            check_reach(radius, periodic)?;
        }
        Ok(Self {
            cells: Cells {
                radius,
                periodic: periodic.as_ref().map(Periodic::cast),
                instructions: InstructionSet::best(),
                grid: Grid::none(),
                buckets: Buckets::new(),
            },
            periodic,
        })
    }
}

impl<A: Vector> Cells<A> {
    /// All points against all, each pair once if `half`.
    pub(super) fn ask(&self, half: bool) -> Ask<'_, A> {
        Ask {
            grid: &self.grid,
            asking: &self.buckets,
            held: &self.buckets,
            periodic: self.periodic.as_ref(),
            between: false,
            half,
            limit: Limit::Radius,
            radius: self.radius,
            instructions: self.instructions,
        }
    }

    /// Others against all.
    pub(super) fn ask_with<'a>(&'a self, asking: &'a Buckets<A>) -> Ask<'a, A> {
        Ask {
            asking,
            between: true,
            ..self.ask(false)
        }
    }
}

/// Sorts points into cells in place of those before.
pub(super) fn rebuild<A: Vector>(cells: &mut Cells<A>, points: &[A]) -> Result<(), Error> {
    let Cells {
        periodic,
        instructions,
        ..
    } = *cells;
    check_count(points.len())?;
    let Some(bounds) = bounds(points, instructions) else {
        return check_items(points);
    };
    let wrapped = wrapped(points, periodic.as_ref());
    let bounds = match periodic {
        Some(_) => self::bounds(&wrapped, instructions).unwrap_or(bounds),
        None => bounds,
    };
    cells.grid = Grid::new(bounds, points.len(), cells.radius, periodic.as_ref());
    cells
        .buckets
        .fill(&cells.grid, &wrapped, false, instructions);
    Ok(())
}

/// Sorts other points into the same cells.
pub(super) fn sort<A: Vector>(cells: &Cells<A>, points: &[A]) -> Result<Buckets<A>, Error> {
    check_items(points)?;
    let mut asking = Buckets::new();
    let wrapped = wrapped(points, cells.periodic.as_ref());
    asking.fill(&cells.grid, &wrapped, true, cells.instructions);
    Ok(asking)
}

/// The points, in the box if there is one.
pub(crate) fn wrapped<'a, A: Vector>(
    points: &'a [A],
    periodic: Option<&Periodic<A>>,
) -> Cow<'a, [A]> {
    match periodic {
        Some(periodic) => points.iter().map(|&p| periodic.wrap(p)).collect(),
        None => points.into(),
    }
}

/// Refuses a radius that would reach too many images.
pub(crate) fn check_reach<V: Vector>(
    radius: V::Scalar,
    periodic: &Periodic<V>,
) -> Result<(), Error> {
    let overflows = !(radius * radius).is_finite();
    // With what is rounded or vanishes, images that cannot be told apart are all near.
    let reach = reach(&periodic.bounds(), radius, Some(periodic));
    for (axis, &reach) in reach.iter().enumerate().take(V::DIM) {
        let length = periodic.height(axis);
        let far =
            overflows || radius.into() > MOST_IMAGES * length || reach > 2.0 * MOST_IMAGES * length;
        if length > 0.0 && far {
            return Err(Error::RadiusOverBox {
                radius: radius.into(),
                axis,
                length,
            });
        }
    }
    Ok(())
}

/// A box around points; `None` if a coordinate is not finite.
pub(crate) fn bounds<V: Vector>(points: &[V], instructions: InstructionSet) -> Option<Aabb<V>> {
    let Some(&first) = points.first() else {
        return Some(Aabb::point(V::splat(V::Scalar::ZERO)));
    };
    let mut all = Some(Aabb::point(first));
    let part = |range: Range<usize>| passes::bounds(&points[range], instructions);
    parallel::parts(points.len(), 1 << 16, part, |part| {
        all = all.zip(part).map(|(all, part)| all.union(&part));
    });
    all
}

use core::ops::Range;

use super::CellList;
use super::buckets::Buckets;
use super::grid::{Grid, reach};
use super::passes;
use crate::overlap::{check_count, check_items};
use crate::{Aabb, Error, InstructionSet, Periodic, Scalar, Vector, parallel};

/// More images on an axis than this are refused.
const MOST_IMAGES: f64 = 100.0;

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
            radius,
            periodic,
            instructions: InstructionSet::best(),
            grid: Grid::none(),
            buckets: Buckets::new(),
        })
    }

    pub(super) fn build(&mut self, points: &[V]) -> Result<(), Error> {
        check_count(points.len())?;
        let Some(bounds) = bounds(points, self.instructions) else {
            return check_items(points);
        };
        let wrapped = self.wrapped(points);
        let bounds = match self.periodic {
            Some(_) => self::bounds(&wrapped, self.instructions).unwrap_or(bounds),
            None => bounds,
        };
        let periodic = self.periodic.as_ref();
        self.grid = Grid::new(bounds, points.len(), self.radius, periodic);
        self.buckets
            .fill(&self.grid, &wrapped, false, self.instructions);
        Ok(())
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

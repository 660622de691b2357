//! Voxels of regions made of others: what is made of the voxels of each.

use core::cmp::Ordering;

use super::Voxelize;
use crate::{Aabb, Complement, Difference, Intersection, Overlaps, Region, Union, Vector};

type BoxOf<R> = Aabb<<R as Region>::Vector>;
type ScalarOf<R> = <<R as Region>::Vector as Vector>::Scalar;

impl<A, B> Voxelize for Union<A, B>
where
    A: Voxelize,
    B: Voxelize + Region<Vector = <A as Region>::Vector>,
{
    fn compare_distance(&self, cell: &BoxOf<A>, distance: ScalarOf<A>) -> Option<Ordering> {
        let first = self.0.compare_distance(cell, distance)?;
        Some(first.min(self.1.compare_distance(cell, distance)?))
    }
}

impl<A, B> Voxelize for Intersection<A, B>
where
    A: Voxelize,
    B: Voxelize + Region<Vector = <A as Region>::Vector>,
{
    fn compare_distance(&self, cell: &BoxOf<A>, distance: ScalarOf<A>) -> Option<Ordering> {
        let first = self.0.compare_distance(cell, distance)?;
        Some(first.max(self.1.compare_distance(cell, distance)?))
    }
}

impl<A, B> Voxelize for Difference<A, B>
where
    A: Voxelize,
    B: Region<Vector = <A as Region>::Vector> + Overlaps<Aabb<<A as Region>::Vector>>,
{
}

/// Only to clip it: on its own it is out of every grid's range.
impl<R: Region + Overlaps<Aabb<<R as Region>::Vector>>> Voxelize for Complement<R> {}

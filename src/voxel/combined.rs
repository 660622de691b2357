//! Voxels of regions made of others: what is made of the voxels of each, by every rule.

use core::cmp::Ordering;

use super::Voxelize;
use super::criterion::Criterion;
use crate::overlap::combined::{both, either, only_first, opposite};
use crate::{Aabb, Complement, Difference, Intersection, Region, Relation, Union, Vector};

type VectorOf<R> = <R as Region>::Vector;
type ScalarOf<R> = <VectorOf<R> as Vector>::Scalar;
type VoxelOf<R> = <VectorOf<R> as Vector>::Voxel;

macro_rules! pair {
    ($name:ident, |$a:ident, $b:ident| $meets:expr, $relate:ident $(, $nearer:ident)?) => {
        impl<A, B> Voxelize for $name<A, B>
        where
            A: Voxelize,
            B: Voxelize + Region<Vector = VectorOf<A>>,
        {
            $(fn compare_distance(
                &self,
                cell: &Aabb<VectorOf<A>>,
                distance: ScalarOf<A>,
            ) -> Option<Ordering> {
                let first = self.0.compare_distance(cell, distance)?;
                Some(first.$nearer(self.1.compare_distance(cell, distance)?))
            })?

            fn meets(&self, by: &Criterion<VectorOf<A>>, voxel: VoxelOf<A>) -> bool {
                let ($a, $b) = (self.0.meets(by, voxel), || self.1.meets(by, voxel));
                $meets
            }

            fn relate_voxels(
                &self,
                by: &Criterion<VectorOf<A>>,
                block: &Aabb<VectorOf<A>>,
            ) -> Relation {
                let first = self.0.relate_voxels(by, block);
                $relate(first, || self.1.relate_voxels(by, block))
            }

            fn is_known(&self, by: &Criterion<VectorOf<A>>) -> bool {
                self.0.is_known(by) && self.1.is_known(by)
            }
        }
    };
}

pair!(Union, |a, b| a || b(), either, min);
pair!(Intersection, |a, b| a && b(), both, max);
pair!(Difference, |a, b| a && !b(), only_first);

/// Only to clip it, by a window or another region: on its own it is out of every grid's range.
impl<R: Voxelize> Voxelize for Complement<R> {
    fn meets(&self, by: &Criterion<VectorOf<R>>, voxel: VoxelOf<R>) -> bool {
        !self.0.meets(by, voxel)
    }

    fn relate_voxels(&self, by: &Criterion<VectorOf<R>>, block: &Aabb<VectorOf<R>>) -> Relation {
        opposite(self.0.relate_voxels(by, block))
    }

    fn is_known(&self, by: &Criterion<VectorOf<R>>) -> bool {
        self.0.is_known(by)
    }
}

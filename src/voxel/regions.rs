//! Voxels of solids of few planes, of capsules and of regions made of others, by halving. What is made of
//! others has, by every rule, the voxels that are made of those of its parts.

use core::cmp::Ordering;

use super::rule::Criterion;
use super::voxelize::between;
use super::{Rule, Voxelize};
use crate::overlap::combined::{both, either, only_first, opposite};
use crate::overlap::{
    Complement, Difference, Intersection, Overlaps, Region, Relation, Union, widen,
};
use crate::shape::{Aabb, Frustum, Hexahedron, Hollow, Sphere};
use crate::sweep::{Moving, Track};
use crate::vector::{Scalar, Vector};

macro_rules! solid {
    ($shape:ident) => {
        impl<V: Vector> Voxelize for $shape<V> {
            fn compare_distance(&self, cell: &Aabb<V>, distance: V::Scalar) -> Option<Ordering> {
                self.solid.compare_box(&widen(cell), distance.into())
            }

            fn overlaps_half_open(&self, cell: &Aabb<V>) -> bool {
                self.solid.overlaps_half_open(&widen(cell))
            }
        }

        impl<V: Vector> Voxelize for Hollow<$shape<V>> {
            const IS_SURFACE: bool = true;

            #[inline]
            fn holds(&self, point: &Aabb<V>) -> bool {
                self.0.overlaps(point)
            }

            fn compare_distance(&self, cell: &Aabb<V>, distance: V::Scalar) -> Option<Ordering> {
                let solid = &self.0.solid;
                solid.compare_surface(&widen(cell), distance.into())
            }

            fn overlaps_half_open(&self, cell: &Aabb<V>) -> bool {
                let (solid, cell) = (&self.0.solid, widen(cell));
                !solid.encloses_half_open(&cell) && solid.overlaps_half_open(&cell)
            }
        }
    };
}

solid!(Hexahedron);
solid!(Frustum);

/// What a ball sweeps over: a capsule.
impl<V: Vector> Voxelize for Moving<Sphere<V>> {
    fn compare_distance(&self, cell: &Aabb<V>, distance: V::Scalar) -> Option<Ordering> {
        compare_capsules(self, false, cell, distance)
    }

    fn overlaps_half_open(&self, cell: &Aabb<V>) -> bool {
        self.overlaps(cell) && !Track::of(self).is_above(cell)
    }

    fn relate_voxels(&self, by: &Criterion<V>, block: &Aabb<V>) -> Relation {
        let (track, reach) = (Track::of(self), by.rule.reach().unwrap_or_default());
        // Whatever lies in the interior is met by all rules.
        Relation::of(
            track.misses(block, reach),
            track.encloses(block, Scalar::ZERO),
        )
    }
}

/// The surface of a capsule.
impl<V: Vector> Voxelize for Hollow<Moving<Sphere<V>>> {
    const IS_SURFACE: bool = true;

    #[inline]
    fn holds(&self, point: &Aabb<V>) -> bool {
        self.0.overlaps(point)
    }

    fn compare_distance(&self, cell: &Aabb<V>, distance: V::Scalar) -> Option<Ordering> {
        compare_capsules(&self.0, true, cell, distance)
    }

    fn overlaps_half_open(&self, cell: &Aabb<V>) -> bool {
        self.0.overlaps_half_open(cell) && !Track::of(&self.0).encloses_half_open(cell)
    }

    fn relate_voxels(&self, by: &Criterion<V>, block: &Aabb<V>) -> Relation {
        let reach = match by.rule {
            // The centers across a face.
            Rule::CenterInside => by.slack(block),
            rule => rule.reach().unwrap_or_default(),
        };
        let track = Track::of(&self.0);
        let is_outside = track.misses(block, reach) || track.encloses(block, reach);
        Relation::of(is_outside, false)
    }
}

/// As of a ball, the distances being those from its middle line.
fn compare_capsules<V: Vector>(
    capsule: &Moving<Sphere<V>>,
    hollow: bool,
    cell: &Aabb<V>,
    distance: V::Scalar,
) -> Option<Ordering> {
    let (track, radius) = (Track::of(capsule), capsule.shape().radius());
    let (outer, inner) = (radius + distance, radius - distance);
    let hole = hollow && inner >= V::Scalar::ZERO;
    let hole = hole.then(|| (inner * inner, track.far_sq(cell)));
    between(track.near_sq(cell), outer * outer, hole)
}

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

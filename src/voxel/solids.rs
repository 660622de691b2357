//! Voxels of solids of few planes and of capsules, by halving.

use core::cmp::Ordering;

use super::criterion::Criterion;
use super::voxelize::between;
use super::{Rule, Voxelize};
use crate::overlap::{Track, widen};
use crate::{
    Aabb, Frustum, Hexahedron, Hollow, Moving, Overlaps, Relation, Scalar, Sphere, Vector,
};

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

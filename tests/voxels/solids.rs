//! Oriented boxes, frustums and capsules, solid and hollow, by all rules.

use std::fmt::Debug;

use orthant::{
    Aabb, Bricked, Frustum, Hexahedron, Hollow, Moving, Overlaps, Region, Rule, Scalar, Space,
    Sphere, Vector, VoxelGrid, Voxelize,
    glam::{DMat4, DQuat, DVec2, DVec3, IVec3},
};
use proptest::prelude::*;

use crate::brute::{is_met_by, margin, scan};
use crate::forms::{check_bricks, check_cells};
use crate::rows::{Raw, check_chunks, check_forms, raw, rules};

/// Compares all forms of output, and all chunks, by all rules, with the scan.
pub(crate) fn check<V, R>(raw: &Raw, region: &R)
where
    V: Vector<Voxel: Bricked>,
    R: Voxelize + Region<Vector = V> + Clone + Debug,
{
    let grid = raw.grid::<V>();
    for rule in rules(raw, grid.voxel_size()) {
        let grid = grid.with_rule(rule);
        let reach = match rule {
            Rule::Shell(length) | Rule::NarrowBand(length) => {
                (length / grid.voxel_size()).into().ceil() as i32
            }
            _ => 0,
        };
        let margin = margin(&grid, region) + reach;
        let expected = scan(&grid, &region.bounds(), margin, |voxel| {
            is_met_by(region, &grid, voxel)
        });
        check_forms(&grid, region, &expected);
        check_chunks(raw, &grid, region, &expected);
        check_bricks(&grid, region, &expected);
        check_cells(&grid, region);
    }
}

/// Returns a length from half a voxel to two voxels.
fn length(raw: &Raw, a: usize) -> f64 {
    raw.unit() * f64::from(1 + raw.numbers().1[a] % 4)
}

/// Makes an axis-aligned box, a turned one or a leaning one.
fn oriented(raw: &Raw) -> Hexahedron<DVec3> {
    let (s, c) = (0.28, 0.96);
    let axes = [
        DVec3::AXES,
        [
            DVec3::new(0.6, 0.8, 0.0),
            DVec3::new(-0.8, 0.6, 0.0),
            DVec3::Z,
        ],
        [
            DVec3::new(0.6, 0.8 * c, 0.8 * s),
            DVec3::new(-0.8, 0.6 * c, 0.6 * s),
            DVec3::new(0.0, -s, c),
        ],
        [
            DVec3::X,
            DVec3::new(0.5, 1.0, 0.0),
            DVec3::new(-0.25, 0.5, 1.0),
        ],
    ][raw.numbers().0 % 4];
    let half = DVec3::new(length(raw, 0), length(raw, 1), length(raw, 2));
    Hexahedron::oriented(raw.point(), half, axes)
}

fn capsule<V: Vector>(raw: &Raw) -> Moving<Sphere<V>> {
    let ball = Sphere::new(raw.point(), V::Scalar::from_f64(length(raw, 3)));
    let way = |a| {
        let sign = if raw.numbers().0 >> a & 1 == 1 {
            1.0
        } else {
            -1.0
        };
        V::Scalar::from_f64(sign * raw.unit() * f64::from(raw.numbers().1[a] % 6))
    };
    let half = V::Scalar::from_f64(0.5 * f64::from(raw.numbers().1[3] % 3));
    Moving::new(ball, V::from_fn(way)).until(half)
}

/// Returns a camera at a point, turned in some way; without `far` it sees up to infinity.
fn camera(eye: DVec3, slopes: [f64; 2], near: f64, far: Option<f64>) -> DMat4 {
    let [x, y] = slopes.map(|slope| 1.0 / slope);
    let (z, w) = match far {
        Some(far) => (far / (near - far), far * near / (near - far)),
        None => (0.0, near),
    };
    let projection = DMat4::from_cols_array_2d(&[
        [x, 0.0, 0.0, 0.0],
        [0.0, y, 0.0, 0.0],
        [0.0, 0.0, z, -1.0],
        [0.0, 0.0, w, 0.0],
    ]);
    let turn = DQuat::from_axis_angle(DVec3::new(0.48, -0.6, 0.64), 2.1);
    projection * DMat4::from_quat(turn) * DMat4::from_translation(-eye)
}

fn seen<V: Vector + Space>(raw: &Raw) -> Frustum<V> {
    let near = 0.5 * length(raw, 0);
    let far = (!raw.numbers().0.is_multiple_of(2)).then(|| near + 3.0 * length(raw, 2));
    let slopes = [0.25 + 0.05 * f64::from(raw.numbers().1[1]), 0.4];
    let columns = camera(raw.point(), slopes, near, far).to_cols_array_2d();
    Frustum::from_view_projection(columns.map(|column| column.map(V::Scalar::from_f64)))
}

/// Checks a frustum; an unbounded one is checked in a window.
fn check_frustum<R>(raw: &Raw, region: &R, is_bounded: bool)
where
    R: Voxelize + Region<Vector = [f32; 3]> + Clone + Debug,
{
    if is_bounded {
        return check(raw, region);
    }
    let grid = raw.grid::<[f32; 3]>();
    assert!(grid.check(region).is_err());
    let start = grid.voxel_of(raw.point()).unwrap().map(|index| index - 3);
    let last = grid.voxel_bounds(start.map(|index| index + 8));
    let window = Aabb::new(grid.voxel_bounds(start).center(), last.center());
    for rule in rules(raw, grid.voxel_size()) {
        let grid = grid
            .with_rule(rule)
            .within(start, start.map(|index| index + 9));
        let expected = scan(&grid, &window, 0, |voxel| is_met_by(region, &grid, voxel));
        check_forms(&grid, region, &expected);
        check_cells(&grid, region);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]

    #[test]
    fn oriented_boxes(raw in raw()) {
        check(&raw, &oriented(&raw));
        check(&raw, &Hollow(oriented(&raw)));
    }

    #[test]
    fn frustums(raw in raw()) {
        let seen = seen::<[f32; 3]>(&raw);
        check_frustum(&raw, &seen, !seen.is_unbounded());
        check_frustum(&raw, &Hollow(seen.clone()), !seen.is_unbounded());
    }

    /// Voxels may be smaller than the spacing of floats.
    #[test]
    fn capsules_far_away(raw in raw()) {
        let ball = raw.sphere::<[f32; 2]>();
        let way = capsule::<[f32; 2]>(&raw).displacement();
        check(&raw, &Moving::new(ball, way));
        check(&raw, &Hollow(Moving::new(ball, way)));
    }

    #[test]
    fn capsules_in_space(raw in raw()) {
        check(&raw, &capsule::<DVec3>(&raw));
        check(&raw, &Hollow(capsule::<DVec3>(&raw)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn capsules_in_the_plane(raw in raw()) {
        check(&raw, &capsule::<DVec2>(&raw));
        check(&raw, &Hollow(capsule::<DVec2>(&raw)));
    }

    /// Numbers are exact here, so ties are exact.
    #[test]
    fn a_box_is_a_box_whatever_it_is_made_of(raw in raw()) {
        let grid = VoxelGrid::new(DVec3::splat(0.25), 0.5);
        let half = DVec3::from_array([0, 1, 2].map(|a| 0.25 * f64::from(1 + raw.numbers().1[a] % 5)));
        let center: DVec3 = raw.point::<DVec3>().round() * 0.25;
        let solid = Aabb::new(center - half, center + half);
        let turned = Hexahedron::oriented(center, half, [DVec3::Y, DVec3::NEG_Z, DVec3::X]);
        let turned = if half == DVec3::splat(half.x) { turned } else {
            Hexahedron::oriented(center, half, DVec3::AXES)
        };
        let inverse = (1.0 / half) * DVec3::new(1.0, 1.0, -0.5);
        let projection = DMat4::from_translation(DVec3::new(0.0, 0.0, 0.5)) * DMat4::from_scale(inverse);
        let seen = projection * DMat4::from_translation(-center);
        let seen = Frustum::<DVec3>::from_view_projection(seen.to_cols_array_2d());
        for rule in rules(&raw, 0.5) {
            let grid = grid.with_rule(rule);
            let voxels: Vec<_> = grid.voxels(solid).collect();
            prop_assert!(grid.voxels(turned.clone()).eq(voxels.iter().copied()), "{:?}", rule);
            let skin: Vec<_> = grid.voxels(Hollow(solid)).collect();
            prop_assert!(grid.voxels(Hollow(turned.clone())).eq(skin.iter().copied()), "{:?}", rule);
            // The corners are not always exact.
            if half.to_array().iter().all(|h| h.log2().fract() == 0.0) {
                prop_assert!(grid.voxels(seen.clone()).eq(voxels), "{:?}", rule);
                prop_assert!(grid.voxels(Hollow(seen.clone())).eq(skin), "{:?}", rule);
            }
        }
    }

    #[test]
    fn a_ball_that_rests_is_a_capsule(raw in raw()) {
        let grid = raw.grid::<DVec3>();
        let ball = Sphere::new(raw.point::<DVec3>(), length(&raw, 3));
        let rests = Moving::new(ball, DVec3::ZERO);
        for rule in rules(&raw, grid.voxel_size()) {
            let grid = grid.with_rule(rule);
            prop_assert!(grid.voxels(rests).eq(grid.voxels(ball)), "{:?}", rule);
            prop_assert!(grid.voxels(Hollow(rests)).eq(grid.voxels(Hollow(ball))), "{:?}", rule);
        }
    }
}

/// A corner or an edge of half-open voxels is as far from the middle line as the radius: 3, 4 and 5, and for balls 2, 3, 6 and 7.
#[test]
fn half_open_voxels_whose_corners_are_at_the_surface() {
    let grid = VoxelGrid::new(DVec3::ZERO, 1.0).with_rule(Rule::HalfOpen);
    for radius in [5.0, 7.0] {
        let ball = Sphere::new(DVec3::ZERO, radius);
        let rests = Moving::new(ball, DVec3::ZERO);
        assert!(grid.voxels(Hollow(rests)).eq(grid.voxels(Hollow(ball))));
        let flat = VoxelGrid::new(DVec2::ZERO, 1.0).with_rule(Rule::HalfOpen);
        let circle = Hollow(Sphere::new(DVec2::ZERO, radius));
        let mut circle: Vec<_> = flat.voxels(circle).map(|voxel| voxel.to_array()).collect();
        circle.sort_unstable();
        for axis in 0..3 {
            let pipe = Moving::new(ball, DVec3::AXES[axis] * 9.0);
            // Compare voxels across the pipe, away from its ends.
            let skin = grid.voxels(Hollow(pipe)).filter(|voxel| voxel[axis] == 4);
            let mut cut: Vec<_> = skin
                .map(|voxel| [voxel[(axis + 1) % 3], voxel[(axis + 2) % 3]])
                .collect();
            cut.sort_unstable();
            assert_eq!(cut, circle, "{radius} {axis}");
        }
    }
}

/// Returns the distance between a box and a convex solid, by alternating projections.
fn apart(cell: &Aabb<DVec3>, closest: impl Fn(DVec3) -> DVec3) -> f64 {
    let mut at = cell.center();
    let mut there = closest(at);
    for _ in 0..100 {
        at = there.clamp(cell.min(), cell.max());
        there = closest(at);
    }
    at.distance(there)
}

fn corners(cell: &Aabb<DVec3>) -> impl Iterator<Item = DVec3> {
    let (lo, hi) = (cell.min(), cell.max());
    (0..8).map(move |i| DVec3::from_fn(|a| if i >> a & 1 == 1 { hi[a] } else { lo[a] }))
}

/// Compares voxels with a distance that is computed in another way.
fn check_distances<R>(solid: &R, outer: impl Fn(&Aabb<DVec3>) -> f64, depth: impl Fn(DVec3) -> f64)
where
    R: Voxelize + Region<Vector = DVec3> + Clone,
    Hollow<R>: Voxelize + Region<Vector = DVec3>,
{
    let grid = VoxelGrid::new(DVec3::ZERO, 0.5);
    let skin = Hollow(solid.clone());
    let (mut near, mut far) = (0, 0);
    scan(&grid, &solid.bounds(), 2, |voxel| {
        let cell = grid.voxel_bounds(voxel);
        let apart = outer(&cell);
        let deep = corners(&cell)
            .map(&depth)
            .fold(f64::INFINITY, f64::min)
            .max(0.0);
        for reach in [0.0, 0.1, 0.55, 1.3] {
            let found = solid.compare_distance(&cell, reach).unwrap();
            let of_skin = skin.compare_distance(&cell, reach).unwrap();
            for (distance, found) in [(apart, found), (apart.max(deep), of_skin)] {
                if (distance - reach).abs() > 5e-3 {
                    assert_eq!(
                        found.is_lt(),
                        distance < reach,
                        "{cell:?} {distance} {reach}"
                    );
                }
                near += u32::from(found.is_lt());
                far += u32::from(found.is_gt());
            }
        }
        true
    });
    assert!(near > 500 && far > 500, "{near} {far}");
}

#[test]
fn distances_are_euclidean() {
    let axes = [
        DVec3::new(0.48, 0.64, 0.6),
        DVec3::new(-0.8, 0.6, 0.0),
        DVec3::new(-0.36, -0.48, 0.8),
    ];
    let turned = Hexahedron::oriented(DVec3::new(0.1, -0.3, 0.2), DVec3::new(1.5, 1.0, 1.25), axes);
    let leaning = Hexahedron::oriented(DVec3::ZERO, DVec3::ONE, [axes[0], DVec3::X, axes[2]]);
    for solid in [turned, leaning] {
        let outer = |cell: &_| apart(cell, |p| solid.closest_point(p));
        check_distances(&solid, outer, |p| -solid.signed_distance(p));
    }
    let seen = camera(DVec3::new(0.2, 0.0, 0.1), [0.9, 0.6], 0.5, Some(2.5));
    let seen = Frustum::<DVec3>::from_view_projection(seen.to_cols_array_2d());
    let outer = |cell: &_| apart(cell, |p| seen.closest_point(p));
    check_distances(&seen, outer, |p| -seen.signed_distance(p));

    let (from, by) = (DVec3::new(-0.7, 0.3, 0.1), DVec3::new(1.9, -0.8, 1.1));
    let capsule = Moving::new(Sphere::new(from, 1.2), by);
    let on_line = |p: DVec3| from + ((p - from).dot(by) / by.dot(by)).clamp(0.0, 1.0) * by;
    let outer = |cell: &_| (apart(cell, on_line) - 1.2).max(0.0);
    check_distances(&capsule, outer, |p| 1.2 - p.distance(on_line(p)));
}

/// Blocks in the interior are not tested voxel by voxel, and nothing outside the chunk is.
#[test]
fn a_huge_capsule_and_a_small_chunk() {
    let from = DVec3::new(-2e9, 1.0, 3.0);
    let pipe = Moving::new(Sphere::new(from, 1e6), DVec3::new(4e9, 5.0, -1.0));
    let grid = VoxelGrid::new(DVec3::ZERO, 1.0);
    assert!(
        grid.check(&Moving::new(*pipe.shape(), DVec3::X * 5e9))
            .is_err()
    );
    let inner = grid.within(IVec3::splat(-300), IVec3::splat(300));
    assert_eq!(inner.count(pipe), 600 * 600 * 600);
    assert_eq!(inner.count(Hollow(pipe)), 0);
    let start = IVec3::new(5, 999_995, -4);
    let chunk = grid.within(start, start + 16);
    let all = (0..16 * 16 * 16).map(|i| start + IVec3::new(i % 16, i / 16 % 16, i / 256));
    let met = |v: &IVec3| Hollow(pipe).overlaps(&grid.voxel_bounds(*v));
    let expected: Vec<_> = all.filter(met).collect();
    assert!(expected.len() >= 256);
    assert!(chunk.voxels(Hollow(pipe)).eq(expected));
}

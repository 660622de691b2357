//! Voxels about points, and boxes that move.

use std::collections::BTreeSet;

use orthant::{
    Aabb, BrickSet, Broadphase, Motion, Scalar, Space, Sphere, Vector, Voxel, VoxelGrid,
};
use orthant_mpi::{Balance, Bodies, Point, Ranks};

use crate::check::same;
use crate::clouds::{WAYS, Way, cloud, mix, share, unit, worlds};
use crate::{Test, on_ranks};

pub(crate) const TESTS: &[Test] = &[("shapes", || on_ranks("shapes"))];

pub(crate) fn all(ranks: &Ranks, _: &[String]) {
    voxels::<[f32; 3]>(ranks);
    voxels::<orthant::glam::DVec3>(ranks);
    boxes::<[f32; 3]>(ranks);
    boxes::<[f64; 2]>(ranks);
}

fn voxels<P: Point + Space + Vector<Voxel: Space>>(ranks: &Ranks) {
    for world in worlds::<P>() {
        if world.name == "far" {
            continue;
        }
        let grid = VoxelGrid::new(
            P::splat(P::Scalar::from_f64(0.013)),
            P::Scalar::from_f64(0.05),
        );
        let radius = world.radius * P::Scalar::from_f64(0.4);
        let balls: Vec<_> = world
            .points
            .iter()
            .map(|&p| Sphere::new(p, radius))
            .collect();
        let expected = BrickSet::from_regions(&grid, &balls);
        for way in WAYS {
            let what = format!("{} {way:?}", world.name);
            let cloud = cloud(ranks, &world.points, None, way);
            let found = cloud.voxels(ranks, &grid, radius).expect("voxels");
            assert_eq!(found.total, expected.len(), "{what}");
            // There are as many voxels in all, and each is expected, so all are there and none twice.
            assert!(found.set.is_subset(&expected), "{what}");
            let sums = found.set.iter().fold([0; 2], |[sum, many], voxel| {
                let name = (0..3).fold(0, |name, a| mix(name ^ voxel.axis(a) as u64));
                [name.wrapping_add(sum), many + 1]
            });
            let all = expected.iter().fold([0; 2], |[sum, many], voxel| {
                let name = (0..3).fold(0, |name, a| mix(name ^ voxel.axis(a) as u64));
                [name.wrapping_add(sum), many + 1]
            });
            same(&what, &ranks.sum(&sums), &all);
        }
    }
}

/// Returns the box of an id at a time: boxes have many sizes, some touch, and some are equal.
fn at<P: Point>(id: u64, time: f64) -> Aabb<P> {
    let whole = |x: f64| (x * 16.0).floor() / 16.0;
    let corner = |axis: usize| {
        let draw = |what: u64| unit(id / 2 * 64 + what * 8 + axis as u64);
        whole(draw(0) * 4.0 + time * (draw(1) - 0.5))
    };
    let side = |axis: usize| whole(unit(mix(id) + axis as u64).powi(6) * 2.0);
    let low = P::from_fn(|axis| P::Scalar::from_f64(corner(axis)));
    let high = P::from_fn(|axis| P::Scalar::from_f64(corner(axis) + side(axis)));
    Aabb::new(low, high)
}

fn boxes<P: Point>(ranks: &Ranks) {
    for (many, way) in [
        (400_u32, Way::Even),
        (300, Way::Weighted),
        (1, Way::Even),
        (0, Way::Even),
    ] {
        let ids: Vec<[f64; 2]> = (0..many).map(|id| [f64::from(id), 0.0]).collect();
        let mine: Vec<u64> = share(ranks, &ids, way)
            .iter()
            .map(|id| id[0] as u64)
            .collect();
        let here = |time: f64| mine.iter().map(|&id| at::<P>(id, time)).collect::<Vec<_>>();
        let mut bodies = Bodies::new(ranks, &here(0.0), Balance::default()).expect("bodies");
        // The pairs of time 0 began when the bodies were made.
        let mut before = BTreeSet::from_iter(ranks.share(bodies.began()).expect("pairs").items);
        for step in 0..6 {
            let time = f64::from(step) * 0.7;
            bodies.update(ranks, &here(time)).expect("a step");
            let mut world = Broadphase::new();
            let each = (0..many).map(|id| (at::<P>(id.into(), time), Motion::Dynamic));
            let handles = world.insert_batch(each);
            world.update();
            let number = |handle| handles.iter().position(|&h| h == handle).expect("ours") as u64;
            let mut expected: Vec<[u64; 2]> = world
                .pairs()
                .map(|(a, b)| (number(a), number(b)))
                .map(|(a, b)| [a.min(b), a.max(b)])
                .collect();
            expected.sort_unstable();
            assert_eq!(bodies.count_pairs(ranks), expected.len() as u64);
            let all = ranks.share(bodies.pairs()).expect("pairs");
            let mut found = all.items;
            found.sort_unstable();
            same("pairs of boxes", &found, &expected);
            let now: BTreeSet<[u64; 2]> = found.iter().copied().collect();
            for (what, here, expected) in [
                ("began", bodies.began(), &now - &before),
                ("ended", bodies.ended(), &before - &now),
            ] {
                let mut found = ranks.share(here).expect("pairs").items;
                found.sort_unstable();
                same(what, &found, &Vec::from_iter(expected));
            }
            before = now;
        }
        assert!(many < 100 || bodies.count_pairs(ranks) > 50);
    }
}

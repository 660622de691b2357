//! Groups of friends, and clusters by density.

use orthant::{Aabb, Groups, Orthtree, Periodic, Scalar};
use orthant_mpi::{GroupIds, Point, Ranks};

use crate::check::same;
use crate::clouds::{WAYS, Way, World, cloud, worlds};
use crate::{Test, on_ranks};

pub(crate) const TESTS: &[Test] = &[("groups", || on_ranks("groups"))];

pub(crate) fn all(ranks: &Ranks, _: &[String]) {
    for_points::<[f32; 3]>(ranks);
    for_points::<[f64; 3]>(ranks);
    for_points::<[f32; 2]>(ranks);
    a_thread_through_all_ranks(ranks);
}

fn for_points<P: Point>(ranks: &Ranks) {
    for world in worlds::<P>() {
        // Small radii give many small groups.
        for part in [0.15, 0.5, 1.0] {
            let radius = world.radius * P::Scalar::from_f64(part);
            for way in WAYS {
                compare(ranks, &world, radius, None, way);
                if world.name != "far" {
                    let corner = |x: f64| P::splat(P::Scalar::from_f64(x));
                    let periodic = Periodic::new(Aabb::new(corner(-0.25), corner(0.9)));
                    compare(ranks, &world, radius, Some(periodic), way);
                }
            }
        }
    }
}

fn compare<P: Point>(
    ranks: &Ranks,
    world: &World<P>,
    radius: P::Scalar,
    periodic: Option<Periodic<P>>,
    way: Way,
) {
    let cloud = cloud(ranks, &world.points, periodic, way);
    let wrap = |&p: &P| periodic.map_or(p, |periodic| periodic.wrap(p));
    let points: Vec<P> = world.points.iter().map(wrap).collect();
    let tree = Orthtree::new(&points);
    for least in [0, 1, 2, 4, 9] {
        let what = format!("{} {way:?} {radius} {least} {periodic:?}", world.name);
        let (found, expected) = if least == 1 {
            let groups = match periodic {
                Some(periodic) => periodic.components(&tree, radius).expect("groups"),
                None => tree.components(radius),
            };
            (cloud.groups(ranks, radius).expect("groups"), named(&groups))
        } else {
            let groups = match periodic {
                Some(periodic) => periodic.dbscan(&tree, radius, least).expect("clusters"),
                None => tree.dbscan(radius, least),
            };
            let found = cloud.dbscan(ranks, radius, least).expect("clusters");
            (found, named(&groups))
        };
        assert_eq!(found.groups, expected.1, "{what}");
        let names: Vec<u64> = cloud
            .ids()
            .iter()
            .map(|&id| expected.0[id as usize])
            .collect();
        compare_names(&what, &found.labels, &names, least);
    }
}

/// Returns clusters as one process numbers them, and their number.
fn named(groups: &Groups) -> (Vec<u64>, u64) {
    (
        groups
            .labels()
            .iter()
            .map(|&label| u64::from(label))
            .collect(),
        groups.len() as u64,
    )
}

/// Compares the names of this rank's points with the numbers of one process, which numbers groups from 0 on in the order of their names: each
/// name has one number, and noise is noise.
fn compare_names(what: &str, names: &[u64], numbers: &[u64], least: usize) {
    let mut both: Vec<(u64, u64)> = names.iter().copied().zip(numbers.iter().copied()).collect();
    both.sort_unstable();
    both.dedup();
    for &(name, number) in &both {
        let is_noise = name == GroupIds::NOISE;
        assert_eq!(
            is_noise,
            number == u64::from(Groups::NOISE),
            "{what}: {name} is {number}"
        );
    }
    assert!(
        both.is_sorted_by(|a, b| a.0 < b.0 && a.1 < b.1),
        "{what}: {both:?}"
    );
    if least <= 1 {
        assert!(
            both.iter().all(|&(name, _)| name != GroupIds::NOISE),
            "{what}"
        );
    }
}

/// A chain winds through all ranks, and its points are brought so that names are far from each other.
fn a_thread_through_all_ranks(ranks: &Ranks) {
    let points: Vec<[f64; 3]> = (0..2000_u64)
        .map(|id| {
            let at = (id * 977 % 2000) as f64;
            let turn = at * 0.05;
            [turn.cos() * 3.0, turn.sin() * 3.0, at * 0.001]
        })
        .collect();
    for way in WAYS {
        let cloud = cloud(ranks, &points, None, way);
        let found = cloud.groups(ranks, 0.16).expect("groups");
        same("a thread", &found.labels, &vec![0; cloud.len()]);
        assert_eq!(found.groups, 1);
        assert!(found.rounds <= 6, "{} rounds", found.rounds);
    }
}

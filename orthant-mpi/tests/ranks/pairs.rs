//! Points, halos, pairs, bins and lists.

use orthant::{Aabb, CellList, Periodic, Scalar, Vector};
use orthant_mpi::{Balance, Cloud, Copies, HalfHalo, Halo, Point, Ranks};

use crate::check::same;
use crate::clouds::{WAYS, Way, World, cloud, mix, share, worlds};
use crate::{Test, on_ranks};

pub(crate) const TESTS: &[Test] = &[("pairs", || on_ranks("pairs"))];

pub(crate) fn all(ranks: &Ranks, _: &[String]) {
    for_points::<[f32; 3]>(ranks);
    for_points::<[f64; 3]>(ranks);
    for_points::<orthant::glam::Vec2>(ranks);
    balance_moves_what_it_should(ranks);
    halves_are_even(ranks);
}

fn for_points<P: Point>(ranks: &Ranks) {
    for world in worlds::<P>() {
        for way in WAYS {
            open_and_periodic(ranks, &world, way);
        }
    }
}

fn open_and_periodic<P: Point>(ranks: &Ranks, world: &World<P>, way: Way) {
    let truth = CellList::new(&world.points, world.radius);
    compare(ranks, world, None, way, &truth);
    if world.name == "far" {
        return;
    }
    let corner = |x: f64| P::splat(P::Scalar::from_f64(x));
    // The second side is shorter than the radius, so that the radius reaches several images.
    for side in [1.25, 0.3] {
        if side < 1.0 && world.points.len() > 100 {
            continue;
        }
        let mut periodic = Periodic::new(Aabb::new(corner(-0.5), corner(side - 0.5)));
        if way == Way::Even {
            let mut axes = <P as Axes>::all();
            axes.as_mut()[0] = false;
            periodic = Periodic::on_axes(periodic.bounds(), axes);
        }
        let truth = CellList::new_periodic(&world.points, world.radius, periodic);
        compare(ranks, world, Some(periodic), way, &truth);
    }
}

/// Flags that are true on all axes.
trait Axes: Vector {
    fn all() -> Self::Axes<bool>;
}

impl<P: Vector> Axes for P {
    fn all() -> P::Axes<bool> {
        P::axes(true)
    }
}

fn compare<P: Point>(
    ranks: &Ranks,
    world: &World<P>,
    periodic: Option<Periodic<P>>,
    way: Way,
    truth: &CellList<P>,
) {
    let what = format!("{} {way:?} {periodic:?}", world.name);
    let cloud = cloud(ranks, &world.points, periodic, way);
    let counts = ranks.sum(&[cloud.len() as u64]);
    assert_eq!(
        (counts[0], cloud.total()),
        (world.points.len() as u64, world.points.len() as u64)
    );
    assert!(cloud.ids().is_sorted_by(|a, b| a < b), "{what}");

    let radius = world.radius;
    let halo = Halo::new(ranks, &cloud, radius).expect("a halo");
    let half = HalfHalo::new(ranks, &cloud, radius).expect("half of one");
    let expected = truth.count_pairs();
    assert_eq!(halo.count_pairs(ranks), Ok(expected), "{what}");
    assert_eq!(half.count_pairs(ranks), Ok(expected), "{what}");

    let at = |part: f64| radius * P::Scalar::from_f64(part);
    let ends = [P::Scalar::ZERO, at(0.25), at(0.5), radius];
    let expected = truth.pair_counts(&ends).expect("bins");
    assert_eq!(
        halo.pair_counts(ranks, &ends),
        Ok(expected.clone()),
        "{what}"
    );
    assert_eq!(half.pair_counts(ranks, &ends), Ok(expected), "{what}");
    visited(ranks, &what, &halo, truth);
    visited(ranks, &what, &half, truth);

    let all = truth.neighbors();
    let near = halo.neighbor_ids(ranks).expect("lists");
    let numbers = halo.neighbors(ranks).expect("lists");
    let many = halo.count_neighbors(ranks).expect("counts");
    for (i, &id) in cloud.ids().iter().enumerate() {
        let mut expected: Vec<u64> = all.list(id as usize).iter().map(|i| i as u64).collect();
        expected.sort_unstable();
        same(&format!("{what}: neighbors of {id}"), &near[i], &expected);
        let named: Vec<u64> = numbers[i].iter().map(|&i| halo.ids()[i as usize]).collect();
        same(&format!("{what}: numbers of {id}"), &named, &expected);
        assert_eq!(many[i] as usize, expected.len(), "{what}");
        assert_eq!(halo.ids()[halo.own()[i] as usize], id, "{what}");
    }
    let mut seen = 0;
    let visit = halo.for_each_list(ranks, |i, list| {
        let mut list = list.to_vec();
        list.sort_unstable();
        same(&format!("{what}: list {i} of {seen}"), &list, &numbers[i]);
        seen += 1;
    });
    visit.expect("lists");
    assert_eq!(seen, cloud.len(), "{what}");

    // Values go to copies and back: each copy adds 1 to its owner's sum.
    let marks: Vec<u64> = cloud.ids().iter().map(|&id| mix(id)).collect();
    for copies in [&*halo, &*half] {
        let filled = copies.fill(ranks, &marks).expect("filled");
        let expected: Vec<u64> = copies.ids().iter().map(|&id| mix(id)).collect();
        same(&format!("{what}: filled"), &filled, &expected);
        let ones = vec![1; copies.points().len()];
        let sums = copies.sum(ranks, &ones).expect("sums");
        let total = ranks.sum(&[sums.iter().sum(), copies.points().len() as u64]);
        assert_eq!(total[0], total[1], "{what}");
    }

    let home = cloud.to_home(ranks, cloud.ids()).expect("home");
    let from = ranks
        .share(&[share(ranks, &world.points, way).len() as u64])
        .expect("counts");
    let first: u64 = from.items[..ranks.rank()].iter().sum();
    assert!(
        home.iter().copied().eq(first..first + home.len() as u64),
        "{what}"
    );
    let lists = cloud.lists_to_home(ranks, &near).expect("lists at home");
    assert_eq!(lists.len(), home.len(), "{what}");
    for (list, id) in lists.iter().zip(first..) {
        let mut expected: Vec<u64> = all.list(id as usize).iter().map(|i| i as u64).collect();
        expected.sort_unstable();
        same(&format!("{what}: at home, {id}"), &list, &expected);
    }
}

/// Checks that each pair is on one rank, with the displacement of one process, and that one of its points belongs to that rank.
fn visited<P: Point>(ranks: &Ranks, what: &str, copies: &Copies<P>, truth: &CellList<P>) {
    let digest = |a: u64, b: u64, by: P, distance_sq: P::Scalar| {
        let ends = mix(mix(a) ^ b);
        let each = (0..P::DIM).map(|axis| by.axis(axis)).chain([distance_sq]);
        each.fold(ends, |digest, x| {
            mix(digest ^ (x + P::Scalar::ZERO).to_bits())
        })
    };
    let own: Vec<bool> = {
        let mut own = vec![false; copies.points().len()];
        copies.own().iter().for_each(|&i| own[i as usize] = true);
        own
    };
    let mut here = [0_u64; 2];
    let visit = copies.for_each_pair(ranks, |i, j, by, distance_sq| {
        let (i, j) = (i as usize, j as usize);
        assert!(i <= j && (own[i] || own[j]), "{what}");
        let digest = digest(copies.ids()[i], copies.ids()[j], by, distance_sq);
        here = [here[0].wrapping_add(digest), here[1] + 1];
    });
    visit.expect("pairs");
    let mut all = [0_u64; 2];
    truth.for_each_pair(|i, j, by, distance_sq| {
        let digest = digest(i as u64, j as u64, by, distance_sq);
        all = [all[0].wrapping_add(digest), all[1] + 1];
    });
    same(
        &format!("{what}: pairs gone through"),
        &ranks.sum(&here),
        &all,
    );
}

/// Tests shares, columns, hysteresis and the cap.
fn balance_moves_what_it_should(ranks: &Ranks) {
    let size = ranks.size() as u64;
    let points: Vec<[f64; 3]> = worlds().swap_remove(0).points;
    let mine = share(ranks, &points, Way::Weighted);
    let mut cloud = Cloud::new(ranks, mine).expect("a cloud");
    let bytes = cloud.ids().iter().map(|&id| id as u8).collect();
    let (bytes, ids) = (
        cloud.carry::<u8>(ranks, "bytes", bytes).expect("a column"),
        cloud
            .carry::<u64>(ranks, "ids", cloud.ids().to_vec())
            .expect("a column"),
    );
    let exact = Balance {
        tolerance: 0.0,
        ..Balance::default()
    };
    let balanced = cloud.balance(ranks, &exact).expect("balanced");
    assert!(balanced.divided && balanced.fullest < 1.01, "{balanced:?}");
    assert_eq!(
        balanced.moved,
        500 - ranks.sum(&[if ranks.rank() as u64 + 1 == size {
            cloud.len() as u64
        } else {
            0
        }])[0]
    );
    same("carried", cloud.column(ids), cloud.ids());
    assert!(
        cloud
            .column(bytes)
            .iter()
            .zip(cloud.ids())
            .all(|(&byte, &id)| byte == id as u8)
    );
    for (&p, &id) in cloud.points().iter().zip(cloud.ids()) {
        assert_eq!(p, points[id as usize]);
        assert_eq!(
            cloud.division().map(|division| division.owner(p)),
            Some(ranks.rank())
        );
    }

    // Small moves leave the planes where they are; larger moves shift them, and few points with them.
    let shifted = |cloud: &Cloud<[f64; 3]>, by: f64| -> Vec<[f64; 3]> {
        let each = cloud.points().iter();
        each.map(|p| [p[0] + by * p[1], p[1], p[2]]).collect()
    };
    let little = shifted(&cloud, 0.001);
    cloud.set_points(ranks, &little).expect("moved");
    let balanced = cloud.balance(ranks, &Balance::default()).expect("balanced");
    assert!(!balanced.divided && balanced.moved < 10, "{balanced:?}");
    let much = shifted(&cloud, 0.3);
    cloud.set_points(ranks, &much).expect("moved");
    let always = Balance {
        above: 0.0,
        tolerance: 0.0,
        ..Balance::default()
    };
    let balanced = cloud.balance(ranks, &always).expect("balanced");
    assert!(balanced.divided && balanced.fullest < 1.01, "{balanced:?}");

    // All work is in one corner, but no rank may have more than 1.3 times the mean number of points.
    let weights: Vec<u32> = cloud
        .points()
        .iter()
        .map(|p| u32::from(p[0] < 0.2))
        .collect();
    let free = cloud
        .balance_by(ranks, &Balance::default(), &weights)
        .expect("balanced");
    assert!(free.heaviest < 1.12, "{free:?}");
    let weights: Vec<u32> = cloud
        .points()
        .iter()
        .map(|p| u32::from(p[0] < 0.2))
        .collect();
    let capped = Balance {
        most_points: 1.3,
        ..Balance::default()
    };
    let capped = cloud
        .balance_by(ranks, &capped, &weights)
        .expect("balanced");
    assert!(capped.fullest < 1.32, "{capped:?}");
    let total = ranks.sum(&[cloud.len() as u64])[0];
    assert_eq!(total, 500);
}

/// A half halo has half of the copies, and those on both sides of planes; all ranks get about as many.
fn halves_are_even(ranks: &Ranks) {
    let points: Vec<[f32; 3]> = worlds().swap_remove(0).points;
    let cloud = cloud(ranks, &points, None, Way::Even);
    let whole = Halo::new(ranks, &cloud, 0.1).expect("a halo");
    let half = HalfHalo::new(ranks, &cloud, 0.1).expect("half of one");
    let [sum, most, all] = {
        let copies = [half.copies() as u64, whole.copies() as u64];
        let sums = ranks.sum(&copies);
        [sums[0], ranks.most(&copies)[0], sums[1]]
    };
    assert!(2 * sum <= all + all / 4, "{sum} of {all}");
    let mean = sum as f64 / ranks.size() as f64;
    assert!(most as f64 <= mean * 1.15, "{most} of {sum}");
}

//! Queries by regions and for the nearest points, from any rank of the points of all ranks.

use orthant::{
    Aabb, Difference, Intersection, Orthtree, Overlaps, Periodic, Region, Relation, Scalar, Shell,
    SpatialIndex, Sphere, Vector, Voxel,
};
use orthant_mpi::{Asked, Point, Ranks, Tree};
use serde::{Deserialize, Serialize};

use crate::check::same;
use crate::clouds::{WAYS, Way, World, cloud, share, unit, worlds};
use crate::{Test, on_ranks};

pub(crate) const TESTS: &[Test] = &[("questions", || on_ranks("questions"))];

pub(crate) fn all(ranks: &Ranks, _: &[String]) {
    for_points::<[f32; 3]>(ranks);
    for_points::<[f64; 2]>(ranks);
    for_points::<orthant::glam::DVec3>(ranks);
}

/// A region of the user's own: all points below a height on the last axis.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Below<S>(S);

impl<V: Vector> Region for Placed<V> {
    type Vector = V;

    fn relate(&self, cell: &Aabb<V>) -> Relation {
        if cell.max().axis(V::DIM - 1) <= self.0.0 {
            Relation::Inside
        } else if cell.min().axis(V::DIM - 1) <= self.0.0 {
            Relation::Straddles
        } else {
            Relation::Outside
        }
    }
}

/// The region, in the space of a vector type.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(bound(
    serialize = "V::Scalar: Serialize",
    deserialize = "V::Scalar: Deserialize<'de>"
))]
struct Placed<V: Vector>(Below<V::Scalar>);

impl<V: Vector> Overlaps<V> for Placed<V> {
    fn overlaps(&self, other: &V) -> bool {
        other.axis(V::DIM - 1) <= self.0.0
    }
}

fn for_points<P>(ranks: &Ranks)
where
    P: Point<Scalar: Serialize + for<'de> Deserialize<'de>> + Serialize + for<'de> Deserialize<'de>,
{
    for world in worlds::<P>() {
        for way in WAYS {
            let what = format!("{} {way:?}", world.name);
            let cloud = cloud(ranks, &world.points, None, way);
            let tree = Tree::new(ranks, &cloud).expect("a tree");
            if world.name != "far" {
                in_images(ranks, &world, way);
            }
            let truth = Orthtree::new(&world.points);
            // Every rank queries other places, and one rank none.
            let mine = if ranks.rank() == 1 {
                &[]
            } else {
                share(ranks, &world.points, way)
            };
            let (mine, radius) = (&mine[..mine.len().min(100)], world.radius);
            let balls: Vec<_> = mine.iter().map(|&p| Sphere::new(p, radius)).collect();
            regions(ranks, &what, &tree, &truth, &balls);
            if world.name != "far" {
                combined(ranks, &what, &tree, &truth, mine, radius);
            }
            for n in [0, 1, 5, 1000] {
                let near = if n > 5 {
                    &mine[..mine.len().min(3)]
                } else {
                    mine
                };
                nearest(ranks, &what, &tree, &truth, near, n);
            }
        }
    }
}

/// Compares balls and nearest points among all images of a periodic box.
fn in_images<P>(ranks: &Ranks, world: &World<P>, way: Way)
where
    P: Point<Scalar: Serialize + for<'de> Deserialize<'de>> + Serialize + for<'de> Deserialize<'de>,
{
    let what = format!("{} {way:?} in images", world.name);
    let corner = |x: f64| P::splat(P::Scalar::from_f64(x));
    let mut periodic = Periodic::new(Aabb::new(corner(-0.5), corner(0.75)));
    if way == Way::Even {
        let mut axes = P::axes(true);
        axes.as_mut()[0] = false;
        periodic = Periodic::on_axes(periodic.bounds(), axes);
    }
    let cloud = cloud(ranks, &world.points, Some(periodic), way);
    let tree = Tree::new(ranks, &cloud).expect("a tree");
    let wrapped: Vec<P> = world.points.iter().map(|&p| periodic.wrap(p)).collect();
    let truth = Orthtree::new(&wrapped);
    let mine = share(ranks, &world.points, way);
    let mine = &mine[..mine.len().min(if ranks.rank() == 1 { 0 } else { 60 })];
    let balls: Vec<_> = mine.iter().map(|&p| Sphere::new(p, world.radius)).collect();
    let lists = tree.query_batch_in_images(ranks, &balls).expect("lists");
    let counts = tree.count_in_images(ranks, &balls).expect("counts");
    assert_eq!((lists.len(), counts.len()), (balls.len(), balls.len()));
    let order = |a: &(u64, P::Voxel), b: &(u64, P::Voxel)| {
        let image =
            |x: &(u64, P::Voxel)| (0..P::DIM).rev().map(|a| x.1.axis(a)).collect::<Vec<_>>();
        a.0.cmp(&b.0).then_with(|| image(a).cmp(&image(b)))
    };
    for (i, ball) in balls.iter().enumerate() {
        let found = periodic.query(&truth, *ball).expect("images");
        let mut expected: Vec<_> = found.map(|(i, image)| (i as u64, image)).collect();
        expected.sort_by(order);
        same(&format!("{what}: ball {i}"), &lists[i], &expected);
        assert_eq!(counts[i], expected.len() as u64, "{what}: ball {i}");
    }
    for n in [0, 1, 7] {
        let near = tree.nearest_n_in_images(ranks, mine, n).expect("nearest");
        let expected = mine
            .iter()
            .map(|&p| periodic.nearest_n(&truth, p, n).expect("nearest"));
        let expected: Vec<_> = expected.collect();
        for (i, expected) in expected.iter().enumerate() {
            let names = expected
                .iter()
                .map(|near| (near.item.0 as u64, near.item.1));
            same(
                &format!("{what}: {n} of {i}"),
                &near.ids[i],
                &Vec::from_iter(names),
            );
        }
        let distances = expected.iter().flatten().map(|near| near.distance_sq);
        same(&what, &near.distances_sq, &Vec::from_iter(distances));
    }
}

fn combined<P>(
    ranks: &Ranks,
    what: &str,
    tree: &Tree<P>,
    truth: &Orthtree<P>,
    mine: &[P],
    radius: P::Scalar,
) where
    P: Point<Scalar: Serialize + for<'de> Deserialize<'de>> + Serialize + for<'de> Deserialize<'de>,
{
    let moved = |p: P, by: P::Scalar| P::from_fn(|a| p.axis(a) + by);
    let back = P::Scalar::ZERO - radius;
    let boxes: Vec<_> = mine
        .iter()
        .map(|&p| Aabb::new(moved(p, back), moved(p, radius)))
        .collect();
    regions(ranks, what, tree, truth, &boxes);
    let half = radius * P::Scalar::from_f64(0.5);
    let shells: Vec<_> = mine.iter().map(|&p| Shell::new(p, half, radius)).collect();
    regions(ranks, what, tree, truth, &shells);
    let parts = boxes.iter().zip(&shells);
    let both: Vec<_> = parts
        .map(|(&cuboid, &shell)| Difference(cuboid, Intersection(shell, cuboid)))
        .collect();
    regions(ranks, what, tree, truth, &both);
    let heights = (0..ranks.rank() as u64 * 2).map(|i| P::Scalar::from_f64(unit(i)));
    let below: Vec<Placed<P>> = heights.map(|height| Placed(Below(height))).collect();
    regions(ranks, what, tree, truth, &below);
}

fn regions<P: Point, R: Asked<P>>(
    ranks: &Ranks,
    what: &str,
    tree: &Tree<P>,
    truth: &Orthtree<P>,
    regions: &[R],
) {
    let lists = tree.query_batch(ranks, regions).expect("lists");
    let counts = tree.count(ranks, regions).expect("counts");
    assert_eq!(
        (lists.len(), counts.len()),
        (regions.len(), regions.len()),
        "{what}"
    );
    for (i, region) in regions.iter().enumerate() {
        let mut expected: Vec<u64> = truth.query(region).map(|i| i as u64).collect();
        expected.sort_unstable();
        same(&format!("{what}: region {i}"), &lists[i], &expected);
        assert_eq!(counts[i], expected.len() as u64, "{what}: region {i}");
    }
}

fn nearest<P: Point>(
    ranks: &Ranks,
    what: &str,
    tree: &Tree<P>,
    truth: &Orthtree<P>,
    points: &[P],
    n: usize,
) {
    let near = tree.nearest_n(ranks, points, n).expect("nearest");
    assert_eq!(near.ids.len(), points.len(), "{what}");
    let expected: Vec<_> = points.iter().map(|&p| truth.nearest_n(p, n)).collect();
    for (i, expected) in expected.iter().enumerate() {
        let expected: Vec<u64> = expected.iter().map(|near| near.item as u64).collect();
        same(
            &format!("{what}: {n} nearest of {i}"),
            &near.ids[i],
            &expected,
        );
    }
    let distances: Vec<_> = expected
        .iter()
        .flatten()
        .map(|near| near.distance_sq)
        .collect();
    same(what, &near.distances_sq, &distances);
}

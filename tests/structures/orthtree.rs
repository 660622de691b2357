//! Trees of many nodes, with every instruction set, since the trees of the laws are small.

use std::fmt::Debug;
use std::ops::ControlFlow;

use orthant::glam::{DVec2, DVec3, Vec2, Vec3, Vec4};
use orthant::{
    Aabb, Bounded, Hollow, InstructionSet, Linear, LooseOrthtree, Octree, Orthtree, Overlaps,
    Region, Scalar, SpatialIndex, Sphere, Vector,
};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

/// The number of points that are queried one by one.
const SOME: usize = if cfg!(debug_assertions) { 300 } else { 3000 };

/// Makes points on a lattice, so that distances tie; every fifth point is in a cluster of its own scale.
fn points<V: Vector>(many: usize, seed: u64) -> Vec<V> {
    let mut random = SmallRng::seed_from_u64(seed);
    (0..many)
        .map(|i| {
            let scale = if i.is_multiple_of(5) {
                0.5f64.powi(random.random_range(0..30))
            } else {
                1.0
            };
            V::from_fn(|_| {
                let place: i32 = random.random_range(-40..=40);
                V::Scalar::from_f64(f64::from(place) * scale * 0.25)
            })
        })
        .collect()
}

/// Makes balls from a single point to the whole space.
fn balls<V: Vector>() -> Vec<Sphere<V>> {
    let at = |x: f64| V::splat(Scalar::from_f64(x));
    let centers = [at(0.0), at(1.25), at(-10.0)];
    let radii = [0.0, 0.25, 1.0, 2.5, 5.0, 12.0, 17.5, 100.0, 1e30];
    let radii = radii.map(V::Scalar::from_f64);
    centers
        .into_iter()
        .flat_map(|center| radii.map(|radius| Sphere::new(center, radius)))
        .collect()
}

/// All forms of one tree's answer.
struct Forms {
    found: Vec<usize>,
    folded: Vec<usize>,
    appended: Vec<u32>,
    count: usize,
    /// The items up to the middle one by one, and the rest in each other form.
    begun: Vec<usize>,
    rest_counted: usize,
    rest_appended: Vec<u32>,
    /// The items visited up to one beyond the middle.
    visited: Vec<usize>,
    broke: bool,
}

impl Forms {
    /// Runs a query in all forms. It is compiled for each kind of item and region, so it is short.
    fn of<T, R>(tree: &Orthtree<T>, region: R) -> Self
    where
        T: Bounded,
        R: Region<Vector = T::Vector> + Overlaps<T> + Copy,
    {
        let mut found = Vec::new();
        for index in tree.query(region) {
            found.push(index);
        }
        let mut folded = Vec::new();
        tree.query(region).fold((), |(), index| folded.push(index));
        let mut appended = Vec::new();
        tree.query(region).append_to(&mut appended);

        let half = found.len() / 2;
        let mut begun = Vec::new();
        let mut query = tree.query(region);
        for _ in 0..half {
            begun.extend(query.next());
        }
        let rest_counted = query.count();
        let mut query = tree.query(region);
        for _ in 0..half {
            query.next();
        }
        let mut rest_appended = Vec::new();
        query.append_to(&mut rest_appended);

        let mut visited = Vec::new();
        let end = tree.visit(region, |index| push_up_to(&mut visited, index, half));
        Self {
            count: tree.count(region),
            broke: end.is_break(),
            found,
            folded,
            appended,
            begun,
            rest_counted,
            rest_appended,
            visited,
        }
    }

    /// Checks that all forms agree, in order, and returns their answer.
    fn agreed(self, region: &dyn Debug) -> Vec<usize> {
        let found = self.found;
        let narrow: Vec<u32> = found.iter().map(|&i| i as u32).collect();
        assert_eq!(self.appended, narrow);
        assert_eq!(self.folded, found);
        assert_eq!(self.count, found.len(), "{region:?}");
        let half = found.len() / 2;
        assert_eq!(self.begun, found[..half]);
        assert_eq!(self.rest_counted, found.len() - half);
        assert_eq!(self.rest_appended, narrow[half..]);
        assert_eq!(self.visited, found[..(half + 1).min(found.len())]);
        assert_eq!(self.broke, !found.is_empty());
        found
    }
}

fn push_up_to(visited: &mut Vec<usize>, index: usize, half: usize) -> ControlFlow<()> {
    visited.push(index);
    if visited.len() > half {
        ControlFlow::Break(())
    } else {
        ControlFlow::Continue(())
    }
}

/// Compares the answers of a tree with each instruction set with that of the scan.
fn agree(answers: &[Vec<usize>], expected: &[usize], region: &dyn Debug) {
    let first = answers.first().expect("a tree");
    for answer in answers {
        assert_eq!(first, answer, "the order depends on the instructions");
    }
    let mut found = first.clone();
    found.sort_unstable();
    assert_eq!(found, expected, "{region:?}");
}

/// Queries with one region, in all forms and with all instruction sets.
fn check<T, R>(trees: &[Orthtree<T>], scan: &Linear<T>, region: R)
where
    T: Bounded + Clone + Debug + Send + Sync,
    R: Region<Vector = T::Vector> + Overlaps<T> + Copy + Debug,
{
    let mut expected = Vec::new();
    for index in scan.query(region) {
        expected.push(index);
    }
    let mut answers = Vec::new();
    for tree in trees {
        answers.push(Forms::of(tree, region).agreed(&region));
    }
    agree(&answers, &expected, &region);
}

fn check_all<T>(items: &[T])
where
    T: Bounded + Clone + Debug + Send + Sync,
    Sphere<T::Vector>: Overlaps<T>,
    Hollow<Sphere<T::Vector>>: Overlaps<T>,
    Aabb<T::Vector>: Overlaps<T>,
{
    let tree = Orthtree::new(items);
    tree.validate().unwrap();
    let trees: Vec<_> = InstructionSet::available()
        .map(|set| tree.clone().with_instructions(set))
        .collect();
    let scan = Linear::new(items);
    for ball in balls() {
        check(&trees, &scan, ball);
        check(&trees, &scan, Hollow(ball));
        check(&trees, &scan, ball.bounds());
    }
}

fn boxes<V: Vector>(many: usize) -> Vec<Aabb<V>> {
    let (a, b) = (points::<V>(many, 3), points::<V>(many, 4));
    let quarter = V::Scalar::from_f64(0.25);
    let near = |a: V, b: V| V::from_fn(|axis| a.axis(axis) + b.axis(axis) * quarter);
    a.iter()
        .zip(b)
        .map(|(&a, b)| Aabb::spanning(a, near(a, b)))
        .collect()
}

fn spheres<V: Vector>(many: usize) -> Vec<Sphere<V>> {
    let points = points::<V>(many, 5).into_iter();
    let radius = |i: usize| V::Scalar::from_f64((i % 7) as f64 * 0.25);
    points
        .enumerate()
        .map(|(i, p)| Sphere::new(p, radius(i)))
        .collect()
}

#[test]
fn points_of_all_kinds() {
    check_all(&points::<Vec3>(10 * SOME, 1));
    check_all(&points::<DVec3>(SOME, 1));
    check_all(&points::<Vec2>(SOME, 1));
    check_all(&points::<DVec2>(SOME, 1));
    check_all(&points::<Vec4>(SOME, 1));
    check_all(&points::<[f64; 1]>(SOME, 1));
}

#[test]
fn boxes_and_spheres() {
    check_all(&boxes::<Vec3>(2 * SOME));
    check_all(&boxes::<DVec2>(SOME));
    check_all(&spheres::<Vec3>(2 * SOME));
    check_all(&spheres::<DVec2>(SOME));
}

/// Nearly all boxes have one point in common: all nodes meet a region there, none lies inside, and more nodes wait than the stack holds.
#[test]
fn more_nodes_than_a_stack_holds() {
    let mut random = SmallRng::seed_from_u64(2);
    let mut about = |i: usize| {
        let center = Vec3::from_array(std::array::from_fn(|_| random.random_range(-1.0..1.0)));
        let half = [1.0, 0.75][usize::from(i.is_multiple_of(10))];
        Aabb::new(center - half, center + half)
    };
    let boxes: Vec<_> = (0..1 << 18).map(&mut about).collect();
    let (tree, scan) = (Orthtree::new(&boxes), Linear::new(&boxes));
    let loose: LooseOrthtree<_> = boxes.iter().copied().collect();
    let center = Vec3::new(0.05, 0.1, -0.05);
    for radius in [0.0, 0.1] {
        let ball = Sphere::new(center, radius);
        let expected: Vec<usize> = scan.query(ball).collect();
        assert!(expected.len() > 200_000 && expected.len() < boxes.len());
        agree(&[Forms::of(&tree, ball).agreed(&ball)], &expected, &ball);
        let cuboid = ball.bounds();
        let expected = scan.count(cuboid);
        assert_eq!(tree.count(cuboid), expected);
        assert_eq!(loose.count(cuboid), expected);
        assert_eq!(loose.query(cuboid).count(), expected);
        let shell = Hollow(ball);
        assert_eq!(loose.query(shell).count(), scan.count(shell));
    }
}

#[test]
fn neighbors_are_what_queries_find() {
    fn check<V: Vector>() {
        let points = points::<V>(SOME, 6);
        let tree = Orthtree::new(&points);
        for radius in [0.0, 0.25, 1.5, 30.0].map(V::Scalar::from_f64) {
            let mut first = None;
            for set in InstructionSet::available() {
                let lists = tree.clone().with_instructions(set).neighbors(radius);
                assert_eq!(lists.len(), points.len());
                first.get_or_insert_with(|| lists.clone());
                assert_eq!(
                    first.as_ref(),
                    Some(&lists),
                    "lists depend on the instructions"
                );
            }
            let lists = first.expect("a set");
            let mut seen = 0;
            let _ = tree.visit_neighbors(radius, |point, near| {
                assert_eq!(near, lists[point]);
                seen += 1;
                ControlFlow::<()>::Continue(())
            });
            assert_eq!(seen, points.len());
            let later = |i: usize| lists[i].iter().map(|&j| j as usize).filter(move |&j| j > i);
            let mut all: Vec<_> = (0..points.len())
                .flat_map(|i| later(i).map(move |j| (i, j)))
                .collect();
            all.sort_unstable();
            for set in InstructionSet::available() {
                let (mut pairs, mut order) = (Vec::new(), Vec::new());
                let tree = tree.clone().with_instructions(set);
                let _ = tree.visit_pairs(radius, |i, others| {
                    pairs.extend(others.iter().map(|j| (i.min(j), i.max(j))));
                    order.push(i as u32);
                    ControlFlow::<()>::Continue(())
                });
                pairs.sort_unstable();
                assert_eq!(pairs, all, "each pair once");
                assert_eq!(tree.order(), order[..]);
            }
            for (point, near) in points.iter().zip(lists.iter()) {
                let mut near: Vec<usize> = near.iter().collect();
                let mut found: Vec<usize> = tree.query(Sphere::new(*point, radius)).collect();
                near.sort_unstable();
                found.sort_unstable();
                assert_eq!(near, found);
            }
        }
        for radius in [-1.0, f64::NAN].map(V::Scalar::from_f64) {
            assert!(tree.neighbors(radius).iter().all(|list| list.is_empty()));
            let flow = tree.visit_pairs(radius, |_, others| match others.is_empty() {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            });
            assert!(flow.is_continue());
        }
        assert_eq!(
            tree.neighbors(Scalar::INFINITY).total(),
            points.len() * points.len()
        );
    }
    check::<Vec3>();
    check::<DVec2>();
    assert!(Orthtree::<Vec3>::new(&[]).neighbors(1.0).is_empty());
}

/// More points tie with the last of the few nearest than the buffer holds, and distances overflow.
#[test]
fn the_few_nearest_of_many_alike() {
    let heaps = |i: u32| {
        let far = [0.0, 1.0, 3e30][(i % 3) as usize];
        Vec3::new(far, (i / 3 % 2) as f32, 0.0)
    };
    for count in [1, 5, 16, 40, 300, 3000] {
        let points: Vec<Vec3> = (0..count).map(heaps).collect();
        let (tree, scan) = (Octree::new(&points), Linear::new(&points));
        for from in [
            Vec3::ZERO,
            Vec3::new(0.5, 0.5, 0.0),
            Vec3::new(-3e30, 0.0, 1.0),
        ] {
            for n in 1..40 {
                assert_eq!(
                    tree.nearest_n(from, n),
                    scan.nearest_n(from, n),
                    "{count} {from} {n}"
                );
                for radius in [0.0, 1.0, 2.0] {
                    let found = tree.nearest_n_within(from, n, radius);
                    assert_eq!(found, scan.nearest_n_within(from, n, radius));
                }
            }
        }
    }
}

//! Law 7 for crowds in which a tree might become ever deeper, or look through the same items again and again.

use std::fmt::Debug;

use orthant::glam::{DVec3, Vec2, Vec3, Vec4};
use orthant::{
    Aabb, Distance, Handle, LooseOrthtree, Overlaps, Scalar, SpatialIndex, Sphere, Vector,
};
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

/// The bytes that a tree may take for each item. It takes up to 2 kB if few items share a leaf and a node has few leaves.
const BYTES: usize = 3000;

type Model<T> = Vec<(Handle, T)>;

fn check<V, T>(tree: &LooseOrthtree<T>, model: &Model<T>, random: &mut SmallRng)
where
    V: Vector,
    T: Distance<Vector = V> + Clone + PartialEq + Debug,
    Sphere<V>: Overlaps<T>,
{
    tree.validate().unwrap();
    assert_eq!(tree.len(), model.len());
    let all = model.len() + 100;
    assert!(tree.bytes() < all * BYTES, "{} of {all}", tree.bytes());
    for _ in 0..4 {
        let (one, other) = (pick(model, random), pick(model, random));
        let (from, to) = (one.core().min(), other.core().min());
        let mut expected: Vec<_> = model
            .iter()
            .map(|(handle, item)| (item.distance_sq(from), *handle))
            .collect();
        expected.sort_by(|a, b| a.partial_cmp(b).unwrap());
        expected.truncate(20);
        let found = tree.nearest_n(from, 20).into_iter();
        assert!(found.map(|n| (n.distance_sq, n.item)).eq(expected));

        let apart = to.distance_sq(from).sqrt().smaller(Scalar::MAX);
        let ball = Sphere::new(from, apart * Scalar::from_f64(random.random()));
        let mut found: Vec<_> = tree.query(ball).collect();
        found.sort_unstable();
        let hits = model.iter().filter(|(_, item)| ball.overlaps(item));
        let mut expected: Vec<_> = hits.map(|(handle, _)| *handle).collect();
        expected.sort_unstable();
        assert_eq!(found, expected);
    }
}

fn pick<'a, T>(model: &'a Model<T>, random: &mut SmallRng) -> &'a T {
    &model[random.random_range(0..model.len())].1
}

/// Inserts all items, moves them to each other's places, removes and inserts them again and again, and at last removes all.
fn live<V, T>(items: &[T])
where
    V: Vector,
    T: Distance<Vector = V> + Clone + PartialEq + Debug,
    Sphere<V>: Overlaps<T>,
{
    let mut random = SmallRng::seed_from_u64(items.len() as u64);
    let mut tree = LooseOrthtree::new();
    let mut model: Model<T> = Vec::new();
    for (i, item) in items.iter().enumerate() {
        model.push((tree.insert(item.clone()), item.clone()));
        if i.is_power_of_two() {
            tree.validate().unwrap();
        }
    }
    check(&tree, &model, &mut random);
    let mut peak = 0;
    for round in 0..4 {
        for i in 0..model.len() {
            let item = pick(&model, &mut random).clone();
            let old = tree.update(model[i].0, item.clone());
            assert_eq!(std::mem::replace(&mut model[i].1, item), old);
        }
        check(&tree, &model, &mut random);
        model.shuffle(&mut random);
        for (handle, item) in model.drain(items.len() / 10..) {
            assert_eq!(tree.remove(handle), Some(item));
        }
        check(&tree, &model, &mut random);
        for item in &items[model.len()..] {
            model.push((tree.insert(item.clone()), item.clone()));
        }
        check(&tree, &model, &mut random);
        if round == 0 {
            peak = tree.bytes();
        }
    }
    assert!(tree.bytes() <= 2 * peak, "{} > 2 * {peak}", tree.bytes());
    for (handle, item) in model {
        assert_eq!(tree.remove(handle), Some(item));
    }
    assert_eq!(tree.bytes(), 0);
}

/// Runs `live` on points, and on balls around them whose radius may depend on the place.
fn places<V>(
    count: usize,
    radius: impl Fn(V) -> f64,
    mut place: impl FnMut(&mut SmallRng, usize) -> V,
) where
    V: Vector + Distance<Vector = V>,
    Sphere<V>: Overlaps<V>,
{
    let mut random = SmallRng::seed_from_u64(count as u64);
    let points: Vec<V> = (0..count).map(|i| place(&mut random, i)).collect();
    live::<V, V>(&points);
    let ball = |&p: &V| Sphere::new(p, Scalar::from_f64(radius(p)));
    live::<V, Sphere<V>>(&points.iter().map(ball).collect::<Vec<_>>());
}

#[test]
fn many_in_one_place() {
    for count in [100, 1000, 5000] {
        places(count, |_| 1.0, |_, _| Vec2::new(1.0, -2.0));
        places(count, |_| 0.0, |_, _| Vec3::splat(0.1));
        places(count, |_| 1e-9, |_, _| Vec4::splat(1e30));
    }
}

/// Balls lie so close together that their sizes keep the tree from separating them; some lie a little farther.
#[test]
fn nearer_than_sizes_matter() {
    for near in [1e-6f32, 1.0 / 4096.0, 1e-3] {
        places(
            1000,
            |_| 0.5,
            |random, i| {
                let at = near * random.random::<f32>();
                Vec3::new(at, if i % 7 == 0 { 4.0 * at } else { at }, 0.0)
            },
        );
    }
}

#[test]
fn adjacent_floats() {
    let mut ends = [1e7f32; 2];
    ends[1] = ends[1].next_up();
    let end = |random: &mut SmallRng| ends[random.random_range(0..2)];
    places(
        1000,
        |_| 1.0,
        |random, _| Vec4::from_array([(); 4].map(|()| end(random))),
    );
    places(
        1000,
        |_| 0.0,
        |random, _| Vec2::new(end(random), -end(random)),
    );
}

#[test]
fn subnormals() {
    let tiny = |bits: u32| f32::from_bits(bits);
    let three = |random: &mut SmallRng| [(); 3].map(|()| tiny(random.random_range(0..4000)));
    places(1000, |_| 1e-42, |random, _| Vec3::from_array(three(random)));
    places(
        1000,
        |_| 0.0,
        |_, i| Vec2::new(tiny(i as u32), tiny(1 << (i % 23))),
    );
}

#[test]
fn powers_of_two() {
    let power = |i: usize| 2.0f64.powi((i % 250) as i32 - 125);
    let sign = |random: &mut SmallRng| if random.random() { 1.0 } else { -1.0 };
    let corner = |random: &mut SmallRng, i| DVec3::new(power(i), sign(random) * power(i), power(i));
    places(1000, |p| 0.01 * p.x, corner);
    places(
        1000,
        |p: Vec3| f64::from(0.01 * p.x),
        |random, i| corner(random, i).as_vec3(),
    );
    // Items come one after the other, from the least and from the greatest.
    places(1000, |_| 0.0, |_, i| Vec3::splat(power(i / 4) as f32));
    places(1000, |_| 0.0, |_, i| Vec3::splat(power(249 - i / 4) as f32));
}

#[test]
fn giants_among_the_tiny() {
    places(
        2000,
        |p: Vec3| if p.x == 1e6 { 1e6 } else { 1e-3 },
        |random, i| {
            if i % 100 == 0 {
                Vec3::splat(1e6)
            } else {
                Vec3::from_array(random.random())
            }
        },
    );
}

#[test]
fn as_large_as_numbers_are() {
    let most = |random: &mut SmallRng| f32::MAX * [1.0, 0.5, -1.0][random.random_range(0..3)];
    places(
        1000,
        |_| f64::from(f32::MAX),
        |random, _| Vec3::from_array([(); 3].map(|()| most(random))),
    );
}

#[test]
fn bars() {
    let mut random = SmallRng::seed_from_u64(1);
    let mut bar = |long: usize| {
        let mut low: [f32; 3] = random.random();
        let mut high = low.map(|x| x + 1e-4);
        (low[long], high[long]) = (0.0, 1.0);
        Aabb::new(Vec3::from_array(low), Vec3::from_array(high))
    };
    live(&(0..1000).map(|_| bar(0)).collect::<Vec<_>>());
    live(&(0..1000).map(|i| bar(i % 3)).collect::<Vec<_>>());
}

/// A few items that move on and on leave nothing behind, however far they come.
#[test]
fn travellers() {
    let mut tree = LooseOrthtree::new();
    let handles: Vec<_> = (0..40).map(|_| tree.insert(Vec3::ZERO)).collect();
    let mut most = 0;
    for step in 0..4000u32 {
        let scale = 2.0f32.powi((step % 240) as i32 - 120);
        let handle = handles[(step * 7 % 40) as usize];
        tree.update(handle, Vec3::new(scale, -scale, (step % 90) as f32 * scale));
        tree.validate().unwrap();
        most = most.max(tree.bytes());
    }
    assert!(most < 40 * BYTES, "{most}");
    for &handle in &handles {
        tree.update(handle, Vec3::ONE);
    }
    tree.validate().unwrap();
    assert!(tree.bytes() < 40 * BYTES / 2, "{}", tree.bytes());
}

//! Trees as bytes: read again they answer bit for bit as before; bytes that are altered are refused, or are those of a
//! tree that answers.

use orthant::{
    Aabb, Bounded, Distance, Error, Linear, Orthtree, Overlaps, SpatialIndex, Sphere, Vector,
};

/// Numbers that look random.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// One of few values, so that distances tie.
    fn whole(&mut self) -> f64 {
        self.below(17) as f64 - 8.0
    }

    fn point<V: Vector>(&mut self) -> V {
        V::from_fn(|_| orthant::Scalar::from_f64(self.whole()))
    }
}

fn points<V: Vector>(many: usize) -> Vec<V> {
    let mut random = Random(many as u64 + 1);
    (0..many).map(|_| random.point()).collect()
}

fn boxes<V: Vector>(many: usize) -> Vec<Aabb<V>> {
    let corners = points::<V>(2 * many);
    let corner = |pair: &[V], pick: fn(V::Scalar, V::Scalar) -> V::Scalar| {
        V::from_fn(|axis| pick(pair[0].axis(axis), pair[1].axis(axis)))
    };
    let pairs = corners.chunks(2);
    pairs
        .map(|pair| {
            let low = corner(pair, |a, b| if a < b { a } else { b });
            Aabb::new(low, corner(pair, |a, b| if a < b { b } else { a }))
        })
        .collect()
}

fn balls<V: Vector>(many: usize) -> Vec<Sphere<V>> {
    let centers = points::<V>(many).into_iter().enumerate();
    centers
        .map(|(i, center)| Sphere::new(center, orthant::Scalar::from_f64((i % 5) as f64 * 0.5)))
        .collect()
}

/// Every kind of question, compared in order.
fn same<T>(tree: &Orthtree<T>, read: &Orthtree<T>)
where
    T: Bounded + Distance + Clone + PartialEq + std::fmt::Debug + Sync,
    Sphere<T::Vector>: Overlaps<T>,
    Aabb<T::Vector>: Overlaps<T>,
{
    assert_eq!(read.items(), tree.items());
    assert_eq!(read.order().as_slice(), tree.order().as_slice());
    assert_eq!(read.bounds(), tree.bounds());
    assert_eq!(read.to_bytes(), tree.to_bytes());
    let items = tree.items();
    let scan = Linear::new(&items);
    let mut random = Random(9);
    for step in 0..20 {
        let at = random.point::<T::Vector>();
        let ball = Sphere::new(at, orthant::Scalar::from_f64(step as f64 * 0.5));
        assert!(read.query(ball).eq(tree.query(ball)));
        assert_eq!(read.count(ball), scan.count(ball));
        let cuboid = ball.bounds();
        assert!(read.query(cuboid).eq(tree.query(cuboid)));
        assert_eq!(read.count(cuboid), scan.count(cuboid));
        assert_eq!(read.nearest(at), scan.nearest(at));
        assert_eq!(read.nearest_n(at, 9), scan.nearest_n(at, 9));
        assert_eq!(read.nearest_n(at, 40), scan.nearest_n(at, 40));
        let first: Vec<_> = read.by_distance(at).take(20).collect();
        assert_eq!(first, tree.by_distance(at).take(20).collect::<Vec<_>>());
    }
}

fn round_trip<T>(make: impl Fn(usize) -> Vec<T>)
where
    T: Bounded + Distance + Clone + PartialEq + std::fmt::Debug + Sync,
    Sphere<T::Vector>: Overlaps<T>,
    Aabb<T::Vector>: Overlaps<T>,
{
    for many in [0, 1, 2, 15, 16, 17, 64, 65, 300, 3000, 20_000] {
        let tree = Orthtree::new(&make(many));
        let read = Orthtree::from_bytes(&tree.to_bytes()).unwrap();
        same(&tree, &read);
    }
    let default = Orthtree::<T>::default();
    same(
        &default,
        &Orthtree::from_bytes(&default.to_bytes()).unwrap(),
    );
}

#[test]
fn trees_of_points_answer_as_before() {
    round_trip(points::<[f32; 2]>);
    round_trip(points::<[f32; 3]>);
    round_trip(points::<[f64; 3]>);
    round_trip(points::<[f32; 1]>);
    round_trip(points::<[f64; 4]>);
}

#[test]
fn trees_of_boxes_and_balls_answer_as_before() {
    round_trip(boxes::<[f32; 3]>);
    round_trip(boxes::<[f64; 2]>);
    round_trip(balls::<[f32; 3]>);
    round_trip(balls::<[f64; 2]>);
}

/// Points so unlike that the tree is as deep as can be, and points all alike.
#[test]
fn deep_trees_and_coincident_points() {
    let mut deep = Vec::new();
    for exponent in -140..120 {
        for i in 0..40 {
            deep.push([2f32.powi(exponent) * (1.0 + i as f32 / 64.0), 0.0]);
        }
    }
    let alike = vec![[1.0f32, 2.0]; 10_000];
    let flat: Vec<[f32; 1]> = (0..50_000).map(|i| [1.0 / (i as f32 + 1.0)]).collect();
    let tree = Orthtree::new(&deep);
    same(&tree, &Orthtree::from_bytes(&tree.to_bytes()).unwrap());
    let tree = Orthtree::new(&alike);
    same(&tree, &Orthtree::from_bytes(&tree.to_bytes()).unwrap());
    let tree = Orthtree::new(&flat);
    same(&tree, &Orthtree::from_bytes(&tree.to_bytes()).unwrap());
}

/// A tree of altered bytes, if it is one, answers as the scan of its items does.
fn answers<V: Vector>(bytes: &[u8]) {
    let Ok(tree) = Orthtree::<Sphere<V>>::from_bytes(bytes) else {
        return;
    };
    let items = tree.items();
    let scan = Linear::new(&items);
    let mut random = Random(5);
    for radius in [0.0, 2.0, 30.0] {
        let at = random.point::<V>();
        let ball = Sphere::new(at, orthant::Scalar::from_f64(radius));
        let mut found: Vec<usize> = tree.query(ball).collect();
        found.sort_unstable();
        assert!(found.into_iter().eq(scan.query(ball)));
        assert_eq!(tree.count(ball), scan.count(ball));
        assert_eq!(tree.nearest(at), scan.nearest(at));
        assert_eq!(tree.nearest_n(at, 5), scan.nearest_n(at, 5));
    }
}

#[test]
fn every_byte_altered_and_every_length() {
    let bytes = Orthtree::new(&balls::<[f32; 2]>(150)).to_bytes();
    for at in 0..bytes.len() {
        for change in [1, 0x80, 0xff] {
            let mut altered = bytes.clone();
            altered[at] ^= change;
            if at < 64 {
                let refused = Orthtree::<Sphere<[f32; 2]>>::from_bytes(&altered);
                assert!(matches!(refused, Err(Error::Saved { .. })), "{at}");
            } else {
                answers::<[f32; 2]>(&altered);
            }
        }
        let refused = Orthtree::<Sphere<[f32; 2]>>::from_bytes(&bytes[..at]);
        assert_eq!(
            refused.unwrap_err(),
            Error::Saved {
                what: "it is cut short"
            }
        );
    }
}

#[test]
fn random_alterations() {
    let bytes = Orthtree::new(&balls::<[f32; 3]>(500)).to_bytes();
    let mut random = Random(77);
    let many = if cfg!(debug_assertions) {
        5_000
    } else {
        100_000
    };
    for _ in 0..many {
        let mut altered = bytes.clone();
        for _ in 0..=random.below(4) {
            let at = 64 + random.below(bytes.len() - 64);
            match random.below(3) {
                0 => altered[at] = random.next() as u8,
                1 => altered[at] ^= 1 << random.below(8),
                _ => {
                    // Words change places.
                    let (a, b) = (at / 4 * 4, (64 + random.below(bytes.len() - 64)) / 4 * 4);
                    for i in 0..4 {
                        altered.swap(a + i, b + i);
                    }
                }
            }
        }
        answers::<[f32; 3]>(&altered);
    }
}

#[test]
fn other_items_are_refused_by_name() {
    let bytes = Orthtree::new(&points::<[f32; 3]>(100)).to_bytes();
    let refused = [
        Orthtree::<[f64; 3]>::from_bytes(&bytes).unwrap_err(),
        Orthtree::<[f32; 2]>::from_bytes(&bytes).unwrap_err(),
        Orthtree::<Aabb<[f32; 3]>>::from_bytes(&bytes).unwrap_err(),
        Orthtree::<Sphere<[f32; 3]>>::from_bytes(&bytes).unwrap_err(),
    ];
    for error in refused {
        let says = "saved tree: its items are of another kind, scalar or number of axes";
        assert_eq!(error.to_string(), says);
    }
    let mut longer = bytes.clone();
    longer.push(0);
    let refused = Orthtree::<[f32; 3]>::from_bytes(&longer).unwrap_err();
    assert_eq!(refused.to_string(), "saved tree: there are bytes behind it");
    // Not aligned, and read by another vector of the same numbers.
    longer.rotate_right(1);
    assert!(Orthtree::<orthant::glam::Vec3>::from_bytes(&longer[1..]).is_ok());
}

//! Trees as bytes, copied or opened in place, answer bit for bit as before. Altered bytes are refused, or are those of a tree that answers.

mod altered;
mod copied;
mod every_question;
mod opened;

use orthant::{Aabb, Bounded, Distance, Linear, Orthtree, Overlaps, SpatialIndex, Sphere, Vector};

/// The items of the largest tree.
const MANY: usize = if cfg!(debug_assertions) { 6000 } else { 20_000 };

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

/// Compares the answers to every kind of query, in order.
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

/// Bytes that begin at a multiple of 64, as those of a mapped file do.
struct Aligned {
    memory: Vec<u8>,
    at: usize,
    len: usize,
}

impl Aligned {
    fn new(bytes: &[u8]) -> Self {
        let memory = vec![0; bytes.len() + 63];
        let at = memory.as_ptr().align_offset(64);
        let len = bytes.len();
        let mut aligned = Self { memory, at, len };
        aligned.bytes().copy_from_slice(bytes);
        aligned
    }

    fn bytes(&mut self) -> &mut [u8] {
        &mut self.memory[self.at..][..self.len]
    }
}

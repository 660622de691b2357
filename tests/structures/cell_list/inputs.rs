//! Points that tie, coincide, lie far away or on a line.

use orthant::{Scalar, Vector};

/// Numbers that look random and repeat in every run.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((x ^ (x >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}

pub(crate) fn point<V: Vector>(mut f: impl FnMut(usize) -> f64) -> V {
    V::from_fn(|a| V::Scalar::from_f64(f(a)))
}

/// Makes points in a cube.
pub(crate) fn uniform<V: Vector>(many: usize, from: f64, length: f64) -> Vec<V> {
    let mut numbers = Numbers(7);
    (0..many)
        .map(|_| point(|_| from + length * numbers.next()))
        .collect()
}

/// Makes points of a lattice, some of them twice.
pub(crate) fn lattice<V: Vector>(many: usize, wide: i32, from: f64, step: f64) -> Vec<V> {
    let mut numbers = Numbers(11);
    let mut at = || from + step * (f64::from(wide) * numbers.next()).floor();
    (0..many).map(|_| point(|_| at())).collect()
}

/// A scene: its name, its points, and the radii to try.
pub(crate) type Scene<V> = (&'static str, Vec<V>, Vec<f64>);

pub(crate) fn scenes<V: Vector>() -> Vec<Scene<V>> {
    let line =
        |step: f64| (0..70).map(move |i| point(|a| if a == 0 { step * f64::from(i) } else { 1.0 }));
    let mut outlier = lattice(60, 4, 0.0, 1.0);
    outlier.push(point(|a| if a % 2 == 0 { 1e7 } else { -1e7 }));
    let mut extremes = outlier.clone();
    let most: f64 = V::Scalar::MAX.into();
    extremes.push(point(|a| if a == 0 { most } else { -most }));
    let mut two = uniform(50, 0.0, 1.0);
    two.extend(uniform::<V>(50, 1e5, 1.0));
    vec![
        ("none", Vec::new(), vec![1.0]),
        ("one", vec![point(|_| 3.0)], vec![1.0]),
        (
            "uniform",
            uniform(90, 0.0, 1.0),
            vec![1e-30, 0.05, 0.3, 2.0, 1e30],
        ),
        (
            "lattice",
            lattice(90, 5, 0.0, 0.1),
            vec![0.1, 0.2, 0.1 * f64::sqrt(2.0), 0.3],
        ),
        ("at 1e7", lattice(70, 5, 1e7, 1.0), vec![1.0, 2.0, 0.3]),
        (
            "small",
            lattice(50, 4, 0.0, 1e-23),
            vec![1e-23, 2e-23, 1e-26],
        ),
        ("all equal", vec![point(|_| 3.0); 40], vec![0.1]),
        ("line", line(100.0).collect(), vec![200.0, 0.001]),
        ("outlier", outlier, vec![1.0, 2.0, 1e7]),
        ("extremes", extremes, vec![1.0, 1e20, most]),
        ("two clusters", two, vec![0.1, 0.3]),
    ]
}

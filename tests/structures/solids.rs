//! Solids of few planes, thin, tiny and huge, which trees test by lanes, against the scan.

use orthant::{
    Aabb, Bounded, Frustum, Hexahedron, Hollow, Linear, LooseOrthtree, Moving, Orthtree, Overlaps,
    Quadrilateral, Region, Scalar, Sphere, Vector,
};

struct Numbers(u64);

impl Numbers {
    /// Returns a number from -1 to 1, in steps, so that some numbers repeat.
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        f64::from((self.0 >> 52) as u32) / 2048.0 - 1.0
    }

    fn vector<V: Vector>(&mut self, scale: f64) -> V {
        V::from_fn(|_| Scalar::from_f64(self.next() * scale))
    }
}

/// Compares the answers of trees with those of the scan, in every form.
fn same<T, R>(items: &[T], region: &R)
where
    T: Bounded + Clone + Sync,
    R: Region<Vector = T::Vector> + Overlaps<T>,
{
    let mut expected: Vec<usize> = Linear::new(items).query(region).collect();
    expected.sort_unstable();
    let tree = Orthtree::new(items);
    let mut found: Vec<usize> = tree.query(region).collect();
    found.sort_unstable();
    assert_eq!(found, expected);
    assert_eq!(tree.count(region), expected.len());

    let mut loose = LooseOrthtree::new();
    let handles: Vec<_> = items
        .iter()
        .map(|item| loose.insert(item.clone()))
        .collect();
    let mut found: Vec<_> = loose.query(region).collect();
    found.sort_unstable();
    let mut expected: Vec<_> = expected.iter().map(|&i| handles[i]).collect();
    expected.sort_unstable();
    assert_eq!(found, expected);
    assert_eq!(loose.count(region), expected.len());
}

/// Finds items that a region just reaches, and neighbors that it just does not reach: halves between a reached and an unreached item until no
/// number lies between.
fn at_the_edge<V: Vector, T, R: Overlaps<T>>(
    numbers: &mut Numbers,
    scale: f64,
    region: &R,
    make: impl Fn(V, f64) -> T,
) -> Vec<T> {
    let mut items = Vec::new();
    for _ in 0..300 {
        let size = numbers.next();
        let (mut near, mut far) = (numbers.vector::<V>(scale), numbers.vector::<V>(scale));
        if !region.overlaps(&make(near, size)) || region.overlaps(&make(far, size)) {
            continue;
        }
        let half = V::Scalar::from_f64(0.5);
        loop {
            let between = V::from_fn(|a| near.axis(a) * half + far.axis(a) * half);
            if between == near || between == far {
                break;
            }
            if region.overlaps(&make(between, size)) {
                near = between;
            } else {
                far = between;
            }
        }
        items.extend([make(near, size), make(far, size)]);
    }
    items
}

/// Queries points, boxes and balls around a solid.
fn all<V: Vector, R>(numbers: &mut Numbers, scale: f64, region: &R)
where
    R: Region<Vector = V> + Overlaps<V> + Overlaps<Aabb<V>> + Overlaps<Sphere<V>>,
{
    // In the larger tree whole nodes lie inside a solid.
    let many = if scale == 1.0 { 6000 } else { 600 };
    let mut points: Vec<V> = (0..many).map(|_| numbers.vector(scale)).collect();
    points.extend(at_the_edge(numbers, scale, region, |p: V, _| p));
    same(&points, region);
    let small = |size: f64| size.abs().powi(4) * scale * 0.5;
    let cell = |p: V, size: f64, by: V| {
        let far = V::from_fn(|a| {
            let (from, by): (f64, f64) = (p.axis(a).into(), by.axis(a).into());
            Scalar::from_f64(from + small(size) * by)
        });
        let end = |up: bool| {
            V::from_fn(|a| {
                let (x, y) = (p.axis(a), far.axis(a));
                if (x < y) == up { y } else { x }
            })
        };
        Aabb::new(end(false), end(true))
    };
    let mut boxes = Vec::new();
    for p in &points {
        boxes.push(cell(*p, numbers.next(), numbers.vector(1.0)));
    }
    let by = numbers.vector(1.0);
    boxes.extend(at_the_edge(numbers, scale, region, |p: V, size| {
        cell(p, size, by)
    }));
    same(&boxes, region);
    let ball = |p: V, size: f64| Sphere::new(p, Scalar::from_f64(small(size)));
    let mut balls: Vec<_> = points.iter().map(|p| ball(*p, numbers.next())).collect();
    balls.extend(at_the_edge(numbers, scale, region, ball));
    same(&balls, region);
}

fn in_space<S: Scalar>(scales: &[f64])
where
    [S; 3]: Vector<Scalar = S> + orthant::Space,
{
    let mut numbers = Numbers(17);
    for &scale in scales {
        // The solid is as thick as wide, thin, or so thin that its position rounds its thickness away.
        for thickness in [0.4, 1e-5, 1e-12] {
            let axes = [[0.6, 0.8, 0.0], [-0.8, 0.6, 0.0], [0.0, 0.0, 1.0]];
            let axes = axes.map(|axis| axis.map(S::from_f64));
            let half = [0.5, thickness, 0.7].map(|x| S::from_f64(x * scale));
            let center = numbers.vector(scale * 0.3);
            if let Ok(solid) = Hexahedron::<[S; 3]>::try_oriented(center, half, axes) {
                all(&mut numbers, scale, &solid);
            }
        }
        // The camera is at the center and looks along the last axis, without a far plane.
        let camera = [
            [1.0, 0.0, 0.0, 0.0],
            [0.0, 1.5, 0.0, 0.0],
            [0.1, 0.0, 0.0, -1.0],
            [0.0, 0.0, scale * 0.01, 0.0],
        ];
        let camera = camera.map(|column| column.map(S::from_f64));
        if let Ok(seen) = Frustum::<[S; 3]>::try_from_view_projection(camera) {
            all(&mut numbers, scale, &seen);
        }
    }
}

#[test]
fn solids_of_every_size() {
    in_space::<f32>(&[1.0, 1000.0, 1e-20, 1e-38, 1e-44, 1e18, 1e25, 1e37]);
    in_space::<f64>(&[1.0, 1e9, 1e-150, 1e-300, 5e-322, 1e80, 1e150, 1e300]);
    // At these sizes some squares are infinite, and others nearly so.
    in_space::<f32>(&[1e19, 2e19, 4e19]);
    in_space::<f64>(&[5e153, 1e154, 1.4e154, 3e154]);
}

#[test]
fn quadrilaterals_of_every_size() {
    let mut numbers = Numbers(5);
    for scale in [1.0, 1e-38, 1e-44, 1e18, 1e37] {
        for thickness in [0.4, 1e-6] {
            let half = [0.7 * scale, thickness * scale].map(|x: f64| x as f32);
            let axes = [[0.6, 0.8], [-0.8, 0.6]];
            let center = numbers.vector(scale * 0.3);
            if let Ok(solid) = Quadrilateral::<[f32; 2]>::try_oriented(center, half, axes) {
                all(&mut numbers, scale, &solid);
            }
        }
    }
}

/// Tests capsules, the volumes that moving balls sweep: thick, thin and at rest.
fn capsules<V: Vector>(scales: &[f64]) {
    let mut numbers = Numbers(29);
    for &scale in scales {
        for (radius, way) in [(0.6, 0.5), (0.3, 1.5), (1e-3, 1.0), (0.0, 1.0), (0.5, 0.0)] {
            let ball = Sphere::new(
                numbers.vector(scale * 0.3),
                Scalar::from_f64(radius * scale),
            );
            let moving = Moving::new(ball, numbers.vector::<V>(scale * way));
            all(&mut numbers, scale, &moving);
            all(&mut numbers, scale, &Hollow(moving));
        }
    }
}

#[test]
fn capsules_of_every_size() {
    capsules::<[f32; 2]>(&[1.0, 1e-20, 1e18]);
    capsules::<[f32; 3]>(&[1.0, 1000.0, 1e-38, 1e18, 2e19]);
    capsules::<[f64; 3]>(&[1.0, 1e-150, 1e150]);
}

/// Puts crowds of points at one place of the surface, so that whole nodes lie nearly inside or nearly outside.
fn crowded<R: Region<Vector = [f32; 3]> + Overlaps<[f32; 3]>>(numbers: &mut Numbers, region: &R) {
    let edge = at_the_edge(numbers, 1.0, region, |p: [f32; 3], _| p);
    for at in edge.chunks(edge.len() / 3) {
        let points: Vec<[f32; 3]> = (0..15_000)
            .map(|_| {
                let by: [f32; 3] = numbers.vector(0.1);
                [0, 1, 2].map(|a| at[0][a] + by[a])
            })
            .collect();
        let expected: Vec<usize> = Linear::new(&points).query(region).collect();
        assert!((1000..14_000).contains(&expected.len()));
        let tree = Orthtree::new(&points);
        let mut found: Vec<usize> = tree.query(region).collect();
        found.sort_unstable();
        assert_eq!(found, expected);
        assert_eq!(tree.count(region), expected.len());
    }
}

#[test]
fn crowds_at_the_surface() {
    let mut numbers = Numbers(3);
    let axes = [[0.6, 0.8, 0.0], [-0.8, 0.6, 0.0], [0.0, 0.0, 1.0]];
    for center in [[-0.3, -0.2, -0.1], [0.1, 0.2, 0.3]] {
        let ball = Sphere::new(center, 0.6);
        crowded(&mut numbers, &Moving::new(ball, [0.1, 0.0, 0.2]));
        let solid = Hexahedron::<[f32; 3]>::try_oriented(center, [0.5, 0.4, 0.6], axes);
        crowded(&mut numbers, &solid.expect("a solid"));
    }
}

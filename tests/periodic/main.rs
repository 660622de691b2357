//! Compares periodic boxes with a scan of all images: the position of the region is subtracted from each item, then the offset of the image is
//! added, and the item is tested there.

#[path = "../shared/cases.rs"]
mod cases;
mod nearest;
mod symmetry;

use std::fmt::Debug;

use orthant::glam::{DVec2, DVec3, IVec2, Vec2, Vec3};
use orthant::{
    Aabb, Bounded, CellList, Chebyshev, Ellipsoid, Error, Hollow, Key, Linear, Lists,
    LooseOrthtree, Manhattan, Moving, NormBall, Orthtree, Overlaps, Periodic, Region, Relation,
    Scalar, Shell, SpatialIndex, Sphere, Translate, Vector, Voxel, Weighted,
};
use proptest::prelude::*;

use cases::cases;

type Found<V> = Vec<(usize, <V as Vector>::Voxel)>;

/// Returns an item relative to a place, in an image: `(item - place) + offset`.
type Seen<V, T> = fn(&T, V, V) -> T;

/// Returns a point relative to a place, in an image.
fn apart<V: Vector>(point: V, place: V, offset: V) -> V {
    V::from_fn(|a| (point.axis(a) - place.axis(a)) + offset.axis(a))
}

fn seen_point<V: Vector>(point: &V, place: V, offset: V) -> V {
    apart(*point, place, offset)
}

fn seen_box<V: Vector>(cell: &Aabb<V>, place: V, offset: V) -> Aabb<V> {
    Aabb::new(
        apart(cell.min(), place, offset),
        apart(cell.max(), place, offset),
    )
}

fn seen_ball<V: Vector>(ball: &Sphere<V>, place: V, offset: V) -> Sphere<V> {
    Sphere::new(apart(ball.center(), place, offset), ball.radius())
}

/// Returns the items for which `meets(offset, item)` holds, for all images from `from` to `to`, axis 0 fastest.
fn brute<V: Vector, T>(
    periodic: &Periodic<V>,
    items: &[T],
    (from, to): (V::Voxel, V::Voxel),
    meets: &dyn Fn(V, &T) -> bool,
) -> Found<V> {
    let mut found = Vec::new();
    let mut image = from;
    loop {
        let offset = offset(periodic, image);
        for (i, item) in items.iter().enumerate() {
            if meets(offset, item) {
                found.push((i, image));
            }
        }
        match next::<V>(image, from, to) {
            Some(next) => image = next,
            None => break,
        }
    }
    // If an image at the end of the range is found, there might be more beyond.
    assert_between::<V>(&found, from, to);
    found
}

/// Returns the offset of an image from its item.
fn offset<V: Vector>(periodic: &Periodic<V>, image: V::Voxel) -> V {
    let vectors = periodic.vectors();
    V::from_fn(|axis| {
        let part = |a: usize| {
            let k = V::Scalar::from_f64(f64::from(image.axis(a)));
            k * vectors.as_ref()[a].axis(axis)
        };
        (1..V::DIM).fold(part(0), |sum, a| sum + part(a))
    })
}

/// Returns the next image, axis 0 fastest.
fn next<V: Vector>(image: V::Voxel, from: V::Voxel, to: V::Voxel) -> Option<V::Voxel> {
    let axis = (0..V::DIM).find(|&a| image.axis(a) < to.axis(a))?;
    Some(V::Voxel::from_fn(|a| match a {
        a if a < axis => from.axis(a),
        a if a == axis => image.axis(a) + 1,
        a => image.axis(a),
    }))
}

fn assert_between<V: Vector>(found: &Found<V>, from: V::Voxel, to: V::Voxel) {
    for (_, image) in found {
        for a in (0..V::DIM).filter(|&a| from.axis(a) < to.axis(a)) {
            assert!(from.axis(a) < image.axis(a) && image.axis(a) < to.axis(a));
        }
    }
}

/// Returns the range of images from `-most` to `most` on periodic axes.
fn around<V: Vector>(periodic: &Periodic<V>, most: i32) -> (V::Voxel, V::Voxel) {
    let is_periodic = |a: usize| periodic.lengths().axis(a) > V::Scalar::ZERO;
    let end = |k: i32| V::Voxel::from_fn(|a| if is_periodic(a) { k } else { 0 });
    (end(-most), end(most))
}

fn sorted<V: Vector>(mut found: Found<V>) -> Found<V> {
    let key = |image: &V::Voxel| -> Vec<i32> { (0..V::DIM).map(|a| image.axis(a)).collect() };
    found.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| key(&a.1).cmp(&key(&b.1))));
    found
}

/// All forms of one answer, with items named as the structure names them.
struct Forms<K, V: Vector> {
    query: Vec<(K, V::Voxel)>,
    folded: Vec<(K, V::Voxel)>,
    count: usize,
    batch: Lists<(K, V::Voxel)>,
}

impl<K: Key, V: Vector> Forms<K, V> {
    /// Checks that all forms agree, and returns their answer, with items named by their index.
    fn agreed(self) -> Found<V> {
        let found = self.query;
        assert_eq!(self.folded, found);
        assert_eq!(self.count, found.len());
        let lists = self.batch;
        assert_eq!((&lists[0], &lists[1], lists.len()), (&*found, &*found, 2));
        found.into_iter().map(|(key, k)| (key.slot(), k)).collect()
    }
}

/// Runs a query in all forms. It is compiled for each structure, item and region, so it is short.
fn answer<V, S, R>(periodic: &Periodic<V>, structure: &S, region: R) -> Found<V>
where
    V: Vector,
    R: Translate + Region<Vector = V> + Overlaps<S::Item> + Copy + Sync,
    S: SpatialIndex<Vector = V> + Sync,
{
    let mut query = Vec::new();
    for answer in periodic.query(structure, region).unwrap() {
        query.push(answer);
    }
    let mut folded = Vec::new();
    let again = periodic.query(structure, region).unwrap();
    again.fold((), |(), answer| folded.push(answer));
    let forms = Forms::<S::Key, V> {
        query,
        folded,
        count: periodic.count(structure, region).unwrap(),
        batch: periodic.query_batch(structure, &[region, region]).unwrap(),
    };
    forms.agreed()
}

/// Queries every structure that holds any item with one region.
fn check_items<V, T, R>(
    periodic: &Periodic<V>,
    items: &[T],
    images: (V::Voxel, V::Voxel),
    asked: R,
    meets: &dyn Fn(V, &T) -> bool,
) -> Found<V>
where
    V: Vector,
    T: Bounded<Vector = V> + Copy + Debug + Send + Sync,
    R: Translate + Region<Vector = V> + Overlaps<T> + Copy + Debug + Sync,
{
    let expected = brute(periodic, items, images, meets);
    // The scan finds them in the same order.
    let scanned = answer(periodic, &Linear::new(items), asked);
    assert_eq!(scanned, expected, "{asked:?} {periodic:?} {items:?}");
    let expected = sorted::<V>(expected);
    let tree = Orthtree::new(items);
    let found = answer(periodic, &tree, asked);
    assert_eq!(sorted::<V>(found), expected, "{asked:?} {periodic:?}");
    let mut loose = LooseOrthtree::new();
    for &item in items {
        loose.insert(item);
    }
    let found = answer(periodic, &loose, asked);
    assert_eq!(sorted::<V>(found), expected, "{asked:?} {periodic:?}");
    expected
}

/// Whole numbers from which a scene is made, so that coordinates tie.
#[derive(Clone, Debug)]
struct Raw {
    step: f64,
    offset: f64,
    min: [i8; 3],
    size: [i8; 3],
    periodic: [bool; 3],
    /// How far each vector of a skewed cell leans along the next axis.
    lean: Option<[i8; 3]>,
    items: Vec<([i8; 3], i8)>,
    center: [i8; 3],
    radii: [i8; 3],
}

fn raw() -> impl Strategy<Value = Raw> {
    let three = |range: std::ops::RangeInclusive<i8>| proptest::array::uniform3(range);
    let scale = prop_oneof![
        3 => Just((1.0, 0.0)),
        1 => Just((0.25, 0.0)),
        2 => Just((0.1, 0.0)),
        1 => Just((1.0, 1e7)),
        1 => Just((0.7, -1e7)),
        1 => Just((1e-12, 0.0)),
    ];
    let periodic = prop_oneof![3 => Just([true; 3]), 1 => proptest::array::uniform3(any::<bool>())];
    let items = proptest::collection::vec((three(-6..=6), 0i8..=3), 0..16);
    let lean = proptest::option::of(three(-1..=1));
    (
        (scale, three(-3..=3), three(3..=8), (periodic, lean)),
        (items, three(-8..=8), three(0..=9)),
    )
        .prop_map(
            |(((step, offset), min, size, (periodic, lean)), (items, center, radii))| Raw {
                step,
                offset,
                min,
                size,
                periodic,
                lean,
                items,
                center,
                radii,
            },
        )
}

impl Raw {
    fn length<V: Vector>(&self, steps: i8) -> V::Scalar {
        V::Scalar::from_f64(self.step * f64::from(steps))
    }

    fn place<V: Vector>(&self, at: [i8; 3]) -> V {
        V::from_fn(|a| V::Scalar::from_f64(self.offset + self.step * f64::from(at[a])))
    }

    fn periodic<V: Vector>(&self) -> Periodic<V> {
        let min: V = self.place(self.min);
        let max = V::from_fn(|a| {
            let size: V::Scalar = self.length::<V>(self.size[a]);
            min.axis(a) + size
        });
        let mut axes = V::axes(false);
        axes.as_mut().copy_from_slice(&self.periodic[..V::DIM]);
        Periodic::on_axes(Aabb::new(min, max), axes)
    }

    /// Makes a box or a skewed cell, periodic along some or all vectors. Far from the origin in single precision it is always a box, since
    /// rounding would leave thousands of images of a skewed cell as candidates.
    fn cell<V: Vector>(&self) -> Periodic<V> {
        let is_fine = self.offset == 0.0 || V::Scalar::EPSILON.into() < 1e-12;
        let Some(lean) = self.lean.filter(|_| is_fine) else {
            return self.periodic();
        };
        let mut vectors = V::axes(self.place([0; 3]));
        for (axis, vector) in vectors.as_mut().iter_mut().enumerate() {
            let mut steps = [0; 3];
            steps[(axis + 1) % V::DIM] = lean[axis];
            steps[axis] = self.size[axis].max(5);
            *vector = V::from_fn(|a| self.length::<V>(steps[a]));
        }
        let mut along = V::axes(false);
        along.as_mut().copy_from_slice(&self.periodic[..V::DIM]);
        Periodic::spanned_along(self.place(self.min), vectors, along)
    }
}

fn check<V>(raw: &Raw)
where
    V: Vector + Region<Vector = V> + Overlaps<Aabb<V>>,
{
    let periodic = raw.cell::<V>();
    // These images reach beyond the largest region in the shortest box, whose lengths are rounded far from the origin.
    let images = around(&periodic, if V::DIM == 3 { 10 } else { 16 });
    let points: Vec<V> = raw.items.iter().map(|item| raw.place(item.0)).collect();
    let balls: Vec<Sphere<V>> = raw
        .items
        .iter()
        .map(|item| Sphere::new(raw.place(item.0), raw.length::<V>(item.1)))
        .collect();
    let boxes: Vec<Aabb<V>> = balls.iter().map(Bounded::bounds).collect();

    let center: V = raw.place(raw.center);
    // Sizes reach up to three boxes, or nearly two in space, where there are many images.
    let most = if V::DIM == 3 { 5 } else { 9 };
    let [one, other, third] = raw.radii.map(|r| raw.length::<V>(r.min(most)));
    let (inner, outer) = (one.smaller(other), one.larger(other));
    let least = V::Scalar::from_f64(raw.step);
    let semi_axes = [one, other, third].map(|s| s.larger(least));
    let ball = |at: V| Sphere::new(at, one);
    let shell = |at: V| Shell::new(at, inner, outer);
    let egg = |at: V| Ellipsoid::new(at, V::from_fn(|a| semi_axes[a]));
    let cube = Aabb::new(center, V::from_fn(|a| center.axis(a) + one));

    let near = measured(&periodic, (&points, seen_point), images, center, &ball);
    let cells = CellList::new(&points, raw.length::<V>(2));
    let found = answer(&periodic, &cells, ball(center));
    assert_eq!(sorted::<V>(found), near);
    measured(&periodic, (&points, seen_point), images, center, &shell);
    measured(&periodic, (&points, seen_point), images, center, &egg);
    measured(&periodic, (&points, seen_point), images, center, &|at| {
        NormBall::new(at, one, Manhattan)
    });
    measured(&periodic, (&boxes, seen_box), images, center, &|at| {
        NormBall::new(at, one, Chebyshev)
    });
    measured(&periodic, (&points, seen_point), images, center, &|at| {
        Hollow(ball(at))
    });
    measured(&periodic, (&balls, seen_ball), images, center, &ball);
    measured(&periodic, (&balls, seen_ball), images, center, &shell);
    measured(&periodic, (&boxes, seen_box), images, center, &ball);
    // The distance to a box is measured from each of its faces.
    check_items(&periodic, &points, images, cube, &|o, p| {
        meets_box(&cube, o, &Aabb::new(*p, *p))
    });
    check_items(&periodic, &boxes, images, cube, &|o, cell| {
        meets_box(&cube, o, cell)
    });
    check_items(&periodic, &boxes, images, center, &|o, cell| {
        meets_box(&Aabb::new(center, center), o, cell)
    });
    check_items(&periodic, &balls, images, cube, &|o, ball| {
        let center = ball.center();
        let (above, below) = (apart(center, cube.max(), o), apart(center, cube.min(), o));
        let zero = V::Scalar::ZERO;
        let gap = |a: usize| above.axis(a).larger(zero - below.axis(a)).larger(zero);
        let gap_sq = (1..V::DIM).fold(gap(0) * gap(0), |sum, a| sum + gap(a) * gap(a));
        gap_sq <= ball.radius() * ball.radius()
    });
    // Other regions are moved.
    let minus = |p: V, offset: V| V::from_fn(|a| p.axis(a) - offset.axis(a));
    let weights = V::from_fn(|a| V::Scalar::from_f64([0.5, 2.0, 1.1][a]));
    let norm = Weighted::new(weights);
    moved(&periodic, &balls, images, &|o| {
        NormBall::new(minus(center, o), one, norm)
    });
    moved(&periodic, &boxes, images, &|o| {
        Hollow(Aabb::new(minus(cube.min(), o), minus(cube.max(), o)))
    });
    let way = V::from_fn(|a| raw.length::<V>(if a == 0 { 2 } else { 1 }));
    moved(&periodic, &points, images, &|o| {
        Moving::new(ball(minus(center, o)), way)
    });
}

/// Returns true if a box meets points or boxes that are moved by an offset.
fn meets_box<V: Vector>(cube: &Aabb<V>, offset: V, cell: &Aabb<V>) -> bool {
    let above = apart(cell.min(), cube.max(), offset);
    let below = apart(cell.max(), cube.min(), offset);
    (0..V::DIM).all(|a| above.axis(a) <= V::Scalar::ZERO && below.axis(a) >= V::Scalar::ZERO)
}

/// Compares a region about a center with a region of that size about zero, and items relative to the center.
fn measured<V, T, R>(
    periodic: &Periodic<V>,
    (items, seen): (&[T], Seen<V, T>),
    images: (V::Voxel, V::Voxel),
    center: V,
    region: &dyn Fn(V) -> R,
) -> Found<V>
where
    V: Vector,
    T: Bounded<Vector = V> + Copy + Debug + Send + Sync,
    R: Translate + Region<Vector = V> + Overlaps<T> + Copy + Debug + Sync,
{
    let about_zero = region(V::splat(V::Scalar::ZERO));
    check_items(periodic, items, images, region(center), &|offset, item| {
        about_zero.overlaps(&seen(item, center, offset))
    })
}

/// Compares a query with tests of the region, moved by each offset to the items.
fn moved<V, T, R>(
    periodic: &Periodic<V>,
    items: &[T],
    images: (V::Voxel, V::Voxel),
    region: &dyn Fn(V) -> R,
) -> Found<V>
where
    V: Vector,
    T: Bounded<Vector = V> + Copy + Debug + Send + Sync,
    R: Translate + Region<Vector = V> + Overlaps<T> + Copy + Debug + Sync,
{
    let asked = region(V::splat(V::Scalar::ZERO));
    check_items(periodic, items, images, asked, &|offset, item| {
        region(offset).overlaps(item)
    })
}

fn check_wrap<V: Vector>(raw: &Raw) {
    let periodic = raw.periodic::<V>();
    let (min, max) = (periodic.bounds().min(), periodic.bounds().max());
    for item in &raw.items {
        let p: V = raw.place(item.0.map(|x| x.wrapping_mul(20)));
        let wrapped = periodic.wrap(p);
        assert_eq!(periodic.wrap(wrapped), wrapped);
        for a in 0..V::DIM {
            let (x, length) = (wrapped.axis(a), periodic.lengths().axis(a));
            if length == V::Scalar::ZERO {
                assert_eq!(x, p.axis(a));
                continue;
            }
            assert!(min.axis(a) <= x && x < max.axis(a), "{x} {periodic:?}");
            let inside = min.axis(a) <= p.axis(a) && p.axis(a) < max.axis(a);
            assert!(!inside || x == p.axis(a));
            // Nothing is rounded at these scales.
            if raw.step >= 0.25 && raw.step != 0.7 {
                let moved: f64 = Into::<f64>::into(x) - p.axis(a).into();
                assert_eq!(moved % length.into(), 0.0, "{p:?} to {wrapped:?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(10, 200))]

    #[test]
    fn all_images_vec2(raw in raw()) {
        check::<Vec2>(&raw);
    }
    #[test]
    fn all_images_dvec2(raw in raw()) {
        check::<DVec2>(&raw);
    }
    #[test]
    fn all_images_vec3(raw in raw()) {
        check::<Vec3>(&raw);
    }
    #[test]
    fn all_images_dvec3(raw in raw()) {
        check::<DVec3>(&raw);
    }
    #[test]
    fn all_images_f32x1(raw in raw()) {
        check::<[f32; 1]>(&raw);
    }
    #[test]
    fn wrapped_points_lie_in_the_box(raw in raw()) {
        check_wrap::<Vec3>(&raw);
        check_wrap::<DVec2>(&raw);
    }

    /// Wrapping moves items by whole lengths, and changes the indices of their images by as many.
    #[test]
    fn wrapping_changes_no_image(raw in raw()) {
        let raw = Raw { step: 1.0, offset: 0.0, ..raw };
        let periodic = raw.periodic::<DVec2>();
        let points: Vec<DVec2> = raw.items.iter().map(|item| raw.place(item.0)).collect();
        let wrapped: Vec<DVec2> = points.iter().map(|&p| periodic.wrap(p)).collect();
        let ball = Sphere::new(raw.place(raw.center), f64::from(raw.radii[0]));
        let places = |points: &[DVec2]| {
            let tree = Orthtree::new(points);
            let found = periodic.query(&tree, ball).unwrap();
            let place = |(i, k): (usize, IVec2)| {
                (i, (points[i] + periodic.offset(k)).as_ivec2().to_array())
            };
            let mut places: Vec<_> = found.map(place).collect();
            places.sort_unstable();
            places
        };
        prop_assert_eq!(places(&points), places(&wrapped));
    }
}

/// Checks a cell of any shape, in every structure.
fn check_skewed<V: Vector>(cell: &Periodic<V>, images: i32) {
    let place = |i: i32, a: usize| V::Scalar::from_f64(f64::from((i * 7 + a as i32 * 5) % 11 - 4));
    let points: Vec<V> = (0..12).map(|i| V::from_fn(|a| place(i, a))).collect();
    let balls: Vec<Sphere<V>> = points
        .iter()
        .map(|&p| Sphere::new(p, V::Scalar::ONE))
        .collect();
    for steps in [0, 2, 5] {
        let radius = V::Scalar::from_f64(f64::from(steps));
        let center = V::from_fn(|a| place(steps, a));
        let ball = |at: V| Sphere::new(at, radius);
        let near = measured(
            cell,
            (&points, seen_point),
            around(cell, images),
            center,
            &ball,
        );
        let cells = CellList::new(&points, V::Scalar::ONE);
        assert_eq!(sorted::<V>(answer(cell, &cells, ball(center))), near);
        measured(
            cell,
            (&balls, seen_ball),
            around(cell, images),
            center,
            &ball,
        );
        measured(
            cell,
            (&points, seen_point),
            around(cell, images),
            center,
            &|at| Hollow(ball(at)),
        );
    }
}

#[test]
fn skewed_cells() {
    let vectors = [Vec2::new(4.0, 0.5), Vec2::new(-2.5, 5.0)];
    check_skewed(&Periodic::spanned(Vec2::ONE, vectors), 9);
    let (a, b) = (DVec3::new(0.0, 4.0, 1.0), DVec3::new(6.0, 0.0, 2.0));
    check_skewed(
        &Periodic::spanned(DVec3::ZERO, [a, b, DVec3::new(1.0, -3.0, 5.0)]),
        6,
    );
    // The vectors lean over each other, so that most images in the index range lie outside the box around the offsets.
    let (long, short) = (Vec2::new(35.0, 8.0), Vec2::new(4.0, 0.5));
    check_skewed(&Periodic::spanned(Vec2::ONE, [short, long]), 70);
    check_skewed(&Periodic::spanned(Vec2::ONE, [long, short]), 70);
    // Check a leaning cell periodic along a plane, and one periodic along a line.
    let third = DVec3::new(3.0, 5.0, -4.0);
    for along in [
        [true, true, false],
        [false, true, true],
        [false, false, true],
    ] {
        check_skewed(
            &Periodic::spanned_along(DVec3::ONE, [a, third, b], along),
            9,
        );
    }
    let wire = Periodic::spanned_along(Vec2::ONE, vectors, [false, true]);
    check_skewed(&wire, 9);
    assert_eq!(wire.vectors(), [Vec2::ZERO, vectors[1]]);
    assert_eq!(wire.lengths().x, 0.0);
    assert_eq!(wire.offset(IVec2::new(7, 1)), vectors[1]);
    // Check a radius that is too large, and one that reaches nothing.
    let cell = Periodic::spanned(Vec2::ONE, vectors);
    let scan = Linear::new(&[Vec2::ZERO]);
    let refused = Error::TooManyImages { region: 0, axis: 0 };
    assert_eq!(
        cell.count(&scan, Sphere::new(Vec2::ZERO, 1e20)),
        Err(refused)
    );
    assert_eq!(
        cell.count(&Linear::<Vec2>::new(&[]), Sphere::new(Vec2::ZERO, 1e20)),
        Ok(0)
    );
}

/// Wrapped points lie in the cell except for rounding, and points in it stay where they are.
#[test]
fn points_are_wrapped_into_skewed_cells() {
    let (a, b) = (DVec2::new(4.0, 0.5), DVec2::new(-2.5, 5.0));
    let cell = Periodic::spanned(DVec2::splat(-3.0), [a, b]);
    let det = a.perp_dot(b);
    for i in 0..200 {
        let p = DVec2::new(
            f64::from(i * 37 % 101) - 50.0,
            f64::from(i * 53 % 97) * 1e3 - 5e4,
        );
        let wrapped = cell.wrap(p);
        let from = wrapped - DVec2::splat(-3.0);
        for times in [from.perp_dot(b) / det, a.perp_dot(from) / det] {
            assert!((-1e-9..1.0 + 1e-9).contains(&times), "{p} to {wrapped}");
        }
        let moved = p - wrapped;
        for times in [moved.perp_dot(b) / det, a.perp_dot(moved) / det] {
            assert!((times - times.round()).abs() < 1e-9, "{p} to {wrapped}");
        }
        assert_eq!(cell.wrap(wrapped), wrapped);
    }
    assert!(cell.wrap(DVec2::NAN).is_nan());
    // Along an open vector, points stay as far away, also those whose images cannot be numbered.
    let wire = Periodic::spanned_along(DVec2::splat(-3.0), [a, b], [true, false]);
    let unit = a.normalize();
    for from in [
        DVec2::new(50.0, -80.0),
        DVec2::new(-2e3, 1.0),
        DVec2::new(3e11, 2.0),
    ] {
        let wrapped = wire.wrap(DVec2::splat(-3.0) + from) - DVec2::splat(-3.0);
        let off = unit.perp_dot(from);
        assert!((unit.perp_dot(wrapped) - off).abs() < 1e-4 + off.abs() * 1e-12);
        let along = wrapped.dot(unit) / a.length();
        assert!((-1e-4..1.0001).contains(&along), "{along}");
    }
    let image = wire.image_near(wire.wrap(DVec2::splat(1e3)), DVec2::splat(1e3));
    assert_eq!(image.map(|image| image.y), Some(0));
    assert_eq!(wire.image_near(DVec2::ZERO, DVec2::splat(1e12)), None);
    assert_eq!(wire.image_near(DVec2::ZERO, DVec2::NAN), None);
}

/// If the box is shorter than the spacing of floats, many images have one place.
#[test]
fn images_that_round_together() {
    for (x, length) in [(3e6f32, 0.3f32), (-3e6, 0.3), (2e7, 1.0), (4e7, 3.0)] {
        let periodic = Periodic::new(Aabb::new([0.0], [length]));
        let points: Vec<[f32; 1]> = (0..4).map(|i| [length * 0.25 * i as f32]).collect();
        let k = (x / length) as i32;
        for radius in [0.0, 0.1, 1.0, 7.0] {
            let ball = |at| Sphere::new(at, radius);
            measured(
                &periodic,
                (&points, seen_point),
                ([k - 900], [k + 900]),
                [x],
                &ball,
            );
        }
    }
}

/// On a line, an item may lie in the hole of a surface while images of it touch the surface on either side.
#[test]
fn images_on_both_sides_of_a_hole() {
    let periodic = Periodic::new(Aabb::new([0.0f32], [3.0]));
    let skin = |[o]: [f32; 1]| Hollow(Aabb::new([0.0 - o], [8.0 - o]));
    let found = moved(
        &periodic,
        &[Aabb::new([-1.0f32], [1.0])],
        ([-10], [10]),
        &skin,
    );
    assert_eq!(found, [(0, [0]), (0, [3])]);
}

/// Images whose squared distances underflow are all found.
#[test]
fn images_that_vanish() {
    let periodic = Periodic::new(Aabb::new([0.0f32; 2], [1e-24; 2]));
    let points = [[0.0f32, 0.0], [5e-25, 1e-25]];
    let ball = |at| Sphere::new(at, 1e-25);
    let found = measured(
        &periodic,
        (&points, seen_point),
        ([-60; 2], [60; 2]),
        [0.0; 2],
        &ball,
    );
    assert!(found.len() > 2000);
}

#[test]
fn what_cannot_be_listed_is_refused() {
    let periodic = Periodic::on_axes(Aabb::new(Vec3::ZERO, Vec3::ONE), [false, true, true]);
    let tree = Orthtree::new(&[Vec3::ZERO]);
    let refused = Error::TooManyImages { region: 0, axis: 1 };
    for radius in [1e20, 4e9] {
        let ball = Sphere::new(Vec3::ZERO, radius);
        assert_eq!(periodic.count(&tree, ball), Err(refused));
        assert_eq!(periodic.query(&tree, ball).err(), Some(refused));
    }
    let far = Sphere::new(Vec3::new(0.0, 0.0, 1e10), 1.0);
    let near = Sphere::new(Vec3::new(0.0, 7.0, 0.0), 1.0);
    let refused = Error::TooManyImages { region: 1, axis: 2 };
    let batch = periodic.query_batch(&tree, &[near, far]);
    assert_eq!(batch, Err(refused));
    assert_eq!(
        refused.to_string(),
        "region 1 may reach more than a hundred images of the box on axis 2, or some beyond 32-bit numbers"
    );
    // Long axes that are not periodic, and structures without items, have no images to list.
    let aside = Sphere::new(Vec3::new(1e19, 0.0, 0.0), 1.0);
    assert_eq!(periodic.count(&tree, aside), Ok(0));
    let none: [Vec3; 0] = [];
    assert_eq!(periodic.count(&Orthtree::new(&none), far), Ok(0));
    assert_eq!(periodic.count(&CellList::new(&none, 1.0), far), Ok(0));
    assert_eq!(periodic.count(&Linear::new(&none), far), Ok(0));
    // A hundred images on either side may be reached, as by the radius of a cell list.
    let line = Periodic::on_axes(periodic.bounds(), [false, true, false]);
    let count = |radius| line.count(&tree, Sphere::new(Vec3::ZERO, radius));
    assert_eq!(count(100.0), Ok(201));
    assert_eq!(
        count(103.0),
        Err(Error::TooManyImages { region: 0, axis: 1 })
    );
    // Items spread over many boxes do not count as images.
    let spread: Vec<Vec3> = (0..1000).map(|i| Vec3::Y * (i as f32)).collect();
    let reached = line.count(&Orthtree::new(&spread), Sphere::new(Vec3::ZERO, 1.0));
    assert_eq!(reached, Ok(3000));
}

/// A region whose relation is never `Outside`.
#[derive(Clone, Copy)]
struct Endless;

impl Region for Endless {
    type Vector = Vec2;
    fn relate(&self, _: &Aabb<Vec2>) -> Relation {
        Relation::Straddles
    }
}

impl Overlaps<Vec2> for Endless {
    fn overlaps(&self, _: &Vec2) -> bool {
        true
    }
}

impl Bounded for Endless {
    type Vector = Vec2;
    fn core(&self) -> Aabb<Vec2> {
        Aabb::new(Vec2::splat(-f32::MAX), Vec2::splat(f32::MAX))
    }
}

impl Translate for Endless {
    fn translated(&self, _: Vec2) -> Option<Self> {
        Some(*self)
    }
}

#[test]
fn a_region_without_end_is_refused() {
    let periodic = Periodic::new(Aabb::new(Vec2::ZERO, Vec2::ONE));
    let scan = Linear::new(&[Vec2::ZERO]);
    let refused = Error::TooManyImages { region: 0, axis: 0 };
    assert_eq!(periodic.count(&scan, Endless), Err(refused));
}

#[test]
fn boxes_say_what_is_wrong() {
    let message = |result: Result<Periodic<Vec2>, Error>| result.unwrap_err().to_string();
    let flat = Aabb::new(Vec2::ZERO, Vec2::new(1.0, 0.0));
    assert_eq!(
        message(Periodic::try_new(flat)),
        "box length 0 on axis 1 is not a positive number"
    );
    let vast = Aabb::new(Vec2::splat(-f32::MAX), Vec2::splat(f32::MAX));
    assert_eq!(
        message(Periodic::try_new(vast)),
        "box length inf on axis 0 is not a positive number"
    );
    let slit = Periodic::on_axes(flat, [true, false]);
    assert_eq!(slit.lengths(), Vec2::X);
    assert_eq!(slit.offset(IVec2::new(-3, 5)), Vec2::new(-3.0, 0.0));
}

#[test]
#[should_panic(expected = "Periodic: box length 0 on axis 0 is not a positive number")]
fn new_panics_with_the_reason() {
    let _ = Periodic::new(Aabb::new([2.0], [2.0]));
}

#[test]
fn extremes_are_wrapped() {
    let periodic = Periodic::new(Aabb::new([-1e308], [5e307]));
    assert_eq!(periodic.wrap([f64::MAX]), [-1e308]); // its distance from the corner overflows
    assert_eq!(periodic.wrap([5e307]), [-1e308]);
    assert_eq!(periodic.wrap([f64::INFINITY]), [f64::INFINITY]);
    assert!(periodic.wrap([f64::NAN])[0].is_nan());
    let unit = Periodic::new(Aabb::new([0.0f32], [1.0]));
    assert_eq!(unit.wrap([-1e-30]), [0.0]); // rounds to the upper face, which is the lower one
    assert_eq!(unit.wrap([-0.0]), [0.0]);
    assert_eq!(unit.wrap([1e30]), [0.0]);
}

//! Compares cell lists, with and without a periodic box, with all pairs of points and images.

use orthant::{
    Aabb, CellLevels, CellList, Key, Linear, LooseOrthtree, NeighborLists, Orthtree, Periodic,
    Reach, Scalar, SpatialIndex, Sphere, Vector, Voxel,
};

use crate::draw::Draw;
use crate::queries::instructions;
use crate::shapes::{Room, ball};
use crate::truth::{self, Pair, bins, images, keys, length_sq, lists};

/// An item, and the image of the box in which it is, the last axis first.
type Image = (usize, Vec<i32>);

/// Fuzzes pairs, neighbors and counts of cell lists, and queries that reach into the images of a box.
pub fn cells(data: &[u8]) {
    // Draw from lattices whose squares are floats: if images coincide by rounding, the box is refused or the scan is endless.
    let mut draw = if data.first().is_some_and(|byte| byte % 5 < 4) {
        Draw::tame(data)
    } else {
        Draw::new(data)
    };
    let wild = data.first().is_some_and(|byte| byte % 5 == 4);
    match draw.below(4) {
        0 => check::<[f32; 2]>(&mut draw, wild),
        1 => check::<[f64; 2]>(&mut draw, wild),
        2 => check::<[f64; 3]>(&mut draw, wild),
        _ => check::<[f32; 3]>(&mut draw, wild),
    }
}

fn minus<V: Vector>(a: V, b: V) -> V {
    V::from_fn(|axis| a.axis(axis) - b.axis(axis))
}

/// Draws a box that is periodic on some axes, or a skewed cell; `None` if it is refused.
fn periodic<V: Vector>(draw: &mut Draw) -> Option<Periodic<V>> {
    let origin: V = draw.place();
    let size = |draw: &mut Draw| {
        let steps = f64::from(draw.byte() % 24 + 1) * 0.5;
        draw.step::<V::Scalar>(steps)
    };
    if draw.one_in(2) {
        let max = V::from_fn(|a| origin.axis(a) + size(draw));
        let mut axes = V::axes(true);
        for on in axes.as_mut() {
            *on = !draw.one_in(4);
        }
        return Periodic::try_on_axes(Aabb::try_new(origin, max).ok()?, axes).ok();
    }
    let mut vectors = V::axes(origin);
    for (a, vector) in vectors.as_mut().iter_mut().enumerate() {
        *vector = V::from_fn(|b| {
            if a == b {
                return size(draw);
            }
            let steps = f64::from(draw.byte() as i8 % 24) * 0.5;
            draw.step(steps)
        });
    }
    let mut along = V::axes(true);
    for on in along.as_mut() {
        *on = !draw.one_in(4);
    }
    Periodic::try_spanned_along(origin, vectors, along).ok()
}

fn check<V: Room>(draw: &mut Draw, wild: bool) {
    let boxed = if wild || draw.one_in(3) {
        None
    } else {
        periodic::<V>(draw)
    };
    let most = if boxed.is_some() { 12 } else { 40 };
    let mut points = Vec::new();
    if boxed.is_some() {
        for _ in 0..draw.below(most) {
            points.push(draw.place::<V>());
        }
    } else {
        points = draw.several(most, |draw| draw.place::<V>());
    }
    let mut radius: V::Scalar = draw.positive();
    if let Some(boxed) = &boxed {
        // The radius is short enough that all images can be scanned.
        let heights = (0..V::DIM)
            .map(|a| boxed.lengths().axis(a))
            .filter(|&height| height > V::Scalar::ZERO);
        let least = heights.fold(V::Scalar::INFINITY, V::Scalar::smaller);
        let most = V::Scalar::from_f64(if V::DIM == 2 { 3.0 } else { 1.75 });
        radius = radius.smaller(least * most);
    }
    let made = match boxed {
        Some(boxed) => CellList::try_new_periodic(&points, radius, boxed),
        None => CellList::try_new(&points, radius),
    };
    let Ok(cells) = made else { return };
    let cells = cells.with_instructions(instructions(draw));
    cells.validate().unwrap();
    of_one_set(&cells, &points, radius, boxed.as_ref());
    let others: Vec<V> = (0..draw.below(8)).map(|_| draw.place()).collect();
    of_two_sets(&cells, &points, &others, radius, boxed.as_ref());
    levels(draw, &points, radius, boxed);
    if let Some(boxed) = &boxed {
        reach(draw, boxed, &points, &cells);
    }
}

fn of_one_set<V: Vector>(
    cells: &CellList<V>,
    points: &[V],
    radius: V::Scalar,
    boxed: Option<&Periodic<V>>,
) {
    let expected = truth::pairs(points, radius, boxed);
    let what = || format!("radius {radius} {boxed:?} {points:?}");
    let (mut near, mut listed, mut each) = (NeighborLists::new(), Vec::new(), Vec::new());
    cells.neighbors_into(&mut near).unwrap();
    for (list, expected) in near.iter().zip(lists(points.len(), &expected)) {
        let mut list = list.to_vec();
        list.sort_unstable();
        assert_eq!(list, expected, "{}", what());
    }
    assert_eq!(near.len(), points.len());
    cells.pairs(&mut listed).unwrap();
    cells.for_each_pair(|i, j, v, distance_sq| {
        assert_eq!(distance_sq, length_sq(v));
        assert_eq!(listed[each.len()], [i as u32, j as u32]);
        each.push((i, j, v));
    });
    assert_eq!(
        keys(&unsigned(&each)),
        keys(&unsigned(&expected)),
        "{}",
        what()
    );
    let mut count = 0;
    cells.for_each_pair_in_images(|i, j, image, v, distance_sq| {
        assert_eq!(
            (i, j, v, distance_sq),
            (each[count].0, each[count].1, each[count].2, length_sq(v))
        );
        if let Some(boxed) = boxed {
            // Subtract first, and then add the offset of the image.
            let apart = minus(boxed.wrap(points[j]), boxed.wrap(points[i]));
            let zero = V::splat(V::Scalar::ZERO);
            let there = minus(apart, minus(zero, boxed.offset(image)));
            assert_eq!(there, v, "{image:?} {}", what());
        }
        count += 1;
    });
    assert_eq!(count, expected.len());
    assert_eq!(cells.count_pairs(), expected.len() as u64, "{}", what());
    let ends = [radius * V::Scalar::from_f64(0.5), radius];
    let ends = if ends[0] < ends[1] && ends[0] > V::Scalar::ZERO {
        &ends[..]
    } else {
        &ends[1..]
    };
    assert_eq!(
        cells.pair_counts(ends),
        Ok(bins(&expected, ends)),
        "{}",
        what()
    );
}

fn of_two_sets<V: Vector>(
    cells: &CellList<V>,
    points: &[V],
    others: &[V],
    radius: V::Scalar,
    boxed: Option<&Periodic<V>>,
) {
    let wrap = |p: V| boxed.map_or(p, |boxed| boxed.wrap(p));
    let offsets = boxed.map(|boxed| {
        let all = images(boxed, 5)
            .into_iter()
            .map(|image| boxed.offset(image));
        all.collect::<Vec<V>>()
    });
    let mut expected = Vec::new();
    for (j, &q) in others.iter().enumerate() {
        for (i, &p) in points.iter().enumerate() {
            // Subtract first, and then add the offset of the image.
            let mut push = |offset: V| {
                let displacement = minus(minus(wrap(q), wrap(p)), offset);
                if length_sq(displacement) <= radius * radius {
                    expected.push((i, j, displacement));
                }
            };
            match &offsets {
                Some(offsets) => offsets.iter().for_each(|&offset| push(offset)),
                None => push(V::splat(V::Scalar::ZERO)),
            }
        }
    }
    let what = || format!("radius {radius} {boxed:?} {points:?} {others:?}");
    let near = cells.neighbors_of(others).unwrap();
    for (j, list) in near.iter().enumerate() {
        let expected = expected
            .iter()
            .filter(|pair| pair.1 == j)
            .map(|pair| pair.0 as u32);
        let mut list = list.to_vec();
        list.sort_unstable();
        assert!(expected.eq(list), "{}", what());
    }
    let mut each = Vec::new();
    let push = |i, j, v, distance_sq| {
        assert_eq!(distance_sq, length_sq(v));
        each.push((i, j, v));
    };
    cells.for_each_pair_with(others, push).unwrap();
    assert_eq!(
        keys(&unsigned(&each)),
        keys(&unsigned(&expected)),
        "{}",
        what()
    );
    assert_eq!(
        cells.count_pairs_with(others),
        Ok(expected.len() as u64),
        "{}",
        what()
    );
}

/// Clears the sign of zeros, which is undefined in a displacement that was negated.
fn unsigned<V: Vector>(pairs: &[Pair<V>]) -> Vec<Pair<V>> {
    pairs
        .iter()
        .map(|&(i, j, v)| (i, j, V::from_fn(|a| v.axis(a) + V::Scalar::ZERO)))
        .collect()
}

/// Compares points that each have a radius, none longer than that of the list.
fn levels<V: Vector>(draw: &mut Draw, points: &[V], most: V::Scalar, boxed: Option<Periodic<V>>) {
    let half = most * V::Scalar::from_f64(0.5);
    let radii: Vec<V::Scalar> = points
        .iter()
        .map(|_| draw.length::<V::Scalar>().smaller(half))
        .collect();
    let reach = draw.of(&[Reach::Sum, Reach::Larger]);
    let made = match boxed {
        Some(boxed) => CellLevels::try_new_periodic(points, &radii, reach, boxed),
        None => CellLevels::try_new(points, &radii, reach),
    };
    let Ok(cells) = made else { return };
    cells.validate().unwrap();
    let largest = radii
        .iter()
        .fold(V::Scalar::ZERO, |most, &radius| most.larger(radius));
    let twice = (largest * V::Scalar::from_f64(2.001)).larger(V::Scalar::ZERO.next_up());
    let mut expected = truth::pairs(points, twice, boxed.as_ref());
    expected.retain(|&(i, j, v)| {
        let limit = match reach {
            Reach::Larger => radii[i].larger(radii[j]),
            Reach::Sum => radii[i] + radii[j],
        };
        length_sq(v) <= limit * limit
    });
    let cells = cells.with_instructions(instructions(draw));
    let mut each = Vec::new();
    cells.for_each_pair(|i, j, v, distance_sq| {
        assert_eq!(distance_sq, length_sq(v));
        each.push((i, j, v));
    });
    assert_eq!(
        keys(&unsigned(&each)),
        keys(&unsigned(&expected)),
        "{reach:?} {radii:?} {boxed:?} {points:?}"
    );
    assert_eq!(cells.count_pairs(), expected.len() as u64);
}

/// Compares the items that a ball reaches in a box, and the nearest ones, image by image.
fn reach<V: Room>(draw: &mut Draw, boxed: &Periodic<V>, points: &[V], cells: &CellList<V>) {
    let ball: Sphere<V> = ball(draw);
    let heights = (0..V::DIM)
        .map(|a| boxed.lengths().axis(a))
        .filter(|&height| height > V::Scalar::ZERO);
    let least = heights.fold(V::Scalar::INFINITY, V::Scalar::smaller);
    let ball = Sphere::new(boxed.wrap(ball.center()), ball.radius().smaller(least));
    let points: Vec<V> = points.iter().map(|&point| boxed.wrap(point)).collect();
    let mut expected = Vec::new();
    let mut far = Vec::new();
    for image in images(boxed, 3) {
        let back = minus(V::splat(V::Scalar::ZERO), boxed.offset(image));
        let key: Vec<i32> = (0..V::DIM).rev().map(|a| image.axis(a)).collect();
        for (i, point) in points.iter().enumerate() {
            // Subtract first, and then add the offset of the image.
            let distance_sq = length_sq(minus(minus(*point, ball.center()), back));
            if distance_sq <= ball.radius() * ball.radius() {
                expected.push((i, key.clone()));
            }
            far.push((distance_sq, (i, key.clone())));
        }
    }
    expected.sort();
    far.sort_by(|a, b| a.partial_cmp(b).unwrap());
    far.retain(|far| far.0 <= ball.radius() * ball.radius());
    let n = draw.below(6);
    far.truncate(n);

    fn ask<V: Vector, S: SpatialIndex<Vector = V, Item = V>>(
        boxed: &Periodic<V>,
        index: &S,
        ball: Sphere<V>,
        n: usize,
    ) -> (Vec<Image>, Vec<(V::Scalar, Image)>) {
        let key = |image: V::Voxel| {
            (0..V::DIM)
                .rev()
                .map(|a| image.axis(a))
                .collect::<Vec<i32>>()
        };
        let found = boxed
            .query(index, ball)
            .unwrap()
            .map(|(item, image)| (item.slot(), key(image)));
        let mut found: Vec<_> = found.collect();
        assert_eq!(boxed.count(index, ball), Ok(found.len()));
        found.sort();
        let near = boxed
            .nearest_n_within(index, ball.center(), n, ball.radius())
            .unwrap();
        let near = near
            .into_iter()
            .map(|near| (near.distance_sq, (near.item.0.slot(), key(near.item.1))));
        (found, near.collect())
    }
    let what = || format!("{ball:?} {boxed:?} {points:?}");
    let all = (expected, far);
    assert_eq!(
        ask(boxed, &Linear::new(&points), ball, n),
        all,
        "{}",
        what()
    );
    assert_eq!(
        ask(boxed, &Orthtree::new(&points), ball, n),
        all,
        "{}",
        what()
    );
    assert_eq!(
        ask(
            boxed,
            &points.iter().copied().collect::<LooseOrthtree<V>>(),
            ball,
            n
        ),
        all,
        "{}",
        what()
    );
    let list = CellList::try_new(&points, cells.radius()).unwrap();
    assert_eq!(ask(boxed, &list, ball, n), all, "{}", what());
}

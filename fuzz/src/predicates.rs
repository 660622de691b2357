//! Compares the predicates of the exact mode with whole numbers, and the plain ones wherever they cannot be wrong.

use orthant::exact::{Exact, Meeting, classify};
use orthant::{Aabb, Contains, Ellipsoid, Hollow, Overlaps, Scalar, Sphere, Vector};

use crate::draw::Draw;
use crate::reference::{Reference, integer, our_meetings, ours};
use crate::shapes::{ball, cuboid, ellipsoid};

/// Fuzzes boxes, balls and ellipsoids in pairs: the exact mode agrees with whole numbers, at any scale.
pub fn predicates(data: &[u8]) {
    let mut draw = Draw::new(data);
    match draw.below(6) {
        0 => check::<[f32; 1]>(&mut draw),
        1 => check::<[f32; 2]>(&mut draw),
        2 => check::<[f64; 2]>(&mut draw),
        3 => check::<[f64; 3]>(&mut draw),
        4 => check::<[f64; 4]>(&mut draw),
        _ => check::<[f32; 3]>(&mut draw),
    }
}

fn check<V: Vector>(draw: &mut Draw) {
    for _ in 0..8 {
        if draw.is_done() {
            break;
        }
        match draw.below(4) {
            0 => round(ball::<V>(draw), ball(draw)),
            1 => egg(ellipsoid::<V>(draw), cuboid(draw)),
            2 => {
                let cell: Aabb<V> = cuboid(draw);
                touching(draw, &cell);
            }
            _ => solid(ball::<V>(draw), cuboid(draw)),
        }
    }
}

fn solid<V: Vector>(ball: Sphere<V>, cell: Aabb<V>) {
    let truth = Reference::sphere(&ball, &cell);
    assert_eq!(ours(ball, cell), truth.modes(), "{ball:?} {cell:?}");
    assert_eq!(
        our_meetings(ball, cell),
        truth.meetings(),
        "{ball:?} {cell:?}"
    );
    plain(&ball, &cell);
}

fn egg<V: Vector>(egg: Ellipsoid<V>, cell: Aabb<V>) {
    let truth = Reference::ellipsoid(&egg, &cell);
    assert_eq!(ours(egg, cell), truth.modes(), "{egg:?} {cell:?}");
    assert_eq!(
        our_meetings(egg, cell),
        truth.meetings(),
        "{egg:?} {cell:?}"
    );
}

/// Tests a ball whose radius is within a few steps of the rounded distance of its center from a corner.
fn touching<V: Vector>(draw: &mut Draw, cell: &Aabb<V>) {
    let center: V = draw.place();
    let corner = V::from_fn(|a| {
        if draw.one_in(2) {
            cell.min().axis(a)
        } else {
            cell.max().axis(a)
        }
    });
    let squares = (0..V::DIM).map(|a| {
        let apart = corner.axis(a) - center.axis(a);
        apart * apart
    });
    let sum = squares.fold(V::Scalar::ZERO, |sum, square| sum + square);
    let mut radius = sum.sqrt();
    for _ in 0..draw.below(3) {
        radius = radius.next_up();
    }
    for _ in 0..draw.below(3) {
        radius = radius.next_down();
    }
    if let Ok(ball) = Sphere::try_new(center, radius) {
        solid(ball, *cell);
    }
}

/// Checks the guarantees of plain predicates, for any rounding: solid and hollow agree, and predicates are monotone.
fn plain<V: Vector>(ball: &Sphere<V>, cell: &Aabb<V>) {
    let (skin, shell) = (Hollow(*ball), Hollow(*cell));
    assert!(
        ball.overlaps(cell) || !skin.overlaps(cell),
        "{ball:?} {cell:?}"
    );
    assert!(
        ball.overlaps(cell) || !ball.overlaps(&shell),
        "{ball:?} {cell:?}"
    );
    assert!(
        ball.contains(cell) || !ball.contains_strictly(cell),
        "{ball:?} {cell:?}"
    );
    assert_eq!(
        skin.overlaps(cell),
        ball.overlaps(cell) && !ball.contains_strictly(cell),
        "{ball:?} {cell:?}"
    );
    for corner in [cell.min(), cell.max()] {
        assert!(
            ball.contains(&corner) || !ball.contains(cell),
            "{ball:?} {cell:?}"
        );
        assert!(
            ball.overlaps(cell) || !ball.contains(&corner),
            "{ball:?} {cell:?}"
        );
    }
}

/// Compares two balls, and the center of the second as a point.
fn round<V: Vector>(a: Sphere<V>, b: Sphere<V>) {
    let apart = (0..V::DIM).map(|i| integer(a.center().axis(i)) - integer(b.center().axis(i)));
    let d: num_bigint::BigInt = apart.map(|x| &x * &x).sum();
    let (r, s) = (integer(a.radius()), integer(b.radius()));
    let (outer, inner) = ((&r + &s) * (&r + &s), (&r - &s) * (&r - &s));
    let room = r >= s;
    let expected = match d.cmp(&outer) {
        std::cmp::Ordering::Less => Meeting::Overlapping,
        std::cmp::Ordering::Equal => Meeting::Tangent,
        std::cmp::Ordering::Greater => Meeting::Separate,
    };
    assert_eq!(classify(&a, &b), expected, "{a:?} {b:?}");
    assert_eq!(Exact(a).overlaps(&b), d <= outer, "{a:?} {b:?}");
    assert_eq!(
        Exact(Hollow(a)).overlaps(&b),
        d <= outer && !(room && d < inner),
        "{a:?} {b:?}"
    );
    assert_eq!(Exact(a).contains(&b), room && d <= inner, "{a:?} {b:?}");
    assert_eq!(
        Exact(a).contains_strictly(&b),
        room && d < inner,
        "{a:?} {b:?}"
    );
    let (p, own) = (b.center(), &r * &r);
    assert_eq!(Exact(a).overlaps(&p), d <= own, "{a:?} {p:?}");
    assert_eq!(Exact(a).contains_strictly(&p), d < own, "{a:?} {p:?}");
    assert_eq!(Exact(Hollow(a)).overlaps(&p), d == own, "{a:?} {p:?}");
}

//! Smallest enclosing balls are never smaller than their content, and are minimal against all supports.

use orthant::glam::{DVec2, DVec3, Vec2, Vec3, Vec3A};
use orthant::{Contains, Error, Scalar, ShapeError, Sphere, Vector};
use proptest::prelude::*;

use crate::balls::{Raw, make};
use crate::cases::cases;

/// Returns the least radius of a ball around all balls, over the centers that at most `d + 1` of them determine. It uses normal equations and
/// elimination, which the crate does not.
fn least(balls: &[([f64; 4], f64)], dim: usize) -> f64 {
    let needs = |c: &[f64; 4]| {
        balls
            .iter()
            .map(|(p, r)| dot(&minus(p, c), &minus(p, c)).sqrt() + r)
            .fold(0.0, f64::max)
    };
    let mut best = f64::INFINITY;
    for mask in 1u32..1 << balls.len() {
        if mask.count_ones() as usize <= dim + 1 {
            let chosen: Vec<_> = (0..balls.len())
                .filter(|i| mask >> i & 1 == 1)
                .map(|i| balls[i])
                .collect();
            for center in centers(&chosen) {
                best = best.min(needs(&center));
            }
        }
    }
    best
}

fn centers(balls: &[([f64; 4], f64)]) -> Vec<[f64; 4]> {
    let (p0, r0) = balls[0];
    let q: Vec<[f64; 4]> = balls[1..].iter().map(|b| minus(&b.0, &p0)).collect();
    let s: Vec<f64> = balls[1..].iter().map(|b| b.1 - r0).collect();
    let n = q.len();
    // Each row has a row of the Gram matrix, the constant and the coefficient of the unknown radius.
    let mut m: Vec<Vec<f64>> = (0..n)
        .map(|i| {
            let mut row: Vec<f64> = q.iter().map(|x| dot(&q[i], x)).collect();
            row.push((dot(&q[i], &q[i]) - s[i] * s[i]) / 2.0);
            row.push(s[i]);
            row
        })
        .collect();
    for k in 0..n {
        let pivot = (k..n)
            .max_by(|&a, &b| m[a][k].abs().total_cmp(&m[b][k].abs()))
            .unwrap();
        m.swap(k, pivot);
        if m[k][k].abs() < 1e-9 {
            return Vec::new();
        }
        for i in 0..n {
            if i != k {
                let by = m[i][k] / m[k][k];
                let row = m[k].clone();
                for (x, y) in m[i].iter_mut().zip(&row) {
                    *x -= by * y;
                }
            }
        }
    }
    let (mut a, mut b) = ([0.0; 4], [0.0; 4]);
    for k in 0..n {
        for axis in 0..4 {
            a[axis] += q[k][axis] * m[k][n] / m[k][k];
            b[axis] += q[k][axis] * m[k][n + 1] / m[k][k];
        }
    }
    let (aa, ab, bb) = (dot(&a, &a), dot(&a, &b), dot(&b, &b));
    let (open, turn) = (1.0 - bb, (ab * ab + (1.0 - bb) * aa).max(0.0).sqrt());
    let mut roots = vec![0.0];
    if open.abs() > 1e-9 {
        roots = vec![(ab + turn) / open, (ab - turn) / open];
    } else if ab != 0.0 {
        roots = vec![-aa / (2.0 * ab)];
    }
    roots
        .into_iter()
        .map(|t| std::array::from_fn(|i| p0[i] + a[i] + t * b[i]))
        .collect()
}

fn minus(a: &[f64; 4], b: &[f64; 4]) -> [f64; 4] {
    std::array::from_fn(|i| a[i] - b[i])
}

fn dot(a: &[f64; 4], b: &[f64; 4]) -> f64 {
    (0..4).map(|i| a[i] * b[i]).sum()
}

fn epsilon<V: Vector>() -> f64 {
    let one = V::Scalar::ONE;
    (one.next_up() - one).into()
}

/// Checks the ball around some balls, and the ball around their centers.
fn check<V: Vector>(raw: &[Raw], offset: f64, step: f64) -> Result<(), TestCaseError> {
    let balls = make::<V>(raw, offset, step);
    let points: Vec<V> = balls.iter().map(Sphere::center).collect();
    let still: Vec<Sphere<V>> = points
        .iter()
        .map(|p| Sphere::new(*p, Scalar::ZERO))
        .collect();
    for (found, content) in [
        (Sphere::enclosing_spheres(&balls), &balls),
        (Sphere::enclosing(&points), &still),
    ] {
        let Some(found) = found else {
            prop_assert!(raw.is_empty());
            continue;
        };
        prop_assert!(content.iter().all(|b| found.contains(b)));
        // Positions are relative to the first point, so that no rounding enters here.
        let origin: [f64; 4] = wide(points[0]);
        let plain: Vec<_> = content
            .iter()
            .map(|b| (minus(&wide(b.center()), &origin), b.radius().into()))
            .collect();
        let radius: f64 = found.radius().into();
        let most = (0..V::DIM)
            .map(|a| Into::<f64>::into(found.center().axis(a)).abs())
            .fold(radius, f64::max);
        let slack = 4.0 * epsilon::<V>() * most + 1e-13 * radius;
        let least = least(&plain, V::DIM);
        prop_assert!(radius <= least + slack, "{radius} > {least} + {slack}");
        prop_assert!(radius >= least - slack, "{radius} < {least} - {slack}");
        // In another order, the ball is equal up to rounding.
        let mut turned = content.clone();
        turned.reverse();
        let other = Sphere::enclosing_spheres(&turned).unwrap();
        prop_assert!((Into::<f64>::into(other.radius()) - radius).abs() <= slack);
    }
    if let [a, b, ..] = balls[..] {
        let (merged, around) = (
            a.merged(&b),
            Sphere::enclosing_spheres(&balls[..2]).unwrap(),
        );
        prop_assert!(merged.contains(&a) && merged.contains(&b));
        prop_assert_eq!(merged.radius() <= around.radius(), true);
        if a.contains(&b) {
            prop_assert_eq!(merged, a);
        }
    }
    Ok(())
}

fn wide<V: Vector>(v: V) -> [f64; 4] {
    std::array::from_fn(|a| if a < V::DIM { v.axis(a).into() } else { 0.0 })
}

fn raws() -> impl Strategy<Value = Vec<Raw>> {
    let near = (proptest::array::uniform4(-4i8..=4), 0u8..=4);
    let wide = (proptest::array::uniform4(-100i8..=100), 0u8..=90);
    let one = prop_oneof![4 => near, 1 => wide];
    (proptest::collection::vec(one, 0..=8), 0..6u8).prop_map(|(mut scene, kind)| {
        for raw in &mut scene {
            match kind {
                0 => raw.0 = [1; 4],
                1 => raw.0[1..].fill(2),
                2 => raw.1 = 0,
                _ => {}
            }
        }
        scene
    })
}

/// Returns the scales: exact lattices, inexact ones, and a far offset.
fn scales() -> impl Strategy<Value = (f64, f64)> {
    proptest::sample::select(&[(0.0, 1.0), (0.0, 0.1), (1e7, 1.0), (-1e7, 0.7)][..])
}

proptest! {
    #![proptest_config(cases(100, 2000))]

    #[test]
    fn balls_are_minimal_and_hold_their_content(raw in raws(), scale in scales()) {
        let (offset, step) = scale;
        check::<[f32; 1]>(&raw, offset, step)?;
        check::<Vec2>(&raw, offset, step)?;
        check::<DVec2>(&raw, offset, step)?;
        check::<Vec3>(&raw, offset, step)?;
        check::<Vec3A>(&raw, offset, step)?;
        check::<DVec3>(&raw, offset, step)?;
        check::<[f64; 4]>(&raw, offset, step)?;
    }

    /// The ball holds its content even if squares underflow or overflow in the scalar.
    #[test]
    fn balls_hold_their_content_at_any_scale(
        raw in raws(),
        step in proptest::sample::select(&[1e-42, 1e-30, 1e-22, 1e18, 1e30][..]),
    ) {
        let balls = make::<Vec3>(&raw, 0.0, step);
        let found = Sphere::enclosing_spheres(&balls);
        prop_assert!(found.is_none_or(|f| balls.iter().all(|b| f.contains(b))));
        let balls = make::<DVec3>(&raw, 0.0, step * step * step);
        if let Some(found) = Sphere::enclosing_spheres(&balls) {
            prop_assert!(balls.iter().all(|b| found.contains(b)));
            let plain = make::<DVec3>(&raw, 0.0, 1.0);
            let least = Sphere::enclosing_spheres(&plain).unwrap().radius() * (step * step * step);
            prop_assert!((found.radius() - least).abs() <= 1e-12 * least + 1e-320);
        }
    }
}

/// For three balls, the smallest ball around two with the third touching its surface need not exist, although Welzl's recursion assumes it does.
#[test]
fn nested_and_touching_balls() {
    let inner = Sphere::new([1.0, 0.0], 1.0);
    let outer = Sphere::new([0.0, 0.0], 2.0);
    let far = Sphere::new([5.0, 0.0], 1.0);
    assert_eq!(Sphere::enclosing_spheres(&[inner, outer]), Some(outer));
    assert_eq!(
        Sphere::enclosing_spheres(&[inner, outer, far]),
        Some(Sphere::new([2.0, 0.0], 4.0))
    );
    assert_eq!(outer.merged(&outer), outer);
}

#[test]
fn many_cocircular_points() {
    for n in [3, 4, 7, 100, 5000] {
        let points: Vec<DVec2> = (0..n)
            .map(|i| DVec2::from_angle(std::f64::consts::TAU * f64::from(i) / f64::from(n)))
            .collect();
        let found = Sphere::enclosing(&points).unwrap();
        assert!(points.iter().all(|p| found.contains(p)));
        assert!((found.radius() - 1.0).abs() < 1e-15 * 8.0, "{found:?}");
    }
}

#[test]
fn what_cannot_be_enclosed() {
    assert_eq!(Sphere::<Vec2>::enclosing(&[]), None);
    assert_eq!(Sphere::<Vec2>::enclosing_spheres(&[]), None);
    let error = Sphere::try_enclosing(&[Vec2::ZERO, Vec2::new(0.0, f32::NAN)]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "item 1: point is NaN on axis 1, not a finite number"
    );
    let corners = [Vec3::splat(f32::MAX), Vec3::splat(-f32::MAX)];
    assert_eq!(
        Sphere::try_enclosing(&corners),
        Err(Error::Shape(ShapeError::NotFinite {
            part: "radius",
            axis: 0,
            value: f64::INFINITY
        }))
    );
    let ends = [[f64::MAX], [-f64::MAX]];
    assert_eq!(Sphere::enclosing(&ends), Some(Sphere::new([0.0], f64::MAX)));
    let far = Sphere::new([f64::MAX], 1e300);
    assert!(Sphere::try_enclosing_spheres(&[far, Sphere::new([-f64::MAX], 0.0)]).is_err());
}

#[test]
#[should_panic(expected = "Sphere: item 0: point is inf on axis 0, not a finite number")]
fn enclosing_panics_with_the_point() {
    let _ = Sphere::enclosing(&[[f32::INFINITY, 0.0]]);
}

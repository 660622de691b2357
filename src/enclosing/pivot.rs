//! The center of the smallest ball around balls.
//!
//! The question is LP-type: some `d + 1` balls at most, a basis, determine the answer. Starting from
//! one ball, the ball that reaches farthest out enters, and the smallest ball around the basis and it
//! is found among all their subsets; its radius grows with each step, so no basis comes back. After
//! K. Fischer and B. Gärtner, "The smallest enclosing ball of balls: combinatorial structure and
//! algorithms", 2003, who also show why Welzl's recursion, right for points, is wrong for balls.
//!
//! The center wanted is the only minimum of the convex function `max |c - p| + r`. A candidate is
//! therefore judged by the value of that function, not by comparing with a tolerance: rounding can
//! make the answer a little larger than need be, never wrong.

use smallvec::SmallVec;

/// A point of up to four dimensions; the others are 0.
pub(crate) type Point = [f64; 4];

/// A ball, in units in which squares neither overflow nor vanish.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ball {
    pub(crate) center: Point,
    pub(crate) radius: f64,
}

type Basis = SmallVec<[Ball; 6]>;

/// A candidate for a center, and the radius that it needs.
#[derive(Clone, Copy)]
struct Candidate {
    center: Point,
    needs: f64,
}

/// The center of the smallest ball around balls of a space of `dim` axes; `None` where there are
/// none.
pub(crate) fn center(balls: &[Ball], dim: usize) -> Option<Point> {
    let largest = balls
        .iter()
        .reduce(|a, b| if b.radius > a.radius { b } else { a })?;
    let mut basis = Basis::from_slice(&[*largest]);
    let mut at = Candidate {
        center: largest.center,
        needs: largest.radius,
    };
    let mut best = Candidate {
        needs: f64::INFINITY,
        ..at
    };
    loop {
        let (far, needs) = farthest(balls, &at.center)?;
        if needs < best.needs {
            best = Candidate {
                center: at.center,
                needs,
            };
        }
        if needs <= at.needs {
            break;
        }
        basis.push(far);
        let Some(next) = smallest(&mut basis, dim) else {
            break;
        };
        // Only rounding can keep the radius from growing.
        if next.needs <= at.needs {
            break;
        }
        at = next;
    }
    Some(best.center)
}

/// The ball that reaches farthest from a point, and how far.
fn farthest(balls: &[Ball], from: &Point) -> Option<(Ball, f64)> {
    let mut far: Option<(Ball, f64)> = None;
    for ball in balls {
        let reach = reach(from, ball);
        if far.is_none_or(|f| reach > f.1) {
            far = Some((*ball, reach));
        }
    }
    far
}

/// The radius of the ball around a point that just holds a ball.
pub(crate) fn reach(from: &Point, ball: &Ball) -> f64 {
    let apart = minus(from, &ball.center);
    root(dot(&apart, &apart)) + ball.radius
}

/// The smallest ball around the few balls of a set, which shrinks to those that determine it. The
/// last is one of them.
fn smallest(set: &mut Basis, dim: usize) -> Option<Candidate> {
    let newest = set.len() - 1;
    let mut best: Option<(Candidate, Basis)> = None;
    for mask in 0u32..1 << newest {
        if mask.count_ones() as usize > dim {
            continue;
        }
        let chosen: Basis = (0..=newest)
            .rev()
            .filter(|&i| i == newest || mask >> i & 1 == 1)
            .map(|i| set[i])
            .collect();
        for center in tangent(&chosen).into_iter().flatten() {
            let needs = set.iter().map(|b| reach(&center, b)).fold(0.0, f64::max);
            if needs.is_finite() && best.as_ref().is_none_or(|b| needs < b.0.needs) {
                best = Some((Candidate { center, needs }, chosen.clone()));
            }
        }
    }
    let (candidate, chosen) = best?;
    // In the order in which they entered.
    *set = chosen.into_iter().rev().collect();
    Some(candidate)
}

/// The centers, in the flat through theirs, of the balls that some balls touch from inside.
///
/// With `q` and `s` the differences of centers and radii to the first ball, and `c`, `t` those of
/// the wanted one: `2 c·q = q² - s² + 2 t s` and `c² = t²`. The first set is linear, `c = a + t b`,
/// and is solved in an orthonormal basis of the `q`; the last is then a quadratic in `t`.
fn tangent(balls: &[Ball]) -> [Option<Point>; 2] {
    let first = &balls[0];
    let mut basis: SmallVec<[Point; 4]> = SmallVec::new();
    let (mut a, mut b) = ([0.0; 4], [0.0; 4]);
    for ball in &balls[1..] {
        let q = minus(&ball.center, &first.center);
        let s = ball.radius - first.radius;
        let mut left = q;
        // Once more against what rounding leaves.
        for _ in 0..2 {
            for e in &basis {
                left = plus(&left, -dot(&left, e), e);
            }
        }
        let (length, whole) = (root(dot(&left, &left)), root(dot(&q, &q)));
        if length <= whole * 1e-14 {
            return [None; 2];
        }
        let e = left.map(|x| x / length);
        // `q·e` is `length`, and `a`, `b` hold what the others contribute to `c·q`.
        let constant = (whole - s) * (whole + s) * 0.5 - dot(&a, &q);
        let slope = s - dot(&b, &q);
        a = plus(&a, constant / length, &e);
        b = plus(&b, slope / length, &e);
        basis.push(e);
    }
    let (aa, ab, bb) = (dot(&a, &a), dot(&a, &b), dot(&b, &b));
    if aa == 0.0 {
        return [Some(first.center), None];
    }
    let open = 1.0 - bb;
    let turn = root((ab * ab + open * aa).max(0.0));
    // Each root in the form in which nothing cancels.
    let roots = if ab >= 0.0 {
        [(ab + turn) / open, -aa / (ab + turn)]
    } else {
        [aa / (turn - ab), (ab - turn) / open]
    };
    roots.map(|t| {
        let c = plus(&plus(&first.center, 1.0, &a), t, &b);
        (t >= 0.0 && c.iter().all(|x| x.is_finite())).then_some(c)
    })
}

fn minus(a: &Point, b: &Point) -> Point {
    core::array::from_fn(|i| a[i] - b[i])
}

fn plus(a: &Point, by: f64, b: &Point) -> Point {
    core::array::from_fn(|i| a[i] + by * b[i])
}

fn dot(a: &Point, b: &Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
}

fn root(x: f64) -> f64 {
    crate::vector::Scalar::sqrt(x)
}

//! Smallest balls around points and balls.
//!
//! The center is found in double precision, in units of the content's own size, and rounded; the radius is then grown until [`Contains`]
//! holds for every point or ball, so that rounding makes a ball larger than need be but never smaller than its content.

use alloc::vec::Vec;

use smallvec::SmallVec;

use crate::error::{Error, or_panic};
use crate::overlap::Contains;
use crate::shape::{Bounded, Sphere, check_finite};
use crate::sweep::{dot, finite};
use crate::vector::{Scalar, Vector, assert_structure};

impl<V: Vector> Sphere<V> {
    /// The smallest ball around points of 1 to 4 dimensions; `None` for no points.
    ///
    /// It [contains](Contains) every point. Its radius exceeds the least possible one by about the rounding of the
    /// center: the tests allow 1e-13 of the radius, plus four times the scalar's epsilon times the largest coordinate or
    /// radius. The order of the points may change the last digits.
    ///
    /// # Complexity
    ///
    /// O(n) for each step. In practice there are few steps, though no small bound is proved. The algorithm is that of
    /// Fischer and Gärtner, "The smallest enclosing ball of balls", 2003.
    ///
    /// # Panics
    ///
    /// Where [`try_enclosing`](Self::try_enclosing) returns an error.
    ///
    /// ```
    /// use orthant::Sphere;
    /// let ball = Sphere::enclosing(&[[0.0, 0.0], [4.0, 0.0], [2.0, 1.0]]);
    /// assert_eq!(ball, Some(Sphere::new([2.0, 0.0], 2.0)));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn enclosing(points: &[V]) -> Option<Self> {
        or_panic("Sphere", Self::try_enclosing(points))
    }

    /// The smallest ball around points, see [`enclosing`](Self::enclosing).
    ///
    /// # Errors
    ///
    /// If a coordinate is infinite or NaN (the error names the point), or the radius would exceed the largest finite number.
    pub fn try_enclosing(points: &[V]) -> Result<Option<Self>, Error> {
        for (index, p) in points.iter().enumerate() {
            check_finite("point", *p).map_err(|error| Error::Item { index, error })?;
        }
        smallest(points)
    }

    /// The smallest ball around balls of 1 to 4 dimensions; `None` for no balls.
    ///
    /// Precision and complexity are those of [`enclosing`](Self::enclosing).
    ///
    /// # Panics
    ///
    /// Where [`try_enclosing_spheres`](Self::try_enclosing_spheres) returns an error.
    ///
    /// ```
    /// use orthant::Sphere;
    /// let balls = [Sphere::new([0.0, 0.0], 1.0), Sphere::new([3.0, 0.0], 2.0)];
    /// assert_eq!(Sphere::enclosing_spheres(&balls), Some(Sphere::new([2.0, 0.0], 3.0)));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn enclosing_spheres(balls: &[Self]) -> Option<Self> {
        or_panic("Sphere", Self::try_enclosing_spheres(balls))
    }

    /// The smallest ball around balls, see [`enclosing_spheres`](Self::enclosing_spheres).
    ///
    /// # Errors
    ///
    /// If the radius would exceed the largest finite number.
    pub fn try_enclosing_spheres(balls: &[Self]) -> Result<Option<Self>, Error> {
        smallest(balls)
    }

    /// The smallest ball around this one and another: one of the two where it contains the other.
    ///
    /// # Panics
    ///
    /// If the radius would exceed the largest finite number;
    /// [`try_enclosing_spheres`](Self::try_enclosing_spheres) returns an error instead.
    ///
    /// ```
    /// use orthant::Sphere;
    /// let (small, large) = (Sphere::new([1.0, 0.0], 1.0), Sphere::new([0.0, 0.0], 3.0));
    /// assert_eq!(small.merged(&large), large);
    /// assert_eq!(small.merged(&Sphere::new([5.0, 0.0], 1.0)), Sphere::new([3.0, 0.0], 3.0));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn merged(&self, other: &Self) -> Self {
        if self.contains(other) {
            return *self;
        }
        if other.contains(self) {
            return *other;
        }
        Self::enclosing_spheres(&[*self, *other]).unwrap_or(*self)
    }
}

/// The smallest ball around points or balls, made large enough to contain all of them by the crate's own test.
fn smallest<V: Vector, T>(content: &[T]) -> Result<Option<Sphere<V>>, Error>
where
    T: Bounded<Vector = V>,
    Sphere<V>: Contains<T>,
{
    let parts = content
        .iter()
        .map(|item| (item.core().min(), item.radius()));
    let units = Units::of(parts.clone());
    let balls: Vec<Ball> = parts.map(|(at, radius)| units.ball(at, radius)).collect();
    let Some(found) = center(&balls, V::DIM) else {
        return Ok(None);
    };
    let center: V = units.restore(&found);
    // Compute the radius from the rounded center, which differs a little from the one that was found.
    let from = units.ball(center, V::Scalar::ZERO).center;
    let needs = balls.iter().map(|b| reach(&from, b)).fold(0.0, f64::max);
    let mut around = Sphere::try_new(center, V::Scalar::from_f64(needs / units.scale))?;
    // Grow the radius until the ball contains everything. Steps double, since it has far to grow if squares underflow.
    let mut step = around.radius().next_up() - around.radius();
    for item in content {
        while !around.contains(item) {
            around = Sphere::try_new(center, around.radius() + step)?;
            step = step + step;
        }
    }
    Ok(Some(around))
}

/// Units in which the lower corner of the content lies at the origin, and no square overflows or vanishes.
struct Units {
    origin: Point,
    /// A power of two.
    scale: f64,
}

impl Units {
    fn of<V: Vector>(balls: impl Iterator<Item = (V, V::Scalar)>) -> Self {
        const { assert_structure::<V>() }
        let mut origin = [f64::INFINITY; 4];
        let mut most = 0.0f64;
        for (center, radius) in balls {
            most = most.max(radius.into());
            for (axis, least) in origin.iter_mut().take(V::DIM).enumerate() {
                let x: f64 = center.axis(axis).into();
                most = most.max(x.abs());
                *least = least.min(x);
            }
        }
        // The exponent of the largest number, clamped so that its negative is the exponent of a normal number, too.
        let exponent = ((most.to_bits() >> 52) as i64 - 1023).clamp(-1000, 1000);
        let scale = f64::from_bits(((1023 - exponent) as u64) << 52);
        Self {
            origin: origin.map(|x| if x.is_finite() { x * scale } else { 0.0 }),
            scale,
        }
    }

    /// A ball in these units.
    fn ball<V: Vector>(&self, center: V, radius: V::Scalar) -> Ball {
        let mut at = [0.0; 4];
        for (axis, x) in at.iter_mut().take(V::DIM).enumerate() {
            *x = Into::<f64>::into(center.axis(axis)) * self.scale - self.origin[axis];
        }
        Ball {
            center: at,
            radius: Into::<f64>::into(radius) * self.scale,
        }
    }

    /// A point in the units of the content.
    fn restore<V: Vector>(&self, p: &Point) -> V {
        V::from_fn(|axis| {
            // The center lies between finite points, so only rounding can make it infinite.
            finite(Scalar::from_f64((p[axis] + self.origin[axis]) / self.scale))
        })
    }
}

// # The center of the smallest ball around balls
//
// The problem is LP-type: at most `d + 1` balls, a basis, determine the answer. Starting from one ball, each step adds to the basis the
// ball that reaches farthest out, and finds the smallest ball around the basis by trying its subsets. The radius grows with each step, so
// no basis comes back. The algorithm is from K. Fischer and B. Gärtner, "The smallest enclosing ball of balls: combinatorial structure
// and algorithms", 2003, who also show why Welzl's recursion, right for points, is wrong for balls.
//
// The center wanted is the only minimum of the convex function `max |c - p| + r`. Candidates are therefore compared by the value of that
// function, without a tolerance: rounding can make the answer a little larger than necessary, never wrong.

/// A point of up to four dimensions; the others are 0.
type Point = [f64; 4];

/// A ball, in units in which squares neither overflow nor vanish.
#[derive(Clone, Copy, Debug)]
struct Ball {
    center: Point,
    radius: f64,
}

type Basis = SmallVec<[Ball; 6]>;

/// The center of the smallest ball around balls in `dim` dimensions; `None` for no balls.
fn center(balls: &[Ball], dim: usize) -> Option<Point> {
    let largest = |a: Ball, b: Ball| if b.radius > a.radius { b } else { a };
    let mut at = balls.iter().copied().reduce(largest)?;
    let mut basis = Basis::from_slice(&[at]);
    let (mut best, mut least) = (at.center, f64::INFINITY);
    loop {
        // Judge the center, and stop if its ball holds all balls.
        let reaches = balls.iter().map(|ball| (*ball, reach(&at.center, ball)));
        let (far, needs) = reaches.reduce(|far, next| if next.1 > far.1 { next } else { far })?;
        if needs < least {
            (best, least) = (at.center, needs);
        }
        if needs <= at.radius {
            return Some(best);
        }
        // Add the ball that reaches farthest out. Only rounding can keep the radius from growing.
        basis.push(far);
        let next = smallest_around(&mut basis, dim);
        let Some(next) = next.filter(|next| next.radius > at.radius) else {
            return Some(best);
        };
        at = next;
    }
}

/// The radius of the ball around a point that just holds a ball.
fn reach(from: &Point, ball: &Ball) -> f64 {
    let apart = minus(from, &ball.center);
    Scalar::sqrt(dot(apart, apart)) + ball.radius
}

/// The smallest ball around the few balls of a set, the last of which must touch it. The set shrinks to the balls that determine it.
fn smallest_around(set: &mut Basis, dim: usize) -> Option<Ball> {
    let newest = set.len() - 1;
    let mut best: Option<(Ball, Basis)> = None;
    // Try the last ball with each subset of the others, and keep the center from which the farthest ball reaches least.
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
            let radius = set.iter().map(|b| reach(&center, b)).fold(0.0, f64::max);
            if radius.is_finite() && best.as_ref().is_none_or(|b| radius < b.0.radius) {
                best = Some((Ball { center, radius }, chosen.clone()));
            }
        }
    }
    let (candidate, chosen) = best?;
    // Restore the order in which the balls entered.
    *set = chosen.into_iter().rev().collect();
    Some(candidate)
}

/// The centers of the balls that all given balls touch from inside, in the affine hull of the given centers.
///
/// With `q` and `s` the differences of centers and radii to the first ball, and `c`, `t` those of the wanted ball:
/// `2 c·q = q² - s² + 2 t s` and `c² = t²`. The first equations are linear, `c = a + t b`, and are solved in an
/// orthonormal basis of the `q`; the last is then a quadratic in `t`.
fn tangent(balls: &[Ball]) -> [Option<Point>; 2] {
    let first = &balls[0];
    let mut basis: SmallVec<[Point; 4]> = SmallVec::new();
    let (mut a, mut b) = ([0.0; 4], [0.0; 4]);
    for ball in &balls[1..] {
        let q = minus(&ball.center, &first.center);
        let s = ball.radius - first.radius;
        let mut left = q;
        // Orthogonalize by Gram-Schmidt; the second pass removes what rounding left.
        for _ in 0..2 {
            for e in &basis {
                left = plus(&left, -dot(left, *e), e);
            }
        }
        let (length, whole) = (Scalar::sqrt(dot(left, left)), Scalar::sqrt(dot(q, q)));
        if length <= whole * 1e-14 {
            return [None; 2];
        }
        let e = left.map(|x| x / length);
        // Solve for the component along `e`: `q·e` is `length`, and `a + t b` is already right in the span of the basis so far.
        let constant = (whole - s) * (whole + s) * 0.5 - dot(a, q);
        let slope = s - dot(b, q);
        a = plus(&a, constant / length, &e);
        b = plus(&b, slope / length, &e);
        basis.push(e);
    }
    // Solve the quadratic `|a + t b|² = t²`.
    let (aa, ab, bb) = (dot(a, a), dot(a, b), dot(b, b));
    if aa == 0.0 {
        return [Some(first.center), None];
    }
    let open = 1.0 - bb;
    let turn = Scalar::sqrt((ab * ab + open * aa).max(0.0));
    // Take each root in the form in which nothing cancels.
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
    crate::simd::from_fn(|i| a[i] - b[i])
}

fn plus(a: &Point, by: f64, b: &Point) -> Point {
    crate::simd::from_fn(|i| a[i] + by * b[i])
}

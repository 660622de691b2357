//! An ellipsoid and a ball.
//!
//! The nearest point of an ellipsoid has no closed form, but a proof that it is beyond a distance has. Let `p` be the
//! ball's center relative to the ellipsoid's, `r` its radius and `α` the semi-axes. The two are apart exactly if, for
//! some `t > 0`, `t (Σ x²/α² - 1) + |x - p|² - r²` is positive at every `x`. The ball lies inside, off the surface,
//! exactly if, for some `t > 0`, `1 - Σ x²/α² + t (|x - p|² - r²)` is positive at every `x` (the S-lemma of V. A.
//! Yakubovich, 1971). Their least values over all `x` are
//!
//! - `Σ t p²/(α² + t) - t - r²`, and
//! - `1 - t r² - Σ t p²/(t α² - 1)` for `t` above every `1/α²`.
//!
//! Both are concave in `t`, and fall in the end if `r > 0`. Times their denominators they are
//! polynomials of one degree more than there are axes, and a Sturm sequence counts how often they
//! vanish.

use alloc::vec::Vec;
use core::cmp::Ordering;

use dashu_int::IBig;

use super::integers::{Lattice, square};
use crate::shape::{Ellipsoid, Sphere};
use crate::vector::Vector;

/// Whether no point of the ellipsoid lies in the ball, whose radius is not 0.
#[cold]
#[inline(never)]
pub(super) fn are_apart<V: Vector>(egg: &Ellipsoid<V>, ball: &Sphere<V>) -> bool {
    let (axes, reach) = squares(egg, ball);
    // `-(t + r²)` and, for each axis, `t p²` over `t + α²`.
    let terms = axes.into_iter().map(|axis| {
        let numerator = Polynomial::line(IBig::ZERO, axis.offset);
        (numerator, Polynomial::line(axis.weight, IBig::ONE))
    });
    numerator(Polynomial::line(-reach, -IBig::ONE), terms).exceeds_zero()
}

/// Whether the ball, whose radius is not 0, lies inside the ellipsoid and does not touch its surface.
#[cold]
#[inline(never)]
pub(super) fn is_inside<V: Vector>(egg: &Ellipsoid<V>, ball: &Sphere<V>) -> bool {
    let (axes, reach) = squares(egg, ball);
    let Some(least) = axes.iter().map(|axis| axis.weight.clone()).min() else {
        return true;
    };
    // One term for all axes that have the same denominator, and none for those without a numerator, so that
    // the common denominator is positive from the first root on.
    let mut terms: Vec<Axis> = Vec::new();
    for axis in axes.into_iter().filter(|axis| axis.offset > IBig::ZERO) {
        match terms.iter_mut().find(|term| term.weight == axis.weight) {
            Some(term) => term.offset += axis.offset,
            None => terms.push(axis),
        }
    }
    // With `A` the least `α²` and `t = (s + 1) / A`: `A (1 - t r²)` and, for each term, `-A t p²` over `A (t α² - 1)`.
    let terms = terms.into_iter().map(|term| {
        let product = -(&least * term.offset);
        let denominator = Polynomial::line(&term.weight - &least, term.weight);
        (Polynomial::line(product.clone(), product), denominator)
    });
    numerator(Polynomial::line(&least - &reach, -&reach), terms).exceeds_zero()
}

/// The numerator of the sum of a polynomial and some fractions, over the product of their denominators.
fn numerator(
    first: Polynomial,
    rest: impl Iterator<Item = (Polynomial, Polynomial)>,
) -> Polynomial {
    let start = (first, Polynomial([IBig::ONE].into()));
    let sum = rest.fold(start, |(a, below_a), (b, below_b)| {
        (
            a.times(&below_b).plus(&b.times(&below_a)),
            below_a.times(&below_b),
        )
    });
    sum.0
}

/// The squares on an axis.
struct Axis {
    /// The squared semi-axis.
    weight: IBig,
    /// The squared distance of the centers along it.
    offset: IBig,
}

/// The axes and the squared radius of the ball, on the common lattice.
fn squares<V: Vector>(egg: &Ellipsoid<V>, ball: &Sphere<V>) -> (Vec<Axis>, IBig) {
    let numbers = (0..V::DIM).flat_map(|i| {
        let (p, c) = (ball.center().axis(i), egg.center().axis(i));
        [p, c, egg.semi_axes().axis(i)]
    });
    let lattice = Lattice::of(numbers.chain([ball.radius()]));
    let axes = (0..V::DIM).map(|i| {
        let at = |v: V| lattice.integer(v.axis(i));
        Axis {
            weight: square(&at(egg.semi_axes())),
            offset: square(&(at(ball.center()) - at(egg.center()))),
        }
    });
    (axes.collect(), square(&lattice.integer(ball.radius())))
}

/// Coefficients, the constant first; the last is not 0.
struct Polynomial(Vec<IBig>);

impl Polynomial {
    fn line(constant: IBig, slope: IBig) -> Self {
        Self([constant, slope].into()).trimmed()
    }

    fn trimmed(mut self) -> Self {
        while self.0.pop_if(|last| *last == IBig::ZERO).is_some() {}
        self
    }

    fn times(&self, other: &Self) -> Self {
        let mut product = Vec::new();
        product.resize(self.0.len() + other.0.len(), IBig::ZERO);
        for (i, a) in self.0.iter().enumerate() {
            for (j, b) in other.0.iter().enumerate() {
                product[i + j] += a * b;
            }
        }
        Self(product).trimmed()
    }

    fn plus(mut self, other: &Self) -> Self {
        let count = self.0.len().max(other.0.len());
        self.0.resize(count, IBig::ZERO);
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            *a += b;
        }
        self.trimmed()
    }

    /// A positive multiple of the remainder of a division, negated.
    fn next_of_sturm(&self, divisor: &Self) -> Self {
        let mut left = Self(self.0.iter().map(|a| -a).collect());
        let Some(leading) = divisor.0.last() else {
            return left;
        };
        let (size, sign) = (leading * leading.signum(), leading.signum());
        while let Some(shift) = left.0.len().checked_sub(divisor.0.len())
            && let Some(top) = left.0.last().map(|top| top * &sign)
        {
            for a in &mut left.0 {
                *a *= &size;
            }
            for (i, b) in divisor.0.iter().enumerate() {
                left.0[i + shift] -= &top * b;
            }
            left = left.trimmed();
        }
        left
    }

    /// The number of roots above 0, by Sturm's theorem; 0 is no root.
    fn positive_roots(self) -> usize {
        let powers = self.0.iter().enumerate().skip(1);
        let derivative = Self(powers.map(|(i, a)| a * IBig::from(i)).collect());
        let mut chain: Vec<Self> = [self, derivative].into();
        while let [.., before, last] = &chain[..]
            && !last.0.is_empty()
        {
            let next = before.next_of_sturm(last);
            chain.push(next);
        }
        let changes = |end: fn(&[IBig]) -> Option<&IBig>| {
            let ends = chain.iter().filter_map(|polynomial| end(&polynomial.0));
            let signs = ends.map(|value| value.cmp(&IBig::ZERO));
            let signs: Vec<_> = signs.filter(|sign| sign.is_ne()).collect();
            signs.windows(2).filter(|pair| pair[0] != pair[1]).count()
        };
        // The signs at 0, and beyond all roots.
        changes(<[IBig]>::first) - changes(<[IBig]>::last)
    }

    /// Whether it is positive somewhere above 0. Its sign there is that of a concave function that falls in the end.
    fn exceeds_zero(mut self) -> bool {
        let zeros = self.0.iter().take_while(|a| **a == IBig::ZERO).count();
        self.0.drain(..zeros);
        let Some(constant) = self.0.first() else {
            return false;
        };
        match (zeros, constant.cmp(&IBig::ZERO)) {
            (0, Ordering::Greater) => true,
            // It rises through 0 and falls again.
            (0, _) => self.positive_roots() > 1,
            (_, _) => self.positive_roots() > 0,
        }
    }
}

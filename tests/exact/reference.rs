use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Float, One, Signed, Zero};
use orthant::exact::{Classify, Exact, Meeting, classify};
use orthant::{Aabb, Contains, Ellipsoid, Hollow, Overlaps, Scalar, Sphere, Vector};

/// Returns the most binary digits that a scalar has behind the point.
fn digits<S: Scalar>() -> i16 {
    if S::MAX.into() > 1e300 { 1074 } else { 149 }
}

/// Returns a float times `2^digits`.
pub(crate) fn integer<S: Scalar>(x: S) -> BigInt {
    let (mantissa, exponent, sign) = Float::integer_decode(x.into());
    // Trailing zeros of the mantissa may lie behind the last digit of the scalar.
    let (mantissa, exponent) = (BigInt::from(mantissa) * sign, exponent + digits::<S>());
    if exponent < 0 {
        assert!((&mantissa % (BigInt::one() << -exponent)).is_zero());
        mantissa >> -exponent
    } else {
        mantissa << exponent
    }
}

pub(crate) fn vector<V: Vector>(values: &[f64]) -> V {
    V::from_fn(|a| Scalar::from_f64(values[a]))
}

/// A round shape and a box in whole numbers. Squared distances and the limit have a common denominator.
pub(crate) struct Reference {
    lo: Vec<BigInt>,
    hi: Vec<BigInt>,
    c: Vec<BigInt>,
    /// The radius or semi-axes, in space.
    reach: Vec<BigInt>,
    /// The factors of differences: 1 for a ball, the product of all other semi-axes for an ellipsoid.
    factors: Vec<BigInt>,
    limit: BigInt,
    denominator: BigInt,
}

impl Reference {
    pub(crate) fn sphere<V: Vector>(ball: &Sphere<V>, cell: &Aabb<V>) -> Self {
        let r = integer(ball.radius());
        Self {
            factors: vec![BigInt::one(); V::DIM],
            limit: &r * &r,
            reach: vec![r; V::DIM],
            denominator: BigInt::one() << (2 * digits::<V::Scalar>()),
            ..Self::boxed(ball.center(), cell)
        }
    }

    pub(crate) fn ellipsoid<V: Vector>(egg: &Ellipsoid<V>, cell: &Aabb<V>) -> Self {
        let reach = Self::axes(egg.semi_axes());
        let product: BigInt = reach.iter().product();
        Self {
            factors: reach.iter().map(|semi_axis| &product / semi_axis).collect(),
            limit: &product * &product,
            reach,
            denominator: &product * &product,
            ..Self::boxed(egg.center(), cell)
        }
    }

    fn axes<V: Vector>(v: V) -> Vec<BigInt> {
        (0..V::DIM).map(|a| integer(v.axis(a))).collect()
    }

    fn boxed<V: Vector>(c: V, cell: &Aabb<V>) -> Self {
        Self {
            lo: Self::axes(cell.min()),
            hi: Self::axes(cell.max()),
            c: Self::axes(c),
            reach: Vec::new(),
            factors: Vec::new(),
            limit: BigInt::zero(),
            denominator: BigInt::one(),
        }
    }

    /// Returns the distances to the nearest point, farthest corner and surface of the box.
    pub(crate) fn distances(&self) -> [BigRational; 3] {
        [self.near(), self.far(), self.surface()]
            .map(|square| BigRational::new(square, self.denominator.clone()))
    }

    fn distance_sq(&self, p: &[BigInt]) -> BigInt {
        let terms = (0..p.len()).map(|i| (&p[i] - &self.c[i]) * &self.factors[i]);
        terms.map(|x| &x * &x).sum()
    }

    /// Returns the squared distance to the box `[lo, hi]`.
    fn nearest(&self, lo: &[BigInt], hi: &[BigInt]) -> BigInt {
        let clamped = |i: usize| self.c[i].clone().max(lo[i].clone()).min(hi[i].clone());
        self.distance_sq(&(0..lo.len()).map(clamped).collect::<Vec<_>>())
    }

    fn near(&self) -> BigInt {
        self.nearest(&self.lo, &self.hi)
    }

    fn far(&self) -> BigInt {
        let n = self.lo.len();
        let corner = |bits: usize| {
            let end = |i: usize| [&self.lo, &self.hi][bits >> i & 1][i].clone();
            self.distance_sq(&(0..n).map(end).collect::<Vec<_>>())
        };
        (0..1 << n).map(corner).max().expect("a corner")
    }

    fn surface(&self) -> BigInt {
        let face = |i: usize, at: &BigInt| {
            let (mut lo, mut hi) = (self.lo.clone(), self.hi.clone());
            lo[i] = at.clone();
            hi[i] = at.clone();
            self.nearest(&lo, &hi)
        };
        let both = (0..self.lo.len()).flat_map(|i| [face(i, &self.lo[i]), face(i, &self.hi[i])]);
        both.min().expect("a face")
    }

    /// True if a point of the box's surface lies on the sphere.
    fn surfaces_meet(&self) -> bool {
        if self.lo.len() == 1 {
            let on = |end: &[BigInt]| self.distance_sq(end) == self.limit;
            return on(&self.lo) || on(&self.hi);
        }
        self.surface() <= self.limit && self.limit <= self.far()
    }

    pub(crate) fn modes(&self) -> BTreeMap<&'static str, bool> {
        let (near, far, surface, limit) = (self.near(), self.far(), self.surface(), &self.limit);
        let rooms = || {
            (0..self.c.len()).flat_map(|i| {
                [&self.c[i] - &self.lo[i], &self.hi[i] - &self.c[i]]
                    .map(|room| room - self.reach[i].clone())
            })
        };
        BTreeMap::from([
            ("ss", near <= *limit),
            ("sh", near <= *limit && *limit <= far),
            ("hs", surface <= *limit),
            ("hh", self.surfaces_meet()),
            ("box_in_sphere", far <= *limit),
            ("box_in_sphere_strict", far < *limit),
            ("sphere_in_box", rooms().all(|room| !room.is_negative())),
            (
                "sphere_in_box_strict",
                rooms().all(|room| room.is_positive()),
            ),
        ])
    }

    /// Returns how solid and hollow shapes and boxes meet.
    pub(crate) fn meetings(&self) -> [Meeting; 4] {
        let (near, far, surface, limit) = (self.near(), self.far(), self.surface(), &self.limit);
        let meeting = |separate: bool, tangent: bool| match (separate, tangent) {
            (true, _) => Meeting::Separate,
            (_, true) => Meeting::Tangent,
            _ => Meeting::Overlapping,
        };
        let outside = near == *limit && surface == *limit;
        [
            meeting(near > *limit, outside),
            meeting(near > *limit || far < *limit, outside || far == *limit),
            meeting(surface > *limit, surface == *limit),
            meeting(
                !self.surfaces_meet(),
                self.lo.len() == 1 || surface == *limit || far == *limit,
            ),
        ]
    }
}

/// Returns the answers of the exact mode.
pub(crate) fn ours<V, S>(shape: S, cell: Aabb<V>) -> BTreeMap<&'static str, bool>
where
    V: Vector,
    S: Copy,
    Exact<S>: Overlaps<Aabb<V>> + Overlaps<Hollow<Aabb<V>>> + Contains<Aabb<V>>,
    Exact<Hollow<S>>: Overlaps<Aabb<V>> + Overlaps<Hollow<Aabb<V>>>,
    Exact<Aabb<V>>: Contains<S>,
{
    let (solid, skin, room) = (Exact(shape), Exact(Hollow(shape)), Exact(cell));
    BTreeMap::from([
        ("ss", solid.overlaps(&cell)),
        ("sh", skin.overlaps(&cell)),
        ("hs", solid.overlaps(&Hollow(cell))),
        ("hh", skin.overlaps(&Hollow(cell))),
        ("box_in_sphere", solid.contains(&cell)),
        ("box_in_sphere_strict", solid.contains_strictly(&cell)),
        ("sphere_in_box", room.contains(&shape)),
        ("sphere_in_box_strict", room.contains_strictly(&shape)),
    ])
}

/// Returns the answer of `classify`, in the order of [`Reference::meetings`].
pub(crate) fn our_meetings<V, S>(shape: S, cell: Aabb<V>) -> [Meeting; 4]
where
    V: Vector,
    S: Classify<Aabb<V>> + Classify<Hollow<Aabb<V>>> + Copy,
    Hollow<S>: Classify<Aabb<V>> + Classify<Hollow<Aabb<V>>>,
{
    [
        classify(&shape, &cell),
        classify(&Hollow(shape), &cell),
        classify(&shape, &Hollow(cell)),
        classify(&Hollow(shape), &Hollow(cell)),
    ]
}

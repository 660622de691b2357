//! What a tree answers for a single point, whatever the norm, in a periodic box or not.

use orthant::{
    Aabb, Bounded, Chebyshev, Distance, DistanceBy, Error, Groups, Manhattan, Norm as CrateNorm,
    NormBall, Orthtree, Overlaps, Periodic, Region, Scalar, SpatialIndex, Sphere, Vector,
};
use pyo3::PyResult;

use crate::input::{Number, value_error};

/// How distances are measured.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Norm {
    Manhattan,
    Euclid,
    Chebyshev,
    /// By the sum of so great powers of the differences.
    Minkowski(f64),
}

impl Norm {
    /// That of an exponent.
    pub(super) fn of(p: f64) -> PyResult<Self> {
        match p {
            1.0 => Ok(Self::Manhattan),
            2.0 => Ok(Self::Euclid),
            f64::INFINITY => Ok(Self::Chebyshev),
            _ if p > 1.0 => Ok(Self::Minkowski(p)),
            _ => Err(value_error(format_args!("p must be at least 1, not {p}"))),
        }
    }
}

impl Norm {
    /// The distance that is given out for a measure: the least radius that reaches it, so that it can be asked with.
    pub(super) fn distance<S: Scalar>(self, measure: S) -> S {
        if self == Self::Euclid {
            measure.to_radius()
        } else {
            measure
        }
    }

    /// What is compared of two points: the square of their distance by Euclid, else the distance.
    pub(super) fn measure<P: Point>(self, from: P, to: P) -> P::Scalar {
        match self {
            Self::Manhattan => to.measure(&Manhattan, from),
            Self::Euclid => to.distance_sq(from),
            Self::Chebyshev => to.measure(&Chebyshev, from),
            Self::Minkowski(p) => minkowski(from, to, p),
        }
    }
}

/// The distance of two points by the norm of exponent `p`. Differences are divided by the largest, whose powers may be
/// too large or too small for a float.
fn minkowski<P: Vector>(a: P, b: P, p: f64) -> P::Scalar {
    let apart = |axis: usize| -> f64 { (a.axis(axis) - b.axis(axis)).into().abs() };
    let most = (0..P::DIM).map(apart).fold(0.0, f64::max);
    if most == 0.0 {
        return P::Scalar::ZERO;
    }
    let sum: f64 = (0..P::DIM).map(|axis| (apart(axis) / most).powf(p)).sum();
    P::Scalar::from_f64(most * sum.powf(1.0 / p))
}

/// What a point may be.
pub(super) trait Point:
    Vector<Scalar: Number>
    + Bounded<Vector = Self>
    + Region<Vector = Self>
    + Distance
    + DistanceBy<Manhattan>
    + DistanceBy<Chebyshev>
{
}

impl<P> Point for P where
    P: Vector<Scalar: Number>
        + Bounded<Vector = P>
        + Region<Vector = P>
        + Distance
        + DistanceBy<Manhattan>
        + DistanceBy<Chebyshev>
{
}

/// A point that was found: how far it is, squared by Euclid, and which.
pub(super) type Found<S> = (S, u32);

/// The points, and the box that they are in.
pub(super) struct Points<P: Point> {
    pub(super) tree: Orthtree<P>,
    space: Option<Box<Space<P>>>,
}

/// A periodic box, and where in it the points are.
struct Space<P: Vector> {
    periodic: Periodic<P>,
    bounds: Aabb<P>,
}

impl<P: Point> Points<P> {
    pub(super) fn try_new(points: &[P], lengths: &[f64]) -> Result<Self, Error> {
        let tree = Orthtree::try_new(points)?;
        let space = match tree.bounds() {
            Some(bounds) if lengths.iter().any(|&length| length > 0.0) => {
                let end = |axis: usize| P::Scalar::from_f64(lengths[axis].max(0.0));
                let cuboid = Aabb::new(P::splat(Scalar::ZERO), P::from_fn(end));
                let mut on = P::axes(false);
                for (on, &length) in on.as_mut().iter_mut().zip(lengths) {
                    *on = length > 0.0;
                }
                let periodic = Periodic::try_on_axes(cuboid, on)?;
                Some(Box::new(Space { periodic, bounds }))
            }
            _ => None,
        };
        Ok(Self { tree, space })
    }

    pub(super) fn is_periodic(&self) -> bool {
        self.space.is_some()
    }

    /// Appends what is within a radius, each once.
    pub(super) fn list(&self, x: P, radius: P::Scalar, norm: Norm, list: &mut Vec<u32>) {
        let before = list.len();
        let images = self.each_image(x, |place| {
            self.list_here(place, radius, norm, list);
            radius
        });
        if images > 1 && self.meets_itself(radius) {
            list[before..].sort_unstable();
            let mut end = before;
            for at in before..list.len() {
                if at == before || list[at] != list[end - 1] {
                    list[end] = list[at];
                    end += 1;
                }
            }
            list.truncate(end);
        }
    }

    /// How many are within a radius.
    pub(super) fn count(&self, x: P, radius: P::Scalar, norm: Norm, list: &mut Vec<u32>) -> usize {
        if self.meets_itself(radius) {
            list.clear();
            self.list(x, radius, norm, list);
            return list.len();
        }
        let mut many = 0;
        self.each_image(x, |place| {
            many += self.count_here(place, radius, norm);
            radius
        });
        many
    }

    /// The nearest, in order, ties by index: of each point the nearest image.
    pub(super) fn nearest(
        &self,
        x: P,
        many: usize,
        norm: Norm,
        radius: P::Scalar,
    ) -> Vec<Found<P::Scalar>> {
        if many == 0 || self.space.is_none() {
            return self.nearest_here(x, many, norm, radius);
        }
        // A point that is one of the best is, by its nearest image, one of the best of that image of the box.
        let mut best: Vec<Found<P::Scalar>> = Vec::new();
        let (mut limit, mut first) = (radius, true);
        self.each_image(x, |place| {
            let found = self.nearest_here(place, many, norm, limit);
            if !found.is_empty() {
                best.extend(found);
                if !first {
                    // Of each point the nearest, and then all by distance.
                    best.sort_unstable_by(|a, b| {
                        (a.1, a.0).partial_cmp(&(b.1, b.0)).expect("finite")
                    });
                    best.dedup_by_key(|found| found.1);
                    best.sort_unstable_by(|a, b| a.partial_cmp(b).expect("finite"));
                    best.truncate(many);
                }
                first = false;
                if best.len() == many {
                    let last = best[many - 1].0;
                    // Not less than the distance, squared or not, whose ties count.
                    let last = if norm == Norm::Euclid {
                        Scalar::sqrt(last).next_up()
                    } else {
                        last
                    };
                    limit = limit.smaller(last);
                }
            }
            limit
        });
        best
    }

    /// Clusters by density.
    pub(super) fn grouped(&self, radius: P::Scalar, min_points: usize) -> Result<Groups, Error> {
        match &self.space {
            Some(space) => space.periodic.dbscan(&self.tree, radius, min_points),
            None => Ok(self.tree.dbscan(radius, min_points)),
        }
    }

    /// Whether a ball may reach two images of one point.
    fn meets_itself(&self, radius: P::Scalar) -> bool {
        let Some(space) = &self.space else {
            return false;
        };
        let lengths = space.periodic.lengths();
        let reach: f64 = radius.into() * 2.001;
        (0..P::DIM)
            .any(|axis| lengths.axis(axis) > Scalar::ZERO && lengths.axis(axis).into() <= reach)
    }

    /// Calls `f` with the place and its images next to it from which a point may be near enough, and returns how many
    /// they were; `f` says what is near enough from then on.
    fn each_image(&self, x: P, mut f: impl FnMut(P) -> P::Scalar) -> usize {
        let Some(space) = &self.space else {
            f(x);
            return 1;
        };
        let Space { periodic, bounds } = &**space;
        let (x, lengths) = (periodic.wrap(x), periodic.lengths());
        let mut reach = f(x);
        let mut images = 1;
        'images: for image in 1..3_usize.pow(P::DIM as u32) {
            let mut rest = image;
            let mut place = P::axes(P::Scalar::ZERO);
            for (axis, place) in place.as_mut().iter_mut().enumerate() {
                let (at, length) = (x.axis(axis), lengths.axis(axis));
                let (moved, gap) = match rest % 3 {
                    0 => (at, P::Scalar::ZERO),
                    1 => (at - length, bounds.min().axis(axis) - (at - length)),
                    _ => (at + length, (at + length) - bounds.max().axis(axis)),
                };
                if rest % 3 != 0 && (length == Scalar::ZERO || gap > reach) {
                    continue 'images;
                }
                *place = moved;
                rest /= 3;
            }
            reach = f(P::from_fn(|axis| place.as_ref()[axis]));
            images += 1;
        }
        images
    }

    fn list_here(&self, x: P, radius: P::Scalar, norm: Norm, list: &mut Vec<u32>) {
        // What is not a ball, as of a radius below 0, holds nothing.
        match norm {
            Norm::Euclid => self.append(Sphere::try_new(x, radius), list),
            Norm::Manhattan => self.append(NormBall::try_new(x, radius, Manhattan), list),
            Norm::Chebyshev => self.append(NormBall::try_new(x, radius, Chebyshev), list),
            Norm::Minkowski(p) => {
                // No difference is greater than the distance.
                let begin = list.len();
                self.list_here(x, radius, Norm::Chebyshev, list);
                let mut near = list.split_off(begin);
                near.retain(|&item| self.minkowski(x, item, p) <= radius);
                list.append(&mut near);
            }
        }
    }

    fn append<R: Region<Vector = P> + Overlaps<P>, E>(
        &self,
        ball: Result<R, E>,
        list: &mut Vec<u32>,
    ) {
        if let Ok(ball) = ball {
            self.tree.query(ball).append_to(list);
        }
    }

    fn count_here(&self, x: P, radius: P::Scalar, norm: Norm) -> usize {
        match norm {
            Norm::Euclid => Sphere::try_new(x, radius).map_or(0, |ball| self.tree.count(ball)),
            Norm::Manhattan => {
                NormBall::try_new(x, radius, Manhattan).map_or(0, |ball| self.tree.count(ball))
            }
            Norm::Chebyshev => {
                NormBall::try_new(x, radius, Chebyshev).map_or(0, |ball| self.tree.count(ball))
            }
            Norm::Minkowski(_) => {
                let mut list = Vec::new();
                self.list_here(x, radius, norm, &mut list);
                list.len()
            }
        }
    }

    fn nearest_here(
        &self,
        x: P,
        many: usize,
        norm: Norm,
        radius: P::Scalar,
    ) -> Vec<Found<P::Scalar>> {
        match norm {
            Norm::Euclid => {
                let found = self.tree.nearest_n_within(x, many, radius).into_iter();
                found
                    .map(|near| (near.distance_sq, near.item as u32))
                    .collect()
            }
            Norm::Manhattan => self.nearest_by(x, many, Manhattan, radius),
            Norm::Chebyshev => self.nearest_by(x, many, Chebyshev, radius),
            Norm::Minkowski(p) => {
                // Nothing is farther than the farthest of those that are the nearest by another norm.
                let near = self.nearest_by(x, many, Chebyshev, radius);
                let far = near.iter().map(|&(_, item)| self.minkowski(x, item, p));
                let far = far.fold(P::Scalar::ZERO, Scalar::larger);
                let mut list = Vec::new();
                let reach = if near.len() < many {
                    P::Scalar::MAX
                } else {
                    far
                };
                let reach = reach.smaller(radius);
                self.list_here(x, reach, norm, &mut list);
                let measured = list.iter().map(|&item| (self.minkowski(x, item, p), item));
                let mut found: Vec<_> = measured.collect();
                found.sort_unstable_by(|a, b| a.partial_cmp(b).expect("finite"));
                found.truncate(many);
                found
            }
        }
    }

    fn minkowski(&self, x: P, item: u32, p: f64) -> P::Scalar {
        let point = self.tree.get(item as usize).expect("an item of the tree");
        minkowski(x, *point, p)
    }

    fn nearest_by<N>(&self, x: P, many: usize, norm: N, radius: P::Scalar) -> Vec<Found<P::Scalar>>
    where
        N: CrateNorm<P>,
        P: DistanceBy<N>,
    {
        let found = self.tree.by_norm(norm).nearest_n_within(x, many, radius);
        let found = found.into_iter();
        found.map(|near| (near.measure, near.item as u32)).collect()
    }
}

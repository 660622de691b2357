//! Queries of a tree with a single point, by any norm, in a periodic box or not.

use orthant::{
    Aabb, Bounded, Chebyshev, Distance, DistanceBy, Error, Groups, Manhattan, Norm as CrateNorm,
    NormBall, Orthtree, Overlaps, Periodic, Region, Scalar, SpatialIndex, Sphere, Translate,
    Vector, Voxel,
};
use pyo3::PyResult;

use crate::input::{Number, value_error};

/// The norm that measures distances.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Norm {
    Manhattan,
    Euclid,
    Chebyshev,
    /// The sum of powers of the differences, with this exponent.
    Minkowski(f64),
}

impl Norm {
    /// Returns the norm of an exponent.
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
    /// Returns the distance that is reported for a measure: the least radius that reaches it, so that queries with it find the point.
    pub(super) fn distance<S: Scalar>(self, measure: S) -> S {
        if self == Self::Euclid {
            measure.to_radius()
        } else {
            measure
        }
    }

    /// Returns the number that is compared for a difference: its squared length for the Euclidean norm, otherwise its length.
    fn measure<P: Point>(self, apart: P) -> P::Scalar {
        let here = P::splat(Scalar::ZERO);
        match self {
            Self::Manhattan => apart.measure(&Manhattan, here),
            Self::Euclid => apart.distance_sq(here),
            Self::Chebyshev => apart.measure(&Chebyshev, here),
            Self::Minkowski(p) => minkowski(apart, p),
        }
    }
}

/// Returns the length of a difference by the norm of exponent `p`. The difference is divided by its largest part, since powers might be too
/// large or too small for a float.
fn minkowski<P: Vector>(apart: P, p: f64) -> P::Scalar {
    let part = |axis: usize| -> f64 { apart.axis(axis).into().abs() };
    let most = (0..P::DIM).map(part).fold(0.0, f64::max);
    if most == 0.0 {
        return P::Scalar::ZERO;
    }
    let sum: f64 = (0..P::DIM).map(|axis| (part(axis) / most).powf(p)).sum();
    P::Scalar::from_f64(most * sum.powf(1.0 / p))
}

/// The bounds of a point.
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

/// A point that was found: its distance, squared for the Euclidean norm, and its index.
pub(super) type Found<S> = (S, u32);

/// The points, and their periodic box.
pub(super) struct Points<P: Point> {
    pub(super) tree: Orthtree<P>,
    space: Option<Box<Space<P>>>,
}

/// A periodic box, and the box around the points in it.
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

    /// Appends the points within a radius, each once.
    pub(super) fn list(&self, x: P, radius: P::Scalar, norm: Norm, list: &mut Vec<u32>) {
        let before = list.len();
        let x = self.wrapped(x);
        let images = self.each_image(x, |image| {
            self.list_in(x, image, radius, norm, list);
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

    /// Returns the number of points within a radius.
    pub(super) fn count(&self, x: P, radius: P::Scalar, norm: Norm, list: &mut Vec<u32>) -> usize {
        if self.meets_itself(radius) {
            list.clear();
            self.list(x, radius, norm, list);
            return list.len();
        }
        let mut many = 0;
        let x = self.wrapped(x);
        self.each_image(x, |image| {
            many += self.count_in(x, image, radius, norm);
            radius
        });
        many
    }

    /// Finds the nearest points, in order, ties by index; each point counts by its nearest image.
    pub(super) fn nearest(
        &self,
        x: P,
        many: usize,
        norm: Norm,
        radius: P::Scalar,
    ) -> Vec<Found<P::Scalar>> {
        let x = self.wrapped(x);
        // If a point is one of the best, it is, by its nearest image, one of the best of that image of the box.
        let mut best: Vec<Found<P::Scalar>> = Vec::new();
        let (mut limit, mut first) = (radius, true);
        self.each_image(x, |image| {
            let found = self.nearest_in(x, image, many, norm, limit);
            if !found.is_empty() {
                best.extend(found);
                if !first {
                    // Keep the nearest image of each point, and sort by distance.
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
                    // The bound is not less than the distance, squared or not, since ties count.
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

    /// Finds clusters by density.
    pub(super) fn grouped(&self, radius: P::Scalar, min_points: usize) -> Result<Groups, Error> {
        match &self.space {
            Some(space) => space.periodic.dbscan(&self.tree, radius, min_points),
            None => Ok(self.tree.dbscan(radius, min_points)),
        }
    }

    /// Returns true if a ball may reach two images of one point.
    fn meets_itself(&self, radius: P::Scalar) -> bool {
        let Some(space) = &self.space else {
            return false;
        };
        let lengths = space.periodic.lengths();
        let reach: f64 = radius.into() * 2.001;
        (0..P::DIM)
            .any(|axis| lengths.axis(axis) > Scalar::ZERO && lengths.axis(axis).into() <= reach)
    }

    /// Calls `f` with the images in which points may be near enough to a position, beginning with the image in which they are nearest, and
    /// returns their number. `f` returns the distance that is near enough from then on.
    fn each_image(&self, x: P, mut f: impl FnMut(P::Voxel) -> P::Scalar) -> usize {
        let here = P::Voxel::from_fn(|_| 0);
        let mut reach = f(here);
        let Some(space) = &self.space else {
            return 1;
        };
        let Space { periodic, bounds } = &**space;
        let lengths = periodic.lengths();
        let mut images = 1;
        'images: for number in 1..3_usize.pow(P::DIM as u32) {
            let mut rest = number;
            let mut image = here;
            for axis in 0..P::DIM {
                let (at, length) = (x.axis(axis), lengths.axis(axis));
                // The difference to the nearest end of the points, rounded as their distances are.
                let gap = match rest % 3 {
                    0 => P::Scalar::ZERO,
                    1 => (bounds.min().axis(axis) - at) + length,
                    _ => (at - bounds.max().axis(axis)) + length,
                };
                image = image.with(axis, [0, 1, -1][rest % 3]);
                // Squares are compared, which may be equal where the gap is larger.
                let is_beyond = gap > reach && gap * gap > reach * reach;
                if rest % 3 != 0 && (length == Scalar::ZERO || is_beyond) {
                    continue 'images;
                }
                rest /= 3;
            }
            reach = f(image);
            images += 1;
        }
        images
    }

    /// Returns the position in the box.
    fn wrapped(&self, x: P) -> P {
        let space = self.space.as_ref();
        space.map_or(x, |space| space.periodic.wrap(x))
    }

    fn list_in(&self, x: P, image: P::Voxel, radius: P::Scalar, norm: Norm, list: &mut Vec<u32>) {
        // An invalid ball, such as one of a negative radius, holds nothing.
        match norm {
            Norm::Euclid => self.append(Sphere::try_new(x, radius), image, list),
            Norm::Manhattan => self.append(NormBall::try_new(x, radius, Manhattan), image, list),
            Norm::Chebyshev => self.append(NormBall::try_new(x, radius, Chebyshev), image, list),
            Norm::Minkowski(p) => {
                // No difference is greater than the distance.
                let begin = list.len();
                self.list_in(x, image, radius, Norm::Chebyshev, list);
                let mut near = list.split_off(begin);
                near.retain(|&item| self.minkowski(x, image, item, p) <= radius);
                list.append(&mut near);
            }
        }
    }

    fn append<R, E>(&self, ball: Result<R, E>, image: P::Voxel, list: &mut Vec<u32>)
    where
        R: Region<Vector = P> + Translate + Overlaps<P>,
    {
        let Ok(ball) = ball else {
            return;
        };
        match &self.space {
            None => self.tree.query(ball).append_to(list),
            Some(space) => {
                if let Some(seen) = space.periodic.in_image::<P, R>(&ball, image) {
                    self.tree.query(seen).append_to(list);
                }
            }
        }
    }

    fn count_of<R, E>(&self, ball: Result<R, E>, image: P::Voxel) -> usize
    where
        R: Region<Vector = P> + Translate + Overlaps<P>,
    {
        let Ok(ball) = ball else {
            return 0;
        };
        match &self.space {
            None => self.tree.count(ball),
            Some(space) => {
                let seen = space.periodic.in_image::<P, R>(&ball, image);
                seen.map_or(0, |seen| self.tree.count(seen))
            }
        }
    }

    fn count_in(&self, x: P, image: P::Voxel, radius: P::Scalar, norm: Norm) -> usize {
        match norm {
            Norm::Euclid => self.count_of(Sphere::try_new(x, radius), image),
            Norm::Manhattan => self.count_of(NormBall::try_new(x, radius, Manhattan), image),
            Norm::Chebyshev => self.count_of(NormBall::try_new(x, radius, Chebyshev), image),
            Norm::Minkowski(_) => {
                let mut list = Vec::new();
                self.list_in(x, image, radius, norm, &mut list);
                list.len()
            }
        }
    }

    fn nearest_in(
        &self,
        x: P,
        image: P::Voxel,
        many: usize,
        norm: Norm,
        radius: P::Scalar,
    ) -> Vec<Found<P::Scalar>> {
        match norm {
            Norm::Euclid => {
                let found = match &self.space {
                    None => self.tree.nearest_n_within(x, many, radius),
                    Some(space) => {
                        let periodic = &space.periodic;
                        periodic.nearest_n_in_image(&self.tree, x, image, many, radius)
                    }
                };
                let found = found.into_iter();
                found
                    .map(|near| (near.distance_sq, near.item as u32))
                    .collect()
            }
            Norm::Manhattan => self.nearest_by(x, image, many, Manhattan, radius),
            Norm::Chebyshev => self.nearest_by(x, image, many, Chebyshev, radius),
            Norm::Minkowski(p) => {
                // No point is farther than the farthest of those that are nearest by the Chebyshev norm.
                let near = self.nearest_by(x, image, many, Chebyshev, radius);
                let far = near
                    .iter()
                    .map(|&(_, item)| self.minkowski(x, image, item, p));
                let far = far.fold(P::Scalar::ZERO, Scalar::larger);
                let mut list = Vec::new();
                let reach = if near.len() < many {
                    P::Scalar::MAX
                } else {
                    far
                };
                let reach = reach.smaller(radius);
                self.list_in(x, image, reach, norm, &mut list);
                let measured = list
                    .iter()
                    .map(|&item| (self.minkowski(x, image, item, p), item));
                let mut found: Vec<_> = measured.collect();
                found.sort_unstable_by(|a, b| a.partial_cmp(b).expect("finite"));
                found.truncate(many);
                found
            }
        }
    }

    fn minkowski(&self, x: P, image: P::Voxel, item: u32, p: f64) -> P::Scalar {
        let point = self.tree.get(item as usize).expect("an item of the tree");
        minkowski(self.apart(x, image, *point), p)
    }

    /// Returns the difference from a position to a point in an image.
    fn apart(&self, x: P, image: P::Voxel, point: P) -> P {
        let straight = P::from_fn(|a| point.axis(a) - x.axis(a));
        let Some(space) = &self.space else {
            return straight;
        };
        let offset = space.periodic.offset(image);
        P::from_fn(|a| straight.axis(a) + offset.axis(a))
    }

    fn nearest_by<N>(
        &self,
        x: P,
        image: P::Voxel,
        many: usize,
        norm: N,
        radius: P::Scalar,
    ) -> Vec<Found<P::Scalar>>
    where
        N: CrateNorm<P>,
        P: DistanceBy<N>,
    {
        match &self.space {
            None => {
                let found = self.tree.by_norm(norm).nearest_n_within(x, many, radius);
                let found = found.into_iter();
                found.map(|near| (near.measure, near.item as u32)).collect()
            }
            Some(space) => {
                let (tree, periodic) = (&self.tree, &space.periodic);
                let found = periodic.nearest_n_in_image_by(tree, &norm, x, image, many, radius);
                let found = found.into_iter();
                found
                    .map(|near| (near.distance_sq, near.item as u32))
                    .collect()
            }
        }
    }

    /// Returns the number that is compared for a position and the nearest image of a point.
    pub(super) fn measure(&self, from: P, to: P, norm: Norm) -> P::Scalar {
        let apart = match &self.space {
            Some(space) => space.periodic.displacement(from, to),
            None => P::from_fn(|a| to.axis(a) - from.axis(a)),
        };
        norm.measure(apart)
    }
}

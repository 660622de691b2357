//! Moves points into the box, and finds the image of a point near a place and the shortest displacement between points.

use super::Periodic;
use super::images::by_image;
use super::lattice::{Lattice, Wide, dot, narrow, wide};
use crate::lattice::floor;
use crate::overlap::Extent;
use crate::overlap::distance::point_sq;
use crate::vector::{Scalar, Vector, Voxel};

/// The most images that are compared for a displacement. If there are more, or they reach more than
/// [`MOST_IMAGES`](super::MOST_IMAGES) boxes, only [`BESIDE`] images on each side of the middle one are compared.
const MOST_COMPARED: usize = 10_000;
const BESIDE: i32 = 2;

/// How often a point is moved by the offset of an image before its fractional coordinates are reduced.
const MOST_SHIFTS: usize = 4;

impl<V: Vector> Periodic<V> {
    /// The image of a point in the box, in `[min, max)` on periodic axes; a coordinate that lies there stays as it is,
    /// others are rounded. In a skewed cell it may lie outside by no more than the rounding of coordinates. Infinities
    /// and NaN stay as they are.
    ///
    /// ```
    /// use orthant::{Aabb, Periodic};
    /// let periodic = Periodic::on_axes(Aabb::new([-2.0; 2], [2.0; 2]), [true, false]);
    /// assert_eq!(periodic.wrap([2.0, 2.0]), [-2.0, 2.0]);
    /// assert_eq!(periodic.wrap([-7.5, 9.0]), [0.5, 9.0]);
    /// ```
    #[must_use]
    pub fn wrap(&self, point: V) -> V {
        if self.is_box {
            return V::from_fn(|a| self.wrap_on(a, point.axis(a)));
        }
        self.lattice.wrap(point)
    }

    fn wrap_on(&self, axis: usize, x: V::Scalar) -> V::Scalar {
        let (min, max) = (self.bounds.min().axis(axis), self.bounds.max().axis(axis));
        let length = self.lattice.heights[axis];
        if length == 0.0 || (min <= x && x < max) || !x.is_finite() {
            return x;
        }
        let past = (x.into() - min.into()) % length;
        let past = if past < 0.0 { past + length } else { past };
        // The upper face counts as the lower one, and so does NaN, which comes of a difference that overflows.
        let wrapped = V::Scalar::from_f64(min.into() + past);
        if min <= wrapped && wrapped < max {
            wrapped
        } else {
            min
        }
    }

    /// The displacement from one point to the nearest image of another: `(to - from) + offset(k)` on each axis, each
    /// operation rounded, where `k` is the image for which this is shortest. In a box each axis is decided by itself;
    /// in a skewed cell the squared length decides. The displacement back is the exact negative, even if two images are
    /// equally near. On axes that are not periodic it is `to - from`.
    ///
    /// Points so far away that 32-bit integers do not number their images are [wrapped](Self::wrap) first. In a skewed
    /// cell more than 10 000 images may be in question, where it is thousands of times as long as thick or rounding is
    /// coarser than a vector is long: then only those beside the nearest one by the numbers of its vectors are
    /// compared. O(1).
    ///
    /// ```
    /// use orthant::{Aabb, Periodic, glam::Vec3};
    /// let periodic = Periodic::on_axes(Aabb::new(Vec3::ZERO, Vec3::splat(10.0)), [true, true, false]);
    /// let (a, b) = (Vec3::new(1.0, 5.0, 1.0), Vec3::new(9.5, 6.0, 9.0));
    /// assert_eq!(periodic.displacement(a, b), Vec3::new(-1.5, 1.0, 8.0));
    /// ```
    #[must_use]
    pub fn displacement(&self, from: V, to: V) -> V {
        let apart = |from: V, to: V| V::from_fn(|a| to.axis(a) - from.axis(a));
        let straight = apart(from, to);
        if !self.is_box {
            let wrapped = || apart(self.wrap(from), self.wrap(to));
            let nearest = self.shortest(straight);
            let nearest = nearest.or_else(|| self.shortest(wrapped()));
            return nearest.unwrap_or(straight);
        }
        V::from_fn(|axis| {
            let straight = straight.axis(axis);
            if !self.lattice.is_periodic(axis) {
                return straight;
            }
            self.shortest_on(axis, straight).unwrap_or_else(|| {
                let [from, to] = [from, to].map(|place| self.wrap_on(axis, place.axis(axis)));
                self.shortest_on(axis, to - from).unwrap_or(to - from)
            })
        })
    }

    /// The shortest of a difference and its images on an axis of a box; `None` where they cannot be numbered. The
    /// answer for the opposite difference is the opposite, since a negative difference is negated first.
    fn shortest_on(&self, axis: usize, straight: V::Scalar) -> Option<V::Scalar> {
        let length = V::Scalar::from_f64(self.lattice.heights[axis]);
        let size = straight.abs();
        let boxes = size.into() / length.into();
        if boxes.is_nan() || boxes >= f64::from(i32::MAX - 2) {
            return None;
        }
        let middle = floor(boxes + 0.5);
        let by = |boxes: i64| size - V::Scalar::from_f64(boxes as f64) * length;
        let shorter = |a: V::Scalar, b: V::Scalar| if b.abs() < a.abs() { b } else { a };
        let shortest = shorter(shorter(by(middle - 1), by(middle)), by(middle + 1));
        let is_negative = straight < V::Scalar::ZERO;
        Some(if is_negative {
            V::Scalar::ZERO - shortest
        } else {
            shortest
        })
    }

    /// The image of one point that is near another: its offset leads from `point` to `place`, up to about half of each
    /// vector. `None` if 32-bit integers do not number it.
    ///
    /// ```
    /// use orthant::{Aabb, Periodic, glam::{IVec2, Vec2}};
    /// let periodic = Periodic::on_axes(Aabb::new(Vec2::ZERO, Vec2::splat(10.0)), [true, false]);
    /// let place = Vec2::new(-25.5, 12.0);
    /// let wrapped = periodic.wrap(place);
    /// let image = periodic.image_near(wrapped, place).unwrap();
    /// assert_eq!((wrapped, image), (Vec2::new(4.5, 12.0), IVec2::new(-3, 0)));
    /// assert_eq!(wrapped + periodic.offset(image), place);
    /// ```
    #[must_use]
    pub fn image_near(&self, point: V, place: V) -> Option<V::Voxel> {
        let (point, place) = (wide(point), wide(place));
        let apart = crate::simd::from_fn(|axis| place[axis] - point[axis]);
        let image = self
            .lattice
            .numbers(&self.lattice.inverse, &apart, |times| times + 0.5);
        image.ok().filter(|_| apart.iter().all(|x| x.is_finite()))
    }

    /// The shortest of a difference and its images in a skewed cell, as each is rounded; `None` where they cannot be
    /// numbered. The answer for the opposite difference is the opposite, since a difference is negated first if its
    /// first coordinate other than 0 is negative.
    fn shortest(&self, straight: V) -> Option<V> {
        let zero = V::Scalar::ZERO;
        let first = (0..V::DIM).map(|a| straight.axis(a)).find(|&x| x != zero);
        let is_negative = first.is_some_and(|x| x < zero);
        let turned = |v: V| {
            V::from_fn(|a| {
                if is_negative {
                    zero - v.axis(a)
                } else {
                    v.axis(a)
                }
            })
        };
        let straight = turned(straight);
        let seen = |image| {
            let offset = self.offset(image);
            V::from_fn(|a| straight.axis(a) + offset.axis(a))
        };
        let ranked = |image| (point_sq(&V::splat(zero), seen(image)), image);

        // The image in the middle, by the reduced vectors, is one of the nearest. The offset of a near image is about the
        // negative of the difference.
        let (lattice, reduced) = (&self.lattice, &self.lattice.reduced);
        let back = wide(straight).map(|x| 0.0 - x);
        let middle = lattice.numbers(&reduced.inverse, &back, |times| times + 0.5);
        let middle = middle.ok()?;
        let first = ranked(lattice.image_of_reduced(middle)?);
        // Compare all images within its distance.
        let extent = Extent::of(&straight);
        let ball = self.ball_around(&extent, V::splat(zero), first.0.into());
        let block = self.reached(&extent, &ball, 0, &reduced.heights).ok();
        let block = block.filter(|block| block.cells() <= MOST_COMPARED);
        let block = block.unwrap_or_else(|| lattice.block_around(middle, BESIDE));
        let nearest = lattice.images_in(&block).map(ranked).fold(first, |a, b| {
            let is_before = b.0 < a.0 || b.0 == a.0 && by_image(&b.1, &a.1).is_lt();
            if is_before { b } else { a }
        });
        Some(turned(seen(nearest.1)))
    }
}

impl Lattice {
    /// Moves a point into the cell, but for rounding.
    ///
    /// Subtracting offsets of images leads into the cell, unless the point is far away or the cell is so thin that
    /// offsets are rounded by more than its height. Then the point is placed by the fractions of its coordinates along
    /// the vectors, which rounds once.
    fn wrap<V: Vector>(&self, mut point: V) -> V {
        if point.non_finite_axis().is_some() {
            return point;
        }
        let epsilon: f64 = V::Scalar::EPSILON.into();
        let apart = |point: V| crate::simd::from_fn(|a| wide(point)[a] - self.origin[a]);
        // A point on a face, up to rounding, stays.
        let round = |times: f64| {
            let is_on_face = times < 0.0 && times > -16.0 * epsilon;
            if is_on_face { 0.0 } else { times }
        };
        for _ in 0..MOST_SHIFTS {
            let from = apart(point);
            point = match self.numbers(&self.inverse, &from, round) {
                Ok(image) if image == V::Voxel::from_fn(|_| 0) => return point,
                Ok(image) => {
                    let offset: V = self.offset(image);
                    V::from_fn(|a| point.axis(a) - offset.axis(a))
                }
                Err(_) => self.fold(&from),
            };
        }
        // Rounding may make it alternate between two images, each slightly outside: then keep the point, unless it lies outside by more than rounding.
        let from = apart(point);
        let sizes: Wide = crate::simd::from_fn(|a| {
            let parts = self.vectors.iter().chain([&self.origin, &from]);
            parts.map(|part| part[a].abs()).sum()
        });
        let is_outside = self.periodic_vectors().any(|vector| {
            let row = &self.inverse[vector];
            let rounded = 4.0 * epsilon * dot(&row.map(f64::abs), &sizes);
            !(-rounded..=1.0 + rounded).contains(&dot(row, &from))
        });
        if is_outside { self.fold(&from) } else { point }
    }

    /// The place of a point in the cell, by the fractions of its coordinates along the vectors; the origin if that
    /// overflows.
    fn fold<V: Vector>(&self, from: &Wide) -> V {
        let mut place = [0.0; 4];
        for vector in 0..V::DIM {
            let mut rest = dot(&self.inverse[vector], from);
            if self.is_periodic(vector) {
                // If the point is far away, this is 0, since all digits are whole.
                rest %= 1.0;
                rest = if rest < 0.0 { rest + 1.0 } else { rest };
            }
            if rest.is_finite() {
                for (place, x) in place.iter_mut().zip(self.edge(vector)) {
                    *place += rest * x;
                }
            }
        }
        narrow(&crate::simd::from_fn(|a| self.origin[a] + place[a]))
    }
}

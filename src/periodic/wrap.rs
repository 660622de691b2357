//! Moves points into the box, and finds the image of a point near a place and the shortest displacement between points.

use super::Periodic;
use super::images::{Images, by_image};
use super::lattice::{Lattice, Wide, dot, wide};
use crate::lattice::{ceil, floor};
use crate::overlap::distance::point_sq;
use crate::vector::{Scalar, Vector, Voxel};

/// The most images that are compared for a displacement. More are in question only if rounding is coarser than a vector
/// is long, or one vector is thousands of times as long as another; then only [`BESIDE`] images on each side of the
/// middle one are compared.
const MOST_COMPARED: f64 = 1e4;
const BESIDE: i64 = 2;

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
            let nearest = self.lattice.shortest(straight);
            let nearest = nearest.or_else(|| self.lattice.shortest(wrapped()));
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
        let image = self.numbers_between(point, place, |axis, apart| {
            if self.is_box {
                return apart[axis] / self.lattice.heights[axis];
            }
            dot(&self.lattice.inverse[axis], apart)
        });
        let is_finite = [point, place].iter().all(|p| p.non_finite_axis().is_none());
        image_of(image).filter(|_| is_finite)
    }

    /// The numbers of the image of one place that is nearest to another, by the fractional coordinates that `times`
    /// computes of the displacement. They may be too large for an image.
    pub(super) fn numbers_between(
        &self,
        place: V,
        other: V,
        times: impl Fn(usize, &Wide) -> f64,
    ) -> [i64; 4] {
        let (place, other) = (wide(place), wide(other));
        let apart = crate::simd::from_fn(|axis| other[axis] - place[axis]);
        let mut numbers = [0; 4];
        for axis in self.lattice.periodic_vectors() {
            // The difference may overflow.
            let times = Some(times(axis, &apart)).filter(|times| !times.is_nan());
            numbers[axis] = times.map_or(i64::MAX, |times| floor(times + 0.5));
        }
        numbers
    }
}

/// The image with some numbers; `None` if they are not of 32 bits.
fn image_of<X: Voxel>(numbers: [i64; 4]) -> Option<X> {
    let is_image = numbers.iter().all(|&k| i32::try_from(k).is_ok());
    is_image.then(|| X::from_fn(|a| numbers[a] as i32))
}

impl<V: Vector> Lattice<V> {
    /// Moves a point into the cell, but for rounding.
    ///
    /// Subtracting offsets of images leads into the cell, unless the point is far away or the cell is so thin that
    /// offsets are rounded by more than its height. Then the point is placed by the fractions of its coordinates along
    /// the vectors, which rounds once.
    fn wrap(&self, point: V) -> V {
        if point.non_finite_axis().is_some() {
            return point;
        }
        let mut point = point;
        let epsilon: f64 = V::Scalar::EPSILON.into();
        let origin = wide(self.origin);
        let apart = |point: V| crate::simd::from_fn(|a| wide(point)[a] - origin[a]);
        for _ in 0..MOST_SHIFTS {
            let from = apart(point);
            let mut numbers = [0; 4];
            for vector in self.periodic_vectors() {
                let times = dot(&self.inverse[vector], &from);
                numbers[vector] = match floor(times) {
                    _ if times.is_nan() => i64::MAX,
                    // A point on a face, up to rounding, stays.
                    -1 if times > -16.0 * epsilon => 0,
                    whole => whole,
                };
            }
            if numbers == [0; 4] {
                return point;
            }
            point = image_of(numbers).map_or_else(
                || self.fold(&from),
                |image| {
                    let offset = self.offset(image);
                    V::from_fn(|a| point.axis(a) - offset.axis(a))
                },
            );
        }
        // Rounding may make it alternate between two images, each slightly outside.
        let from = apart(point);
        let parts = self.periodic_vectors().map(|v| wide(self.vectors[v]));
        let sizes = parts.chain([origin, from]).fold([0.0; 4], |sum, part| {
            crate::simd::from_fn(|a| sum[a] + f64::abs(part[a]))
        });
        let is_outside = self.periodic_vectors().any(|vector| {
            let rounded = 4.0 * epsilon * dot(&self.inverse[vector].map(f64::abs), &sizes);
            let times = dot(&self.inverse[vector], &from);
            times < -rounded || times > 1.0 + rounded
        });
        if is_outside { self.fold(&from) } else { point }
    }

    /// The place of a point in the cell, by the fractions of its coordinates along the vectors; the origin if that
    /// overflows.
    fn fold(&self, from: &Wide) -> V {
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
        V::from_fn(|a| V::Scalar::from_f64(self.origin.axis(a).into() + place[a]))
    }

    /// The shortest of a difference and its images, as each is rounded; `None` where they cannot be numbered. The
    /// answer for the opposite difference is the opposite, since a difference is negated first if its first coordinate
    /// other than 0 is negative.
    fn shortest(&self, straight: V) -> Option<V> {
        let zero = V::Scalar::ZERO;
        let first = (0..V::DIM).map(|a| straight.axis(a)).find(|&x| x != zero);
        if !first.is_some_and(|x| x < zero) {
            return self.shortest_up(straight);
        }
        let negated = |v: V| V::from_fn(|a| zero - v.axis(a));
        self.shortest_up(negated(straight)).map(negated)
    }

    /// The shortest of a difference and its images, if its first coordinate other than 0 is positive.
    fn shortest_up(&self, straight: V) -> Option<V> {
        // The offset of a near image is about the negative of the difference.
        let apart = wide(straight).map(|x| 0.0 - x);
        let sizes: f64 = apart.iter().map(|x| x.abs()).sum();
        let numbers = self.reduced.inverse.map(|row| dot(&row, &apart));
        // The difference may overflow.
        if numbers.iter().any(|number| number.is_nan()) {
            return None;
        }
        let seen = |image| {
            let offset = self.offset(image);
            V::from_fn(|a| straight.axis(a) + offset.axis(a))
        };
        let square = |image| point_sq(&V::splat(V::Scalar::ZERO), seen(image));

        // The image in the middle, by the reduced vectors, is one of the nearest.
        let mut middle = [0; 4];
        for v in self.periodic_vectors() {
            middle[v] = floor(numbers[v] + 0.5);
        }
        if middle.iter().any(|&k| k.abs() > i64::from(i32::MAX / 2)) {
            return None;
        }
        let first = self.image_of_reduced(V::Voxel::from_fn(|v| middle[v] as i32))?;
        let first_sq: f64 = square(first).into();

        // The distance along open directions is the same for all images, so it is subtracted.
        let multiples = self.multiples(first) + 4.0 * self.reduced.multiples;
        let rounded = (sizes + multiples) * 16.0 * V::Scalar::EPSILON.into();
        let open_sq: f64 = self.open_vectors().map(|v| numbers[v] * numbers[v]).sum();
        let open = (Scalar::sqrt(open_sq) - rounded).max(0.0);
        let mut radius = Scalar::sqrt(first_sq) + rounded;
        if open > 0.0 {
            radius = Scalar::sqrt((radius - open).max(0.0) * (radius + open));
        }

        // The images within that distance, by the heights of the reduced cell.
        let halves = self
            .reduced
            .heights
            .map(|height| radius / height * (1.0 + 1e-9));
        let lens = self.periodic_vectors().map(|v| 2.0 * halves[v] + 1.0);
        let images: f64 = lens.product();
        let mut block = [(0, 0); 4];
        for v in self.periodic_vectors() {
            block[v] = if images <= MOST_COMPARED {
                (ceil(numbers[v] - halves[v]), floor(numbers[v] + halves[v]))
            } else {
                (middle[v] - BESIDE, middle[v] + BESIDE)
            };
        }
        let block = Images::block(block).filter_map(|reduced| self.image_of_reduced(reduced));
        let images = core::iter::once(first).chain(block);
        let squares = images.map(|image| (square(image), image));
        let nearest = squares.reduce(|a, b| {
            let is_before = b.0 < a.0 || b.0 == a.0 && by_image(&b.1, &a.1).is_lt();
            if is_before { b } else { a }
        });
        nearest.map(|nearest| seen(nearest.1))
    }
}

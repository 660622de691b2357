//! Solids of few planes, asked of sixteen cells or items at once.
//!
//! Lanes decide what is certain: what lies in front of a plane, or behind all of them, by more than their
//! arithmetic can be wrong. Whatever is left is asked of the solid itself, so that a lane has the scalar answer. A
//! cell is never asked more than its planes: what is certain of it is certain of all that it holds.

use alloc::vec::Vec;

use fearless_simd::Simd;
use smallvec::SmallVec;

use super::{RadiusRange, W, WideRegion, splat};
use crate::bits::set_bits;
use crate::overlap::Relation;
use crate::overlap::columns::{Columns, point};
use crate::overlap::polytope::CrossAxis;
use crate::shape::Aabb;
use crate::shape::polytope::{HalfSpace, Point, Polytope, wide};
use crate::simd::{Column, LANES, Mask, Wide};
use crate::vector::{Scalar, Vector};

/// A solid, and its planes as lanes take them.
#[derive(Clone, Debug)]
pub struct Planes<V: Vector> {
    body: Polytope,
    faces: SmallVec<[Face<V::Scalar>; 6]>,
    /// The box around the solid, rounded outwards.
    around: Aabb<V>,
    /// The same rounded inwards: its corners.
    within: [V; 2],
    /// What else may part it from boxes; nothing where none are asked.
    cross_axes: Vec<CrossAxis>,
}

/// `n · x - k`, with the positive and the negative coordinates of the normal apart.
#[derive(Clone, Copy, Debug)]
struct Face<S> {
    up: [S; 3],
    down: [S; 3],
    k: S,
    /// How wrong it may be by `k`, and by numbers that are too small.
    slack: S,
    /// The normal's length, or a little more.
    length: S,
}

/// So many times the sum of the coordinates, and `k`, is more than the expressions can be wrong, those of the
/// solid in `f64` included: coordinates of normals are below 2, and a dozen operations round by half of an
/// epsilon each. By way of a larger number, which is infinite where sums might be: then nothing is certain.
fn slack_factors<S: Scalar>() -> [S; 2] {
    [S::from_f64(16.0), S::EPSILON + S::EPSILON]
}

impl<S: Scalar> Face<S> {
    fn new(plane: &HalfSpace) -> Self {
        let n = plane.n.map(S::from_f64);
        let k = S::from_f64(plane.k);
        let [large, small] = slack_factors::<S>();
        // Squares of what is larger than this are normal numbers.
        let least = S::from_f64(1e-140).larger(S::MIN_POSITIVE);
        Self {
            up: n.map(|x| x.larger(S::ZERO)),
            down: n.map(|x| x.smaller(S::ZERO)),
            k,
            slack: k.abs() * large * small + least,
            length: S::from_f64(Scalar::sqrt(plane.nn)) * (S::ONE + large * S::EPSILON),
        }
    }
}

impl<V: Vector> Planes<V> {
    /// None of what does not meet the plane of two-dimensional vectors.
    pub(crate) fn new(body: &Polytope) -> Option<Self> {
        let flat =
            |a: usize| a < V::DIM || body.bounds.min()[a] <= 0.0 && 0.0 <= body.bounds.max()[a];
        if !(0..3).all(flat) {
            return None;
        }
        let (bounds, most) = (body.bounds_in::<V>(), V::Scalar::MAX);
        let least = V::Scalar::ZERO - most;
        // Lanes that hold nothing are infinitely far.
        let low = V::from_fn(|a| bounds.min().axis(a).larger(least));
        let high = V::from_fn(|a| bounds.max().axis(a).smaller(most));
        Some(Self {
            body: body.clone(),
            faces: body.planes.iter().map(Face::new).collect(),
            around: Aabb::from_corners(low, high),
            within: [
                V::from_fn(|a| low.axis(a).next_up()),
                V::from_fn(|a| high.axis(a).next_down()),
            ],
            cross_axes: Vec::new(),
        })
    }

    /// For trees of boxes, which ask often how far it reaches.
    pub(crate) fn for_boxes(mut self) -> Self {
        self.cross_axes.reserve_exact(3 * self.body.edges.len());
        self.cross_axes.extend(self.body.cross_axes());
        self
    }

    /// The same in other vectors.
    pub(crate) fn cast<U: Vector<Array = V::Array, Scalar = V::Scalar>>(self) -> Planes<U> {
        Planes {
            body: self.body,
            faces: self.faces,
            around: self.around.cast(),
            within: self.within.map(|corner| U::of_array(corner.array())),
            cross_axes: self.cross_axes,
        }
    }

    #[inline(never)]
    fn overlaps_box(&self, low: Point, high: Point) -> bool {
        let cell = Aabb::from_corners(low, high);
        let separated = || self.cross_axes.iter().any(|axis| axis.separates(&cell));
        self.body.overlaps_box_unless(&cell, separated)
    }

    #[inline(never)]
    fn overlaps_point(&self, at: Point) -> bool {
        self.body.relate(&Aabb::point(at)) == Relation::Inside
    }

    #[inline(never)]
    fn overlaps_ball(&self, center: Point, radius: f64) -> bool {
        self.body.overlaps_ball(center, radius)
    }
}

/// What lanes say of boxes, or of balls with centers in them: which may overlap, and, of these, of which boxes a
/// point lies inside for certain, and all of them.
#[derive(Clone, Copy)]
struct Found {
    near: Mask,
    held: Mask,
    inside: Mask,
}

/// A solid, to be asked about sixteen cells or items at a time.
#[derive(Clone, Copy)]
pub(crate) struct Solid<'a, V: Vector, S: Simd> {
    simd: S,
    planes: &'a Planes<V>,
}

impl<'a, V: Vector, S: Simd> Solid<'a, V, S> {
    #[inline(always)]
    pub(crate) fn new(simd: S, planes: &'a Planes<V>) -> Self {
        Self { simd, planes }
    }

    #[inline(always)]
    fn splat(&self, value: V::Scalar) -> W<V, S> {
        splat::<V, S>(self.simd, value)
    }

    /// ```text
    /// near   = not in front of any plane, nor beyond the box around the solid
    /// inside = behind all planes, and within the box around the solid
    /// held   = inside but for one plane, of which the deepest corner is behind: this corner is inside
    /// ```
    #[inline(always)]
    fn relate(
        &self,
        low: &Columns<V>,
        high: &Columns<V>,
        radii: Option<&Column<V::Scalar>>,
    ) -> Found {
        let zero = self.splat(Scalar::ZERO);
        let (mut lows, mut highs, mut sum) = ([zero; 3], [zero; 3], zero);
        let (around, [least, most]) = (&self.planes.around, self.planes.within);
        let mut inside = Mask::new(self.simd, !0);
        let mut near = inside;
        for axis in 0..V::DIM.min(3) {
            let lo = <W<V, S>>::load(self.simd, &low.as_ref()[axis].0);
            let hi = <W<V, S>>::load(self.simd, &high.as_ref()[axis].0);
            sum = sum + hi.larger(zero - lo);
            if radii.is_none() {
                near = near
                    & lo.at_most(self.splat(around.max().axis(axis)))
                    & self.splat(around.min().axis(axis)).at_most(hi);
            }
            inside = inside
                & self.splat(least.axis(axis)).at_most(lo)
                & hi.at_most(self.splat(most.axis(axis)));
            (lows[axis], highs[axis]) = (lo, hi);
        }
        let mut held = inside;
        let (mut reach, mut none) = (zero, zero);
        if let Some(radii) = radii {
            // Without a lane that holds nothing, and not a number where the square is infinite.
            near = near & lows[0].at_most(self.splat(Scalar::MAX));
            reach = <W<V, S>>::load(self.simd, &radii.0);
            none = reach * reach * zero;
        }
        let [large, small] = slack_factors::<V::Scalar>();
        let slack = sum * self.splat(large) * self.splat(small);
        for face in &self.planes.faces {
            let k = self.splat(face.k);
            let (mut least, mut most) = (zero, zero);
            for axis in 0..V::DIM.min(3) {
                let (up, down) = (self.splat(face.up[axis]), self.splat(face.down[axis]));
                least = least + up * lows[axis] + down * highs[axis];
                most = most + up * highs[axis] + down * lows[axis];
            }
            let slack = slack + self.splat(face.slack);
            let beyond = slack + reach * self.splat(face.length) + none;
            near = near & !zero.at_most(least - k - beyond);
            let behind = (most - k + slack).at_most(zero);
            held = (held & behind) | (inside & (least - k + slack).at_most(zero));
            inside = inside & behind;
        }
        Found {
            near,
            held: near & held,
            inside: near & inside,
        }
    }

    /// Those held, and those of the others near that `overlaps` tells.
    #[inline(always)]
    fn decided(&self, found: Found, overlaps: impl Fn(usize) -> bool) -> Mask {
        let mut bits = found.held.bits(self.simd);
        for lane in set_bits((found.near & !found.held).bits(self.simd)) {
            bits |= u32::from(overlaps(lane)) << lane;
        }
        Mask::new(self.simd, bits)
    }
}

impl<V: Vector, S: Simd> WideRegion<V, S> for Solid<'_, V, S> {
    #[inline(always)]
    fn meets_points(&self, points: &Columns<V>) -> Mask {
        self.decided(self.relate(points, points, None), |lane| {
            self.planes.overlaps_point(wide(point::<V>(points, lane)))
        })
    }

    #[inline(always)]
    fn meets_row(&self, coordinates: &[V::Scalar], stride: usize) -> Mask {
        let mut points = V::axes(Column([Scalar::ZERO; LANES]));
        for (axis, column) in points.as_mut().iter_mut().enumerate() {
            let lanes = coordinates[axis * stride..].first_chunk();
            column.0 = *lanes.expect("sixteen lanes to the end of the last axis");
        }
        self.meets_points(&points)
    }

    #[inline(always)]
    fn meets_boxes(&self, low: &Columns<V>, high: &Columns<V>) -> Mask {
        self.decided(self.relate(low, high, None), |lane| {
            let (low, high) = (point::<V>(low, lane), point::<V>(high, lane));
            self.planes.overlaps_box(wide(low), wide(high))
        })
    }

    #[inline(always)]
    fn may_meet_boxes(&self, low: &Columns<V>, high: &Columns<V>) -> Mask {
        self.relate(low, high, None).near
    }

    #[inline(always)]
    fn meets_balls(&self, centers: &Columns<V>, radii: &Column<V::Scalar>) -> Mask {
        self.decided(self.relate(centers, centers, Some(radii)), |lane| {
            let center = wide(point::<V>(centers, lane));
            self.planes.overlaps_ball(center, radii.0[lane].into())
        })
    }

    #[inline(always)]
    fn may_meet_balls(
        &self,
        low: &Columns<V>,
        high: &Columns<V>,
        radii: &RadiusRange<V::Scalar>,
    ) -> Mask {
        self.relate(low, high, Some(&radii[1])).near
    }

    #[inline(always)]
    fn holds(&self, low: &Columns<V>, high: &Columns<V>) -> Mask {
        self.relate(low, high, None).inside
    }

    /// Those whose centers lie inside.
    #[inline(always)]
    fn holds_balls(&self, low: &Columns<V>, high: &Columns<V>, _: &RadiusRange<V::Scalar>) -> Mask {
        self.holds(low, high)
    }
}

//! Solids of few planes against sixteen cells or items at once. A cell certainly lies outside if it lies in front of
//! a plane, and inside if it lies behind all of them, by more than the error bound. Cells are compared with nothing
//! but planes.

use alloc::vec::Vec;

use fearless_simd::Simd;
use smallvec::SmallVec;

use super::inexact::{BoxColumns, Item, LaneRelations};
use super::{W, splat};
use crate::overlap::polytope::CrossAxis;
use crate::overlap::widen;
use crate::shape::Aabb;
use crate::shape::polytope::{HalfSpace, Polytope, wide};
use crate::simd::{Mask, Wide};
use crate::vector::{Scalar, Vector};

/// A solid, with its planes prepared for lanes.
#[derive(Clone, Debug)]
pub struct Planes<V: Vector> {
    body: Polytope,
    faces: SmallVec<[Face<V::Scalar>; 6]>,
    /// The greatest length of a normal.
    longest: V::Scalar,
    /// The box around the solid, rounded outwards.
    around: Aabb<V>,
    /// The corners of that box, rounded inwards.
    within: [V; 2],
    /// Further separating axes; empty unless the items are boxes.
    cross_axes: Vec<CrossAxis>,
}

/// `n · x - k`, with the positive and the negative coordinates of the normal apart.
#[derive(Clone, Copy, Debug)]
struct Face<S> {
    up: [S; 3],
    down: [S; 3],
    k: S,
    /// Bound on the errors due to `k` and to underflow.
    slack: S,
    /// The normal's length, or a little more.
    length: S,
}

/// Two factors whose product, times the sum of the coordinates and `k`, bounds the error of the expressions, those of
/// the solid in `f64` included: coordinates of normals are below 2, and a dozen operations round by half of an
/// epsilon each. The first factor makes the product infinite wherever a sum might be: then nothing is certain.
fn slack_factors<S: Scalar>() -> [S; 2] {
    [S::from_f64(16.0), S::EPSILON + S::EPSILON]
}

impl<S: Scalar> Face<S> {
    fn new(plane: &HalfSpace) -> Self {
        let n = plane.n.map(S::from_f64);
        let k = S::from_f64(plane.k);
        let [large, small] = slack_factors::<S>();
        // The squares of larger numbers are normal.
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
    pub(crate) fn new(body: &Polytope) -> Self {
        // Finite, so that lanes that hold nothing, which are infinitely far, lie outside.
        let around = body.finite_bounds_in::<V>();
        let faces: SmallVec<[Face<V::Scalar>; 6]> = body.planes.iter().map(Face::new).collect();
        let lengths = faces.iter().map(|face| face.length);
        Self {
            body: body.clone(),
            longest: lengths.fold(Scalar::ZERO, Scalar::larger),
            faces,
            around,
            within: [
                V::from_fn(|a| around.min().axis(a).next_up()),
                V::from_fn(|a| around.max().axis(a).next_down()),
            ],
            cross_axes: Vec::new(),
        }
    }

    /// Computes further separating axes once, for trees of boxes.
    pub(super) fn prepare_for_boxes(&mut self) {
        self.cross_axes = self.body.cross_axes().collect();
    }

    pub(super) fn overlaps(&self, item: &Item<V>) -> bool {
        match item {
            Item::Point(at) => self.body.holds(wide(*at)),
            Item::Box(cell) => {
                let cell = widen(cell);
                let separated = || self.cross_axes.iter().any(|axis| axis.separates(&cell));
                self.body.overlaps_box_unless(&cell, separated)
            }
            Item::Ball(ball) => {
                let radius = ball.radius().into();
                self.body.overlaps_ball(wide(ball.center()), radius)
            }
        }
    }

    /// Compares sixteen boxes, or balls with centers in them, with the planes:
    ///
    /// ```text
    /// near   = not in front of any plane, nor beyond the box around the solid
    /// inside = behind all planes, and within the box around the solid
    /// held   = inside, but for one plane that has a corner behind it: this corner is inside
    /// ```
    #[inline(always)]
    pub(super) fn relate<S: Simd>(&self, simd: S, cells: BoxColumns<'_, V>) -> LaneRelations {
        let (low, high, radii) = cells;
        let zero = splat::<V, S>(simd, Scalar::ZERO);
        let (mut lows, mut highs, mut sum) = ([zero; 3], [zero; 3], zero);
        let (around, [least, most]) = (&self.around, self.within);
        let mut inside = Mask::new(simd, !0);
        let mut near = inside;
        // Load the boxes and compare them with the box around the solid.
        for axis in 0..V::DIM.min(3) {
            let lo = <W<V, S>>::load(simd, &low.as_ref()[axis].0);
            let hi = <W<V, S>>::load(simd, &high.as_ref()[axis].0);
            sum = sum + hi.larger(zero - lo);
            if radii.is_none() {
                near = near
                    & lo.at_most(splat::<V, S>(simd, around.max().axis(axis)))
                    & splat::<V, S>(simd, around.min().axis(axis)).at_most(hi);
            }
            inside = inside
                & splat::<V, S>(simd, least.axis(axis)).at_most(lo)
                & hi.at_most(splat::<V, S>(simd, most.axis(axis)));
            (lows[axis], highs[axis]) = (lo, hi);
        }
        let mut held = inside;
        let (mut reach, mut nan_or_zero) = (zero, zero);
        if let Some(radii) = radii {
            // Leave out lanes that hold nothing. `nan_or_zero` is NaN where a square in the exact test may be
            // infinite.
            near = near & lows[0].at_most(splat::<V, S>(simd, Scalar::MAX));
            reach = <W<V, S>>::load(simd, &radii.0);
            let most = reach * splat::<V, S>(simd, self.longest);
            nan_or_zero = most * most * zero;
        }
        let [large, small] = slack_factors::<V::Scalar>();
        let slack = sum * splat::<V, S>(simd, large) * splat::<V, S>(simd, small);
        // Compare the nearest and the farthest corner with each plane.
        for face in &self.faces {
            let k = splat::<V, S>(simd, face.k);
            let (mut least, mut most) = (zero, zero);
            for axis in 0..V::DIM.min(3) {
                let (up, down) = (
                    splat::<V, S>(simd, face.up[axis]),
                    splat::<V, S>(simd, face.down[axis]),
                );
                least = least + up * lows[axis] + down * highs[axis];
                most = most + up * highs[axis] + down * lows[axis];
            }
            let slack = slack + splat::<V, S>(simd, face.slack);
            let beyond = slack + reach * splat::<V, S>(simd, face.length) + nan_or_zero;
            near = near & !zero.at_most(least - k - beyond);
            let behind = (most - k + slack).at_most(zero);
            held = (held & behind) | (inside & (least - k + slack).at_most(zero));
            inside = inside & behind;
        }
        LaneRelations {
            near,
            held: near & held,
            inside: near & inside,
        }
    }
}

//! The rules that decide which bodies are pairs, and which boxes stand for them in the tree.

use super::Kernels;
use super::{BodyInfo, Broadphase, Filter, Motion, Volume, World};

use crate::error::{Error, ShapeError, or_panics};
use crate::handle::Handle;
use crate::overlap::Overlaps;
use crate::shape::{Aabb, Bounded};
use crate::sweep::{Impact, Moving, Sweep};
use crate::vector::{Scalar, Vector};

/// The distance at which bodies are still a pair, and how wide boxes in the tree are.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Rules<S> {
    /// How far fat boxes reach beyond what they must hold.
    pub(super) margin: S,
    /// How far volumes are inflated before they are tested.
    pub(super) prediction: S,
    /// True if pairs are those of the fat boxes.
    pub(super) fat: bool,
    /// True if there are pairs at all.
    pub(super) paired: bool,
}

/// The tests that a body's pairs need beyond the overlap of boxes. A pair needs the stronger of its two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(super) enum Judged {
    /// Nothing: a dynamic body without a filter.
    Never,
    /// Static and unfiltered: the other body's motion decides.
    ByMotion,
    /// Motions and filters.
    ByInfo,
    /// Motions, filters and the volumes, since boxes in the tree do not decide whether these touch.
    ByShape,
}

/// A fat box is replaced if it reaches beyond a new one by more than this many margins, as in `b2DynamicTree` of `Box2D`.
const MOST_LOOSE: f64 = 4.0;

impl<S: Scalar> Rules<S> {
    /// The box that holds the inflated volume of a body on all of its path.
    #[inline]
    pub(super) fn reach<V: Vector<Scalar = S>>(&self, volume: &Volume<V>, path: V) -> Aabb<V> {
        on_the_way(&volume.inflated(self.prediction), path)
    }

    /// The fat box: a reach with the expected displacement and the margin.
    pub(super) fn fatten<V: Vector<Scalar = S>>(
        &self,
        reach: &Aabb<V>,
        displacement: V,
    ) -> Aabb<V> {
        if self.is_tight() {
            return *reach;
        }
        reach
            .union(&shifted(reach, displacement))
            .grown(self.margin)
    }

    /// True if a fat box can stay: it holds the reach, and is not much wider than the new box `fat`.
    pub(super) fn can_stay<V: Vector<Scalar = S>>(
        &self,
        held: &Aabb<V>,
        reach: &Aabb<V>,
        fat: &Aabb<V>,
    ) -> bool {
        let slack = S::from_f64(MOST_LOOSE);
        let most = fat.grown((slack * self.margin).smaller(S::MAX));
        held.contains(reach) && most.contains(held)
    }

    /// Refuses a box in the tree that cannot stand for a body: boxes that overlap would be taken for volumes that do.
    pub(super) fn check_held<V: Vector<Scalar = S>>(
        &self,
        held: &Aabb<V>,
        reach: &Aabb<V>,
    ) -> Result<(), &'static str> {
        if !held.contains(reach) {
            return Err("a body lies outside its fat box");
        }
        if self.is_tight() && held != reach {
            return Err("a body has a fat box without a margin");
        }
        Ok(())
    }

    /// The tests that a body's pairs need.
    pub(super) fn judged<V: Vector<Scalar = S>>(
        &self,
        volume: &Volume<V>,
        path: V,
        info: &BodyInfo,
    ) -> Judged {
        let still = path == V::splat(S::ZERO);
        let is_box = still && matches!(volume, Volume::Box(_));
        let by_shape = !(self.fat || is_box && self.is_tight());
        match info.motion {
            _ if by_shape => Judged::ByShape,
            Motion::Dynamic if info.filter == Filter::ALL => Judged::Never,
            Motion::Static if info.filter == Filter::ALL => Judged::ByMotion,
            _ => Judged::ByInfo,
        }
    }

    /// True if boxes in the tree are no wider than they must be.
    #[inline]
    pub(super) fn is_tight(&self) -> bool {
        self.margin == S::ZERO && !self.fat
    }

    /// True if the boxes in the tree are neither fat nor inflated: a body that is a box is its box in the tree.
    #[inline]
    pub(super) fn is_bare(&self) -> bool {
        self.is_tight() && self.prediction == S::ZERO
    }
}

/// When and where the first of two moving volumes touches the second.
fn impact<V: Vector>(
    (mover, by): (&Volume<V>, V),
    (target, its): (&Volume<V>, V),
) -> Option<Impact<V>> {
    if !on_the_way(mover, by).overlaps(&on_the_way(target, its)) {
        return None;
    }
    // As at rest, volumes touch no sooner than their boxes.
    let enter = if let (Volume::Box(_), Volume::Box(_)) = (mover, target) {
        V::Scalar::ZERO
    } else {
        let around = target.core();
        let moving = Moving::new(mover.core(), by).seen_from(&Moving::new(around, its));
        moving.bound_of_cell(&around)?
    };
    let impact = match (mover, target) {
        (Volume::Box(a), Volume::Box(b)) => Moving::new(*a, by).sweep(&Moving::new(*b, its)),
        (Volume::Box(a), Volume::Sphere(b)) => Moving::new(*a, by).sweep(&Moving::new(*b, its)),
        (Volume::Sphere(a), Volume::Box(b)) => Moving::new(*a, by).sweep(&Moving::new(*b, its)),
        (Volume::Sphere(a), Volume::Sphere(b)) => Moving::new(*a, by).sweep(&Moving::new(*b, its)),
    }?;
    let first = impact.first.larger(enter);
    Some(Impact {
        first,
        last: impact.last.larger(first),
        ..impact
    })
}

/// The box around a volume on all of its path, widened by more than the rounding of times of impact, so that it misses no impact.
fn on_the_way<V: Vector>(volume: &Volume<V>, by: V) -> Aabb<V> {
    let here = volume.core();
    if by == V::splat(V::Scalar::ZERO) {
        return here;
    }
    let to = shifted(&here, by);
    let most = V::Scalar::EPSILON * V::Scalar::from_f64(8.0);
    let rounding = |from: V, a: usize| {
        let (from, by) = (from.axis(a).abs(), by.axis(a).abs());
        if by == V::Scalar::ZERO {
            return by;
        }
        // The last term covers products that underflow.
        most * from + most * by + V::Scalar::MIN_POSITIVE
    };
    here.union(&Aabb::from_corners(
        V::from_fn(|a| to.min().axis(a).sub_down(rounding(here.min(), a))),
        V::from_fn(|a| to.max().axis(a).add_up(rounding(here.max(), a))),
    ))
}

/// The box moved by a vector, clamped to the finite numbers.
fn shifted<V: Vector>(bounds: &Aabb<V>, by: V) -> Aabb<V> {
    let most = V::Scalar::MAX;
    let shift = |corner: V| {
        V::from_fn(|a| {
            let there = corner.axis(a) + by.axis(a);
            there.smaller(most).larger(V::Scalar::ZERO - most)
        })
    };
    Aabb::from_corners(shift(bounds.min()), shift(bounds.max()))
}

/// Refuses a displacement or path, named `name`, that is not finite or leads beyond the finite numbers.
#[inline]
pub(super) fn check_displacement<V: Vector>(
    name: &'static str,
    volume: &Volume<V>,
    by: V,
) -> Result<(), ShapeError> {
    if by == V::splat(V::Scalar::ZERO) {
        return Ok(());
    }
    crate::shape::check_finite(name, by)?;
    let bounds = volume.core();
    let moved = |corner: V| V::from_fn(|a| corner.axis(a) + by.axis(a));
    crate::shape::check_finite("displaced min", moved(bounds.min()))?;
    crate::shape::check_finite("displaced max", moved(bounds.max()))
}

impl<V: Vector> World<V> {
    /// True if two bodies are a pair, given that their boxes in the tree overlap.
    #[inline(always)]
    pub(super) fn is_pair(&self, a: u32, b: u32) -> bool {
        let judged = |id: u32| self.bodies.judged[id as usize];
        let (least, most) = (judged(a).min(judged(b)), judged(a).max(judged(b)));
        if most <= Judged::ByMotion {
            return least == Judged::Never;
        }
        self.may_meet(a, b) && (most < Judged::ByShape || self.shapes_meet(a, b))
    }

    /// True if motions and filters allow a pair. Static bodies pair with dynamic ones only.
    #[inline(never)]
    fn may_meet(&self, a: u32, b: u32) -> bool {
        let [one, other] = [a, b].map(|id| &self.bodies.details[id as usize].info);
        let motions_meet = match (one.motion, other.motion) {
            (Motion::Static, other) | (other, Motion::Static) => other == Motion::Dynamic,
            _ => true,
        };
        motions_meet && one.filter.meets(other.filter)
    }

    /// True if two bodies touch at rest or on their paths, given that their boxes in the tree overlap.
    #[inline(never)]
    fn shapes_meet(&self, a: u32, b: u32) -> bool {
        let [(one, by), (other, other_by)] = [a, b].map(|id| {
            let volume = self.volume(id).inflated(self.rules.prediction);
            (volume, self.bodies.details[id as usize].path)
        });
        let still = V::splat(V::Scalar::ZERO);
        if by != still || other_by != still {
            return impact((&one, by), (&other, other_by)).is_some();
        }
        // If boxes in the tree are wider than they must be, the boxes that they must hold have to overlap too.
        let tight = self.rules.is_tight();
        one.shape_overlaps(&other) && (tight || one.core().overlaps(&other.core()))
    }

    pub(super) fn impact(&self, a: Handle, b: Handle) -> Option<Impact<V>> {
        let path = |body| self.bodies.details(body).map(|details| details.path);
        let by = [path(a)?, path(b)?];
        let [one, other] = [a, b].map(|body| self.volume(body.slot));
        impact((&one, by[0]), (&other, by[1]))
    }
}

// The methods that set rules.

impl<V: Vector> Broadphase<V> {
    or_panics! {
        /// Sets the margin by which fat boxes reach beyond what they must hold. No answer changes unless pairs are
        /// [fat](Self::with_fat_pairs), only costs: a body that stays in its fat box needs no work in the tree, but
        /// each pair of fat boxes has to be judged. By default the margin is 0, boxes are tight, and expected
        /// displacements are ignored, which is fastest unless pairs are fat.
        Broadphase: with_margin = try_with_margin(self, margin: V::Scalar)
    }

    /// Sets the margin as [`with_margin`](Self::with_margin) does, but returns an error where that panics.
    ///
    /// # Errors
    ///
    /// If the margin is negative, infinite or NaN.
    pub fn try_with_margin(self, margin: V::Scalar) -> Result<Self, Error> {
        let margin = checked("margin", margin)?;
        Ok(self.with_rules(|rules| rules.margin = margin))
    }

    or_panics! {
        /// Reports pairs of volumes that are inflated by `distance`, which is 0 by default: a box's corners go to
        /// `min - distance` and `max + distance`, a ball's radius to `radius + distance`, as the scalar rounds them, and
        /// within its finite numbers. So boxes up to twice as far apart are a pair.
        ///
        /// ```
        /// use orthant::{Broadphase, Motion, Sphere};
        /// let mut world = Broadphase::new().with_prediction(0.5);
        /// world.insert(Sphere::new([0.0, 0.0], 1.0), Motion::Dynamic);
        /// world.insert(Sphere::new([3.0, 0.0], 1.0), Motion::Dynamic);
        /// world.update();
        /// assert_eq!(world.pairs().len(), 1);
        /// ```
        Broadphase: with_prediction = try_with_prediction(self, distance: V::Scalar)
    }

    /// Sets the prediction distance as [`with_prediction`](Self::with_prediction) does, but returns an error where that panics.
    ///
    /// # Errors
    ///
    /// If the distance is negative, infinite or NaN.
    pub fn try_with_prediction(self, distance: V::Scalar) -> Result<Self, Error> {
        let prediction = checked("prediction distance", distance)?;
        Ok(self.with_rules(|rules| rules.prediction = prediction))
    }

    /// Reports pairs of [fat boxes](Self::fat_bounds) instead of volumes, still subject to motions and filters: for engines whose narrow
    /// phase wants pairs early. Pairs last longer and change less often, and depend on where bodies have been.
    #[must_use]
    pub fn with_fat_pairs(self) -> Self {
        self.with_rules(|rules| rules.fat = true)
    }

    /// Looks for no pairs, for a world that is only queried: an [`update`](Self::update) only brings the tree up to
    /// date, so that queries are fast. Existing pairs end with the next update.
    ///
    /// ```
    /// use orthant::{Aabb, Broadphase, Motion};
    /// let unit = |x: f32| Aabb::new([x], [x + 1.0]);
    /// let mut world = Broadphase::new().without_pairs();
    /// let [a, b] = [0.0, 0.5].map(|x| world.insert(unit(x), Motion::Dynamic));
    /// assert!(world.update().is_empty() && world.pairs().len() == 0);
    /// assert!(world.query(unit(1.5)).eq([b]) && world.nearest([0.0]).unwrap().item == a);
    /// ```
    #[must_use]
    pub fn without_pairs(self) -> Self {
        self.with_rules(|rules| rules.paired = false)
    }

    fn with_rules(mut self, edit: impl FnOnce(&mut Rules<V::Scalar>)) -> Self {
        let mut rules = self.world.rules;
        edit(&mut rules);
        <V::Array>::set_rules(&mut self.world, rules);
        self
    }
}

/// Refuses a distance that is negative, infinite or NaN.
pub(super) fn checked<S: Scalar>(part: &'static str, distance: S) -> Result<S, Error> {
    if distance >= S::ZERO && distance.is_finite() {
        Ok(distance)
    } else {
        Err(Error::Distance {
            part,
            distance: distance.into(),
        })
    }
}

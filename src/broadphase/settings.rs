//! How far volumes are inflated, how far fat boxes reach, and of which the pairs are.

use super::rules::Rules;
use super::world::Kernels;
use super::{Broadphase, or_panic};
use crate::{Error, Scalar, Vector};

impl<V: Vector> Broadphase<V> {
    /// The same with fat boxes that reach `margin` beyond what they must hold. No answer changes, but
    /// what bodies cost: the tree is left alone while they stay within, and each pair of fat boxes has
    /// to be judged. At first it is 0, boxes are tight, and expected displacements are not looked at,
    /// which is the fastest unless pairs are [fat](Self::with_fat_pairs) as well.
    ///
    /// # Panics
    ///
    /// Where [`try_with_margin`](Self::try_with_margin) returns an error.
    #[must_use]
    #[track_caller]
    pub fn with_margin(self, margin: V::Scalar) -> Self {
        or_panic(self.try_with_margin(margin))
    }

    /// The same with fat boxes that reach `margin` beyond what they must hold.
    ///
    /// # Errors
    ///
    /// If the margin is negative, infinite or NaN.
    pub fn try_with_margin(mut self, margin: V::Scalar) -> Result<Self, Error> {
        let margin = checked("margin", margin)?;
        let rules = self.world.rules;
        <V::Array>::set_rules(&mut self.world, Rules { margin, ..rules });
        Ok(self)
    }

    /// The same with pairs of volumes inflated by `distance`, 0 at first: a box's corners go to
    /// `min - distance` and `max + distance`, a ball's radius to `radius + distance`, as the scalar
    /// rounds them, and within its finite numbers. So boxes up to twice as far apart are a pair.
    ///
    /// # Panics
    ///
    /// Where [`try_with_prediction`](Self::try_with_prediction) returns an error.
    ///
    /// ```
    /// use orthant::{Broadphase, Motion, Sphere};
    /// let mut world = Broadphase::new().with_prediction(0.5);
    /// world.insert(Sphere::new([0.0, 0.0], 1.0), Motion::Dynamic);
    /// world.insert(Sphere::new([3.0, 0.0], 1.0), Motion::Dynamic);
    /// world.update();
    /// assert_eq!(world.pairs().len(), 1);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn with_prediction(self, distance: V::Scalar) -> Self {
        or_panic(self.try_with_prediction(distance))
    }

    /// The same with pairs of volumes inflated by `distance`.
    ///
    /// # Errors
    ///
    /// If the distance is negative, infinite or NaN.
    pub fn try_with_prediction(mut self, distance: V::Scalar) -> Result<Self, Error> {
        let prediction = checked("prediction distance", distance)?;
        let rules = self.world.rules;
        let rules = Rules {
            prediction,
            ..rules
        };
        <V::Array>::set_rules(&mut self.world, rules);
        Ok(self)
    }

    /// The same with pairs of [fat boxes](Self::fat_bounds), motions and filters considered, and not
    /// of volumes: for engines whose narrow phase wants to know early. Pairs last longer and change
    /// less often; which they are depends on where bodies have been.
    #[must_use]
    pub fn with_fat_pairs(mut self) -> Self {
        let rules = self.world.rules;
        <V::Array>::set_rules(&mut self.world, Rules { fat: true, ..rules });
        self
    }
}

/// Refuses what is no distance.
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

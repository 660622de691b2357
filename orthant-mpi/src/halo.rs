//! Copies of other ranks' points that are near one's own.
//!
//! A rank gets a copy of a point if the point is within the radius of one of its tight boxes, which is decided in
//! the arithmetic in which points are compared ([`near`](crate::near)): nothing is missed, without a margin.
//! What is compared is then what one process would compare, in the order of the ids.

mod copies;
mod half;

use std::ops::Deref;

use orthant::Scalar;

pub use copies::Copies;

use crate::near::Images;
use crate::{Cause, Cloud, Error, Point, Ranks};

/// Points and copies of all that is within a radius of them: what lists and groups need.
///
/// Every pair of points of two ranks is on both. [`HalfHalo`] has each pair once, for who only counts pairs, or
/// adds up forces. [`Copies`] has what both can do.
#[derive(Clone, Debug)]
pub struct Halo<P: Point>(Copies<P>);

/// Points and copies of half of what is near: of each two ranks one gets copies from the other, so that every
/// pair of points is on one rank.
///
/// Which of the two it is depends on the boxes of all ranks alone, so that ranks need not ask each other: pairs of
/// ranks are gone through from those that share most, and each goes to the one that has fewer copies so far.
#[derive(Clone, Debug)]
pub struct HalfHalo<P: Point>(Copies<P>);

impl<P: Point> Deref for Halo<P> {
    type Target = Copies<P>;

    fn deref(&self) -> &Copies<P> {
        &self.0
    }
}

impl<P: Point> Deref for HalfHalo<P> {
    type Target = Copies<P>;

    fn deref(&self) -> &Copies<P> {
        &self.0
    }
}

impl<P: Point> Halo<P> {
    /// Copies of what is within a radius.
    ///
    /// # Errors
    ///
    /// If the radius is not a positive finite number or not the same on all ranks, or copies take more than the
    /// budget of a rank.
    ///
    /// # Complexity
    ///
    /// O(n) for a tree of the rank's points, O(P) for the boxes, and an exchange of the copies: of n points a rank
    /// in a domain of side L about `((1 + 2 r / L)³ − 1) n`.
    pub fn new(ranks: &Ranks, cloud: &Cloud<P>, radius: P::Scalar) -> Result<Self, Error> {
        check_radius::<P>(ranks, radius)?;
        let (tree, top) = cloud.trees(ranks)?;
        let images = Images::new(cloud.periodic(), radius);
        let all = vec![true; ranks.size()];
        Copies::new(ranks, cloud, &tree, &top, (radius, images), &all).map(Self)
    }
}

impl<P: Point> HalfHalo<P> {
    /// Copies of half of what is within a radius.
    ///
    /// # Errors
    ///
    /// Those of [`Halo::new`].
    ///
    /// # Complexity
    ///
    /// That of [`Halo::new`], half of the copies, and O(pairs of ranks · log) to divide these evenly.
    pub fn new(ranks: &Ranks, cloud: &Cloud<P>, radius: P::Scalar) -> Result<Self, Error> {
        check_radius::<P>(ranks, radius)?;
        let (tree, top) = cloud.trees(ranks)?;
        let images = Images::new(cloud.periodic(), radius);
        let receivers = half::receivers(ranks, &top, radius, images);
        Copies::new(ranks, cloud, &tree, &top, (radius, images), &receivers).map(Self)
    }
}

/// That a radius is one, and the same everywhere.
pub(crate) fn check_radius<P: Point>(ranks: &Ranks, radius: P::Scalar) -> Result<(), Error> {
    let is_sound = radius > P::Scalar::ZERO && radius.is_finite();
    ranks.agree(if is_sound {
        Ok(())
    } else {
        Err(Cause::argument(format_args!(
            "radius {radius} is not a positive number"
        )))
    })?;
    ranks.same("radius", &[radius.to_bits()])
}

//! Copies of other ranks' points that are near one's own.
//!
//! A rank gets a copy of a point if the point is within the radius of one of its tight boxes, which is decided in
//! the arithmetic in which points are compared ([`near`](crate::top::near)): nothing is missed, without a margin.
//! What is compared is then what one process would compare, in the order of the ids.

mod copies;
mod half;
mod pairs;

use std::ops::Deref;

use orthant::Scalar;

pub use copies::Copies;
pub(crate) use pairs::each_list;

use crate::top::Top;
use crate::top::near::Images;
use crate::{Cause, Cloud, Error, Point, Ranks};

/// Points and copies of all that is within a radius of them: what lists and groups need.
///
/// [`HalfHalo`] takes half of it, for who only goes through pairs. [`Copies`] has what both can do.
#[derive(Clone, Debug)]
pub struct Halo<P: Point>(Copies<P>);

/// Points and copies of half of what is near: every pair of points is on one rank at least, and of what lies between two
/// ranks each gets its share by place, so that all ranks have about as many copies.
///
/// A plane between any two ranks says whose a pair is: that of the one if the point of the other lies below. Shares are
/// worked out from how many points are near which rank, which all are told: 12 bytes for each rank that another touches.
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
        let _call = ranks.begin();
        let (routes, _) = routes(ranks, cloud, radius)?;
        Copies::new(ranks, cloud, radius, &routes).map(Self)
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
    /// That of [`Halo::new`] and half of the copies, and where the place of a pair is decided by a plane, those on both
    /// sides of it; O(pairs of ranks) to share them evenly.
    pub fn new(ranks: &Ranks, cloud: &Cloud<P>, radius: P::Scalar) -> Result<Self, Error> {
        let _call = ranks.begin();
        let (mut routes, near) = routes(ranks, cloud, radius)?;
        half::halve(ranks, cloud, &near, &mut routes)?;
        Copies::new(ranks, cloud, radius, &routes).map(Self)
    }
}

/// What each rank needs copies of, and where it is.
struct Around<P: Point> {
    top: Top<P>,
    radius: P::Scalar,
    images: Images<P>,
}

fn routes<P: Point>(
    ranks: &Ranks,
    cloud: &Cloud<P>,
    radius: P::Scalar,
) -> Result<(Vec<Vec<u32>>, Around<P>), Error> {
    check_radius::<P>(ranks, radius)?;
    let (tree, top) = cloud.trees(ranks)?;
    let images = Images::new(cloud.periodic(), radius);
    let routes = copies::routes(ranks, &tree, &top, (radius, images));
    let around = Around {
        top,
        radius,
        images,
    };
    Ok((routes, around))
}

/// That a radius is one, and the same everywhere.
fn check_radius<P: Point>(ranks: &Ranks, radius: P::Scalar) -> Result<(), Error> {
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

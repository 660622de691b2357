//! Copies of other ranks' points that are near a rank's own points.
//!
//! A rank gets a copy of a point if the point is within the radius of one of its tight boxes, by the arithmetic that compares points
//! ([`near`](crate::top::near)): nothing is missed, without a margin. So a rank compares what one process would compare, in the order of the
//! ids.

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

/// A rank's points, and copies of all other points within a radius of them: for lists and groups.
///
/// [`HalfHalo`] needs half of the copies, for loops over pairs. [`Copies`] has the methods of both.
#[derive(Clone, Debug)]
pub struct Halo<P: Point>(Copies<P>);

/// A rank's points, and copies of half of the points near them. Every pair of points is on at least one rank. The pairs between two ranks are
/// divided by position, so that all ranks have about as many copies.
///
/// A plane between two ranks assigns a pair: to the higher rank if the point of the lower one lies below the plane. Shares follow from the
/// numbers of points near each rank, which are sent to all: 12 bytes for each rank that another touches.
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
    /// Copies all points within a radius.
    ///
    /// # Errors
    ///
    /// If the radius is not a positive finite number or differs between ranks, or copies take more than the budget of a rank.
    ///
    /// # Complexity
    ///
    /// O(n) for a tree of the rank's points, O(P) for the boxes, and an exchange of the copies: about `((1 + 2 r / L)³ − 1) n` with n points a
    /// rank in a domain of side L.
    pub fn new(ranks: &Ranks, cloud: &Cloud<P>, radius: P::Scalar) -> Result<Self, Error> {
        let _call = ranks.begin();
        let (routes, _) = routes(ranks, cloud, radius)?;
        Copies::new(ranks, cloud, radius, &routes).map(Self)
    }
}

impl<P: Point> HalfHalo<P> {
    /// Copies half of the points within a radius.
    ///
    /// # Errors
    ///
    /// The errors of [`Halo::new`].
    ///
    /// # Complexity
    ///
    /// The cost of [`Halo::new`] with half of the copies; those on both sides of a plane that divides pairs; and O(pairs of ranks) to share them
    /// evenly.
    pub fn new(ranks: &Ranks, cloud: &Cloud<P>, radius: P::Scalar) -> Result<Self, Error> {
        let _call = ranks.begin();
        let (mut routes, near) = routes(ranks, cloud, radius)?;
        half::halve(ranks, cloud, &near, &mut routes)?;
        Copies::new(ranks, cloud, radius, &routes).map(Self)
    }
}

/// The points of which each rank needs copies, and where that rank is.
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

/// Checks that a radius is positive and finite, and equal on all ranks.
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

//! The moving bounds, by which nodes and cells are tested; and a moving box against boxes, by slabs.

use alloc::boxed::Box;

use super::{Impact, Moving, ScalarOf, Sweep, Times, finite, moved, with_axis};
use crate::overlap::lanes::Plain;
use crate::overlap::lanes::capsule::Capsule;
use crate::overlap::lanes::inexact::{Inexact, Item};
use crate::overlap::{Extent, Overlaps, Region, Relation};
use crate::shape::{Aabb, Bounded, Sphere};
use crate::vector::{Scalar, Vector};

/// How far moving bounds have to go along one axis until they meet a box, and until they have left it; `None` if they
/// never meet it. Bounds that do not move meet it for ever, or never.
#[inline]
fn ways<V: Vector>(
    bounds: &Aabb<V>,
    by: V::Scalar,
    cell: &Aabb<V>,
    a: usize,
) -> Option<(V::Scalar, V::Scalar)> {
    let (lo, hi) = (cell.min().axis(a), cell.max().axis(a));
    let (below, above) = (bounds.min().axis(a), bounds.max().axis(a));
    let (ahead, behind) = if by < Scalar::ZERO {
        (below - hi, above - lo)
    } else {
        (lo - above, hi - below)
    };
    // A moving box that passed the other one before time 0 does not touch it, even if the time since then rounds to zero.
    let is_behind = behind < Scalar::ZERO;
    let is_beside = by == Scalar::ZERO && ahead > Scalar::ZERO;
    (!is_behind && !is_beside).then_some((ahead, behind))
}

impl<S: Bounded> Moving<S> {
    /// A time before which the moving bounds meet neither a box nor any box in it; `None` if they
    /// never do.
    ///
    /// Differences and quotients are monotone, and rounded outwards once more: a box is never met later than a box in
    /// it, nor later than in exact arithmetic.
    #[inline]
    pub(crate) fn entry(&self, cell: &Aabb<S::Vector>) -> Option<ScalarOf<S>> {
        self.interval(cell).map(|interval| interval.0)
    }

    /// A time before which the moving bounds do not meet a box, and one after which they do not.
    #[inline]
    pub(super) fn interval(&self, cell: &Aabb<S::Vector>) -> Option<Times<S::Vector>> {
        let bounds = self.shape.bounds();
        let (mut enter, mut leave) = (ScalarOf::<S>::ZERO, self.horizon);
        for a in 0..S::Vector::DIM {
            let by = self.displacement.axis(a);
            let (ahead, behind) = ways(&bounds, by, cell, a)?;
            if by != Scalar::ZERO {
                let speed = by.abs();
                enter = enter.larger((ahead.next_down() / speed).next_down());
                leave = leave.smaller((behind.next_up() / speed).next_up());
            }
        }
        (enter <= leave).then_some((enter, leave))
    }
}

impl<S: Bounded + Region<Vector = <S as Bounded>::Vector>> Moving<S> {
    /// A lower bound for the first touch of every item of an extent; `None` if none is touched.
    pub(crate) fn bound_of_extent<T: Bounded>(
        &self,
        extent: &Extent<<S as Bounded>::Vector>,
    ) -> Option<ScalarOf<S>> {
        if extent.relate::<T>(&self.shape) != Relation::Outside {
            return Some(Scalar::ZERO);
        }
        self.entry(&extent.core.grown(extent.most))
    }

    /// A lower bound for the first touch of every point in a cell.
    pub(crate) fn bound_of_cell(&self, cell: &Aabb<<S as Bounded>::Vector>) -> Option<ScalarOf<S>> {
        self.bound_of_extent::<<S as Bounded>::Vector>(&Extent::of(cell))
    }
}

impl<S: Bounded> Moving<S> {
    /// A box around all that is swept over, rounded outwards; up to the largest numbers if the motion never ends.
    fn swept(&self) -> Aabb<S::Vector> {
        let (start, zero) = (self.shape.bounds(), ScalarOf::<S>::ZERO);
        let moved = |from: S::Vector, a: usize| {
            let by = self.displacement.axis(a);
            if by == zero {
                return (from.axis(a), zero);
            }
            let way = self.horizon * by;
            // This is more than the rounding of the product and the sum.
            let rounding = (finite(way.abs()) + from.axis(a).abs()) * ScalarOf::<S>::EPSILON;
            (finite(from.axis(a) + way), finite(rounding))
        };
        let end = Aabb::from_corners(
            Vector::from_fn(|a| moved(start.min(), a).0.sub_down(moved(start.min(), a).1)),
            Vector::from_fn(|a| moved(start.max(), a).0.add_up(moved(start.max(), a).1)),
        );
        start.union(&end)
    }
}

impl<V: Vector> Bounded for Moving<Sphere<V>> {
    type Vector = V;

    fn core(&self) -> Aabb<V> {
        self.swept()
    }
}

/// All that is touched on the way.
impl<S: Bounded + Region<Vector = <S as Bounded>::Vector>> Region for Moving<S> {
    type Vector = <S as Bounded>::Vector;

    fn hint(&self) -> Option<Aabb<Self::Vector>> {
        Some(self.swept())
    }

    /// A ball sweeps over a capsule.
    fn inexact(&self) -> Option<Inexact<<Self::Vector as Vector>::Array>> {
        let Some(Plain::Ball(ball)) = self.shape.plain().filter(Plain::is_usual) else {
            return None;
        };
        let (center, by) = (ball.center.array(), self.displacement.array());
        let capsule = Capsule::new((center, ball.outer), (by, self.horizon), sweeps_over);
        capsule.map(|capsule| Inexact::Capsule(Box::new(capsule)))
    }

    #[inline]
    fn relate(&self, cell: &Aabb<Self::Vector>) -> Relation {
        match self.shape.relate(cell) {
            Relation::Outside if self.entry(cell).is_some() => Relation::Straddles,
            relation => relation,
        }
    }

    #[inline]
    fn relate_balls(
        &self,
        centers: &Aabb<Self::Vector>,
        least: ScalarOf<S>,
        most: ScalarOf<S>,
    ) -> Relation {
        match self.shape.relate_balls(centers, least, most) {
            Relation::Outside if self.entry(&centers.grown(most)).is_some() => Relation::Straddles,
            relation => relation,
        }
    }
}

/// Whether the ball of a capsule touches an item on its way.
fn sweeps_over<V: Vector>(capsule: &Capsule<V>, item: &Item<V>) -> bool {
    let ball = Sphere::valid(capsule.from, capsule.radius);
    let ball = Moving::made(ball, capsule.displacement, capsule.horizon);
    match item {
        Item::Point(at) => ball.overlaps(at),
        Item::Box(cell) => ball.overlaps(cell),
        Item::Ball(other) => ball.overlaps(other),
    }
}

// A moving box.

/// The times at which two boxes touch along one axis.
#[inline]
fn slab<V: Vector>(mover: &Moving<Aabb<V>>, target: &Aabb<V>, a: usize) -> Option<Times<V>> {
    let (by, infinity) = (mover.displacement.axis(a), V::Scalar::INFINITY);
    let (ahead, behind) = ways(&mover.shape, by, target, a)?;
    if by == Scalar::ZERO {
        return Some((V::Scalar::ZERO - infinity, infinity));
    }
    Some((ahead / by.abs(), behind / by.abs()))
}

impl<V: Vector> Sweep<Aabb<V>> for Moving<Aabb<V>> {
    type Vector = V;

    #[inline]
    fn times(&self, target: &Aabb<V>) -> Option<Times<V>> {
        let (mut first, mut last) = (V::Scalar::ZERO, self.horizon);
        for a in 0..V::DIM {
            let (enter, leave) = slab(self, target, a)?;
            first = enter.larger(first);
            last = last.smaller(leave);
        }
        // An infinite time is no touch, as for a ball.
        (first <= last && first.is_finite()).then_some((first, last))
    }

    fn sweep(&self, target: &Aabb<V>) -> Option<Impact<V>> {
        let (zero, one) = (V::Scalar::ZERO, V::Scalar::ONE);
        let (first, last) = self.times(target)?;
        let lo = moved(self.shape.min(), self.displacement, first);
        let hi = moved(self.shape.max(), self.displacement, first);
        // The normal is that of the face that was reached last or, if the boxes overlap at the start, of the shortest
        // way out.
        let mut best = (zero - V::Scalar::INFINITY, 0, zero);
        for a in 0..V::DIM {
            let by = self.displacement.axis(a);
            let sides = if first > zero {
                let enter = slab(self, target, a)?.0;
                [(enter, if by > zero { zero - one } else { one }); 2]
            } else {
                [
                    (target.min().axis(a) - hi.axis(a), zero - one),
                    (lo.axis(a) - target.max().axis(a), one),
                ]
            };
            for (rank, facing) in sides {
                let against = by * facing < zero && rank == best.0;
                if rank > best.0 || (against && best.2 * self.displacement.axis(best.1) >= zero) {
                    best = (rank, a, facing);
                }
            }
        }
        let half = V::Scalar::from_f64(0.5);
        let point = V::from_fn(|a| {
            let (below, above) = (target.min().axis(a), target.max().axis(a));
            // Stay in the target, since rounding may put the mover out of it.
            let within = |x: V::Scalar| x.larger(below).smaller(above);
            within(lo.axis(a)) * half + within(hi.axis(a)) * half
        });
        let normal = with_axis(V::splat(zero), best.1, best.2);
        Some(Impact::new((first, last), point, normal))
    }
}

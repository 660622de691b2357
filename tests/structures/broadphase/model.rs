//! The definition of a pair, for two bodies at a time.

use std::collections::BTreeSet;

use orthant::{
    Aabb, BodyInfo, Bounded, Filter, Handle, Motion, Moving, Overlaps, Scalar, Sphere, Sweep,
    Vector, Volume,
};

pub(crate) type Pairs = BTreeSet<(Handle, Handle)>;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Body<V: Vector> {
    pub(crate) volume: Volume<V>,
    pub(crate) path: V,
    pub(crate) proxy: BodyInfo,
    pub(crate) asleep: bool,
}

/// Returns true if two motions allow a pair: a static body pairs with dynamic ones only.
fn motions_pair(a: Motion, b: Motion) -> bool {
    match (a, b) {
        (Motion::Static, other) | (other, Motion::Static) => other == Motion::Dynamic,
        _ => true,
    }
}

fn filters_pair(a: Filter, b: Filter) -> bool {
    match (a.group == b.group, a.group) {
        (true, 1..) => true,
        (true, ..=-1) => false,
        _ => a.category & b.mask != 0 && b.category & a.mask != 0,
    }
}

pub(crate) fn allowed(a: &BodyInfo, b: &BodyInfo) -> bool {
    motions_pair(a.motion, b.motion) && filters_pair(a.filter, b.filter)
}

fn inflated<V: Vector>(volume: &Volume<V>, by: V::Scalar) -> Volume<V> {
    let most = V::Scalar::MAX;
    match volume {
        Volume::Box(b) => {
            let low = |a| (b.min().axis(a) - by).larger(V::Scalar::ZERO - most);
            let high = |a| (b.max().axis(a) + by).smaller(most);
            Aabb::new(V::from_fn(low), V::from_fn(high)).into()
        }
        Volume::Sphere(ball) => {
            Sphere::new(ball.center(), (ball.radius() + by).smaller(most)).into()
        }
    }
}

fn still_overlap<V: Vector>(a: &Volume<V>, b: &Volume<V>) -> bool {
    let boxes = a.bounds().overlaps(&b.bounds());
    boxes
        && match (a, b) {
            (Volume::Box(_), Volume::Box(_)) => true,
            (Volume::Sphere(a), Volume::Sphere(b)) => a.overlaps(b),
            (Volume::Sphere(a), Volume::Box(b)) => a.overlaps(b),
            (Volume::Box(a), Volume::Sphere(b)) => b.overlaps(a),
        }
}

/// Returns true if two moving bodies touch, and so do the boxes around them.
fn moving_overlap<V: Vector>(a: (&Volume<V>, V), b: (&Volume<V>, V)) -> bool {
    macro_rules! touch {
        ($x:expr, $y:expr) => {
            Moving::new(*$x, a.1)
                .times(&Moving::new(*$y, b.1))
                .is_some()
        };
    }
    match (a.0, b.0) {
        (Volume::Box(x), Volume::Box(y)) => touch!(x, y),
        (Volume::Sphere(x), Volume::Sphere(y)) => touch!(x, y) && boxes_meet(a, b),
        (Volume::Sphere(x), Volume::Box(y)) => touch!(x, y) && boxes_meet(a, b),
        (Volume::Box(_), Volume::Sphere(_)) => moving_overlap(b, a),
    }
}

/// Returns true if moving boxes meet, by times that are rounded outwards by one step more than their sums and quotients need.
fn boxes_meet<V: Vector>(a: (&Volume<V>, V), b: (&Volume<V>, V)) -> bool {
    let (x, y, zero, most) = (a.0.bounds(), b.0.bounds(), V::Scalar::ZERO, V::Scalar::MAX);
    let (mut enter, mut leave) = (zero, V::Scalar::ONE);
    for i in 0..V::DIM {
        let by = a.1.axis(i) - b.1.axis(i);
        let by = by.smaller(most).larger(zero - most);
        let (before, behind) = (
            y.min().axis(i) - x.max().axis(i),
            y.max().axis(i) - x.min().axis(i),
        );
        if by == zero {
            if before > zero || behind < zero {
                return false;
            }
            continue;
        }
        let (near, far) = if by > zero {
            (before, behind)
        } else {
            (zero - behind, zero - before)
        };
        if far < zero {
            return false;
        }
        enter = enter.larger((near.next_down() / by.abs()).next_down());
        leave = leave.smaller((far.next_up() / by.abs()).next_up());
    }
    x.overlaps(&y) || enter <= leave
}

/// Returns a box around the whole path, grown by more than rounding.
fn swept_box<V: Vector>(volume: &Volume<V>, path: V) -> Aabb<V> {
    let (bounds, most, zero) = (volume.bounds(), V::Scalar::MAX, V::Scalar::ZERO);
    let eight: V::Scalar = Scalar::from_f64(8.0);
    let slack = eight * V::Scalar::EPSILON;
    let to = |from: V, a: usize| {
        let by = path.axis(a);
        let there = (from.axis(a) + by).smaller(most).larger(zero - most);
        let rounding = slack * from.axis(a).abs() + slack * by.abs() + V::Scalar::MIN_POSITIVE;
        (there, if by == zero { zero } else { rounding })
    };
    let low = |a| {
        let (there, rounding) = to(bounds.min(), a);
        there.sub_down(rounding)
    };
    let high = |a| {
        let (there, rounding) = to(bounds.max(), a);
        there.add_up(rounding)
    };
    bounds.union(&Aabb::new(V::from_fn(low), V::from_fn(high)))
}

/// Returns true if two bodies are a pair, with a prediction distance.
pub(crate) fn is_pair<V: Vector>(a: &Body<V>, b: &Body<V>, prediction: V::Scalar) -> bool {
    let still = V::splat(V::Scalar::ZERO);
    let (x, y) = (
        inflated(&a.volume, prediction),
        inflated(&b.volume, prediction),
    );
    let touch = if a.path == still && b.path == still {
        still_overlap(&x, &y)
    } else {
        swept_box(&x, a.path).overlaps(&swept_box(&y, b.path))
            && moving_overlap((&x, a.path), (&y, b.path))
    };
    allowed(&a.proxy, &b.proxy) && touch
}

/// Returns all pairs, by the double loop.
pub(crate) fn all_pairs<B>(
    bodies: &[(Handle, B)],
    is_pair: impl Fn(usize, usize) -> bool,
) -> Pairs {
    let mut pairs = Pairs::new();
    for (i, a) in bodies.iter().enumerate() {
        for (j, b) in bodies[..i].iter().enumerate() {
            if is_pair(j, i) {
                pairs.insert((a.0.min(b.0), a.0.max(b.0)));
            }
        }
    }
    pairs
}

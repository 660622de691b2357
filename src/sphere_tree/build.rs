//! Builds a tree by halving along the widest axis, and bounds how wide its nodes have to be.

use alloc::vec::Vec;
use core::cmp::Ordering;

use super::{Node, SphereTree};
use crate::enclosing::{Ball, Units, center};
use crate::error::Error;
use crate::overlap::check_count;
use crate::overlap::distance::point_sq;
use crate::rigid::Rigid;
use crate::shape::{Aabb, Sphere};
use crate::vector::{Scalar, Vector, assert_structure};

/// A leaf holds at most this many balls.
const LEAF: usize = 4;

pub(super) fn build<V: Vector>(balls: &[Sphere<V>]) -> Result<SphereTree<V>, Error> {
    const { assert_structure::<V>() }
    check_count(balls.len())?;
    let mut order: Vec<u32> = (0..balls.len() as u32).collect();
    let nodes = split(balls, &mut order);
    let zero = V::Scalar::ZERO;
    let farthest = balls.iter().fold(V::splat(zero), |far, b| {
        V::from_fn(|a| far.axis(a).larger(b.center().axis(a).abs()))
    });
    Ok(SphereTree {
        balls: order.iter().map(|&i| balls[i as usize]).collect(),
        indices: order,
        nodes,
        breadth: (0..V::DIM).fold(zero, |sum, a| sum + farthest.axis(a)),
    })
}

/// Brings the balls into the tree's order and makes its nodes.
fn split<V: Vector>(balls: &[Sphere<V>], order: &mut [u32]) -> Vec<Node<V>> {
    let units = Units::of(balls.iter().map(|b| (b.center(), b.radius())));
    let mut nodes = Vec::new();
    if !order.is_empty() {
        nodes.push(leaf(balls, &units, order, 0));
    }
    let mut next = 0;
    // Halve the nodes one after the other; the halves are appended.
    while next < nodes.len() {
        let (start, end) = (nodes[next].start as usize, nodes[next].end as usize);
        let run = &mut order[start..end];
        if run.len() > LEAF {
            let middle = run.len() / 2;
            let axis = widest(balls, run);
            let coordinate = |i: u32| balls[i as usize].center().axis(axis);
            run.select_nth_unstable_by(middle, |&a, &b| {
                let along = coordinate(a).partial_cmp(&coordinate(b));
                // Ties go by index, so that there is only one tree.
                along.unwrap_or(Ordering::Equal).then(a.cmp(&b))
            });
            nodes[next].children = nodes.len() as u32;
            let (lower, upper) = order[start..end].split_at(middle);
            nodes.push(leaf(balls, &units, lower, start));
            nodes.push(leaf(balls, &units, upper, start + middle));
        }
        next += 1;
    }
    nodes
}

/// The axis on which the centers lie farthest apart.
fn widest<V: Vector>(balls: &[Sphere<V>], run: &[u32]) -> usize {
    let point = |&i: &u32| Aabb::point(balls[i as usize].center());
    let around = run.iter().map(point).reduce(|all, point| all.union(&point));
    let size = around.map_or(V::splat(V::Scalar::ZERO), |around| around.size());
    (0..V::DIM).fold(0, |widest, axis| {
        if size.axis(axis) > size.axis(widest) {
            axis
        } else {
            widest
        }
    })
}

/// Makes a leaf of one or more balls.
fn leaf<V: Vector>(balls: &[Sphere<V>], units: &Units, run: &[u32], start: usize) -> Node<V> {
    let below = || run.iter().map(|&i| &balls[i as usize]);
    let scaled = below().map(|b| units.ball(b.center(), b.radius()));
    let scaled: Vec<Ball> = scaled.collect();
    let first = balls[run[0] as usize];
    let zero = V::Scalar::ZERO;
    let center = center(&scaled, V::DIM).map_or(first.center(), |c| units.restore(&c));
    let mut node = Node {
        center,
        reach: zero,
        spread: zero,
        least: first.radius(),
        most: first.radius(),
        start: start as u32,
        end: (start + run.len()) as u32,
        children: 0,
    };
    for ball in below() {
        let (at, radius) = (ball.center(), ball.radius());
        node.spread = node.spread.larger(reach_of(center, at, zero));
        node.reach = node.reach.larger(reach_of(center, at, radius));
        node.least = node.least.smaller(ball.radius());
        node.most = node.most.larger(ball.radius());
    }
    node
}

// # How much wider than exact the tests of nodes must be
//
// With `u` half of the scalar's precision `e`, a moved coordinate is off by at most `1.1 (d + 1) u B`, where `B` is the sum of the largest
// magnitudes of the body's coordinates and of the translation; two moved points of up to four axes are thus misplaced to each other by less
// than `11 e B`. A rotation that `Rigid` accepts stretches lengths by at most `1 + 64 e`. A leaf's own test `|a - b|² <= (r + s)²` stands
// for the exact one with a relative error below `8 e` in the lengths, and so does a node's. Hence no leaf below two nodes overlaps if
// `|A - B| > (R + S) (1 + 128 e) + 32 e B + f`, where `f` covers squares that vanish.

/// A length whose square is a normal number, so that vanishing squares lose no length from this one on.
fn floor<S: Scalar>() -> S {
    let single = Into::<f64>::into(S::MAX) < 1e39;
    S::from_f64(if single { 1e-18 } else { 1e-150 })
}

fn times<S: Scalar>(factor: f64, x: S) -> S {
    S::from_f64(factor) * x
}

/// The absolute part of the margin, for a body of a breadth; infinite where sums may overflow.
pub(super) fn slack<V: Vector>(breadth: V::Scalar, motion: &Rigid<V>) -> V::Scalar {
    let moved = motion.translation();
    let farthest = (0..V::DIM).fold(V::Scalar::ZERO, |f, a| f.larger(moved.axis(a).abs()));
    let bound = breadth + farthest;
    if bound > times(0.0625, V::Scalar::MAX) {
        return V::Scalar::INFINITY;
    }
    times(32.0, V::Scalar::EPSILON) * bound + floor()
}

/// A length between moved points, widened by the margin.
pub(super) fn widened<S: Scalar>(length: S, slack: S) -> S {
    length * (S::ONE + times(128.0, S::EPSILON)) + slack
}

/// The radius of a ball around a center that holds another ball in exact arithmetic.
fn reach_of<V: Vector>(center: V, other: V, radius: V::Scalar) -> V::Scalar {
    let near = point_sq(&center, other).sqrt() + radius;
    near * (V::Scalar::ONE + times(16.0, V::Scalar::EPSILON)) + floor()
}

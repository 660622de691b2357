//! broccoli: a tree of intervals.

use super::Register;
use crate::stepper::{Pair, Stepper, pair, stepper};
use crate::worlds::Bounds;

pub(super) fn enter(to: &mut Register) {
    to.broadphase2.push(stepper::<2, Tree>());
}

/// A tree that is rebuilt in each step.
struct Tree;

impl Stepper<2> for Tree {
    const NAME: &'static str = "broccoli";
    const STARTS_AFRESH: bool = true;

    fn new(_: &[Bounds<2>]) -> Self {
        Self
    }

    fn step(&mut self, boxes: &[Bounds<2>], _: &[u32], pairs: &mut Vec<Pair>) {
        let item = |(bounds, id): (&Bounds<2>, u32)| {
            let ([left, bottom], [right, top]) = (bounds.min, bounds.max);
            ::broccoli::bbox(::broccoli::rect(left, right, bottom, top), id)
        };
        let mut items: Vec<_> = boxes.iter().zip(0..).map(item).collect();
        pairs.clear();
        let mut tree = ::broccoli::Tree::new(&mut items);
        tree.find_colliding_pairs(|a, b| pairs.push(pair(a.inner, b.inner)));
    }
}

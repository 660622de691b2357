//! sif-kdtree: a k-d tree of points.

use std::ops::ControlFlow;

use ::sif_kdtree::{KdTree, Object, WithinDistance};

use super::Register;
use crate::contestant::ghosts::Ghosts;
use crate::contestant::rebuilt::{SMALL, lister, rebuilt, rebuilt_counter};
use crate::contestant::{Index, Loop, Nearest, Radius, batch, nearest, radius};
use crate::points::Scalar;

pub(super) fn enter(to: &mut Register) {
    to.radius3.push(radius::<_, 3, Tree<f32, 3>>());
    to.radius3_f64.push(radius::<_, 3, Tree<f64, 3>>());
    to.radius2.push(radius::<_, 2, Tree<f32, 2>>());
    to.batch3.push(batch::<_, 3, Loop<Tree<f32, 3>>>());
    to.batch2.push(batch::<_, 2, Loop<Tree<f32, 2>>>());
    to.nearest3.push(nearest::<_, 3, Tree<f32, 3>>());
    to.nearest2.push(nearest::<_, 2, Tree<f32, 2>>());
    to.lists3
        .push(rebuilt::<_, 3, Loop<Tree<f32, 3>>>().up_to(SMALL));
    to.lists3_f64
        .push(rebuilt::<_, 3, Loop<Tree<f64, 3>>>().up_to(SMALL));
    to.lists2
        .push(rebuilt::<_, 2, Loop<Tree<f32, 2>>>().up_to(SMALL));
    to.periodic3
        .push(lister::<_, 3, Ghosts<Tree<f32, 3>>>("sif-kdtree, ghosts").up_to(SMALL));
    to.counts3
        .push(rebuilt_counter::<_, 3, Tree<f32, 3>>().up_to(SMALL));
}

struct Item<S, const D: usize>(u32, [S; D]);

impl<S: Scalar, const D: usize> Object for Item<S, D> {
    type Point = [S; D];

    fn position(&self) -> &[S; D] {
        &self.1
    }
}

struct Tree<S: Scalar, const D: usize>(KdTree<Item<S, D>, Vec<Item<S, D>>>);

impl<S: Scalar, const D: usize> Tree<S, D> {
    fn visit(&self, center: &[S; D], radius: S, mut f: impl FnMut(&Item<S, D>)) {
        let within = WithinDistance::new(*center, radius);
        let flow = self.0.look_up(&within, |item| {
            f(item);
            ControlFlow::<()>::Continue(())
        });
        debug_assert!(flow.is_continue());
    }
}

impl<S: Scalar, const D: usize> Index<S, D> for Tree<S, D> {
    const NAME: &'static str = "sif-kdtree";

    fn build(points: &[[S; D]], _: S) -> Self {
        let item = |(&point, id)| Item(id, point);
        Self(KdTree::new(points.iter().zip(0..).map(item).collect()))
    }
}

impl<S: Scalar, const D: usize> Radius<S, D> for Tree<S, D> {
    fn count(&mut self, center: &[S; D], radius: S) -> usize {
        let mut count = 0;
        self.visit(center, radius, |_| count += 1);
        count
    }

    fn collect(&mut self, center: &[S; D], radius: S, ids: &mut Vec<u32>) {
        self.visit(center, radius, |item| ids.push(item.0));
    }
}

impl<S: Scalar, const D: usize> Nearest<S, D> for Tree<S, D> {
    fn nearest(&mut self, center: &[S; D]) -> u32 {
        self.0.nearest(center).expect("there are points").0
    }
}

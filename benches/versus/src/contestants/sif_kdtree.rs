use std::ops::ControlFlow;

use ::sif_kdtree::{KdTree, Object, WithinDistance};

use crate::contestant::{Index, Nearest, Radius};
use crate::points::Scalar;

struct Item<S, const D: usize>(u32, [S; D]);

impl<S: Scalar, const D: usize> Object for Item<S, D> {
    type Point = [S; D];

    fn position(&self) -> &[S; D] {
        &self.1
    }
}

pub(crate) struct Tree<S: Scalar, const D: usize>(KdTree<Item<S, D>, Vec<Item<S, D>>>);

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

use std::ops::ControlFlow;

use ::sif_kdtree::{KdTree, Object, WithinDistance};

use crate::jobs::radius::Radius;

struct Item(u32, [f32; 3]);

impl Object for Item {
    type Point = [f32; 3];

    fn position(&self) -> &[f32; 3] {
        &self.1
    }
}

pub(crate) struct Tree(KdTree<Item, Vec<Item>>);

impl Tree {
    fn visit(&self, center: &[f32; 3], radius: f32, mut f: impl FnMut(&Item)) {
        let flow = self
            .0
            .look_up(&WithinDistance::new(*center, radius), |item| {
                f(item);
                ControlFlow::<()>::Continue(())
            });
        debug_assert!(flow.is_continue());
    }
}

impl Radius<3> for Tree {
    const NAME: &'static str = "sif-kdtree";

    fn build(points: &[[f32; 3]]) -> Self {
        let item = |(&point, id)| Item(id, point);
        Self(KdTree::new(points.iter().zip(0..).map(item).collect()))
    }

    fn count(&mut self, center: &[f32; 3], radius: f32) -> usize {
        let mut count = 0;
        self.visit(center, radius, |_| count += 1);
        count
    }

    fn collect(&mut self, center: &[f32; 3], radius: f32, ids: &mut Vec<u32>) {
        self.visit(center, radius, |item| ids.push(item.0));
    }
}

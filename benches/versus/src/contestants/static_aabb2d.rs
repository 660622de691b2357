//! `static_aabb2d_index`: a packed tree of boxes.

mod boxes;

use ::static_aabb2d_index::{
    Control, NeighborPriorityQueue, StaticAABB2DIndex, StaticAABB2DIndexBuilder,
};

use super::Register;
use crate::contestant::at_rest::finder;
use crate::contestant::{
    Index, Loop, Nearest, NearestN, Radius, batch, nearest, nearest_n, radius,
};
use crate::jobs::nearest::SEVERAL;
use crate::stepper::stepper;
use crate::truth::distance_sq;
use boxes::{Boxes, Rebuilt};

pub(super) fn enter(to: &mut Register) {
    to.radius2.push(radius::<_, 2, Tree>());
    to.batch2.push(batch::<_, 2, Loop<Tree>>());
    to.nearest2.push(nearest::<_, 2, Tree>());
    to.nearest_n2.push(nearest_n::<_, 2, Tree, SEVERAL>());
    to.broadphase2.push(stepper::<2, Rebuilt>());
    to.windows2.push(finder::<2, _, Boxes>());
}

/// A tree of points. It finds the points in a box, whose distances are tested here.
struct Tree {
    index: StaticAABB2DIndex<f32>,
    points: Vec<[f32; 2]>,
    stack: Vec<usize>,
    queue: NeighborPriorityQueue<f32>,
}

impl Index<f32, 2> for Tree {
    const NAME: &'static str = "static_aabb2d";

    fn build(points: &[[f32; 2]], _: f32) -> Self {
        let mut builder = StaticAABB2DIndexBuilder::new(points.len());
        for &[x, y] in points {
            builder.add(x, y, x, y);
        }
        Self {
            index: builder.build().expect("it takes these points"),
            points: points.to_vec(),
            stack: Vec::new(),
            queue: NeighborPriorityQueue::new(),
        }
    }
}

impl Tree {
    #[inline(always)]
    fn visit(&mut self, center: &[f32; 2], radius: f32, mut f: impl FnMut(u32)) {
        let (&[x, y], limit) = (center, radius * radius);
        let points = &self.points;
        let mut visitor = |id: usize| {
            if distance_sq(&points[id], center) <= limit {
                f(id as u32);
            }
        };
        let (low, high) = ([x - radius, y - radius], [x + radius, y + radius]);
        self.index.visit_query_with_stack(
            low[0],
            low[1],
            high[0],
            high[1],
            &mut visitor,
            &mut self.stack,
        );
    }
}

impl Radius<f32, 2> for Tree {
    fn count(&mut self, center: &[f32; 2], radius: f32) -> usize {
        let mut count = 0;
        self.visit(center, radius, |_| count += 1);
        count
    }

    fn collect(&mut self, center: &[f32; 2], radius: f32, ids: &mut Vec<u32>) {
        self.visit(center, radius, |id| ids.push(id));
    }
}

impl NearestN<f32, 2> for Tree {
    fn nearest_n(&mut self, &[x, y]: &[f32; 2], n: usize, ids: &mut Vec<u32>) {
        let mut visitor = |id: usize, _| {
            ids.push(id as u32);
            if ids.len() < n {
                Control::Continue
            } else {
                Control::Break(())
            }
        };
        let _: Control<()> =
            self.index
                .visit_neighbors_with_queue(x, y, &mut visitor, &mut self.queue);
    }
}

impl Nearest<f32, 2> for Tree {
    fn nearest(&mut self, &[x, y]: &[f32; 2]) -> u32 {
        let mut visitor = |id: usize, _| Control::Break(id as u32);
        let found = self
            .index
            .visit_neighbors_with_queue(x, y, &mut visitor, &mut self.queue);
        match found {
            Control::Break(id) => id,
            Control::Continue => unreachable!("there are points"),
        }
    }
}

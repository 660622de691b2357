use ::static_aabb2d_index::{
    Control, NeighborPriorityQueue, StaticAABB2DIndex, StaticAABB2DIndexBuilder,
};

use crate::contestant::{Index, Nearest, NearestN, Radius};
use crate::truth::distance_sq;

/// It finds boxes in a box: the distance of each is asked beside it.
pub(crate) struct Tree {
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

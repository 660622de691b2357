use static_aabb2d_index::StaticAABB2DIndexBuilder;

use crate::stepper::{Kept, Pair, Stepper};
use crate::worlds::Bounds;

/// Built anew each step.
pub(crate) struct Rebuilt {
    kept: Kept,
    stack: Vec<usize>,
}

impl Stepper<2> for Rebuilt {
    const NAME: &'static str = "static_aabb2d rebuilt";
    const STARTS_AFRESH: bool = true;

    fn new(_: &[Bounds<2>]) -> Self {
        Self {
            kept: Kept::default(),
            stack: Vec::new(),
        }
    }

    fn step(&mut self, boxes: &[Bounds<2>], moved: &[u32], pairs: &mut Vec<Pair>) {
        let mut builder = StaticAABB2DIndexBuilder::new(boxes.len());
        for Bounds { min, max } in boxes {
            builder.add(min[0], min[1], max[0], max[1]);
        }
        let index = builder.build().expect("it takes these boxes");
        let stack = &mut self.stack;
        self.kept
            .step(boxes.len(), moved, pairs, |id, keep, pairs| {
                let Bounds { min, max } = boxes[id as usize];
                let mut visitor = |other: usize| keep.offer(other as u32, pairs);
                index.visit_query_with_stack(min[0], min[1], max[0], max[1], &mut visitor, stack);
            });
    }
}

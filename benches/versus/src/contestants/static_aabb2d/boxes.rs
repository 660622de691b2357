//! Boxes that move, and boxes at rest.

use ::static_aabb2d_index::{StaticAABB2DIndex, StaticAABB2DIndexBuilder};

use crate::contestant::at_rest::{AtRest, Find};
use crate::stepper::{KeptPairs, Pair, Stepper};
use crate::worlds::Bounds;

fn built(boxes: &[Bounds<2>]) -> StaticAABB2DIndex<f32> {
    let mut builder = StaticAABB2DIndexBuilder::new(boxes.len());
    for Bounds { min, max } in boxes {
        builder.add(min[0], min[1], max[0], max[1]);
    }
    builder.build().expect("it takes these boxes")
}

/// A tree of moving boxes, rebuilt in each step.
pub(super) struct Rebuilt {
    kept: KeptPairs,
    stack: Vec<usize>,
}

impl Stepper<2> for Rebuilt {
    const NAME: &'static str = "static_aabb2d rebuilt";
    const STARTS_AFRESH: bool = true;

    fn new(_: &[Bounds<2>]) -> Self {
        Self {
            kept: KeptPairs::default(),
            stack: Vec::new(),
        }
    }

    fn step(&mut self, boxes: &[Bounds<2>], moved: &[u32], pairs: &mut Vec<Pair>) {
        let index = built(boxes);
        let stack = &mut self.stack;
        self.kept
            .step(boxes.len(), moved, pairs, |id, keep, pairs| {
                let Bounds { min, max } = boxes[id as usize];
                let mut visitor = |other: usize| keep.offer(other as u32, pairs);
                index.visit_query_with_stack(min[0], min[1], max[0], max[1], &mut visitor, stack);
            });
    }
}

/// Boxes at rest, queried by boxes.
pub(super) struct Boxes {
    index: StaticAABB2DIndex<f32>,
    stack: Vec<usize>,
}

impl AtRest<2> for Boxes {
    const NAME: &'static str = "static_aabb2d";

    fn build(boxes: &[Bounds<2>]) -> Self {
        Self {
            index: built(boxes),
            stack: Vec::new(),
        }
    }
}

impl Find<2, Bounds<2>> for Boxes {
    fn find(&mut self, &Bounds { min, max }: &Bounds<2>, ids: &mut Vec<u32>) {
        let mut visitor = |id: usize| ids.push(id as u32);
        let stack = &mut self.stack;
        self.index
            .visit_query_with_stack(min[0], min[1], max[0], max[1], &mut visitor, stack);
    }
}

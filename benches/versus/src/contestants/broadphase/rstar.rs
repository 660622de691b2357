use std::ops::ControlFlow;

use ::rstar::primitives::{GeomWithData, Rectangle};
use ::rstar::{AABB, RTree};

use crate::stepper::{Kept, Pair, Stepper};
use crate::worlds::Bounds;

/// Built anew each step.
pub(crate) struct Rebuilt(Kept);

macro_rules! contestant {
    ($d:literal) => {
        impl Stepper<$d> for Rebuilt {
            const NAME: &'static str = "rstar rebuilt";
            const STARTS_AFRESH: bool = true;
            const MOST_BOXES: usize = 100_000;

            fn new(_: &[Bounds<$d>]) -> Self {
                Self(Kept::default())
            }

            fn step(&mut self, boxes: &[Bounds<$d>], moved: &[u32], pairs: &mut Vec<Pair>) {
                let item = |(bounds, id): (&Bounds<$d>, u32)| {
                    GeomWithData::new(Rectangle::from_corners(bounds.min, bounds.max), id)
                };
                let tree = RTree::bulk_load(boxes.iter().zip(0..).map(item).collect());
                self.0.step(boxes.len(), moved, pairs, |id, keep, pairs| {
                    let bounds = &boxes[id as usize];
                    let asked = AABB::from_corners(bounds.min, bounds.max);
                    let all = tree.locate_in_envelope_intersecting_int(asked, |item| {
                        keep.offer(item.data, pairs);
                        ControlFlow::<()>::Continue(())
                    });
                    debug_assert!(all.is_continue());
                });
            }
        }
    };
}

contestant!(2);
contestant!(3);

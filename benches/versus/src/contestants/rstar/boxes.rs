//! Boxes that move, and boxes at rest.

use crate::contestant::at_rest::{AtRest, Find};
use crate::stepper::{KeptPairs, Pair, Stepper};
use crate::worlds::Bounds;
use ::rstar::primitives::{GeomWithData, Rectangle};
use ::rstar::{AABB, Point, RTree};
use std::ops::ControlFlow;

/// A tree of moving boxes, rebuilt in each step.
pub(super) struct Rebuilt(KeptPairs);

/// Boxes at rest, queried by boxes.
pub(super) struct Rectangles<const D: usize>(RTree<GeomWithData<Rectangle<[f32; D]>, u32>>)
where
    [f32; D]: Point;

macro_rules! boxes {
    ($d:literal) => {
        impl Stepper<$d> for Rebuilt {
            const NAME: &'static str = "rstar rebuilt";
            const STARTS_AFRESH: bool = true;
            const MOST_BOXES: usize = 100_000;

            fn new(_: &[Bounds<$d>]) -> Self {
                Self(KeptPairs::default())
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

        impl AtRest<$d> for Rectangles<$d> {
            const NAME: &'static str = "rstar";

            fn build(boxes: &[Bounds<$d>]) -> Self {
                let item = |(bounds, id): (&Bounds<$d>, u32)| {
                    GeomWithData::new(Rectangle::from_corners(bounds.min, bounds.max), id)
                };
                Self(RTree::bulk_load(boxes.iter().zip(0..).map(item).collect()))
            }
        }

        impl Find<$d, Bounds<$d>> for Rectangles<$d> {
            fn find(&mut self, window: &Bounds<$d>, ids: &mut Vec<u32>) {
                let window = AABB::from_corners(window.min, window.max);
                let all = self.0.locate_in_envelope_intersecting_int(window, |item| {
                    ids.push(item.data);
                    ControlFlow::<()>::Continue(())
                });
                debug_assert!(all.is_continue());
            }
        }
    };
}

boxes!(2);
boxes!(3);

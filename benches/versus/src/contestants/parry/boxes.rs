//! Moving boxes, and boxes at rest.

use parry3d::partitioning::{Bvh, BvhNode};

use crate::contestant::at_rest::{AtRest, Find};
use crate::jobs::frustum::View;
use crate::stepper::{Pair, Stepper, pair};
use crate::worlds::Bounds;

macro_rules! contestants {
    ($module:ident, $parry:ident, $d:literal) => {
        pub(crate) mod $module {
            use $parry::bounding_volume::Aabb;
            use $parry::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};

            use super::{AtRest, Bounds, Find, Pair, Stepper, pair};

            pub(crate) fn cuboid(bounds: &Bounds<$d>) -> Aabb {
                Aabb::new(bounds.min.into(), bounds.max.into())
            }

            pub(crate) fn built(boxes: &[Bounds<$d>]) -> Bvh {
                let leaves = boxes.iter().map(cuboid).enumerate();
                Bvh::from_iter(BvhBuildStrategy::Binned, leaves)
            }

            /// A tree of tight boxes: the walk lists exactly the pairs that overlap.
            pub(crate) struct Refit {
                pub(crate) bvh: Bvh,
                workspace: BvhWorkspace,
                steps: u32,
                changes: usize,
            }

            impl Stepper<$d> for Refit {
                const NAME: &'static str = concat!(stringify!($parry), " refit");

                fn new(boxes: &[Bounds<$d>]) -> Self {
                    Self {
                        bvh: built(boxes),
                        workspace: BvhWorkspace::default(),
                        steps: 0,
                        changes: 0,
                    }
                }

                fn step(&mut self, boxes: &[Bounds<$d>], moved: &[u32], pairs: &mut Vec<Pair>) {
                    for &id in moved {
                        let bounds = cuboid(&boxes[id as usize]);
                        self.bvh.insert_or_update_partially(bounds, id, 0.0);
                    }
                    self.steps += 1;
                    self.changes += moved.len();
                    let are_many = moved.len() * 16 >= boxes.len();
                    let is_due = self.steps % 8 == 0 && self.changes * 64 >= boxes.len();
                    if are_many || is_due {
                        self.bvh.optimize_incremental(&mut self.workspace);
                        self.changes = 0;
                    }
                    self.bvh.refit(&mut self.workspace);
                    pairs.clear();
                    self.bvh.traverse_bvtt_single_tree::<false>(
                        &mut self.workspace,
                        &mut |a, b| {
                            pairs.push(pair(a, b));
                        },
                    );
                }
            }

            impl AtRest<$d> for Bvh {
                const NAME: &'static str = stringify!($parry);

                fn build(boxes: &[Bounds<$d>]) -> Self {
                    built(boxes)
                }
            }

            impl Find<$d, Bounds<$d>> for Bvh {
                fn find(&mut self, window: &Bounds<$d>, ids: &mut Vec<u32>) {
                    ids.extend(self.intersect_aabb(&cuboid(window)));
                }
            }
        }
    };
}

contestants!(two, parry2d, 2);
contestants!(three, parry3d, 3);

impl Find<3, View> for Bvh {
    fn find(&mut self, view: &View, ids: &mut Vec<u32>) {
        let sees = |node: &BvhNode| {
            let ends = [node.mins(), node.maxs()].map(|end| end.to_array().into());
            view.sees(ends[0], ends[1])
        };
        ids.extend(self.leaves(sees));
    }
}

//! Moving boxes in a tree of fat boxes.

use super::boxes;
use crate::stepper::{Pair, Stepper, ends, keep_exact, pair};
use crate::worlds::Bounds;

/// The margin of fat boxes: rapier's 4 % of the unit of length.
const MARGIN: f32 = 0.04;

macro_rules! contestant {
    ($module:ident, $parry:ident, $d:literal) => {
        pub(super) mod $module {
            use $parry::partitioning::BvhLeafUpdateStatus::Unchanged;
            use $parry::partitioning::{Bvh, BvhWorkspace};

            use super::boxes::$module::{built, cuboid};
            use super::{Bounds, MARGIN, Pair, Stepper, ends, keep_exact, pair};

            /// A tree of fat boxes, maintained as in rapier, but with a list of fat pairs instead of a map: only the boxes
            /// that left their fat boxes are queried.
            pub(in super::super) struct Fat {
                bvh: Bvh,
                workspace: BvhWorkspace,
                steps: u32,
                changes: usize,
                reinserts: bool,
                /// The boxes that left their fat boxes in the last step, and in this one.
                previous: Vec<u32>,
                current: Vec<u32>,
                left: Vec<bool>,
                fat_pairs: Vec<Pair>,
            }

            impl Stepper<$d> for Fat {
                const NAME: &'static str = concat!(stringify!($parry), " fat");

                fn new(boxes: &[Bounds<$d>]) -> Self {
                    let mut workspace = BvhWorkspace::default();
                    let mut bvh = built(boxes);
                    let mut fat_pairs = Vec::new();
                    bvh.refit(&mut workspace);
                    bvh.traverse_bvtt_single_tree::<false>(&mut workspace, &mut |a, b| {
                        fat_pairs.push(pair(a, b));
                    });
                    Self {
                        bvh,
                        workspace,
                        steps: 0,
                        changes: 0,
                        reinserts: false,
                        previous: Vec::new(),
                        current: Vec::new(),
                        left: vec![false; boxes.len()],
                        fat_pairs,
                    }
                }

                fn step(&mut self, boxes: &[Bounds<$d>], moved: &[u32], pairs: &mut Vec<Pair>) {
                    let n = boxes.len();
                    self.steps += 1;
                    self.current.clear();
                    let reinserts = self.reinserts && moved.len() * 16 < n;
                    for &id in moved {
                        let bounds = cuboid(&boxes[id as usize]);
                        let status = if reinserts {
                            self.bvh.reinsert_or_update_if_present(bounds, id, MARGIN)
                        } else {
                            self.bvh.update_partially_if_present(bounds, id, MARGIN)
                        };
                        if status != Some(Unchanged) {
                            self.current.push(id);
                            self.left[id as usize] = true;
                        }
                    }
                    let updated = self.current.len();
                    if !reinserts {
                        self.changes += updated;
                    }
                    self.reinserts = updated * 16 < n;
                    let is_due = self.steps % 8 == 0 && self.changes * 64 >= n;
                    let optimizes = self.changes > 0 && (updated * 16 >= n || is_due);
                    if (updated + self.previous.len()) * 16 >= n {
                        self.bvh.refit(&mut self.workspace);
                    } else {
                        self.bvh.refit_partial(&self.previous, &self.current);
                    }
                    let (fat_pairs, left) = (&mut self.fat_pairs, &mut self.left);
                    fat_pairs.retain(|&pair| {
                        let (a, b) = ends(pair);
                        !left[a as usize] && !left[b as usize]
                    });
                    self.bvh
                        .traverse_bvtt_single_tree::<true>(&mut self.workspace, &mut |a, b| {
                            fat_pairs.push(pair(a, b));
                        });
                    for &id in &self.current {
                        left[id as usize] = false;
                    }
                    keep_exact(&self.fat_pairs, boxes, pairs);
                    std::mem::swap(&mut self.previous, &mut self.current);
                    if optimizes {
                        // Rapier optimizes the tree while its narrow phase runs, but it is work all the same.
                        self.changes = 0;
                        self.bvh.optimize_incremental(&mut self.workspace);
                        self.bvh.refit_without_resolve(&mut self.workspace);
                    }
                }
            }
        }
    };
}

contestant!(two, parry2d, 2);
contestant!(three, parry3d, 3);

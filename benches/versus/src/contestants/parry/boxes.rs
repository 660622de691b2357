//! Moving boxes, casts through them, and boxes at rest.

use parry3d::bounding_volume::BoundingVolume;
use parry3d::partitioning::{Bvh, BvhNode};
use parry3d::query::{Ray, RayCast};

use crate::contestant::at_rest::{AtRest, Find};
use crate::jobs::casts::{Casts, Path, sphere_time};
use crate::jobs::frustum::View;
use crate::stepper::{Pair, Stepper, ends, keep_exact, pair};
use crate::worlds::Bounds;
use three::{Refit, built, cuboid};

/// The margin of fat boxes: rapier's 4 % of the unit of length.
const MARGIN: f32 = 0.04;

macro_rules! contestants {
    ($module:ident, $parry:ident, $d:literal) => {
        pub(crate) mod $module {
            use $parry::bounding_volume::Aabb;
            use $parry::partitioning::BvhLeafUpdateStatus::Unchanged;
            use $parry::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};

            use super::{AtRest, Bounds, Find, MARGIN, Pair, Stepper, ends, keep_exact, pair};

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

            /// A tree of fat boxes, maintained as in rapier, but with a list of fat pairs instead of a map: only the boxes
            /// that left their fat boxes are queried.
            pub(crate) struct Fat {
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

/// A tree, and the boxes of its leaves.
trait BoxTree: Stepper<3> {
    fn bvh(&self) -> &Bvh;

    fn boxes(&self) -> &[Bounds<3>];
}

impl<T: BoxTree> Casts for T {
    fn ray(&self, path: &Path) -> Option<u32> {
        let ray = Ray::new(path.from.into(), path.by.into());
        let cast = |leaf: u32, limit| {
            let bounds = cuboid(&self.boxes()[leaf as usize]);
            bounds.cast_local_ray(&ray, limit, true)
        };
        Some(self.bvh().cast_ray(&ray, 1.0, cast)?.0)
    }

    /// Casts a ray against grown boxes, as parry does for composite shapes.
    fn sphere(&self, path: &Path, radius: f32) -> Option<u32> {
        let ray = Ray::new(path.from.into(), path.by.into());
        let found = self.bvh().find_best(
            1.0,
            |node, limit| {
                let bounds = node.aabb().loosened(radius);
                bounds.cast_local_ray(&ray, limit, true).unwrap_or(f32::MAX)
            },
            |leaf, _| sphere_time(path, radius, &self.boxes()[leaf as usize]),
        );
        Some(found?.0)
    }

    fn overlapping(&self, bounds: &Bounds<3>, ids: &mut Vec<u32>) {
        ids.extend(self.bvh().intersect_aabb(&cuboid(bounds)));
    }
}

/// A tree that is built from the boxes after the last step.
pub(crate) struct Fresh {
    bvh: Bvh,
    boxes: Vec<Bounds<3>>,
}

impl Stepper<3> for Fresh {
    const NAME: &'static str = "parry3d fresh";
    const STARTS_AFRESH: bool = true;

    fn new(boxes: &[Bounds<3>]) -> Self {
        Self {
            bvh: built(boxes),
            boxes: boxes.to_vec(),
        }
    }

    fn step(&mut self, boxes: &[Bounds<3>], _: &[u32], _: &mut Vec<Pair>) {
        *self = Self::new(boxes);
    }
}

impl BoxTree for Fresh {
    fn bvh(&self) -> &Bvh {
        &self.bvh
    }

    fn boxes(&self) -> &[Bounds<3>] {
        &self.boxes
    }
}

/// A tree in the state in which the steps leave it.
pub(crate) struct Stepped {
    refit: Refit,
    boxes: Vec<Bounds<3>>,
}

impl Stepper<3> for Stepped {
    const NAME: &'static str = "parry3d stepped";

    fn new(boxes: &[Bounds<3>]) -> Self {
        Self {
            refit: Refit::new(boxes),
            boxes: boxes.to_vec(),
        }
    }

    fn step(&mut self, boxes: &[Bounds<3>], moved: &[u32], pairs: &mut Vec<Pair>) {
        self.refit.step(boxes, moved, pairs);
        self.boxes.copy_from_slice(boxes);
    }
}

impl BoxTree for Stepped {
    fn bvh(&self) -> &Bvh {
        &self.refit.bvh
    }

    fn boxes(&self) -> &[Bounds<3>] {
        &self.boxes
    }
}

impl Find<3, View> for Bvh {
    fn find(&mut self, view: &View, ids: &mut Vec<u32>) {
        let sees = |node: &BvhNode| {
            let ends = [node.mins(), node.maxs()].map(|end| end.to_array().into());
            view.sees(ends[0], ends[1])
        };
        ids.extend(self.leaves(sees));
    }
}

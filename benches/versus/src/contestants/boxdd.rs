//! The dynamic tree of `Box2D`, maintained as in its physics engine.

use ::boxdd::{Aabb, DynamicTree, Foundation, TreeProxyId};

use super::Register;
use crate::stepper::{KeptPairs, Pair, PairFilter, Stepper, keep_exact, stepper};
use crate::worlds::Bounds;

pub(super) fn enter(to: &mut Register) {
    to.broadphase2.push(stepper::<2, Tree>());
}

/// Fat boxes. A fat box is replaced if its box has left it, and a part of the tree is rebuilt
/// in each step.
struct Tree {
    tree: DynamicTree,
    proxies: Vec<TreeProxyId>,
    fat: Vec<Bounds<2>>,
    /// The boxes that left their fat boxes.
    left: Vec<u32>,
    kept: KeptPairs,
    fat_pairs: Vec<Pair>,
}

/// `Box2D`'s margin, in meters.
const MARGIN: f32 = 0.1;

fn cuboid(bounds: &Bounds<2>) -> Aabb {
    Aabb::new(bounds.min, bounds.max).expect("the box is finite")
}

impl Stepper<2> for Tree {
    const NAME: &'static str = "boxdd";

    fn new(boxes: &[Bounds<2>]) -> Self {
        Foundation::initialize_default().expect("nobody sets anything else");
        let mut tree = DynamicTree::with_capacity(boxes.len()).expect("there is room");
        let fat: Vec<_> = boxes.iter().map(|bounds| bounds.grown(MARGIN)).collect();
        let proxies = fat.iter().zip(0..).map(|(bounds, id)| {
            let proxy = tree.create_proxy(cuboid(bounds), 1, id);
            proxy.expect("there is room")
        });
        Self {
            proxies: proxies.collect(),
            tree,
            fat,
            left: Vec::new(),
            kept: KeptPairs::default(),
            fat_pairs: Vec::new(),
        }
    }

    fn step(&mut self, boxes: &[Bounds<2>], moved: &[u32], pairs: &mut Vec<Pair>) {
        self.left.clear();
        for &id in moved {
            let i = id as usize;
            if !self.fat[i].contains(&boxes[i]) {
                self.fat[i] = boxes[i].grown(MARGIN);
                let enlarged = self
                    .tree
                    .enlarge_proxy(self.proxies[i], cuboid(&self.fat[i]));
                enlarged.expect("the proxy lives");
                self.left.push(id);
            }
        }
        self.tree.rebuild(false).expect("the tree is whole");
        let (tree, fat) = (&self.tree, &self.fat);
        let query = |id: u32, keep: PairFilter, pairs: &mut Vec<Pair>| {
            let mut visit = |_, other: u64| {
                keep.offer(other as u32, pairs);
                true
            };
            let asked = tree.query_all(cuboid(&fat[id as usize]), &mut visit);
            asked.expect("the box is finite");
        };
        self.kept
            .step(boxes.len(), &self.left, &mut self.fat_pairs, query);
        keep_exact(&self.fat_pairs, boxes, pairs);
    }
}

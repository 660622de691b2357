//! A voxel brush with undo.
use orthant::glam::{IVec3, Vec3};
use orthant::{Adjacency, BrickSet, Region, Rule, VoxelGrid, Voxelize};

struct Canvas {
    grid: VoxelGrid<Vec3>,
    voxels: BrickSet<IVec3>,
    /// The voxels that each stroke changed.
    undo: Vec<BrickSet<IVec3>>,
}

impl Canvas {
    fn new(voxel: f32) -> Self {
        let grid = VoxelGrid::new(Vec3::ZERO, voxel).with_rule(Rule::CenterInside);
        Self {
            grid,
            voxels: BrickSet::new(),
            undo: Vec::new(),
        }
    }

    fn paint<R: Voxelize + Region<Vector = Vec3>>(&mut self, brush: R) {
        self.change(&BrickSet::from_region(&self.grid, brush) - &self.voxels);
    }

    fn erase<R: Voxelize + Region<Vector = Vec3>>(&mut self, brush: R) {
        self.change(self.voxels.query(&self.grid, brush));
    }

    fn change(&mut self, changed: BrickSet<IVec3>) {
        self.voxels ^= &changed;
        self.undo.push(changed);
    }

    fn undo(&mut self) -> bool {
        let Some(changed) = self.undo.pop() else {
            return false;
        };
        self.voxels ^= &changed;
        true
    }

    fn voxels(&self) -> &BrickSet<IVec3> {
        &self.voxels
    }

    fn parts(&self) -> usize {
        self.voxels.components(Adjacency::Faces).len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;
    use orthant::{Aabb, Moving, Sphere};
    use std::collections::BTreeSet;

    const VOXEL: f32 = 0.5;

    /// Returns all voxels of the scene whose centers a brush holds, by testing each.
    fn plain(holds: impl Fn(Vec3) -> bool) -> BTreeSet<[i32; 3]> {
        let range = -30..30;
        let all = range.clone().flat_map(|x| {
            range
                .clone()
                .flat_map(move |y| (-30..30).map(move |z| [x, y, z]))
        });
        all.filter(|voxel| holds((IVec3::from_array(*voxel).as_vec3() + 0.5) * VOXEL))
            .collect()
    }

    fn plain_parts(mut voxels: BTreeSet<[i32; 3]>) -> usize {
        let mut parts = 0;
        while let Some(first) = voxels.pop_first() {
            parts += 1;
            let mut waiting = vec![first];
            while let Some(voxel) = waiting.pop() {
                for axis in 0..3 {
                    for step in [-1, 1] {
                        let mut next = voxel;
                        next[axis] += step;
                        if voxels.remove(&next) {
                            waiting.push(next);
                        }
                    }
                }
            }
        }
        parts
    }

    #[test]
    fn strokes_and_undo_are_those_of_plain_sets() {
        let mut random = Random::new(4);
        let mut canvas = Canvas::new(VOXEL);
        let mut history = vec![BTreeSet::new()];
        let mut most_parts = 0;
        for stroke in 0..60 {
            let (from, to, radius) = (
                random.in_cube(-10.0, 10.0),
                random.in_cube(-10.0, 10.0),
                random.range(0.5, 3.5),
            );
            let erase = stroke > 20 && random.unit() < 0.5;
            macro_rules! stroke {
                ($brush:expr) => {
                    if erase {
                        canvas.erase($brush)
                    } else {
                        canvas.paint($brush)
                    }
                };
            }
            let touched = match stroke % 3 {
                0 => {
                    stroke!(Sphere::new(from, radius));
                    plain(|p| p.distance_squared(from) <= radius * radius)
                }
                1 => {
                    let (min, max) = (from - radius, from + radius);
                    stroke!(Aabb::new(min, max));
                    plain(|p| p.cmpge(min).all() && p.cmple(max).all())
                }
                _ => {
                    let way = (to - from) * 0.5;
                    let radius = radius * 0.5;
                    stroke!(Moving::new(Sphere::new(from, radius), way));
                    plain(|p| {
                        let t = ((p - from).dot(way) / way.length_squared()).clamp(0.0, 1.0);
                        p.distance_squared(from + way * t) <= radius * radius
                    })
                }
            };
            let mut now = history.last().unwrap().clone();
            now.retain(|voxel| !(erase && touched.contains(voxel)));
            if !erase {
                now.extend(touched);
            }
            history.push(now);
            assert!(check(&canvas, history.last().unwrap()), "stroke {stroke}");
            most_parts = most_parts.max(canvas.parts());
            if random.unit() < 0.3 {
                for _ in 0..random.below(4) {
                    assert_eq!(canvas.undo(), history.len() > 1);
                    if history.len() > 1 {
                        history.pop();
                    }
                    assert!(
                        check(&canvas, history.last().unwrap()),
                        "undone after stroke {stroke}"
                    );
                }
            }
        }
        assert!(
            most_parts > 3 && canvas.voxels().len() > 1000,
            "{most_parts}"
        );
        while canvas.undo() {
            history.pop();
            assert!(check(&canvas, history.last().unwrap()));
        }
        assert!(canvas.voxels().is_empty() && history.len() == 1);
    }

    fn check(canvas: &Canvas, plain: &BTreeSet<[i32; 3]>) -> bool {
        let voxels: BTreeSet<[i32; 3]> = canvas.voxels().iter().map(<[i32; 3]>::from).collect();
        voxels == *plain
            && canvas.voxels().len() == plain.len() as u64
            && canvas.parts() == plain_parts(plain.clone())
    }
}

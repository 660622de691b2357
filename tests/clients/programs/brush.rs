//! A voxel editor: strokes of a round brush add or carve, and can be undone.

use orthant::glam::{IVec3, Vec3};
use orthant::{BrickSet, Distance, Moving, Sphere, VoxelGrid};

use crate::random;

/// What a stroke has changed.
#[derive(Debug)]
struct Edit {
    added: BrickSet<IVec3>,
    removed: BrickSet<IVec3>,
}

#[derive(Debug)]
struct Sculpture {
    grid: VoxelGrid<Vec3>,
    solid: BrickSet<IVec3>,
    done: Vec<Edit>,
    undone: Vec<Edit>,
}

impl Sculpture {
    fn new(voxel: f32) -> Self {
        Self {
            grid: VoxelGrid::new(Vec3::ZERO, voxel),
            solid: BrickSet::new(),
            done: Vec::new(),
            undone: Vec::new(),
        }
    }

    /// The brush is drawn from place to place.
    fn stroke(&mut self, path: &[Vec3], radius: f32, carve: bool) {
        let way = |two: &[Vec3]| Moving::new(Sphere::new(two[0], radius), two[1] - two[0]);
        let ways: Vec<_> = path.windows(2).map(way).collect();
        let touched = BrickSet::from_regions(&self.grid, &ways);
        let (added, removed) = if carve {
            (BrickSet::new(), &touched & &self.solid)
        } else {
            (&touched - &self.solid, BrickSet::new())
        };
        let edit = Edit { added, removed };
        self.apply(&edit);
        self.done.push(edit);
        self.undone.clear();
    }

    fn apply(&mut self, edit: &Edit) {
        self.solid |= &edit.added;
        self.solid -= &edit.removed;
    }

    fn undo(&mut self) -> bool {
        let Some(edit) = self.done.pop() else {
            return false;
        };
        self.solid -= &edit.added;
        self.solid |= &edit.removed;
        self.undone.push(edit);
        true
    }

    fn redo(&mut self) -> bool {
        let Some(edit) = self.undone.pop() else {
            return false;
        };
        self.apply(&edit);
        self.done.push(edit);
        true
    }
}

#[test]
fn strokes_can_be_undone_and_done_again() {
    let mut random = random(5);
    let mut sculpture = Sculpture::new(0.25);
    let mut states = vec![sculpture.solid.clone()];
    for stroke in 0..12 {
        let path: Vec<Vec3> = (0..4)
            .map(|_| Vec3::new(random(), random(), random()) * 6.0)
            .collect();
        sculpture.stroke(&path, 0.4 + 0.4 * random(), stroke % 3 == 2);
        states.push(sculpture.solid.clone());
    }
    assert!(sculpture.solid.len() > 5000);
    for state in states.iter().rev().skip(1) {
        assert!(sculpture.undo());
        assert_eq!(sculpture.solid, *state);
    }
    assert!(!sculpture.undo() && sculpture.solid.is_empty());
    for state in &states[1..] {
        assert!(sculpture.redo());
        assert_eq!(sculpture.solid, *state);
    }
    assert!(!sculpture.redo());
}

#[test]
fn a_stroke_is_what_the_brush_touches() {
    let mut sculpture = Sculpture::new(0.5);
    let (from, to, radius) = (Vec3::new(1.0, 1.2, 1.1), Vec3::new(3.0, 2.0, 1.4), 0.7);
    sculpture.stroke(&[from, to], radius, false);
    let mut touched = BrickSet::new();
    for i in 0..512 {
        let voxel = IVec3::new(i % 8, i / 8 % 8, i / 64);
        let cell = sculpture.grid.voxel_bounds(voxel);
        // From many places on the way, none of them missed by more than the step.
        let gap_sq = |k: i32| cell.distance_sq(from.lerp(to, k as f32 / 1e4));
        if (0..=10_000).map(gap_sq).any(|gap| gap <= radius * radius) {
            touched.insert(voxel);
        }
    }
    assert_eq!(sculpture.solid, touched);
}

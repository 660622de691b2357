//! The neighbors of all points.

use super::library::glam::{DVec3, Vec2, Vec3};
use super::library::{Aabb, CellList, NeighborLists, Periodic, Vector};
use crate::answers::Answers;
use crate::contestant::rebuilt::CountRun;
use crate::contestant::{BatchRun, Filled, FlatLists};
use bytemuck::cast_slice;
use std::hint::black_box;

/// The cell list and the lists of neighbors, whose memory is kept from step to step.
pub(crate) struct Cells<V: Vector> {
    periodic: Option<Periodic<V>>,
    cells: Option<CellList<V>>,
    lists: NeighborLists,
}

impl<V: Vector> Default for Cells<V> {
    fn default() -> Self {
        Self {
            periodic: None,
            cells: None,
            lists: NeighborLists::new(),
        }
    }
}

/// Cells of the periodic unit cube.
pub(crate) struct InUnitCube(Cells<Vec3>);

impl Default for InUnitCube {
    fn default() -> Self {
        Self(Cells {
            periodic: Some(Periodic::new(Aabb::new(Vec3::ZERO, Vec3::ONE))),
            ..Cells::default()
        })
    }
}

impl BatchRun<f32, 3> for InUnitCube {
    fn lists(&mut self, points: &[[f32; 3]], radius: f32, out: &mut FlatLists) -> u64 {
        self.0.lists(points, radius, out)
    }

    fn answers(&mut self, points: &[[f32; 3]], radius: f32, out: &mut FlatLists) -> Answers {
        self.0.answers(points, radius, out)
    }
}

impl<V: Vector> Cells<V> {
    fn rebuild(&mut self, points: &[V], radius: V::Scalar) -> &CellList<V> {
        let kept = self.cells.take().filter(|cells| cells.radius() == radius);
        self.cells.insert(match (kept, self.periodic) {
            (Some(mut cells), _) => {
                cells.rebuild(points).expect("points are finite");
                cells
            }
            (None, None) => CellList::new(points, radius),
            (None, Some(periodic)) => CellList::new_periodic(points, radius, periodic),
        })
    }
}

macro_rules! contestant {
    ($vector:ty, $s:ty, $d:literal) => {
        impl BatchRun<$s, $d> for Cells<$vector> {
            fn lists(&mut self, points: &[[$s; $d]], radius: $s, _: &mut FlatLists) -> u64 {
                let mut lists = std::mem::take(&mut self.lists);
                let cells = self.rebuild(cast_slice(points), radius);
                cells.neighbors_into(&mut lists).filled();
                self.lists = lists;
                black_box(&self.lists).total() as u64
            }

            fn answers(&mut self, points: &[[$s; $d]], radius: $s, out: &mut FlatLists) -> Answers {
                self.lists(points, radius, out);
                let mut answers = Answers::default();
                for list in self.lists.iter() {
                    answers.push_ids(&list);
                }
                answers
            }
        }

        impl CountRun<$s, $d> for Cells<$vector> {
            fn count(&mut self, points: &[[$s; $d]], radius: $s) -> u64 {
                let cells = self.rebuild(cast_slice(points), radius);
                2 * cells.count_pairs() + points.len() as u64
            }
        }
    };
}

contestant!(Vec2, f32, 2);
contestant!(Vec3, f32, 3);
contestant!(DVec3, f64, 3);

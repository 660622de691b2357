//! The neighborhood search of splashsurf, which reconstructs surfaces of fluids, on one thread. It lists
//! the points that are nearer than the radius, and no point as its own neighbor.

use splashsurf_lib::nalgebra::Vector3;
use splashsurf_lib::neighborhood_search::{
    FlatNeighborhoodList, neighborhood_search_spatial_hashing_flat, search_inplace,
};
use splashsurf_lib::{Aabb3d, Real};

use super::Register;
use crate::answers::Answers;
use crate::contestant::rebuilt::lister;
use crate::contestant::{BatchRun, FlatLists};

pub(super) fn enter(to: &mut Register) {
    to.lists3.extend([
        lister::<_, 3, Nested>("splashsurf"),
        lister::<_, 3, Flat>("splashsurf flat"),
    ]);
    to.lists3_f64.extend([
        lister::<_, 3, Nested>("splashsurf"),
        lister::<_, 3, Flat>("splashsurf flat"),
    ]);
}

/// A vector for each list.
#[derive(Default)]
struct Nested(Vec<Vec<usize>>);

/// All lists one after the other.
#[derive(Default)]
struct Flat(FlatNeighborhoodList);

/// The box around all points, grown by the radius.
fn bounds<R: Real>(points: &[Vector3<R>], radius: R) -> Aabb3d<R> {
    let mut bounds = Aabb3d::from_points(points);
    bounds.grow_uniformly(radius);
    bounds
}

/// The answers, with each point added to its own list.
fn answers<'a>(lists: impl Iterator<Item = &'a [usize]>) -> Answers {
    let mut answers = Answers::default();
    for (list, own) in lists.zip(0..) {
        answers.push(list.iter().map(|&id| id as u64).chain([own]));
    }
    answers
}

macro_rules! contestant {
    ($s:ty) => {
        impl BatchRun<$s, 3> for Nested {
            fn lists(&mut self, points: &[[$s; 3]], radius: $s, _: &mut FlatLists) -> u64 {
                let points: &[Vector3<$s>] = bytemuck::cast_slice(points);
                let bounds = bounds(points, radius);
                search_inplace::<i64, $s>(&bounds, points, radius, false, &mut self.0);
                (self.0.iter().map(Vec::len).sum::<usize>() + points.len()) as u64
            }

            fn answers(&mut self, points: &[[$s; 3]], radius: $s, out: &mut FlatLists) -> Answers {
                self.lists(points, radius, out);
                answers(self.0.iter().map(Vec::as_slice))
            }
        }

        impl BatchRun<$s, 3> for Flat {
            fn lists(&mut self, points: &[[$s; 3]], radius: $s, _: &mut FlatLists) -> u64 {
                let points: &[Vector3<$s>] = bytemuck::cast_slice(points);
                let bounds = bounds(points, radius);
                neighborhood_search_spatial_hashing_flat::<i64, $s>(
                    &bounds,
                    points,
                    radius,
                    &mut self.0,
                );
                (self.0.neighbors.len() + points.len()) as u64
            }

            fn answers(&mut self, points: &[[$s; 3]], radius: $s, out: &mut FlatLists) -> Answers {
                self.lists(points, radius, out);
                let list = |i| self.0.get_neighbors(i).expect("each point has a list");
                answers((0..points.len()).map(list))
            }
        }
    };
}

contestant!(f32);
contestant!(f64);

//! The neighbourhood search of a library that reconstructs surfaces of fluids, on one thread. It lists
//! what is nearer than the radius, and no point as its own neighbour.

use splashsurf_lib::nalgebra::Vector3;
use splashsurf_lib::neighborhood_search::{
    FlatNeighborhoodList, neighborhood_search_spatial_hashing_flat, search_inplace,
};
use splashsurf_lib::{Aabb3d, Real};

use crate::answers::Answers;
use crate::contestant::{BatchRun, Room};

/// A vector for each list.
#[derive(Default)]
pub(super) struct Nested(Vec<Vec<usize>>);

/// All lists one behind the other.
#[derive(Default)]
pub(super) struct Flat(FlatNeighborhoodList);

/// Around all points, with a cell to spare.
fn bounds<R: Real>(points: &[Vector3<R>], radius: R) -> Aabb3d<R> {
    let mut bounds = Aabb3d::from_points(points);
    bounds.grow_uniformly(radius);
    bounds
}

/// The lists, each with its own point.
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
            fn lists(&mut self, points: &[[$s; 3]], radius: $s, _: &mut Room) -> u64 {
                let points: &[Vector3<$s>] = bytemuck::cast_slice(points);
                let bounds = bounds(points, radius);
                search_inplace::<i64, $s>(&bounds, points, radius, false, &mut self.0);
                (self.0.iter().map(Vec::len).sum::<usize>() + points.len()) as u64
            }

            fn answers(&mut self, points: &[[$s; 3]], radius: $s, room: &mut Room) -> Answers {
                self.lists(points, radius, room);
                answers(self.0.iter().map(Vec::as_slice))
            }
        }

        impl BatchRun<$s, 3> for Flat {
            fn lists(&mut self, points: &[[$s; 3]], radius: $s, _: &mut Room) -> u64 {
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

            fn answers(&mut self, points: &[[$s; 3]], radius: $s, room: &mut Room) -> Answers {
                self.lists(points, radius, room);
                let list = |i| self.0.get_neighbors(i).expect("each point has a list");
                answers((0..points.len()).map(list))
            }
        }
    };
}

contestant!(f32);
contestant!(f64);

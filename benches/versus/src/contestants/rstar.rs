//! rstar: R*-trees of points, of changing points and balls, and of boxes.

mod boxes;
mod changed;

use ::rstar::primitives::GeomWithData;
use ::rstar::{Point, RTree};

use super::Register;
use crate::contestant::at_rest::finder;
use crate::contestant::ghosts::Ghosts;
use crate::contestant::rebuilt::{SMALL, lister, rebuilt, rebuilt_counter};
use crate::contestant::{Index, Loop, Nearest, NearestN, Radius, nearest, nearest_n, radius};
use crate::jobs::loose::changer;
use crate::jobs::nearest::SEVERAL;
use crate::stepper::stepper;
use boxes::{Rebuilt, Rectangles};
use changed::{At, Changed, Round};

pub(super) fn enter(to: &mut Register) {
    to.radius3.push(radius::<_, 3, Tree<[f32; 3]>>());
    to.radius3_f64.push(radius::<_, 3, Tree<[f64; 3]>>());
    to.radius2.push(radius::<_, 2, Tree<[f32; 2]>>());
    to.nearest3.push(nearest::<_, 3, Tree<[f32; 3]>>());
    to.nearest_n3
        .push(nearest_n::<_, 3, Tree<[f32; 3]>, SEVERAL>());
    to.nearest2.push(nearest::<_, 2, Tree<[f32; 2]>>());
    to.nearest_n2
        .push(nearest_n::<_, 2, Tree<[f32; 2]>, SEVERAL>());
    to.changing_points.push(changer::<Changed<At>>());
    to.changing_balls.push(changer::<Changed<Round>>());
    to.broadphase3.push(stepper::<3, Rebuilt>());
    to.broadphase2.push(stepper::<2, Rebuilt>());
    to.windows3.push(finder::<3, _, Rectangles<3>>());
    to.windows2.push(finder::<2, _, Rectangles<2>>());
    to.lists3
        .push(rebuilt::<_, 3, Loop<Tree<[f32; 3]>>>().up_to(SMALL));
    to.lists3_f64
        .push(rebuilt::<_, 3, Loop<Tree<[f64; 3]>>>().up_to(SMALL));
    to.lists2
        .push(rebuilt::<_, 2, Loop<Tree<[f32; 2]>>>().up_to(SMALL));
    to.periodic3
        .push(lister::<_, 3, Ghosts<Tree<[f32; 3]>>>("rstar, ghosts").up_to(SMALL));
    to.counts3
        .push(rebuilt_counter::<_, 3, Tree<[f32; 3]>>().up_to(SMALL));
}

struct Tree<P: Point>(RTree<GeomWithData<P, u32>>);

macro_rules! points {
    ($s:ty, $d:literal) => {
        impl Index<$s, $d> for Tree<[$s; $d]> {
            const NAME: &'static str = "rstar";

            fn build(points: &[[$s; $d]], _: $s) -> Self {
                let item = |(&point, id)| GeomWithData::new(point, id);
                Self(RTree::bulk_load(points.iter().zip(0..).map(item).collect()))
            }
        }

        impl Radius<$s, $d> for Tree<[$s; $d]> {
            fn count(&mut self, center: &[$s; $d], radius: $s) -> usize {
                let found = self.0.locate_within_distance(*center, radius * radius);
                found.count()
            }

            fn collect(&mut self, center: &[$s; $d], radius: $s, ids: &mut Vec<u32>) {
                let found = self.0.locate_within_distance(*center, radius * radius);
                ids.extend(found.map(|item| item.data));
            }
        }

        impl Nearest<$s, $d> for Tree<[$s; $d]> {
            fn nearest(&mut self, center: &[$s; $d]) -> u32 {
                let nearest = self.0.nearest_neighbor(*center);
                nearest.expect("there are points").data
            }
        }

        impl NearestN<$s, $d> for Tree<[$s; $d]> {
            fn nearest_n(&mut self, center: &[$s; $d], n: usize, ids: &mut Vec<u32>) {
                let found = self.0.nearest_neighbor_iter(*center).take(n);
                ids.extend(found.map(|item| item.data));
            }
        }
    };
}

points!(f32, 2);
points!(f32, 3);
points!(f64, 3);

use ::rstar::primitives::GeomWithData;
use ::rstar::{Point, RTree};

use crate::contestant::{Index, Nearest, NearestN, Radius};

pub(crate) struct Tree<P: Point>(RTree<GeomWithData<P, u32>>);

macro_rules! contestant {
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

contestant!(f32, 2);
contestant!(f32, 3);
contestant!(f64, 3);

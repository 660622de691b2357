use ::geo_index::kdtree::{KDTree, KDTreeBuilder, KDTreeIndex};
use ::geo_index::rtree::sort::HilbertSort;
use ::geo_index::rtree::{RTree, RTreeBuilder, RTreeIndex};

use crate::contestant::{Index, Nearest, NearestN, Radius};

/// For balls.
pub(crate) struct Kd(KDTree<f32>);

impl Index<f32, 2> for Kd {
    const NAME: &'static str = "geo-index k-d";

    fn build(points: &[[f32; 2]], _: f32) -> Self {
        let mut builder = KDTreeBuilder::new(points.len() as u32);
        for &[x, y] in points {
            builder.add(x, y);
        }
        Self(builder.finish())
    }
}

impl Radius<f32, 2> for Kd {
    fn count(&mut self, &[x, y]: &[f32; 2], radius: f32) -> usize {
        self.0.within(x, y, radius).len()
    }

    fn collect(&mut self, &[x, y]: &[f32; 2], radius: f32, ids: &mut Vec<u32>) {
        ids.extend(self.0.within(x, y, radius));
    }
}

/// For the nearest.
pub(crate) struct Rectangles(RTree<f32>);

impl Index<f32, 2> for Rectangles {
    const NAME: &'static str = "geo-index R";

    fn build(points: &[[f32; 2]], _: f32) -> Self {
        let mut builder = RTreeBuilder::new(points.len() as u32);
        for &[x, y] in points {
            builder.add(x, y, x, y);
        }
        Self(builder.finish::<HilbertSort>())
    }
}

impl Nearest<f32, 2> for Rectangles {
    fn nearest(&mut self, &[x, y]: &[f32; 2]) -> u32 {
        self.0.neighbors(x, y, Some(1), None)[0]
    }
}

impl NearestN<f32, 2> for Rectangles {
    fn nearest_n(&mut self, &[x, y]: &[f32; 2], n: usize, ids: &mut Vec<u32>) {
        ids.extend(self.0.neighbors(x, y, Some(n), None));
    }
}

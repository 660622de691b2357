//! geo-index: packed trees of points and boxes.

use ::geo_index::kdtree::{KDTree, KDTreeBuilder, KDTreeIndex};
use ::geo_index::rtree::sort::HilbertSort;
use ::geo_index::rtree::{RTree, RTreeBuilder, RTreeIndex};

use super::Register;
use crate::contestant::at_rest::{AtRest, Find, finder};
use crate::contestant::{Index, Nearest, NearestN, Radius, nearest, nearest_n, radius};
use crate::jobs::nearest::SEVERAL;
use crate::worlds::Bounds;

pub(super) fn enter(to: &mut Register) {
    to.radius2.push(radius::<_, 2, Kd>());
    to.nearest2.push(nearest::<_, 2, Rectangles>());
    to.nearest_n2.push(nearest_n::<_, 2, Rectangles, SEVERAL>());
    to.windows2.push(finder::<2, _, RTree<f32>>());
}

/// A k-d tree, for balls.
struct Kd(KDTree<f32>);

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

/// An R-tree, for the nearest.
struct Rectangles(RTree<f32>);

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

impl AtRest<2> for RTree<f32> {
    const NAME: &'static str = "geo-index";

    fn build(boxes: &[Bounds<2>]) -> Self {
        let mut builder = RTreeBuilder::new(boxes.len() as u32);
        for Bounds { min, max } in boxes {
            builder.add(min[0], min[1], max[0], max[1]);
        }
        builder.finish::<HilbertSort>()
    }
}

impl Find<2, Bounds<2>> for RTree<f32> {
    fn find(&mut self, &Bounds { min, max }: &Bounds<2>, ids: &mut Vec<u32>) {
        ids.extend(self.search(min[0], min[1], max[0], max[1]));
    }
}

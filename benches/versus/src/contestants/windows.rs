//! Boxes that are asked by boxes.

use std::ops::ControlFlow;
use std::time::Duration;

use ::bvh::bvh::Bvh;
use ::geo_index::rtree::sort::HilbertSort;
use ::geo_index::rtree::{RTree as Packed, RTreeBuilder, RTreeIndex};
use ::obvhs::BvhBuildParams;
use ::obvhs::bvh2::{Bvh2, builder::build_bvh2};
use ::orthant::glam::{Vec2, Vec3};
use ::orthant::{Aabb, Orthtree, Vector};
use ::rstar::primitives::{GeomWithData, Rectangle};
use ::rstar::{AABB, RTree};
use ::static_aabb2d_index::{StaticAABB2DIndex, StaticAABB2DIndexBuilder};

#[cfg(feature = "before")]
use super::before;
use super::broadphase::bvh::{Item, items};
use super::broadphase::obvhs::cuboid as obvhs_box;
use super::broadphase::{bvh, parry};
use super::field;
use crate::bench::Kind;
use crate::jobs::windows::{Asker, Windows, asker};
use crate::worlds::Bounds;

pub(crate) fn spatial() -> Vec<Asker<3>> {
    field(
        vec![asker::<3, Tree<Vec3>>()],
        before![asker::<3, before::boxes::Tree<before::Vec3>>()],
        vec![
            asker::<3, Rectangles<3>>(),
            asker::<3, parry3d::partitioning::Bvh>(),
            asker::<3, Shapes<3>>(),
            asker::<3, Leaves>(),
        ],
    )
}

pub(crate) fn planar() -> Vec<Asker<2>> {
    field(
        vec![asker::<2, Tree<Vec2>>()],
        before![asker::<2, before::boxes::Tree<before::Vec2>>()],
        vec![
            asker::<2, Rectangles<2>>(),
            asker::<2, parry2d::partitioning::Bvh>(),
            asker::<2, Shapes<2>>(),
            asker::<2, Static>(),
            asker::<2, Packed<f32>>(),
        ],
    )
}

pub(crate) struct Tree<V: Vector>(Orthtree<Aabb<V>>);

pub(crate) struct Rectangles<const D: usize>(RTree<GeomWithData<Rectangle<[f32; D]>, u32>>)
where
    [f32; D]: ::rstar::Point;

pub(crate) struct Shapes<const D: usize> {
    bvh: Bvh<f32, D>,
    items: Vec<Item<D>>,
}

macro_rules! contestants {
    ($d:literal, $vector:ty, $parry:ident, $module:ident, $name:literal) => {
        impl Windows<$d> for Tree<$vector> {
            const NAME: &'static str = "orthant";
            const KIND: Kind = Kind::Own;

            fn build(boxes: &[Bounds<$d>]) -> Self {
                let cuboid = |bounds: &Bounds<$d>| Aabb::new(bounds.min.into(), bounds.max.into());
                Self(Orthtree::new(&boxes.iter().map(cuboid).collect::<Vec<_>>()))
            }

            fn overlapping(&mut self, window: &Bounds<$d>, ids: &mut Vec<u32>) {
                let window = Aabb::<$vector>::new(window.min.into(), window.max.into());
                self.0.query(window).append_to(ids);
            }
        }

        impl Windows<$d> for Rectangles<$d> {
            const NAME: &'static str = "rstar";

            fn build(boxes: &[Bounds<$d>]) -> Self {
                let item = |(bounds, id): (&Bounds<$d>, u32)| {
                    GeomWithData::new(Rectangle::from_corners(bounds.min, bounds.max), id)
                };
                Self(RTree::bulk_load(boxes.iter().zip(0..).map(item).collect()))
            }

            fn overlapping(&mut self, window: &Bounds<$d>, ids: &mut Vec<u32>) {
                let window = AABB::from_corners(window.min, window.max);
                let all = self.0.locate_in_envelope_intersecting_int(window, |item| {
                    ids.push(item.data);
                    ControlFlow::<()>::Continue(())
                });
                debug_assert!(all.is_continue());
            }
        }

        impl Windows<$d> for $parry::partitioning::Bvh {
            const NAME: &'static str = $name;

            fn build(boxes: &[Bounds<$d>]) -> Self {
                parry::$module::built(boxes)
            }

            fn overlapping(&mut self, window: &Bounds<$d>, ids: &mut Vec<u32>) {
                ids.extend(self.intersect_aabb(&parry::$module::cuboid(window)));
            }
        }

        impl Windows<$d> for Shapes<$d> {
            const NAME: &'static str = "bvh";

            fn build(boxes: &[Bounds<$d>]) -> Self {
                let mut items = items(boxes);
                Self {
                    bvh: Bvh::build(&mut items),
                    items,
                }
            }

            fn overlapping(&mut self, window: &Bounds<$d>, ids: &mut Vec<u32>) {
                let window = bvh::cuboid(window);
                let found = self.bvh.traverse_iterator(&window, &self.items);
                let met = found.filter(|item| item.bounds.intersects_aabb(&window));
                ids.extend(met.map(|item| item.id));
            }
        }
    };
}

contestants!(2, Vec2, parry2d, two, "parry2d");
contestants!(3, Vec3, parry3d, three, "parry3d");

pub(crate) struct Leaves {
    bvh: Bvh2,
    /// In the order of its primitives.
    boxes: Vec<::obvhs::aabb::Aabb>,
}

impl Windows<3> for Leaves {
    const NAME: &'static str = "obvhs";

    fn build(boxes: &[Bounds<3>]) -> Self {
        let boxes: Vec<_> = boxes.iter().map(obvhs_box).collect();
        let params = BvhBuildParams::medium_build();
        let bvh = build_bvh2(&boxes, params, &mut Duration::default());
        let order = bvh.primitive_indices.iter();
        Self {
            boxes: order.map(|&id| boxes[id as usize]).collect(),
            bvh,
        }
    }

    fn overlapping(&mut self, window: &Bounds<3>, ids: &mut Vec<u32>) {
        let window = obvhs_box(window);
        self.bvh.aabb_traverse(window, |bvh, node| {
            let node = &bvh.nodes[node as usize];
            let start = node.first_index as usize;
            for at in start..start + node.prim_count as usize {
                if self.boxes[at].intersect_aabb(&window) {
                    ids.push(bvh.primitive_indices[at]);
                }
            }
            true
        });
    }
}

pub(crate) struct Static {
    index: StaticAABB2DIndex<f32>,
    stack: Vec<usize>,
}

impl Windows<2> for Static {
    const NAME: &'static str = "static_aabb2d";

    fn build(boxes: &[Bounds<2>]) -> Self {
        let mut builder = StaticAABB2DIndexBuilder::new(boxes.len());
        for Bounds { min, max } in boxes {
            builder.add(min[0], min[1], max[0], max[1]);
        }
        Self {
            index: builder.build().expect("it takes these boxes"),
            stack: Vec::new(),
        }
    }

    fn overlapping(&mut self, &Bounds { min, max }: &Bounds<2>, ids: &mut Vec<u32>) {
        let mut visitor = |id: usize| ids.push(id as u32);
        let stack = &mut self.stack;
        self.index
            .visit_query_with_stack(min[0], min[1], max[0], max[1], &mut visitor, stack);
    }
}

impl Windows<2> for Packed<f32> {
    const NAME: &'static str = "geo-index";

    fn build(boxes: &[Bounds<2>]) -> Self {
        let mut builder = RTreeBuilder::new(boxes.len() as u32);
        for Bounds { min, max } in boxes {
            builder.add(min[0], min[1], max[0], max[1]);
        }
        builder.finish::<HilbertSort>()
    }

    fn overlapping(&mut self, &Bounds { min, max }: &Bounds<2>, ids: &mut Vec<u32>) {
        ids.extend(self.search(min[0], min[1], max[0], max[1]));
    }
}

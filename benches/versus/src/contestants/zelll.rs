//! A grid for one radius.

use ::zelll::CellGrid;

use crate::bench::Kind;
use crate::contestant::{Index, Radius};
use crate::truth::distance_sq;

pub(crate) struct Grid<T>(T);

macro_rules! contestant {
    ($s:ty, $d:literal) => {
        impl Index<$s, $d> for Grid<CellGrid<(u32, [$s; $d]), $d, $s>> {
            const NAME: &'static str = "zelll";
            const KIND: Kind = Kind::Reference;
            const ONE_RADIUS: bool = true;

            fn build(points: &[[$s; $d]], radius: $s) -> Self {
                let particles = points.iter().enumerate().map(|(id, p)| (id as u32, *p));
                Self(CellGrid::new(particles, radius))
            }
        }

        impl Radius<$s, $d> for Grid<CellGrid<(u32, [$s; $d]), $d, $s>> {
            fn count(&mut self, center: &[$s; $d], radius: $s) -> usize {
                let limit = radius * radius;
                let near = self.0.query_neighbors(*center).into_iter().flatten();
                near.filter(|(_, p)| distance_sq(p, center) <= limit)
                    .count()
            }

            fn collect(&mut self, center: &[$s; $d], radius: $s, ids: &mut Vec<u32>) {
                let limit = radius * radius;
                if let Some(near) = self.0.query_neighbors(*center) {
                    let hits = near.filter(|(_, p)| distance_sq(p, center) <= limit);
                    ids.extend(hits.map(|(id, _)| *id));
                }
            }
        }
    };
}

pub(crate) type Cells<S, const D: usize> = Grid<CellGrid<(u32, [S; D]), D, S>>;

contestant!(f32, 2);
contestant!(f32, 3);
contestant!(f64, 3);

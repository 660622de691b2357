//! The voxels of one tile as rows of 64 bits, to draw on.
//!
//! A round shape is drawn by tables: on each axis the squares that a cell adds to the shared distance
//! expressions are computed once, and their sums are compared for sixteen cells of a row at a time. No
//! end of a row is looked for, so that there are no branches, and every bit is the predicate's own.

use alloc::boxed::Box;
use alloc::vec;

use fearless_simd::Simd;

use super::mask::{self, NONE};
use super::tile::{Key, Tile};
use crate::simd::{InstructionSet, Job, LANES, Wide};
use crate::voxel::{Lattice, Round, Shape};
use crate::{Region, Relation, Rule, Scalar, Vector, VoxelGrid, Voxelize};

/// Voxels on each axis.
const SIDE: usize = 64;

/// Whether a region can be drawn as it is.
#[inline]
pub(super) fn can_draw<V, R>(grid: &VoxelGrid<V>, region: &R) -> bool
where
    V: Vector,
    R: Voxelize + Region<Vector = V>,
{
    let round = |hollow: bool| match grid.rule() {
        Rule::Closed => true,
        Rule::CenterInside => !hollow,
        _ => false,
    };
    match region.shape() {
        Some(Shape::Ball {
            inner, is_surface, ..
        }) => round(is_surface || inner.is_some()),
        Some(Shape::Ellipsoid { is_surface, .. }) => round(is_surface),
        _ => false,
    }
}

pub(super) struct Canvas {
    /// The first voxel.
    start: [i64; 3],
    /// By z and y.
    rows: Box<[u64]>,
}

impl Canvas {
    pub(super) fn new(tile: Key) -> Self {
        Self {
            start: tile.indices().map(|index| i64::from(index) << 6),
            rows: vec![0; SIDE * SIDE].into(),
        }
    }

    /// Draws what of a region lies in the tile, of those that can be drawn; `start` and `end` are those
    /// of a block around it.
    pub(super) fn draw<V, R>(
        &mut self,
        grid: &VoxelGrid<V>,
        region: &R,
        start: [i32; 3],
        end: [i32; 3],
    ) where
        V: Vector,
        R: Voxelize + Region<Vector = V>,
    {
        let side = SIDE as i64;
        let low = [0, 1, 2].map(|a| (i64::from(start[a]) - self.start[a]).clamp(0, side) as usize);
        let high = [0, 1, 2].map(|a| (i64::from(end[a]) - self.start[a]).clamp(0, side) as usize);
        let lattice = grid.lattice();
        if low == [0; 3] && high == [SIDE; 3] {
            let face = |up: i64| V::from_fn(|a| lattice.face(a, self.start[a] + up));
            let relation = region.relate(&crate::Aabb::from_corners(face(0), face(side)));
            match relation {
                Relation::Outside => return,
                Relation::Inside => return self.rows.fill(!0),
                Relation::Straddles => {}
            }
        }
        let place = Place {
            start: self.start,
            low,
            high,
            by_center: grid.rule() == Rule::CenterInside,
        };
        let round = region
            .shape()
            .and_then(|shape| Round::new(&shape, grid.rule()));
        match round {
            Some(round) => V::Scalar::draw(&place, &lattice, &round, &mut self.rows),
            None => debug_assert!(false, "a region that cannot be drawn"),
        }
    }

    /// The bricks.
    pub(super) fn into_tile(self) -> Tile {
        let mut masks = [NONE; 8];
        // A word of the canvas is a row of eight bricks.
        let layers = (0..64).flat_map(|line| {
            let first = (line >> 3) * 8 * SIDE + (line & 7) * 8;
            for z in 0..8 {
                let rows = &self.rows[first + z * SIDE..];
                let rows = rows.first_chunk().expect("eight rows of a brick");
                for (mask, word) in masks.iter_mut().zip(mask::transposed(*rows)) {
                    mask[z] = word;
                }
            }
            let place = move |(x, mask)| (line << 3 | x, mask);
            masks.into_iter().enumerate().map(place)
        });
        Tile::from_bricks(layers)
    }
}

/// What is compiled here of drawing.
pub trait Kernels: Sized {
    /// Draws what lies within a limit, and not within a hole.
    fn draw(place: &Place, lattice: &Lattice<Self>, round: &Round<Self>, rows: &mut [u64]);
}

macro_rules! compiled {
    ($($scalar:ident)*) => {
        $(
            impl Kernels for $scalar {
                #[inline(never)]
                fn draw(
                    place: &Place,
                    lattice: &Lattice<Self>,
                    round: &Round<Self>,
                    rows: &mut [u64],
                ) {
                    place.draw(lattice, round, rows);
                }
            }
        )*
    };
}

compiled!(f32 f64);

/// Where in a tile to draw, in voxels from its first.
#[derive(Debug)]
pub struct Place {
    start: [i64; 3],
    low: [usize; 3],
    high: [usize; 3],
    by_center: bool,
}

impl Place {
    /// Draws what lies within a limit, and not within a hole.
    fn draw<S: Scalar>(&self, lattice: &Lattice<S>, round: &Round<S>, rows: &mut [u64]) {
        let (hole, far) = (round.hole, S::INFINITY);
        let mut table = Table {
            low: self.low,
            high: self.high,
            // Beyond the last cell nothing is met.
            near: [[far; SIDE + LANES]; 3],
            far: [[far; SIDE + LANES]; 3],
            limit: round.limit,
            hole: hole.unwrap_or_default(),
        };
        for axis in 0..3 {
            for i in self.low[axis]..self.high[axis] {
                let index = self.start[axis] + i as i64;
                let (lo, hi) = if self.by_center {
                    let middle = lattice.middle(axis, index);
                    (middle, middle)
                } else {
                    (lattice.face(axis, index), lattice.face(axis, index + 1))
                };
                let near = round.near_on(axis, lo, hi);
                table.near[axis][i] = near * near;
                if hole.is_some() {
                    let far = round.far_on(axis, lo, hi);
                    table.far[axis][i] = far * far;
                }
            }
        }
        let set = InstructionSet::best();
        if hole.is_some() {
            set.run(Draw::<_, true> { table, rows });
        } else {
            set.run(Draw::<_, false> { table, rows });
        }
    }
}

/// What the cells of each axis add to the squared distances.
struct Table<S> {
    low: [usize; 3],
    high: [usize; 3],
    near: [[S; SIDE + LANES]; 3],
    far: [[S; SIDE + LANES]; 3],
    limit: S,
    hole: S,
}

struct Draw<'a, S, const HOLLOW: bool> {
    table: Table<S>,
    rows: &'a mut [u64],
}

impl<T: Scalar, const HOLLOW: bool> Job for Draw<'_, T, HOLLOW> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { table, rows } = self;
        let Table { low, high, .. } = table;
        let limit = <T::Wide<S>>::splat(simd, table.limit);
        let hole = <T::Wide<S>>::splat(simd, table.hole);
        let rows: &mut [u64; SIDE * SIDE] = rows.first_chunk_mut().expect("a whole tile");
        let mut x = low[0];
        while x < high[0] {
            let near_x = <T::Wide<S>>::load(simd, chunk(&table.near[0], x));
            let far_x = <T::Wide<S>>::load(simd, chunk(&table.far[0], x));
            for y in low[1]..high[1] {
                let near_xy = near_x + <T::Wide<S>>::splat(simd, table.near[1][y]);
                let far_xy = far_x + <T::Wide<S>>::splat(simd, table.far[1][y]);
                for z in low[2]..high[2] {
                    let near = near_xy + <T::Wide<S>>::splat(simd, table.near[2][z]);
                    let mut met = near.at_most(limit);
                    if HOLLOW {
                        let far = far_xy + <T::Wide<S>>::splat(simd, table.far[2][z]);
                        met = met & hole.at_most(far);
                    }
                    rows[z << 6 | y] |= u64::from(met.bits(simd)) << x;
                }
            }
            x += LANES;
        }
    }
}

#[inline(always)]
fn chunk<S>(table: &[S; SIDE + LANES], from: usize) -> &[S; LANES] {
    table[from..]
        .first_chunk()
        .expect("sixteen more than cells")
}

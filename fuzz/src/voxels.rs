//! Compares voxels by every rule with a scan, and signed distances.

use orthant::{
    Aabb, Bounded, Ellipsoid, Hexahedron, Hollow, Moving, Planar, Quadrilateral, Region, Rule,
    Scalar, Shell, SignedDistance, Space, Sphere, Vector, Voxel, VoxelGrid, Voxelize,
};

use crate::brute::{Shape, assert_same, is_met, is_met_by, margin, scan};
use crate::draw::Draw;
use crate::queries::instructions;

/// Fuzzes the voxels of shapes of every kind by every rule, in every form, and signed distances.
pub fn voxels(data: &[u8]) {
    let mut draw = Draw::near(data);
    match draw.below(3) {
        0 => in_the_plane::<[f32; 2]>(&mut draw),
        1 => in_space::<[f64; 3]>(&mut draw),
        _ => in_space::<[f32; 3]>(&mut draw),
    }
}

/// The most voxels along an axis.
const MOST: [f64; 4] = [0.0, 90.0, 40.0, 12.0];

pub(crate) fn grid<V: Vector>(draw: &mut Draw) -> VoxelGrid<V> {
    let size = draw.of(&[1.0, 1.0, 1.0, 0.5, 2.0, 0.3]);
    let grid =
        VoxelGrid::new(draw.place::<V>(), draw.step(size)).with_instructions(instructions(draw));
    let length = |draw: &mut Draw| -> V::Scalar {
        let steps = f64::from(draw.byte() % 17) * 0.25;
        draw.step(steps)
    };
    grid.with_rule(match draw.below(6) {
        0 => Rule::HalfOpen,
        1 => Rule::CenterInside,
        2 => Rule::Thin,
        3 => Rule::Shell(length(draw)),
        4 => Rule::NarrowBand(length(draw)),
        _ => Rule::Closed,
    })
}

/// Draws a length of at most some voxels.
pub(crate) fn extent<V: Vector>(draw: &mut Draw, grid: &VoxelGrid<V>) -> V::Scalar {
    let most = grid.voxel_size() * V::Scalar::from_f64(MOST[V::DIM] * 0.5);
    draw.length::<V::Scalar>().smaller(most)
}

fn positive<V: Vector>(draw: &mut Draw, grid: &VoxelGrid<V>) -> V::Scalar {
    let least: V::Scalar = draw.step(1e-3);
    extent(draw, grid).larger(least)
}

fn round<V: Vector>(draw: &mut Draw) -> bool {
    let grid: VoxelGrid<V> = grid(draw);
    let center: V = draw.place();
    match draw.below(6) {
        0 | 1 => {
            let radius = extent(draw, &grid);
            let (ball, shape) = (Sphere::new(center, radius), Shape::Sphere(center, radius));
            if draw.one_in(2) {
                list(draw, &grid, Hollow(ball), &|grid, voxel| {
                    is_met(shape, true, grid, voxel)
                });
            } else {
                list(draw, &grid, ball, &|grid, voxel| {
                    is_met(shape, false, grid, voxel)
                });
            }
            band(draw, &grid, ball);
        }
        2 => {
            let (one, other) = (extent(draw, &grid), extent(draw, &grid));
            let (inner, outer) = (one.smaller(other), one.larger(other));
            let shell = Shell::new(center, inner, outer);
            list(draw, &grid, shell, &|grid, voxel| {
                is_met(Shape::Shell(center, inner, outer), false, grid, voxel)
            });
            band(draw, &grid, shell);
        }
        3 => {
            let semi_axes = V::from_fn(|_| positive(draw, &grid));
            let (egg, shape) = (
                Ellipsoid::new(center, semi_axes),
                Shape::Ellipsoid(center, semi_axes),
            );
            if draw.one_in(2) {
                list(draw, &grid, Hollow(egg), &|grid, voxel| {
                    is_met(shape, true, grid, voxel)
                });
            } else {
                list(draw, &grid, egg, &|grid, voxel| {
                    is_met(shape, false, grid, voxel)
                });
            }
        }
        4 => {
            let max = V::from_fn(|a| center.axis(a) + extent(draw, &grid));
            let (cuboid, shape) = (Aabb::new(center, max), Shape::Box(center, max));
            if draw.one_in(2) {
                list(draw, &grid, Hollow(cuboid), &|grid, voxel| {
                    is_met(shape, true, grid, voxel)
                });
            } else {
                list(draw, &grid, cuboid, &|grid, voxel| {
                    is_met(shape, false, grid, voxel)
                });
            }
            band(draw, &grid, cuboid);
        }
        _ => return false,
    }
    true
}

fn in_the_plane<V: Vector + Planar>(draw: &mut Draw) {
    if round::<V>(draw) {
        return;
    }
    let grid: VoxelGrid<V> = grid(draw);
    let center: V = draw.place();
    let half = V::from_fn(|_| positive(draw, &grid) * V::Scalar::from_f64(0.5));
    let axis = |of: [f64; 2]| V::from_fn(|a| V::Scalar::from_f64(of[a]));
    let turns = [
        [[1.0, 0.0], [0.0, 1.0]],
        [[1.0, 1.0], [-1.0, 1.0]],
        [[0.6, 0.8], [-0.8, 0.6]],
    ];
    let turn = draw.of(&turns).map(axis);
    if let Ok(solid) = Quadrilateral::try_oriented(center, half, turn) {
        by_the_region(draw, &grid, solid.clone(), Hollow(solid.clone()));
        band(draw, &grid, solid);
    }
    capsule(draw, &grid);
}

fn in_space<V: Vector + Space>(draw: &mut Draw) {
    if round::<V>(draw) {
        return;
    }
    let grid: VoxelGrid<V> = grid(draw);
    let center: V = draw.place();
    let half = V::from_fn(|_| positive(draw, &grid) * V::Scalar::from_f64(0.5));
    let axis = |of: [f64; 3]| V::from_fn(|a| V::Scalar::from_f64(of[a]));
    let turns = [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [[1.0, 1.0, 0.0], [-1.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [[2.0, 2.0, 1.0], [-2.0, 1.0, 2.0], [1.0, -2.0, 2.0]],
    ];
    let turn = draw.of(&turns).map(axis);
    match draw.below(2) {
        0 => {
            if let Ok(solid) = Hexahedron::try_oriented(center, half, turn) {
                by_the_region(draw, &grid, solid.clone(), Hollow(solid.clone()));
                band(draw, &grid, solid);
            }
        }
        _ => capsule(draw, &grid),
    }
}

fn capsule<V: Vector>(draw: &mut Draw, grid: &VoxelGrid<V>) {
    let half = V::Scalar::from_f64(0.25);
    let ball = Sphere::new(draw.place::<V>(), extent(draw, grid) * half);
    let way = V::from_fn(|_| {
        let by = extent(draw, grid) * V::Scalar::from_f64(0.5);
        if draw.one_in(2) {
            by
        } else {
            V::Scalar::ZERO - by
        }
    });
    if let Ok(moving) = Moving::try_new(ball, way) {
        by_the_region(draw, grid, moving, Hollow(moving));
        band(draw, grid, moving);
    }
}

/// Compares regions for which there is no other formula, voxel by voxel.
fn by_the_region<V, R, H>(draw: &mut Draw, grid: &VoxelGrid<V>, solid: R, hollow: H)
where
    V: Vector,
    R: Voxelize + Region<Vector = V> + Bounded<Vector = V> + Clone,
    H: Voxelize + Region<Vector = V> + Bounded<Vector = V> + Clone,
{
    if draw.one_in(2) {
        list(draw, grid, hollow.clone(), &|grid, voxel| {
            is_met_by(&hollow, grid, voxel)
        });
    } else {
        list(draw, grid, solid.clone(), &|grid, voxel| {
            is_met_by(&solid, grid, voxel)
        });
    }
}

/// Compares every form of the list of a region's voxels.
fn list<V, R>(
    draw: &mut Draw,
    grid: &VoxelGrid<V>,
    region: R,
    met: &dyn Fn(&VoxelGrid<V>, V::Voxel) -> bool,
) where
    V: Vector,
    R: Voxelize + Region<Vector = V> + Bounded<Vector = V> + Clone,
{
    if grid.check(&region).is_err() {
        return;
    }
    let reach: f64 = match grid.rule() {
        Rule::Shell(length) | Rule::NarrowBand(length) => length.into() / grid.voxel_size().into(),
        _ => 0.0,
    };
    let margin = margin(grid, &region) + reach.ceil() as i32;
    if margin > 9 {
        return;
    }
    let bounds = region.bounds();
    let mut expected = scan(grid, &bounds, margin, |voxel| met(grid, voxel));
    let mut grid = *grid;
    if draw.one_in(3) {
        let (one, other) = (draw.place::<V>(), draw.place::<V>());
        let (one, other) = (grid.voxel_of(one).unwrap(), grid.voxel_of(other).unwrap());
        let start = V::Voxel::from_fn(|a| one.axis(a).min(other.axis(a)));
        let end = V::Voxel::from_fn(|a| one.axis(a).max(other.axis(a)) + 1);
        grid = grid.within(start, end);
        expected.retain(|voxel| {
            (0..V::DIM).all(|a| start.axis(a) <= voxel.axis(a) && voxel.axis(a) < end.axis(a))
        });
    }
    let found: Vec<V::Voxel> = grid.voxels(region.clone()).collect();
    assert_same(&found, &expected, &(grid, bounds));
    let mut spanned = Vec::new();
    for span in grid.spans(region.clone()) {
        assert!(span.len() > 0);
        let first = span.first();
        spanned.extend((0..span.len() as i32).map(|i| first.with(0, first.axis(0) + i)));
    }
    assert_same(&spanned, &expected, &(grid, bounds));
    assert_eq!(grid.count(region.clone()), expected.len() as u64);
    let key = |voxel: &V::Voxel| {
        (0..V::DIM)
            .rev()
            .map(|a| voxel.axis(a))
            .collect::<Vec<i32>>()
    };
    let mut of_cells = Vec::new();
    for cell in grid.cells(region) {
        let edge = 1i32 << cell.level;
        let mut block = vec![cell.first];
        for a in 0..V::DIM {
            block = block
                .iter()
                .flat_map(|voxel| (0..edge).map(|i| voxel.with(a, voxel.axis(a) + i)))
                .collect();
        }
        of_cells.extend(block);
    }
    of_cells.sort_by_key(key);
    let mut sorted = expected;
    sorted.sort_by_key(key);
    assert_same(&of_cells, &sorted, &(grid, bounds));
}

/// Compares signed distances in a band with those of each voxel.
fn band<V: Vector, S: SignedDistance<Vector = V> + Clone>(
    draw: &mut Draw,
    grid: &VoxelGrid<V>,
    shape: S,
) {
    let width = extent(draw, grid).smaller(grid.voxel_size() * V::Scalar::from_f64(4.0));
    let margin = margin(grid, &shape) + 5;
    if margin > 12 || !draw.one_in(2) {
        return;
    }
    let Ok(found) = grid.distances(shape.clone(), width) else {
        return;
    };
    let found: Vec<(V::Voxel, f32)> = found.collect();
    let mut expected = Vec::new();
    scan(grid, &shape.bounds(), margin, |voxel| {
        let center = V::from_fn(|a| {
            let index = V::Scalar::from_f64(f64::from(voxel.axis(a)) + 0.5);
            grid.origin().axis(a) + index * grid.voxel_size()
        });
        let distance = shape.signed_distance(center);
        if distance.abs() < width {
            let distance: f64 = distance.into();
            expected.push((voxel, distance as f32));
        }
        false
    });
    assert_eq!(
        found.len(),
        expected.len(),
        "{:?} {width} {grid:?}",
        shape.bounds()
    );
    assert_eq!(found, expected, "{:?} {width} {grid:?}", shape.bounds());
}

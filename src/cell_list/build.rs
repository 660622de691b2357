//! Sorting points into cells, by counting.

use alloc::vec;
use alloc::vec::Vec;

use super::{CellList, cell_number};
use crate::overlap::check_items;
use crate::voxel::{Block, END, Lattice, farthest, floor};
use crate::{Aabb, Error, InstructionSet, Periodic, Scalar, Vector, Voxel};

/// More images on an axis than this are refused.
const MOST_IMAGES: f64 = 1000.0;

impl<V: Vector> CellList<V> {
    pub(super) fn empty(radius: V::Scalar, periodic: Option<Periodic<V>>) -> Result<Self, Error> {
        let positive = radius.is_finite() && radius > V::Scalar::ZERO;
        if !positive {
            return Err(Error::Radius {
                radius: radius.into(),
            });
        }
        if let Some(periodic) = &periodic {
            for axis in 0..V::DIM {
                let length: f64 = periodic.lengths().axis(axis).into();
                if length > 0.0 && radius.into() > MOST_IMAGES * length {
                    return Err(Error::RadiusOverBox {
                        radius: radius.into(),
                        axis,
                        length,
                    });
                }
            }
        }
        let none = V::Voxel::from_fn(|_| 0);
        Ok(Self {
            radius,
            periodic,
            instructions: InstructionSet::best(),
            lattice: Lattice {
                origin: V::splat(V::Scalar::ZERO),
                step: V::splat(radius),
            },
            block: Block {
                start: none,
                end: none,
            },
            starts: Vec::new(),
            points: Vec::new(),
            indices: Vec::new(),
        })
    }
}

pub(super) fn build<V: Vector>(cells_list: &mut CellList<V>, points: &[V]) -> Result<(), Error> {
    let cell_size = cells_list.radius;
    check_items(points)?;
    let wrapped: Vec<V> = match &cells_list.periodic {
        Some(periodic) => points.iter().map(|&p| periodic.wrap(p)).collect(),
        None => points.to_vec(),
    };
    let points = &wrapped[..];
    let first = points.first().copied().unwrap_or(V::splat(V::Scalar::ZERO));
    let bounds = points
        .iter()
        .fold(Aabb::point(first), |all, &p| all.union(&Aabb::point(p)));
    let lattice = lattice(&bounds, cell_size, points.len());
    let block = Block {
        start: V::Voxel::from_fn(|_| 0),
        end: V::Voxel::from_fn(|a| cells_up_to(&lattice, a, bounds.max().axis(a))),
    };

    let cell_of = |p: &V| {
        let index = |a: usize| {
            let value = p.axis(a);
            let guess = floor(lattice.position(a, value));
            let last = i64::from(block.end.axis(a)) - 1;
            farthest(last, guess, |i| lattice.face(a, i) <= value) as i32
        };
        cell_number(&block, V::Voxel::from_fn(index))
    };
    let numbers: Vec<u32> = points.iter().map(|p| cell_of(p) as u32).collect();
    let cells = block.cells();
    let mut starts = vec![0u32; cells + 1];
    for &number in &numbers {
        starts[number as usize + 1] += 1;
    }
    for cell in 0..cells {
        starts[cell + 1] += starts[cell];
    }
    // The start of each cell serves as its cursor, which ends where the next cell starts.
    let mut cursors = starts.clone();
    let mut indices = vec![0u32; points.len()];
    for (i, &number) in numbers.iter().enumerate() {
        let cursor = &mut cursors[number as usize];
        indices[*cursor as usize] = i as u32;
        *cursor += 1;
    }
    cells_list.lattice = lattice;
    cells_list.block = block;
    cells_list.starts = starts;
    cells_list.points = indices.iter().map(|&i| points[i as usize]).collect();
    cells_list.indices = indices;
    Ok(())
}

/// Cells of the wanted size from the lower corner on, made longer where there would be too many.
fn lattice<V: Vector>(bounds: &Aabb<V>, cell_size: V::Scalar, points: usize) -> Lattice<V> {
    // Cells are numbered by `u32`.
    let most = (4.0 * points as f64 + 4096.0).min(2e9);
    let length = |a: usize| -> f64 {
        let (min, max): (f64, f64) = (bounds.min().axis(a).into(), bounds.max().axis(a).into());
        (max - min).min(f64::MAX)
    };
    let mut steps: [f64; 4] = [cell_size.into(); 4];
    let cells = |steps: &[f64; 4], a: usize| length(a) / steps[a] + 1.0;
    while (0..V::DIM).map(|a| cells(&steps, a)).product::<f64>() > most {
        let longest = (0..V::DIM).fold(0, |best, a| {
            if cells(&steps, a) > cells(&steps, best) {
                a
            } else {
                best
            }
        });
        steps[longest] *= 2.0;
    }
    Lattice {
        origin: bounds.min(),
        step: V::from_fn(|a| V::Scalar::from_f64(steps[a])),
    }
}

/// How many cells reach from the origin to a coordinate, at least one.
fn cells_up_to<V: Vector>(lattice: &Lattice<V>, axis: usize, value: V::Scalar) -> i32 {
    let guess = floor(lattice.position(axis, value));
    let below = farthest(END - 1, guess, |i| lattice.face(axis, i) < value);
    below as i32 + 1
}

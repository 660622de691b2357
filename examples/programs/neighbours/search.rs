//! Counts the points within a radius of each point, by any of the structures.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU32, Ordering};

use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressStyle};
use orthant::{
    Aabb, CellList, Key, Linear, LooseOrthtree, NeighborLists, Orthtree, Periodic, Scalar,
    SpatialIndex, Sphere, Vector, Voxel,
};
use rayon::prelude::*;

use crate::Failure;
use crate::read::Precision;

#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
pub(crate) enum Structure {
    /// Octree, with --dim 2 a quadtree
    #[value(alias = "quadtree")]
    Octree,
    /// Loose octree or quadtree, filled point by point
    Loose,
    /// Cell list, its cells as wide as the radius
    Cells,
    /// Scan of all points for each point
    Linear,
}

impl Structure {
    pub(crate) fn title(self, dim: usize) -> &'static str {
        match (self, dim) {
            (Self::Octree, 2) => "quadtree",
            (Self::Octree, _) => "octree",
            (Self::Loose, 2) => "loose quadtree",
            (Self::Loose, _) => "loose octree",
            (Self::Cells, _) => "cell list",
            (Self::Linear, _) => "linear scan",
        }
    }
}

pub(crate) fn check_radius(radius: f64, precision: Option<Precision>) -> Result<(), Failure> {
    if !radius.is_finite() {
        return Err(format!("--radius {radius} is not a finite number").into());
    }
    if radius < 0.0 {
        return Err(format!("--radius {radius} is negative").into());
    }
    if precision == Some(Precision::F32) && !(radius as f32).is_finite() {
        return Err(format!("--radius {radius:e} is too large for f32").into());
    }
    Ok(())
}

/// Makes a periodic box of its lengths.
pub(crate) fn periodic<V: Vector>(lengths: &[f64]) -> Result<Periodic<V>, Failure> {
    if lengths.len() != V::DIM {
        let (given, wanted) = (lengths.len(), V::DIM);
        return Err(format!("--periodic has {given} lengths, not {wanted}").into());
    }
    if let Some(length) = lengths
        .iter()
        .find(|&&length| !(0.0..f64::INFINITY).contains(&length))
    {
        return Err(format!("--periodic {length} is not a length").into());
    }
    let mut axes = V::axes(false);
    for (on, &length) in axes.as_mut().iter_mut().zip(lengths) {
        *on = length > 0.0;
    }
    let end = V::from_fn(|a| V::Scalar::from_f64(lengths[a]));
    let bounds = Aabb::try_new(V::splat(V::Scalar::ZERO), end)?;
    Ok(Periodic::try_on_axes(bounds, axes)?)
}

/// Makes a periodic cell of its vectors.
pub(crate) fn cell<V: Vector>(numbers: &[f64]) -> Result<Periodic<V>, Failure> {
    if numbers.len() != V::DIM * V::DIM {
        let (given, wanted) = (numbers.len(), V::DIM * V::DIM);
        return Err(format!("--cell has {given} numbers, not {wanted}").into());
    }
    let zero = V::splat(V::Scalar::ZERO);
    let mut vectors = V::axes(zero);
    for (vector, numbers) in vectors.as_mut().iter_mut().zip(numbers.chunks(V::DIM)) {
        *vector = V::from_fn(|a| V::Scalar::from_f64(numbers[a]));
    }
    Ok(Periodic::try_spanned(zero, vectors)?)
}

/// A function that counts the neighbours of each point within a radius, in the order of the points.
pub(crate) type Index<'a, S> = Box<dyn Fn(S) -> Result<Vec<u32>, Failure> + 'a>;

pub(crate) fn build<V: Vector>(
    structure: Structure,
    points: &[V],
    radius: V::Scalar,
    periodic: Option<Periodic<V>>,
) -> Result<Index<'_, V::Scalar>, Failure> {
    if structure == Structure::Cells {
        // Radius 0 becomes the smallest normal number, whose square is 0 too.
        let radius = radius.larger(V::Scalar::MIN_POSITIVE);
        let cells = match periodic {
            Some(periodic) => CellList::try_new_periodic(points, radius, periodic)?,
            None => CellList::try_new(points, radius)?,
        };
        return Ok(Box::new(move |_| {
            let mut near = NeighborLists::new();
            cells.neighbors_into(&mut near).unwrap();
            // Each point is in its own list.
            Ok(near.iter().map(|list| list.len() as u32 - 1).collect())
        }));
    }
    let points: Cow<'_, [V]> = match &periodic {
        Some(periodic) => points.iter().map(|&p| periodic.wrap(p)).collect(),
        None => points.into(),
    };
    Ok(match structure {
        Structure::Octree => {
            let tree = Orthtree::try_new(&points)?;
            counts(tree, points, periodic)
        }
        Structure::Loose => {
            let mut tree = LooseOrthtree::new();
            for point in &*points {
                tree.try_insert(*point)?;
            }
            counts(tree, points, periodic)
        }
        Structure::Cells | Structure::Linear => {
            let scan = Linear::try_new(&points)?;
            counts(scan, points, periodic)
        }
    })
}

/// Counts by a query for each point.
fn counts<'a, V, S>(
    structure: S,
    points: Cow<'a, [V]>,
    periodic: Option<Periodic<V>>,
) -> Index<'a, V::Scalar>
where
    V: Vector,
    S: SpatialIndex<Vector = V, Item = V> + Sync + 'a,
{
    Box::new(move |radius| {
        let bar = bar(points.len());
        let Some(periodic) = periodic else {
            let chunk = |chunk: &[V]| {
                bar.inc(chunk.len() as u64);
                // Each ball holds its own center.
                let near = |&p: &V| structure.count(Sphere::new(p, radius)) as u32 - 1;
                chunk.iter().map(near).collect::<Vec<_>>()
            };
            return Ok(points.par_chunks(CHUNK).flat_map_iter(chunk).collect());
        };
        let counts: Vec<AtomicU32> = points.iter().map(|_| AtomicU32::new(0)).collect();
        let add = |i: usize| counts[i].fetch_add(1, Ordering::Relaxed);
        let numbered: Vec<(usize, &V)> = points.iter().enumerate().collect();
        numbered.par_chunks(CHUNK).try_for_each(|chunk| {
            bar.inc(chunk.len() as u64);
            for &(i, &p) in chunk {
                for (key, image) in periodic.query(&structure, Sphere::new(p, radius))? {
                    let j = key.slot();
                    // A pair is counted at its lower index, an image of the point itself on one side only.
                    let last = (0..V::DIM).rev().map(|a| image.axis(a)).find(|&k| k != 0);
                    if j > i || j == i && last.is_some_and(|k| k > 0) {
                        add(i);
                        add(j);
                    }
                }
            }
            Ok::<(), Failure>(())
        })?;
        Ok(counts.into_iter().map(AtomicU32::into_inner).collect())
    })
}

/// Number of queries in one piece of work.
const CHUNK: usize = 256;

/// A progress bar, hidden unless standard error is a terminal.
fn bar(points: usize) -> ProgressBar {
    ProgressBar::new(points as u64).with_style(
        ProgressStyle::with_template("{wide_bar} {human_pos} of {human_len} points, {eta} left")
            .expect("a valid template"),
    )
}

/// The number of pairs: each has been counted at both of its ends.
pub(crate) fn pairs(counts: &[u32]) -> u64 {
    counts.iter().map(|&count| u64::from(count)).sum::<u64>() / 2
}

//! The structures behind one question: how many points lie in a ball?

use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressStyle};
use orthant::{CellList, Linear, LooseOrthtree, Orthtree, Scalar, Sphere, Vector};
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

/// Counts the points in a ball.
pub(crate) type Index<V> = Box<dyn Fn(Sphere<V>) -> usize + Sync>;

pub(crate) fn build<V: Vector>(
    structure: Structure,
    points: &[V],
    radius: V::Scalar,
) -> Result<Index<V>, Failure> {
    Ok(match structure {
        Structure::Octree => {
            let tree = Orthtree::try_new(points)?;
            Box::new(move |ball| tree.count(ball))
        }
        Structure::Loose => {
            let mut tree = LooseOrthtree::new();
            for point in points {
                tree.try_insert(*point)?;
            }
            Box::new(move |ball| tree.count(ball))
        }
        Structure::Cells => {
            // Also for radius 0; the list lengthens its cells until they are not too many.
            let least = V::Scalar::from_f64(f32::MIN_POSITIVE.into());
            let cells = CellList::try_new(points, radius.larger(least))?;
            Box::new(move |ball| cells.count(ball))
        }
        Structure::Linear => {
            let scan = Linear::try_new(points)?;
            Box::new(move |ball| scan.count(ball))
        }
    })
}

/// The number of neighbours of each point, in the order of the points.
pub(crate) fn neighbours<V: Vector>(points: &[V], radius: V::Scalar, index: &Index<V>) -> Vec<u32> {
    // Hidden where standard error is not a terminal.
    let bar = ProgressBar::new(points.len() as u64).with_style(
        ProgressStyle::with_template("{wide_bar} {human_pos} of {human_len} points, {eta} left")
            .expect("a valid template"),
    );
    let counts = points
        .par_chunks(256)
        .flat_map_iter(|chunk| {
            bar.inc(chunk.len() as u64);
            // Each ball holds its own centre.
            chunk
                .iter()
                .map(|p| index(Sphere::new(*p, radius)) as u32 - 1)
        })
        .collect();
    bar.finish_and_clear();
    counts
}

/// Each pair has been counted at both of its ends.
pub(crate) fn pairs(counts: &[u32]) -> u64 {
    counts.iter().map(|&count| u64::from(count)).sum::<u64>() / 2
}

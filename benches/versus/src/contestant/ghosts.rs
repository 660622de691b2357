//! Periodic boxes for contestants that have none: the images of points near the faces of the unit cube are
//! added as further points ("ghosts"), and only the real points are queried.

use std::hint::black_box;
use std::marker::PhantomData;

use super::rebuilt::{PairRun, both_ways};
use crate::contestant::{BatchRun, FlatLists, Radius};
use crate::points::Scalar;

/// Lists all points, then their images within a radius of the cube, and the owner of each image.
fn with_ghosts<S: Scalar, const D: usize>(
    points: &[[S; D]],
    radius: S,
    all: &mut Vec<[S; D]>,
    owners: &mut Vec<u32>,
) {
    all.clear();
    all.extend_from_slice(points);
    owners.clear();
    let images = 3usize.pow(D as u32);
    for (point, owner) in points.iter().zip(0..) {
        let near = |x: S| x <= radius || x >= S::one() - radius;
        if !point.iter().any(|&x| near(x)) {
            continue;
        }
        for image in (0..images).filter(|&image| image != images / 2) {
            let mut ghost = *point;
            let mut rest = image;
            for x in &mut ghost {
                *x = match rest % 3 {
                    0 => *x - S::one(),
                    1 => *x,
                    _ => *x + S::one(),
                };
                rest /= 3;
            }
            if ghost
                .iter()
                .all(|&x| x >= -radius && x <= S::one() + radius)
            {
                all.push(ghost);
                owners.push(owner);
            }
        }
    }
}

/// A structure that is rebuilt in each step, and queried point by point.
pub(crate) struct Ghosts<T> {
    all: Vec<[f32; 3]>,
    owners: Vec<u32>,
    structure: PhantomData<T>,
}

impl<T> Default for Ghosts<T> {
    fn default() -> Self {
        Self {
            all: Vec::new(),
            owners: Vec::new(),
            structure: PhantomData,
        }
    }
}

impl<T: Radius<f32, 3>> BatchRun<f32, 3> for Ghosts<T> {
    fn lists(&mut self, points: &[[f32; 3]], radius: f32, out: &mut FlatLists) -> u64 {
        with_ghosts(points, radius, &mut self.all, &mut self.owners);
        let mut built = T::build(&self.all, radius);
        out.offsets.clear();
        out.ids.clear();
        out.offsets.push(0);
        for point in points {
            let start = out.ids.len();
            built.collect(point, radius, &mut out.ids);
            for id in &mut out.ids[start..] {
                if let Some(ghost) = (*id as usize).checked_sub(points.len()) {
                    *id = self.owners[ghost];
                }
            }
            out.offsets.push(out.ids.len());
        }
        black_box(out).ids.len() as u64
    }
}

/// Makes lists from all pairs of points and ghosts.
#[derive(Default)]
pub(crate) struct GhostPairs<T> {
    pairs: T,
    all: Vec<[f32; 3]>,
    owners: Vec<u32>,
}

impl<T: PairRun<f32, 3>> BatchRun<f32, 3> for GhostPairs<T> {
    fn lists(&mut self, points: &[[f32; 3]], radius: f32, out: &mut FlatLists) -> u64 {
        with_ghosts(points, radius, &mut self.all, &mut self.owners);
        let pairs = self.pairs.pairs(&self.all, radius);
        both_ways(pairs, points.len(), &self.owners, out);
        black_box(out).ids.len() as u64
    }
}

//! A handwritten loop with minima and maxima over an array for each coordinate.

#![allow(
    clippy::needless_range_loop,
    reason = "plain loops over several arrays at once are what becomes vector instructions"
)]

use crate::jobs::predicate::Predicate;
use crate::race::Kind;
use crate::worlds::{Ball, Bounds};

pub(crate) struct Columns {
    min: [Vec<f32>; 3],
    max: [Vec<f32>; 3],
    center: [Vec<f32>; 3],
    radius: Vec<f32>,
}

/// The squared distance on an axis.
#[inline(always)]
fn apart_sq(c: f32, min: f32, max: f32) -> f32 {
    let (below, above) = (min - c, c - max);
    let apart = if below > above { below } else { above };
    let apart = if apart > 0.0 { apart } else { 0.0 };
    apart * apart
}

impl Columns {
    #[inline(always)]
    fn meet(&self, cuboid: usize, ball: usize) -> bool {
        let mut sum = 0.0;
        for axis in 0..3 {
            let (min, max) = (self.min[axis][cuboid], self.max[axis][cuboid]);
            sum += apart_sq(self.center[axis][ball], min, max);
        }
        sum <= self.radius[ball] * self.radius[ball]
    }
}

impl Predicate for Columns {
    const NAME: &'static str = "plain loop";
    const KIND: Kind = Kind::Reference;

    fn build(boxes: &[Bounds<3>], balls: &[Ball]) -> Self {
        Self {
            min: std::array::from_fn(|axis| boxes.iter().map(|b| b.min[axis]).collect()),
            max: std::array::from_fn(|axis| boxes.iter().map(|b| b.max[axis]).collect()),
            center: std::array::from_fn(|axis| balls.iter().map(|b| b.center[axis]).collect()),
            radius: balls.iter().map(|b| b.radius).collect(),
        }
    }

    fn count_boxes(&self, ball: usize) -> usize {
        let n = self.min[0].len();
        let center: [f32; 3] = std::array::from_fn(|axis| self.center[axis][ball]);
        let limit = self.radius[ball] * self.radius[ball];
        // Cut to one length, or bounds are checked in the loop, and it stays scalar.
        let min: [&[f32]; 3] = std::array::from_fn(|axis| &self.min[axis][..n]);
        let max: [&[f32]; 3] = std::array::from_fn(|axis| &self.max[axis][..n]);
        let mut count = 0u32;
        for i in 0..n {
            let mut sum = 0.0;
            for axis in 0..3 {
                sum += apart_sq(center[axis], min[axis][i], max[axis][i]);
            }
            count += u32::from(sum <= limit);
        }
        count as usize
    }

    fn count_balls(&self, cuboid: usize) -> usize {
        let n = self.radius.len();
        let min: [f32; 3] = std::array::from_fn(|axis| self.min[axis][cuboid]);
        let max: [f32; 3] = std::array::from_fn(|axis| self.max[axis][cuboid]);
        let center: [&[f32]; 3] = std::array::from_fn(|axis| &self.center[axis][..n]);
        let radius = &self.radius[..n];
        let mut count = 0u32;
        for i in 0..n {
            let mut sum = 0.0;
            for axis in 0..3 {
                sum += apart_sq(center[axis][i], min[axis], max[axis]);
            }
            count += u32::from(sum <= radius[i] * radius[i]);
        }
        count as usize
    }

    fn boxes(&self, ball: usize, ids: &mut Vec<u32>) {
        let met = (0..self.min[0].len()).filter(|&b| self.meet(b, ball));
        ids.extend(met.map(|b| b as u32));
    }

    fn balls(&self, cuboid: usize, ids: &mut Vec<u32>) {
        let met = (0..self.radius.len()).filter(|&b| self.meet(cuboid, b));
        ids.extend(met.map(|b| b as u32));
    }
}

//! The order of boxes: by class of size, then along a Hilbert curve through their centres.

use alloc::vec::Vec;

use fearless_simd::Simd;

use super::items::Items;
use super::tree::NOBODY;
use crate::simd::{Job, LANES, hilbert};
use crate::{Scalar, Vector};

/// The bits of a class of size.
const CLASS_BITS: u32 = 2;
const MOST_BITS: u32 = 16;
/// Bits of a coordinate beyond those that would tell evenly spread boxes apart: more would tell few
/// apart.
const FINER_BITS: u32 = 6;

/// How boxes become keys.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame<V> {
    low: V,
    /// Cells of the curve to a unit of length.
    scale: f64,
    /// The size up to which a box is of the first class; each further class is four times as large.
    small: f64,
    /// The bits of an id, which are the lowest of a key.
    id_bits: u32,
    /// The bits of a coordinate.
    bits: u32,
}

impl<V: Vector> Frame<V> {
    /// From some of the boxes, so that a few that are far away count for nothing.
    pub(super) fn new(
        items: &Items<V>,
        ids: impl Iterator<Item = u32> + Clone,
        len: usize,
    ) -> Self {
        const SAMPLES: usize = 1024;
        let stride = len.div_ceil(SAMPLES).max(1);
        let centers: Vec<V> = ids
            .step_by(stride)
            .map(|id| items.boxes[id as usize].center())
            .collect();
        let id_bits = usize::BITS - items.boxes.len().leading_zeros();
        let len_bits = usize::BITS - len.leading_zeros();
        let bits = (len_bits / V::DIM as u32 + FINER_BITS).min(MOST_BITS);
        let bits = bits.min((u64::BITS - id_bits - CLASS_BITS) / V::DIM as u32);
        let (mut side, mut volume, mut axes) = (0.0f64, 1.0f64, 0);
        let mut coordinates: Vec<f64> = Vec::with_capacity(centers.len());
        let low = V::from_fn(|axis| {
            coordinates.clear();
            coordinates.extend(centers.iter().map(|center| center.axis(axis).into()));
            let (first, last) = range(&mut coordinates);
            let extent = last - first;
            side = side.max(extent);
            if extent > 0.0 {
                volume *= extent;
                axes += 1;
            }
            V::Scalar::from_f64(first)
        });
        let scale = (1u32 << bits) as f64 / side;
        Self {
            low,
            // Boxes that all have one centre have one cell.
            scale: if scale < f64::MAX { scale } else { 0.0 },
            small: root(volume * LANES as f64 / len.max(1) as f64, axes),
            id_bits,
            bits,
        }
    }

    /// The id in a key.
    #[inline(always)]
    pub(super) fn id(&self, key: u64) -> u32 {
        (key & ((1 << self.id_bits) - 1)) as u32
    }
}

/// From the least to the largest, since a curve whose cells end where the boxes end makes rounder
/// blocks; without the outermost where they are far away.
fn range(coordinates: &mut [f64]) -> (f64, f64) {
    let Some(last) = coordinates.len().checked_sub(1) else {
        return (0.0, 0.0);
    };
    let aside = coordinates.len() / 64;
    let mut nth = |at: usize| *coordinates.select_nth_unstable_by(at, f64::total_cmp).1;
    let (low, high) = (nth(aside), nth(last - aside));
    let (least, most) = (nth(0), nth(last));
    let extent = high - low;
    if most - least <= 1.25 * extent {
        (least, most)
    } else {
        (low - 0.125 * extent, high + 0.125 * extent)
    }
}

/// The side of a cube of so many axes that has a volume.
fn root(volume: f64, axes: usize) -> f64 {
    if !(volume > 0.0 && volume < f64::MAX) || axes == 0 {
        return f64::MAX;
    }
    // A power of two below it, then Newton's steps.
    let exponent = (volume.to_bits() >> 52) as i64 - 1023;
    let part = exponent.div_euclid(axes as i64);
    let mut side = f64::from_bits(((part + 1023) as u64) << 52);
    for _ in 0..5 {
        let mut power = 1.0;
        for _ in 1..axes {
            power *= side;
        }
        side += (volume / power - side) / axes as f64;
    }
    side
}

/// Appends the keys of boxes.
pub(super) struct Keys<'a, V: Vector> {
    pub(super) frame: &'a Frame<V>,
    pub(super) items: &'a Items<V>,
    pub(super) ids: &'a [u32],
    pub(super) to: &'a mut Vec<u64>,
}

impl<V: Vector> Job for Keys<'_, V> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let frame = self.frame;
        let most = (1u32 << frame.bits) - 1;
        for ids in self.ids.chunks(LANES) {
            let mut cells = [[[0u32; LANES]]; 4];
            let mut classes = [0u32; LANES];
            for (lane, &id) in ids.iter().enumerate() {
                if id == NOBODY {
                    continue;
                }
                let bounds = self.items.boxes[id as usize];
                let center = bounds.center();
                let mut size = 0.0f64;
                for (axis, cells) in cells.iter_mut().enumerate().take(V::DIM) {
                    let from: f64 = (center.axis(axis) - frame.low.axis(axis)).into();
                    // Saturates.
                    cells[0][lane] = ((from * frame.scale) as u32).min(most);
                    let extent: f64 = (bounds.max().axis(axis) - bounds.min().axis(axis)).into();
                    size = if extent > size { extent } else { size };
                }
                classes[lane] = u32::from(size > frame.small)
                    + u32::from(size > 4.0 * frame.small)
                    + u32::from(size > 16.0 * frame.small);
            }
            let [codes] = hilbert(simd, &cells, V::DIM, frame.bits);
            let above = frame.bits * V::DIM as u32;
            for ((code, class), &id) in codes.iter().zip(classes).zip(ids) {
                if id != NOBODY {
                    let key = u64::from(class) << above | code;
                    self.to.push(key << frame.id_bits | u64::from(id));
                }
            }
        }
    }
}

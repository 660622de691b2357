//! Sorts boxes for the tree: first by size, in a few classes, then along a Hilbert curve through their centers. The sort is a
//! radix sort of 64-bit keys.

use alloc::vec::Vec;
use core::mem::size_of;
use core::ops::Range;

use fearless_simd::Simd;

use super::table::Bodies;
use crate::parallel::{GRAIN, parts};
use crate::simd::{InstructionSet, LANES, hilbert, run};
use crate::sort::sort;
use crate::vector::{Scalar, Vector};

/// The number of bits of a class of size. Each class is four times as large as the one before, so that a few large
/// boxes do not widen the bounds of all blocks.
const CLASS_BITS: u32 = 2;
/// The largest number of bits of a coordinate.
const MOST_BITS: u32 = 16;
/// Extra bits of a coordinate, beyond those that evenly spread boxes need. More gain little.
const FINER_BITS: u32 = 6;
/// The number of blocks whose codes are computed at once.
const GROUPS: usize = 2;
/// The number of boxes whose keys one thread makes at a time.
const PART: usize = GRAIN / 4;
/// The number of boxes in the sample that tells where most boxes are.
const SAMPLES: usize = 1024;
/// A gradual sort finds the keys of one in this many bodies in each step.
const SHARES: u32 = 4;

/// The grid and the classes of size by which boxes become keys.
#[derive(Clone, Copy, Debug)]
struct Frame<V> {
    low: V,
    /// Cells of the curve per unit of length.
    scale: f64,
    /// The number of axes on which centers differ.
    axes: usize,
    /// For each class but the last, the volume of a cube around its largest box.
    classes: [f64; 3],
    /// The number of bits of a body's key, which are the lowest bits of a key of the sort.
    id_bits: u32,
    /// The number of bits of a coordinate.
    bits: u32,
}

impl<V: Vector> Frame<V> {
    /// Fits the frame to a sample of the boxes, without outliers.
    fn new(bodies: &Bodies<V>, ids: &[u32]) -> Self {
        let len = ids.len();
        let samples = ids.iter().step_by(len.div_ceil(SAMPLES).max(1));
        let centers: Vec<V> = samples.map(|&id| bodies.bounds(id).center()).collect();
        // Choose the bits of a coordinate, as many as a key has room for.
        let id_bits = u32::BITS - bodies.end().leading_zeros();
        let len_bits = usize::BITS - len.leading_zeros();
        let bits = (len_bits / V::DIM as u32 + FINER_BITS).min(MOST_BITS);
        let bits = bits.min((u64::BITS - id_bits - CLASS_BITS) / V::DIM as u32);
        // Find the intervals that the curve spans.
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
        // Boxes of the smallest class fit into the share of space that a block would have if boxes were evenly spread.
        // If that share is unknown, all boxes are in this class.
        let room = volume * LANES as f64 / len.max(1) as f64;
        let is_known = room > 0.0 && room < f64::MAX && axes > 0;
        let room = if is_known { room } else { f64::INFINITY };
        let larger = power(4.0, axes);
        Self {
            low,
            // If all boxes have one center, they share one cell.
            scale: if scale < f64::MAX { scale } else { 0.0 },
            axes,
            classes: [room, room * larger, room * larger * larger],
            id_bits,
            bits,
        }
    }

    /// The bodies of some keys.
    fn ids_of(&self, keys: &[u64]) -> Vec<u32> {
        let lowest = (1 << self.id_bits) - 1;
        keys.iter().map(|key| (key & lowest) as u32).collect()
    }
}

/// The interval that the curve spans on an axis: all coordinates, or all but outliers. A curve whose cells end where
/// the boxes end makes rounder blocks.
fn range(coordinates: &mut [f64]) -> (f64, f64) {
    let Some(last) = coordinates.len().checked_sub(1) else {
        return (0.0, 0.0);
    };
    let outliers = coordinates.len() / 64;
    let mut nth = |at: usize| *coordinates.select_nth_unstable_by(at, f64::total_cmp).1;
    let (low, high) = (nth(outliers), nth(last - outliers));
    let (least, most) = (nth(0), nth(last));
    let extent = high - low;
    if most - least <= 1.25 * extent {
        (least, most)
    } else {
        (low - 0.125 * extent, high + 0.125 * extent)
    }
}

/// The volume of a cube of a side and a number of axes.
#[inline(always)]
fn power(side: f64, axes: usize) -> f64 {
    (0..axes).fold(1.0, |volume, _| volume * side)
}

/// Returns the keys of some bodies in order.
pub(super) fn sorted<V: Vector>(bodies: &Bodies<V>, ids: &[u32], set: InstructionSet) -> Vec<u32> {
    let frame = Frame::new(bodies, ids);
    let mut keys = Vec::with_capacity(ids.len());
    find_keys(bodies, &frame, ids, set, &mut keys);
    sort(&mut keys);
    frame.ids_of(&keys)
}

/// A sort of all boxes, spread over several steps. Bodies may move, come and go meanwhile.
#[derive(Clone)]
pub(super) struct GradualSort<V> {
    frame: Frame<V>,
    keys: Vec<u64>,
    /// The bodies without a key of the sort: from one on, up to the end when the sort began.
    left: Range<u32>,
    is_sorted: bool,
}

impl<V: Vector> GradualSort<V> {
    pub(super) fn new(bodies: &Bodies<V>) -> Self {
        let ids: Vec<u32> = bodies.handles().map(|body| body.slot).collect();
        Self {
            frame: Frame::new(bodies, &ids),
            keys: Vec::with_capacity(ids.len()),
            left: 0..bodies.end(),
            is_sorted: false,
        }
    }

    /// Finds the keys of some bodies, or sorts all keys. Returns the bodies in order if that was done before; some may have been
    /// removed since.
    pub(super) fn advance(&mut self, bodies: &Bodies<V>, set: InstructionSet) -> Option<Vec<u32>> {
        if self.is_sorted {
            return Some(self.frame.ids_of(&self.keys));
        }
        if self.left.is_empty() {
            sort(&mut self.keys);
            self.is_sorted = true;
            return None;
        }
        let (start, share) = (self.left.start, self.left.end / SHARES + 1);
        self.left.start = start.saturating_add(share).min(self.left.end);
        let alive = (start..self.left.start).filter(|&id| bodies.alive(id).is_some());
        let ids = Vec::from_iter(alive);
        find_keys(bodies, &self.frame, &ids, set, &mut self.keys);
        None
    }

    pub(super) fn bytes(&self) -> usize {
        self.keys.capacity() * size_of::<u64>()
    }
}

/// Appends the keys by which some bodies are sorted.
fn find_keys<V: Vector>(
    bodies: &Bodies<V>,
    frame: &Frame<V>,
    ids: &[u32],
    set: InstructionSet,
    to: &mut Vec<u64>,
) {
    let keys_of = |range| {
        let mut part = Vec::with_capacity(PART);
        let ids: &[u32] = &ids[range];
        run!(set, |simd| append_keys(simd, frame, bodies, ids, &mut part));
        part
    };
    parts(ids.len(), PART, &keys_of, &mut |part: Vec<u64>| {
        to.extend(part);
    });
}

/// ```text
/// for each group of boxes:
///     find the cells of their centers, and the places of the cells along the curve
///     key = class of size, place along the curve, key of the body
/// ```
#[inline(always)]
fn append_keys<V: Vector, S: Simd>(
    simd: S,
    frame: &Frame<V>,
    bodies: &Bodies<V>,
    ids: &[u32],
    to: &mut Vec<u64>,
) {
    let most = (1u32 << frame.bits) - 1;
    let above = frame.bits * V::DIM as u32;
    for ids in ids.chunks(GROUPS * LANES) {
        let mut cells = [[[0u32; LANES]; GROUPS]; 4];
        let mut sizes = [0.0f64; GROUPS * LANES];
        for (at, (&id, size)) in ids.iter().zip(&mut sizes).enumerate() {
            let bounds = bodies.bounds(id);
            for (axis, cells) in cells.iter_mut().enumerate().take(V::DIM) {
                let low: f64 = frame.low.axis(axis).into();
                let least: f64 = bounds.min().axis(axis).into();
                let last: f64 = bounds.max().axis(axis).into();
                let from = 0.5 * least + 0.5 * last - low;
                // The conversion saturates.
                cells[at / LANES][at % LANES] = ((from * frame.scale) as u32).min(most);
                let extent = last - least;
                *size = if extent > *size { extent } else { *size };
            }
        }
        let codes = hilbert(simd, &cells, V::DIM, frame.bits);
        let codes = codes.as_flattened().iter();
        for ((&id, &code), size) in ids.iter().zip(codes).zip(sizes) {
            let volume = power(size, frame.axes);
            let class = frame.classes.map(|most| u64::from(volume > most));
            let class = class.into_iter().sum::<u64>();
            to.push((class << above | code) << frame.id_bits | u64::from(id));
        }
    }
}

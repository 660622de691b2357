//! The order of boxes: by class of size, then along a Hilbert curve through their centers.

use alloc::vec::Vec;

use fearless_simd::Simd;

use super::super::items::Items;
use super::NO_ID;
use crate::overlap::columns::Boxes;
use crate::parallel::{GRAIN, parts};
use crate::simd::{Column, InstructionSet, LANES, hilbert, run};
use crate::sort::sort;
use crate::vector::{Scalar, Vector};

/// The bits of a class of size.
const CLASS_BITS: u32 = 2;
const MOST_BITS: u32 = 16;
/// Bits of a coordinate beyond those that would tell evenly spread boxes apart: more would tell few
/// apart.
const FINER_BITS: u32 = 6;

/// Blocks whose codes are found at once.
const GROUPS: usize = 2;
/// Boxes whose keys are found by one thread.
const PART: usize = GRAIN / 4;

/// How boxes become keys.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Frame<V> {
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
    /// From some of so many boxes, so that a few that are far away count for nothing. `id` says who is
    /// at each of some slots, if anybody is.
    pub(in super::super) fn new(
        items: &Items<V>,
        slots: usize,
        id: impl Fn(usize) -> Option<u32>,
        len: usize,
    ) -> Self {
        const SAMPLES: usize = 1024;
        let centers: Vec<V> = (0..slots)
            .step_by(len.div_ceil(SAMPLES).max(1))
            .filter_map(id)
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
            // Boxes that all have one center have one cell.
            scale: if scale < f64::MAX { scale } else { 0.0 },
            small: root(volume * LANES as f64 / len.max(1) as f64, axes),
            id_bits,
            bits,
        }
    }

    /// Whether keys have bits for so many ids.
    pub(in super::super) fn has_room(&self, ids: usize) -> bool {
        ids <= 1 << self.id_bits
    }

    /// The id in a key.
    #[inline(always)]
    pub(in super::super) fn id(&self, key: u64) -> u32 {
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

/// Boxes by their ids, in order.
pub(in super::super) fn sorted<V: Vector>(
    items: &Items<V>,
    ids: &[u32],
    set: InstructionSet,
) -> Vec<u32> {
    let frame = Frame::new(items, ids.len(), |at| Some(ids[at]), ids.len());
    let mut keys = Vec::with_capacity(ids.len());
    let some = |range| {
        let mut some = Vec::with_capacity(PART);
        let (ids, rows) = in_blocks(items, &ids[range]);
        frame.append(&ids, &rows, &mut some, set);
        some
    };
    parts(ids.len(), PART, some, |some| keys.extend(some));
    sort(&mut keys);
    keys.iter().map(|&key| frame.id(key)).collect()
}

/// Blocks of boxes.
fn in_blocks<V: Vector>(items: &Items<V>, ids: &[u32]) -> (Vec<Column<u32>>, Vec<Boxes<V>>) {
    let blocks = ids.chunks(LANES).map(|ids| {
        let (mut column, mut row) = (Column([NO_ID; LANES]), Boxes::empty());
        for (lane, &id) in ids.iter().enumerate() {
            column.0[lane] = id;
            row.set(lane, &items.boxes[id as usize]);
        }
        (column, row)
    });
    blocks.unzip()
}

impl<V: Vector> Frame<V> {
    /// Appends the keys of the boxes of some blocks.
    pub(in super::super) fn append(
        &self,
        ids: &[Column<u32>],
        rows: &[Boxes<V>],
        to: &mut Vec<u64>,
        set: InstructionSet,
    ) {
        run!(set, |simd| keys(simd, self, ids, rows, to));
    }
}

/// ```text
/// for each block of boxes:
///     the cells of their centers, and their places along the curve
///     key = class of size, place along the curve, id
/// ```
#[inline(always)]
fn keys<V: Vector, S: Simd>(
    simd: S,
    frame: &Frame<V>,
    ids: &[Column<u32>],
    rows: &[Boxes<V>],
    to: &mut Vec<u64>,
) {
    let most = (1u32 << frame.bits) - 1;
    let above = frame.bits * V::DIM as u32;
    for (ids, rows) in ids.chunks(GROUPS).zip(rows.chunks(GROUPS)) {
        let mut cells = [[[0u32; LANES]; GROUPS]; 4];
        let mut sizes = [[0.0f64; LANES]; GROUPS];
        for (group, row) in rows.iter().enumerate() {
            for (axis, cells) in cells.iter_mut().enumerate().take(V::DIM) {
                let low: f64 = frame.low.axis(axis).into();
                let (lows, highs) = (&row.low.as_ref()[axis].0, &row.high.as_ref()[axis].0);
                for lane in 0..LANES {
                    let (least, last): (f64, f64) = (lows[lane].into(), highs[lane].into());
                    let from = 0.5 * least + 0.5 * last - low;
                    // Saturates.
                    cells[group][lane] = ((from * frame.scale) as u32).min(most);
                    let size = &mut sizes[group][lane];
                    let extent = last - least;
                    *size = if extent > *size { extent } else { *size };
                }
            }
        }
        let codes = hilbert(simd, &cells, V::DIM, frame.bits);
        for ((ids, codes), sizes) in ids.iter().zip(codes).zip(sizes) {
            let mut keys = [0u64; LANES];
            let mut all = true;
            for lane in 0..LANES {
                let (id, size) = (ids.0[lane], sizes[lane]);
                let class = u64::from(size > frame.small)
                    + u64::from(size > 4.0 * frame.small)
                    + u64::from(size > 16.0 * frame.small);
                keys[lane] = (class << above | codes[lane]) << frame.id_bits | u64::from(id);
                all &= id != NO_ID;
            }
            if all {
                to.extend_from_slice(&keys);
                continue;
            }
            for (&key, &id) in keys.iter().zip(&ids.0) {
                if id != NO_ID {
                    to.push(key);
                }
            }
        }
    }
}

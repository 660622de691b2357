//! Lists that are made in another order than theirs, and put in order.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use super::{Lists, PART, Part, parts};
use crate::parallel;

/// So many items are copied at once: a sixth of the time of all neighbors, ten each.
const STEP: usize = 16;

impl Lists<u32> {
    /// Makes list `order[i]` as the `i`th: `make` is given ranges of `i`, which begin at multiples of
    /// [`PART`].
    pub(crate) fn in_order(
        order: &[u32],
        make: impl Fn(Range<usize>, &mut Part<u32>) + Sync,
    ) -> Self {
        let much = order.len() > PART;
        let parts = parts(order.len(), make);
        // Each thread looks at all lists and takes those in its share: what is read lies in a row, and
        // what is written does not keep it waiting.
        let made = || parts.iter().zip(order.chunks(PART));
        let mut offsets = vec![0; order.len() + 1];
        let share = order.len().div_ceil(parallel::threads()).max(1);
        let shares = offsets[1..].chunks_mut(share);
        let shares = shares.zip((0..).step_by(share)).collect();
        parallel::for_each(much, shares, |(ends, first)| {
            for (part, order) in made() {
                for (&list, &len) in order.iter().zip(&part.lens) {
                    if let Some(end) = ends.get_mut((list as usize).wrapping_sub(first)) {
                        *end = len as usize;
                    }
                }
            }
        });
        let mut end = 0;
        for offset in &mut offsets {
            end += *offset;
            *offset = end;
        }
        // Memory that comes cleared is not touched before all threads write to it.
        let mut items = vec![0; end];
        let mut shares = Vec::new();
        let mut rest = &mut items[..];
        for (begins, first) in offsets[..order.len()]
            .chunks(share)
            .zip((0..).step_by(share))
        {
            let many = offsets[first + begins.len()] - begins[0];
            let (items, others) = rest.split_at_mut(many);
            shares.push((begins, first, items));
            rest = others;
        }
        parallel::for_each(much, shares, |(begins, first, items)| {
            for (part, order) in made() {
                let mut at = 0;
                for (&list, &len) in order.iter().zip(&part.lens) {
                    let len = len as usize;
                    if let Some(begin) = begins.get((list as usize).wrapping_sub(first)) {
                        let to = &mut items[begin - begins[0]..][..len];
                        copy(&part.items[at..at + len], to);
                    }
                    at += len;
                }
            }
        });
        Self { offsets, items }
    }
}

/// Copies a list, the last step so that it ends where the list does.
#[inline(always)]
fn copy(from: &[u32], to: &mut [u32]) {
    let len = from.len();
    if len < STEP {
        return to.copy_from_slice(from);
    }
    let mut done = 0;
    while done < len {
        let at = done.min(len - STEP);
        to[at..at + STEP].copy_from_slice(&from[at..at + STEP]);
        done += STEP;
    }
}

//! Lists that are made in another order than theirs, and put in order.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use super::{Lists, PART, Part};
use crate::parallel;

/// So many items are copied at once: a sixth of the time of all neighbours, ten each.
const STEP: usize = 16;

/// Memory in which lists are made before they are put in order: kept for the next time, and no part of
/// what they are.
pub(super) struct Spare<K>(Vec<Part<K>>);

impl<K> Spare<K> {
    pub(super) const fn new() -> Self {
        Self(Vec::new())
    }
}

impl<K> Clone for Spare<K> {
    fn clone(&self) -> Self {
        Self::new()
    }
}

impl<K> PartialEq for Spare<K> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<K> Eq for Spare<K> {}

impl<K> fmt::Debug for Spare<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Spare").finish_non_exhaustive()
    }
}

impl Lists<u32> {
    /// Makes list `order[i]` as the `i`th: `make` is given ranges of `i`, which begin at multiples of
    /// [`PART`].
    pub(crate) fn in_order(
        order: &[u32],
        make: impl Fn(Range<usize>, &mut Part<u32>) + Sync,
    ) -> Self {
        let mut lists = Self::new();
        lists.refill(order, PART, make);
        lists.without_spare()
    }

    /// The lists alone: nobody fills them again.
    pub(crate) fn without_spare(mut self) -> Self {
        self.spare = Spare::new();
        self
    }

    /// The same in the memory that there is, in parts of so many lists.
    pub(crate) fn refill(
        &mut self,
        order: &[u32],
        size: usize,
        make: impl Fn(Range<usize>, &mut Part<u32>) + Sync,
    ) {
        let is_sorted = order.iter().zip(0..).all(|(&list, i)| list == i);
        if is_sorted && parallel::threads() == 1 {
            return self.refill_in_place(order.len(), make);
        }
        let much = order.len() > size;
        let parts = &mut self.spare.0;
        parts.resize_with(order.len().div_ceil(size), Part::default);
        let fill = |(number, part): (usize, &mut Part<u32>)| {
            part.items.clear();
            part.lens.clear();
            make(number * size..order.len().min((number + 1) * size), part);
        };
        parallel::for_each(much, parts.iter_mut().enumerate().collect(), fill);

        // Each thread looks at all lists and takes those in its share: what is read lies in a row, and
        // what is written does not keep it waiting.
        let parts = &*parts;
        let made = || parts.iter().zip(order.chunks(size));
        self.offsets.resize(order.len() + 1, 0);
        self.offsets[0] = 0;
        let share = order.len().div_ceil(parallel::threads()).max(1);
        let shares = self.offsets[1..].chunks_mut(share);
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
        for offset in &mut self.offsets {
            end += *offset;
            *offset = end;
        }
        if end <= self.items.capacity() {
            self.items.resize(end, 0);
        } else {
            // Memory that comes cleared is not touched before all threads write to it.
            self.items = vec![0; end];
        }
        let mut shares = Vec::new();
        let mut rest = &mut self.items[..];
        for (begins, first) in self.offsets[..order.len()]
            .chunks(share)
            .zip((0..).step_by(share))
        {
            let many = self.offsets[first + begins.len()] - begins[0];
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
    }

    /// The lists in order, one behind the other.
    fn refill_in_place(&mut self, many: usize, make: impl Fn(Range<usize>, &mut Part<u32>)) {
        self.spare.0.resize_with(1, Part::default);
        let part = &mut self.spare.0[0];
        // All in one: the answer's own memory is lent to it.
        let spare = core::mem::replace(&mut part.items, core::mem::take(&mut self.items));
        part.items.clear();
        part.lens.clear();
        make(0..many, part);
        self.items = core::mem::replace(&mut part.items, spare);
        let mut end = 0;
        self.offsets.clear();
        self.offsets.push(end);
        self.offsets.extend(part.lens.iter().map(|&len| {
            end += len as usize;
            end
        }));
    }

    /// Lists what each is in a pair with, itself first.
    pub(crate) fn of_pairs(&mut self, many: usize, pairs: &[[u32; 2]]) {
        self.offsets.clear();
        self.offsets.resize(many + 1, 1);
        for one in pairs.as_flattened() {
            self.offsets[*one as usize] += 1;
        }
        // Each list's end, from which it is filled to where it begins.
        let mut end = 0;
        for offset in &mut self.offsets[..many] {
            end += *offset;
            *offset = end;
        }
        self.offsets[many] = end;
        self.items.resize(end, 0);
        for &[one, other] in pairs.iter().rev() {
            for (one, other) in [(other, one), (one, other)] {
                let offset = &mut self.offsets[one as usize];
                *offset -= 1;
                self.items[*offset] = other;
            }
        }
        for (one, offset) in (0..).zip(&mut self.offsets[..many]) {
            *offset -= 1;
            self.items[*offset] = one;
        }
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

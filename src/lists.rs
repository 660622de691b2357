use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
use core::ops::{Index, Range};

#[cfg(feature = "rayon")]
use rayon::prelude::*;

use crate::parallel;

/// Many answers in two arrays: list `i` is `items[offsets[i]..offsets[i + 1]]`.
///
/// ```
/// use orthant::{Octree, Sphere, glam::Vec3};
/// let tree = Octree::new(&[Vec3::ZERO, Vec3::X]);
/// let lists = tree.query_batch(&[Sphere::new(Vec3::X, 0.5), Sphere::new(Vec3::Z, 0.5)]);
/// assert_eq!(lists[0], [1]);
/// assert!(lists[1].is_empty());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lists<K> {
    offsets: Vec<usize>,
    items: Vec<K>,
    spare: Spare<K>,
}

/// Lists that are made together: their items one behind the other, and how many each has.
pub(crate) struct Part<K> {
    pub(crate) items: Vec<K>,
    pub(crate) lens: Vec<u32>,
}

impl<K> Default for Part<K> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            lens: Vec::new(),
        }
    }
}

/// Memory in which lists are made before they are put in order: kept for the next time, and no part of
/// what they are.
struct Spare<K> {
    parts: Vec<Part<K>>,
    /// Where each list lies: its part, and from where on.
    places: Vec<(usize, usize)>,
}

impl<K> Spare<K> {
    const fn new() -> Self {
        Self {
            parts: Vec::new(),
            places: Vec::new(),
        }
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

/// Parts are of a fixed size, and joined in order: the thread count cannot show.
pub(crate) const PART: usize = 1024;

/// Lists up to here are copied as so many items, whatever their length: a sixth of the time of all
/// neighbours, ten each.
const SHORT: usize = 16;

/// Makes parts of so many lists, in parallel with the feature `rayon`.
fn parts<K: Send>(lists: usize, make: impl Fn(Range<usize>, &mut Part<K>) + Sync) -> Vec<Part<K>> {
    let part = |number: usize| {
        let range = number * PART..lists.min((number + 1) * PART);
        let mut part = Part {
            items: Vec::new(),
            lens: Vec::with_capacity(range.len()),
        };
        make(range, &mut part);
        part
    };
    let numbers = 0..lists.div_ceil(PART);
    #[cfg(feature = "rayon")]
    return numbers.into_par_iter().map(part).collect();
    #[cfg(not(feature = "rayon"))]
    numbers.map(part).collect()
}

impl<K: Send> Lists<K> {
    /// The answers to all questions, which `ask` appends.
    pub(crate) fn collect<Q: Sync>(questions: &[Q], ask: impl Fn(&Q, &mut Vec<K>) + Sync) -> Self {
        let parts = parts(questions.len(), |range, part| {
            for question in &questions[range] {
                let before = part.items.len();
                ask(question, &mut part.items);
                part.lens.push((part.items.len() - before) as u32);
            }
        });
        let many = parts.iter().map(|part| part.items.len()).sum();
        let mut items = Vec::with_capacity(many);
        let mut offsets = Vec::with_capacity(questions.len() + 1);
        let mut end = 0;
        offsets.push(end);
        for mut part in parts {
            offsets.extend(part.lens.iter().map(|&len| {
                end += len as usize;
                end
            }));
            items.append(&mut part.items);
        }
        Self {
            offsets,
            items,
            spare: Spare::new(),
        }
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
        lists.refill(order, make);
        lists
    }

    /// The same in the memory that there is.
    pub(crate) fn refill(
        &mut self,
        order: &[u32],
        make: impl Fn(Range<usize>, &mut Part<u32>) + Sync,
    ) {
        let is_sorted = order.iter().zip(0..).all(|(&list, i)| list == i);
        if is_sorted && !parallel::is_divided() {
            return self.refill_in_place(order.len(), make);
        }
        let Spare { parts, places } = &mut self.spare;
        parts.resize_with(order.len().div_ceil(PART), Part::default);
        let fill = |(number, part): (usize, &mut Part<u32>)| {
            part.items.clear();
            part.lens.clear();
            make(number * PART..order.len().min((number + 1) * PART), part);
        };
        #[cfg(feature = "rayon")]
        parts.par_iter_mut().enumerate().for_each(fill);
        #[cfg(not(feature = "rayon"))]
        parts.iter_mut().enumerate().for_each(fill);

        places.resize(order.len(), (0, 0));
        self.offsets.clear();
        self.offsets.resize(order.len() + 1, 0);
        for ((number, part), order) in parts.iter().enumerate().zip(order.chunks(PART)) {
            let mut at = 0;
            for (&list, &len) in order.iter().zip(&part.lens) {
                self.offsets[list as usize + 1] = len as usize;
                places[list as usize] = (number, at);
                at += len as usize;
            }
        }
        let mut end = 0;
        for offset in &mut self.offsets {
            end += *offset;
            *offset = end;
        }
        self.items.resize(end, 0);
        let (offsets, parts, places) = (&self.offsets, &*parts, &*places);
        let mut chunks = Vec::new();
        let mut rest = &mut self.items[..];
        for first in (0..order.len()).step_by(PART) {
            let lists = first..order.len().min(first + PART);
            let (chunk, others) = rest.split_at_mut(offsets[lists.end] - offsets[first]);
            chunks.push((lists, chunk));
            rest = others;
        }
        let fill = |(lists, mut chunk): (Range<usize>, &mut [u32])| {
            for list in lists {
                let (part, at) = places[list];
                let from = &parts[part].items[at..];
                let len = offsets[list + 1] - offsets[list];
                match (from.first_chunk::<SHORT>(), chunk.first_chunk_mut()) {
                    // What is too much is overwritten by the lists behind.
                    (Some(from), Some(to)) if len <= SHORT => *to = *from,
                    _ => chunk[..len].copy_from_slice(&from[..len]),
                }
                chunk = &mut chunk[len..];
            }
        };
        #[cfg(feature = "rayon")]
        chunks.into_par_iter().for_each(fill);
        #[cfg(not(feature = "rayon"))]
        chunks.into_iter().for_each(fill);
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

    /// The lists in order, one behind the other.
    fn refill_in_place(&mut self, many: usize, make: impl Fn(Range<usize>, &mut Part<u32>)) {
        self.spare.parts.resize_with(1, Part::default);
        let part = &mut self.spare.parts[0];
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
}

impl<K> Default for Lists<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K> Lists<K> {
    /// No lists, to be filled.
    #[must_use]
    pub fn new() -> Self {
        Self {
            offsets: vec![0],
            items: Vec::new(),
            spare: Spare::new(),
        }
    }

    /// The number of lists.
    #[must_use]
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there are no lists at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The lists in order.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[K]> {
        self.offsets.windows(2).map(|o| &self.items[o[0]..o[1]])
    }

    /// Where each list begins, and at last the number of items.
    #[must_use]
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// All lists, one behind the other.
    #[must_use]
    pub fn items(&self) -> &[K] {
        &self.items
    }
}

impl<K> Index<usize> for Lists<K> {
    type Output = [K];

    fn index(&self, list: usize) -> &[K] {
        &self.items[self.offsets[list]..self.offsets[list + 1]]
    }
}

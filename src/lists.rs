mod neighbors;
mod order;

use alloc::vec;
use alloc::vec::Vec;
use core::ops::{Index, Range};

#[cfg(feature = "rayon")]
use rayon::prelude::*;

pub use neighbors::NeighborLists;

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
}

/// Lists that are made together: their items one behind the other, and how many each has.
#[derive(Clone)]
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

/// Parts are of a fixed size, and joined in order: the thread count cannot show.
pub(crate) const PART: usize = 1024;

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
        Self { offsets, items }
    }
}

impl<K> Default for Lists<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K> Lists<K> {
    /// No lists.
    #[must_use]
    pub fn new() -> Self {
        Self {
            offsets: vec![0],
            items: Vec::new(),
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

use alloc::vec;
use alloc::vec::Vec;
use core::ops::{Index, Range};

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
pub(crate) struct Part<K> {
    pub(crate) items: Vec<K>,
    pub(crate) lens: Vec<u32>,
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
    {
        use rayon::prelude::*;
        numbers.into_par_iter().map(part).collect()
    }
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

impl Lists<u32> {
    /// Makes list `order[i]` as the `i`th: `make` is given ranges of `i`, which begin at multiples of
    /// [`PART`].
    pub(crate) fn in_order(
        order: &[u32],
        make: impl Fn(Range<usize>, &mut Part<u32>) + Sync,
    ) -> Self {
        let parts = parts(order.len(), make);
        let mut offsets = vec![0; order.len() + 1];
        // Where each list lies: its part, and from where on.
        let mut places = vec![(0, 0); order.len()];
        for (number, (order, part)) in order.chunks(PART).zip(&parts).enumerate() {
            let mut at = 0;
            for (&list, &len) in order.iter().zip(&part.lens) {
                offsets[list as usize + 1] = len as usize;
                places[list as usize] = (number, at);
                at += len as usize;
            }
        }
        let mut end = 0;
        for offset in &mut offsets {
            end += *offset;
            *offset = end;
        }
        let mut items = vec![0; end];
        let mut chunks = Vec::new();
        let mut rest = &mut items[..];
        for first in (0..order.len()).step_by(PART) {
            let lists = first..order.len().min(first + PART);
            let (chunk, others) = rest.split_at_mut(offsets[lists.end] - offsets[first]);
            chunks.push((lists, chunk));
            rest = others;
        }
        let fill = |(lists, mut chunk): (Range<usize>, &mut [u32])| {
            for list in lists {
                let (part, at) = places[list];
                let (to, others) = chunk.split_at_mut(offsets[list + 1] - offsets[list]);
                to.copy_from_slice(&parts[part].items[at..at + to.len()]);
                chunk = others;
            }
        };
        #[cfg(feature = "rayon")]
        {
            use rayon::prelude::*;
            chunks.into_par_iter().for_each(fill);
        }
        #[cfg(not(feature = "rayon"))]
        chunks.into_iter().for_each(fill);
        Self { offsets, items }
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

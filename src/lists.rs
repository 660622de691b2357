use alloc::vec::Vec;
use core::ops::Index;

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

impl<K> Lists<K> {
    /// Asks all questions; in parallel with the feature `rayon`, the result being the same.
    pub(crate) fn collect<'a, Q, I>(questions: &'a [Q], ask: impl Fn(&'a Q) -> I + Sync) -> Self
    where
        Q: Sync,
        K: Send,
        I: Iterator<Item = K>,
    {
        let part = |questions: &'a [Q]| {
            let mut lists = Self {
                offsets: Vec::with_capacity(questions.len() + 1),
                items: Vec::new(),
            };
            lists.offsets.push(0);
            for question in questions {
                ask(question).for_each(|key| lists.items.push(key));
                lists.offsets.push(lists.items.len());
            }
            lists
        };
        #[cfg(feature = "rayon")]
        {
            use rayon::prelude::*;

            // Parts of a fixed size, joined in order: the thread count cannot show.
            const PART: usize = 1024;
            let parts: Vec<Self> = questions.par_chunks(PART).map(part).collect();
            Self::joined(parts)
        }
        #[cfg(not(feature = "rayon"))]
        part(questions)
    }

    #[cfg(feature = "rayon")]
    fn joined(parts: Vec<Self>) -> Self {
        let mut all = Self {
            offsets: Vec::with_capacity(parts.iter().map(Self::len).sum::<usize>() + 1),
            items: Vec::with_capacity(parts.iter().map(|p| p.items.len()).sum()),
        };
        all.offsets.push(0);
        for mut part in parts {
            let before = all.items.len();
            all.offsets
                .extend(part.offsets[1..].iter().map(|o| before + o));
            all.items.append(&mut part.items);
        }
        all
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

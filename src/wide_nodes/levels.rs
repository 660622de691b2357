//! The layout of the boxes of a tree, which follows from the number of items.
//!
//! Each leaf holds the same number of consecutive items, and each node the same number of consecutive boxes of the level below; only the
//! last may hold fewer. The boxes of a level follow each other in blocks of sixteen, and the children of each node begin a block.
//! Entries can therefore be computed, and are not stored.

use core::ops::Range;

use crate::simd::LANES;

/// Upper bound on the number of levels: 2³² items need seven levels of boxes and the root.
const MOST: usize = 8;

/// The boxes of all nodes or leaves of one height.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Level {
    /// The first block.
    first: u32,
    /// The number of boxes.
    len: u32,
    /// The number of items below a box; the last box may have fewer.
    items: u32,
    /// The number of children of a parent; the last parent may have fewer.
    siblings: u8,
}

impl Level {
    #[inline(always)]
    pub(crate) fn first(&self) -> usize {
        self.first as usize
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len as usize
    }

    #[inline(always)]
    fn siblings(&self) -> usize {
        self.siblings as usize
    }

    /// The number of blocks for the children of one parent.
    #[inline(always)]
    fn stride(&self) -> usize {
        self.siblings().div_ceil(LANES)
    }

    /// The blocks of all boxes.
    pub(crate) fn blocks(&self) -> Range<usize> {
        self.first()..self.first() + self.parents() * self.stride()
    }

    /// The number of boxes on the level above.
    pub(crate) fn parents(&self) -> usize {
        self.len().div_ceil(self.siblings())
    }

    /// The numbers of the children of a parent, which is given by its number on the level above.
    #[inline(always)]
    pub(crate) fn below(&self, parent: usize) -> Range<usize> {
        let first = parent * self.siblings();
        first..self.len().min(first + self.siblings())
    }

    /// The block at which the children of a parent begin.
    #[inline(always)]
    pub(crate) fn block_below(&self, parent: usize) -> usize {
        self.first() + parent * self.stride()
    }

    /// The number, the block and the lane of each box.
    pub(crate) fn boxes(&self) -> impl Iterator<Item = (usize, usize, usize)> {
        (0..self.parents()).flat_map(move |parent| {
            let first = self.block_below(parent);
            let numbers = self.below(parent).enumerate();
            numbers.map(move |(i, number)| (number, first + i / LANES, i % LANES))
        })
    }

    /// The number of the box in a lane of a block, if there is one.
    pub(crate) fn number(&self, block: usize, lane: usize) -> Option<usize> {
        let parent = (block - self.first()) / self.stride();
        let first = parent * self.siblings() + (block - self.block_below(parent)) * LANES;
        let boxes = self.below(parent);
        Some(first + lane).filter(|number| boxes.contains(number))
    }

    /// The slots of the items below a box, in a tree of `items` items.
    #[inline(always)]
    pub(crate) fn slots(&self, number: usize, items: usize) -> Range<usize> {
        let first = number * self.items as usize;
        first..items.min(first + self.items as usize)
    }
}

/// The levels of a tree, from the leaves to the root. An empty tree has none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Levels {
    all: [Level; MOST],
    len: usize,
}

impl Levels {
    pub(crate) const NONE: Self = Self {
        all: [Level {
            first: 0,
            len: 0,
            siblings: 1,
            items: 0,
        }; MOST],
        len: 0,
    };

    /// Lays out leaves of `leaf` items, one level for each number of children in `nodes`, and a root above what remains.
    fn new(items: usize, leaf: usize, nodes: impl Iterator<Item = usize>) -> Self {
        let mut levels = Self::NONE;
        if items == 0 {
            return levels;
        }
        let (mut len, mut below) = (items.div_ceil(leaf), leaf);
        for siblings in nodes.map(Some).chain([None]) {
            let siblings = siblings.unwrap_or(len);
            levels.push(len, siblings, below);
            len = len.div_ceil(siblings);
            below = below.saturating_mul(siblings);
        }
        levels.push(1, 1, below);
        levels
    }

    fn push(&mut self, len: usize, siblings: usize, items: usize) {
        self.all[self.len] = Level {
            first: self.blocks() as u32,
            len: len as u32,
            siblings: siblings as u8,
            items: items.min(u32::MAX as usize) as u32,
        };
        self.len += 1;
    }

    /// The layout for region queries: leaves and nodes of one block, and a root of up to two. Nodes are small, because tests of blocks
    /// of one level do not wait for each other.
    pub(crate) fn for_regions(items: usize) -> Self {
        let mut len = items.div_ceil(LANES);
        let nodes = core::iter::from_fn(|| {
            let is_more = len > 2 * LANES;
            len = len.div_ceil(LANES);
            is_more.then_some(LANES)
        });
        Self::new(items, LANES, nodes)
    }

    /// The layout for the nearest: leaves of `leaf` items, and as few levels as possible with up to 64 children a node, at most
    /// 45 on average, because each level waits for the one above.
    pub(crate) fn for_nearest(items: usize, leaf: usize) -> Self {
        let mut bits = items.div_ceil(leaf).next_power_of_two().trailing_zeros();
        let mut levels = (2 * bits).div_ceil(11);
        let nodes = core::iter::from_fn(|| {
            if levels <= 1 {
                return None;
            }
            let children = bits / levels;
            (bits, levels) = (bits - children, levels - 1);
            Some(1 << children)
        });
        Self::new(items, leaf, nodes)
    }

    pub(crate) fn blocks(&self) -> usize {
        self.as_slice().last().map_or(0, |level| level.blocks().end)
    }

    pub(crate) fn leaves(&self) -> usize {
        self.as_slice().first().map_or(0, Level::len)
    }

    #[inline(always)]
    pub(crate) fn as_slice(&self) -> &[Level] {
        &self.all[..self.len]
    }

    /// The number of levels below the root.
    #[inline(always)]
    pub(crate) fn height(&self) -> usize {
        self.len.saturating_sub(1)
    }

    /// The level at a height below the root; the leaves have height 0.
    #[inline(always)]
    pub(crate) fn level(&self, height: usize) -> &Level {
        &self.all[height % MOST]
    }

    /// The places of the boxes of a height, and the entry of the first box; the entries of the others follow. Nodes must have sixteen
    /// children.
    #[inline(always)]
    pub(super) fn places(&self, height: usize) -> (Range<usize>, u32) {
        let level = self.level(height);
        let entry = match height.checked_sub(1) {
            None => 0,
            Some(below) => self.level(below).first,
        };
        let first = level.first() * LANES;
        (first..first + level.len(), entry)
    }

    /// The height of the box at a place, and its number on its level.
    pub(super) fn find(&self, place: usize) -> (usize, usize) {
        let above = self.as_slice()[1..].iter();
        let height = above.take_while(|level| level.first() * LANES <= place);
        let height = height.count();
        let number = self.level(height).number(place / LANES, place % LANES);
        (height, number.expect("a lane with a box"))
    }
}

//! The connected parts of masks, and which of them touch across bricks.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use super::Adjacency;
use super::mask::{self, Mask};

/// Bricks that follow each other along axis 0 and have the same mask.
#[derive(Debug)]
pub(super) struct Cell {
    /// Their indices on axes 2 and 1.
    pub(super) row: [i32; 2],
    /// Those on axis 0.
    pub(super) along: Range<i32>,
    pub(super) parts: Range<usize>,
}

/// Cells by row and place, their parts, and a forest whose trees are what is connected. Part 0 is what
/// lies around everything.
#[derive(Debug)]
pub(super) struct Parts {
    adjacency: Adjacency,
    cells: Vec<Cell>,
    masks: Vec<Mask>,
    parents: Vec<usize>,
}

pub(super) const AROUND: usize = 0;

impl Parts {
    pub(super) fn new(adjacency: Adjacency) -> Self {
        Self {
            adjacency,
            cells: Vec::new(),
            masks: vec![mask::ALL],
            parents: vec![AROUND],
        }
    }

    /// Adds a cell behind all others.
    pub(super) fn push(&mut self, row: [i32; 2], along: Range<i32>, mut mask: Mask) {
        let first = self.masks.len();
        // Each by its first voxel.
        while let Some(place) = mask::first(&mask) {
            let mut seed = mask::NONE;
            mask::set(&mut seed, place);
            let part = mask::flood(&mask, seed, self.adjacency.axes());
            mask = mask::less(&mask, &part);
            self.parents.push(self.masks.len());
            self.masks.push(part);
        }
        self.cells.push(Cell {
            row,
            along,
            parts: first..self.masks.len(),
        });
    }

    pub(super) fn cells(&self) -> &[Cell] {
        &self.cells
    }

    pub(super) fn mask(&self, part: usize) -> &Mask {
        &self.masks[part]
    }

    /// The number of parts, that around everything among them.
    pub(super) fn len(&self) -> usize {
        self.masks.len()
    }

    /// What stands for all that is connected with a part.
    pub(super) fn root(&self, mut part: usize) -> usize {
        while self.parents[part] != part {
            part = self.parents[part];
        }
        part
    }

    pub(super) fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.halved(a), self.halved(b));
        self.parents[a.max(b)] = a.min(b);
    }

    /// The root, with the way to it halved.
    fn halved(&mut self, mut part: usize) -> usize {
        while self.parents[part] != part {
            self.parents[part] = self.parents[self.parents[part]];
            part = self.parents[part];
        }
        part
    }

    /// The first cell of a row that does not end before a place, or the one after.
    pub(super) fn seek(&self, row: [i32; 2], place: i32) -> usize {
        self.cells
            .partition_point(|cell| (cell.row, cell.along.end) <= (row, place))
    }

    /// Joins parts that touch. With `bounded`, rows without a cell are part of what lies around.
    pub(super) fn link(&mut self, bounded: bool) {
        for i in 0..self.cells.len() {
            for step in self.adjacency.steps() {
                let [x, y, z] = step;
                let row = [self.cells[i].row[0] + z, self.cells[i].row[1] + y];
                // Each pair once; rows that there are not are asked for both ways.
                let forwards = [z, y, x] > [0; 3];
                let may_be_missing = bounded && [z, y] != [0; 2];
                if !(forwards || may_be_missing) {
                    continue;
                }
                let along = &self.cells[i].along;
                let (start, end) = (along.start + x, along.end + x);
                let mut j = self.seek(row, start);
                let is_row = |cell: Option<&Cell>| cell.is_some_and(|cell| cell.row == row);
                // Rows of a bounded space have cells without end.
                if bounded && !is_row(self.cells.get(j)) {
                    self.touch(i, step, AROUND..AROUND + 1);
                }
                while forwards && is_row(self.cells.get(j)) && self.cells[j].along.start < end {
                    if i != j {
                        self.touch(i, step, self.cells[j].parts.clone());
                    }
                    j += 1;
                }
            }
        }
    }

    /// Joins what of a cell touches other parts, which lie a step away.
    fn touch(&mut self, cell: usize, step: [i32; 3], others: Range<usize>) {
        for part in self.cells[cell].parts.clone() {
            let reached = mask::reach(&self.masks[part], step, self.adjacency.axes());
            if mask::is_empty(&reached) {
                continue;
            }
            for other in others.clone() {
                if !mask::is_empty(&mask::and(&reached, &self.masks[other])) {
                    self.join(part, other);
                }
            }
        }
    }
}

//! The points of a lattice in a box: the images of a skewed cell that a region may reach.
//!
//! A region reaches an image only where the offset of that image lies in a box as large as the region and all items together. A
//! row of the inverse matrix bounds how often each vector may be taken. Where vectors lean over each other, most of the numbers
//! within these bounds lead out of the box: all but one in `L` for a cell in the plane that leans by `L` of its heights, all but
//! one in `L²` in space. So each number is chosen among those that the numbers before it leave:
//!
//! ```text
//! for each k of the last vector whose layer of the lattice meets the box:
//!     for each k of the vector before it whose row in that layer meets the box:
//!         for each k of the first vector whose point in that row lies in the box
//! ```
//!
//! Those numbers of a vector for which the box is met, whatever the numbers of the `n` vectors below it, follow each other. Their
//! ends are seen along directions at right angles to the vectors below. By the duality of linear programs, directions with
//! `n + 1` coordinates that are not 0 suffice, one for each choice of the axes.
//!
//! O(images + rows + layers).

use alloc::vec::Vec;

use crate::voxel::{ceil, floor};

/// Directions among which vectors span less than this part of what they would at right angles are left out: they would be rounded
/// too much.
const FLATTEST: f64 = 1e-7;
/// How much directions and sums are rounded, at most.
const ROUNDED: f64 = 1e-8;

/// The offsets of images that lie in a box.
#[derive(Clone, Debug)]
pub(super) struct LatticeInBox {
    dim: usize,
    vectors: [[f64; 4]; 4],
    /// The center of the box.
    middle: [f64; 4],
    /// The first and last number of each vector at all; 0 where the cell is open.
    ranges: [(i64, i64); 4],
    /// The directions along which the ends of the numbers of each vector are seen.
    directions: [Vec<Direction>; 4],
}

/// A direction in which a vector has length 1, and those below it have length 0.
#[derive(Clone, Copy, Debug)]
struct Direction {
    row: [f64; 4],
    /// Half the length of the box in this direction, and a little for rounding.
    half: f64,
}

impl LatticeInBox {
    /// For the periodic vectors among those of a cell, and a box given by its center and half its lengths.
    pub(super) fn new(
        dim: usize,
        vectors: [[f64; 4]; 4],
        is_periodic: impl Fn(usize) -> bool,
        (middle, half): ([f64; 4], [f64; 4]),
        ranges: [(i64, i64); 4],
    ) -> Self {
        let sizes: [f64; 4] = crate::simd::from_fn(|a| {
            let most = |v: usize| ranges[v].0.abs().max(ranges[v].1.abs()) as f64;
            let offsets: f64 = (0..dim).map(|v| most(v) * vectors[v][a].abs()).sum();
            middle[a].abs() + half[a] + offsets
        });
        let mut directions: [Vec<Direction>; 4] = Default::default();
        let mut rows = Vec::new();
        for v in (0..dim).filter(|&v| is_periodic(v)) {
            rows.push(vectors[v]);
            for axes in (0..1_u32 << dim).filter(|axes| axes.count_ones() as usize == rows.len()) {
                let Some(row) = direction(&rows, axes) else {
                    continue;
                };
                let length = |of: &[f64; 4]| -> f64 {
                    row.iter().zip(of).map(|(x, size)| x.abs() * size).sum()
                };
                directions[v].push(Direction {
                    row,
                    half: length(&half) + length(&sizes) * ROUNDED,
                });
            }
        }
        Self {
            dim,
            vectors,
            middle,
            ranges,
            directions,
        }
    }

    /// The first image.
    pub(super) fn first(&self) -> Option<[i64; 4]> {
        self.settle([0; 4], self.dim)
    }

    /// The image that follows another, the number of the first vector fastest.
    pub(super) fn after(&self, image: [i64; 4]) -> Option<[i64; 4]> {
        let mut image = image;
        let chosen = self.step(&mut image, 0)?;
        self.settle(image, chosen)
    }

    /// The first image with the numbers that are chosen from a vector on, or the next ones.
    fn settle(&self, image: [i64; 4], chosen: usize) -> Option<[i64; 4]> {
        let (mut image, mut chosen) = (image, chosen);
        while chosen > 0 {
            let (from, to) = self.range(chosen - 1, &image);
            if from <= to {
                chosen -= 1;
                image[chosen] = from;
            } else {
                chosen = self.step(&mut image, chosen)?;
            }
        }
        Some(image)
    }

    /// Takes the next number of the first vector that has one, from a vector on. Returns that vector.
    fn step(&self, image: &mut [i64; 4], from: usize) -> Option<usize> {
        let stepping = (from..self.dim).find(|&v| image[v] < self.range(v, image).1)?;
        image[stepping] += 1;
        Some(stepping)
    }

    /// The first and last number of a vector, where the numbers of the vectors above it are chosen.
    fn range(&self, vector: usize, image: &[i64; 4]) -> (i64, i64) {
        let mut left = self.middle;
        for (k, above) in image.iter().zip(&self.vectors).skip(vector + 1) {
            for (left, x) in left.iter_mut().zip(above) {
                *left -= *k as f64 * x;
            }
        }
        let (mut from, mut to) = self.ranges[vector];
        for Direction { row, half } in &self.directions[vector] {
            let middle: f64 = row.iter().zip(&left).map(|(x, left)| x * left).sum();
            from = from.max(ceil(middle - half));
            to = to.min(floor(middle + half));
        }
        (from, to)
    }
}

/// The direction with coordinates on some axes, a bit for each, in which the last row has length 1 and the others have length 0:
/// by elimination with pivots.
fn direction(rows: &[[f64; 4]], axes: u32) -> Option<[f64; 4]> {
    let axes: Vec<usize> = (0..4).filter(|a| axes >> a & 1 == 1).collect();
    let many = axes.len();
    // Each row is divided by its largest coordinate first. Its right side is in column 4.
    let mut matrix = [[0.0; 5]; 4];
    for (number, (to, row)) in matrix.iter_mut().zip(rows).enumerate() {
        let largest = axes
            .iter()
            .fold(0.0, |most: f64, &a| most.max(row[a].abs()));
        if largest == 0.0 {
            return None;
        }
        for (to, &a) in to.iter_mut().zip(&axes) {
            *to = row[a] / largest;
        }
        to[4] = if number + 1 == many {
            1.0 / largest
        } else {
            0.0
        };
    }
    let mut volume = 1.0;
    for column in 0..many {
        let pivot = (column..many).fold(column, |best, row| {
            if matrix[row][column].abs() > matrix[best][column].abs() {
                row
            } else {
                best
            }
        });
        matrix.swap(column, pivot);
        let head = matrix[column][column];
        volume *= head;
        if volume.abs() < FLATTEST {
            return None;
        }
        matrix[column] = matrix[column].map(|x| x / head);
        let taken = matrix[column];
        for other in (0..many).filter(|&row| row != column) {
            let times = matrix[other][column];
            for (x, y) in matrix[other].iter_mut().zip(taken) {
                *x -= times * y;
            }
        }
    }
    let mut direction = [0.0; 4];
    for (number, &a) in axes.iter().enumerate() {
        direction[a] = matrix[number][4];
    }
    direction
        .iter()
        .all(|x: &f64| x.is_finite())
        .then_some(direction)
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::LatticeInBox;

    /// All images of ranges whose offsets lie in a box, by trying each; and those that are enumerated.
    fn check(dim: usize, vectors: [[f64; 4]; 4], open: usize, half: [f64; 4], most: i64) {
        let middle = [0.3, -1.7, 2.1, 0.4];
        let is_periodic = |v: usize| v != open;
        let ranges = crate::simd::from_fn(|v| {
            if v < dim && is_periodic(v) {
                (-most, most)
            } else {
                (0, 0)
            }
        });
        let lattice = LatticeInBox::new(dim, vectors, is_periodic, (middle, half), ranges);
        let found: Vec<_> =
            core::iter::successors(lattice.first(), |&image| lattice.after(image)).collect();
        // Axes on which no image moves do not tell images apart.
        let along: Vec<usize> = (0..dim)
            .filter(|&a| (0..dim).any(|v| is_periodic(v) && vectors[v][a] != 0.0))
            .collect();
        let (mut within, mut almost) = (Vec::new(), Vec::new());
        let numbers = |v: usize| ranges[v].0..=ranges[v].1;
        for w in numbers(3) {
            for z in numbers(2) {
                for y in numbers(1) {
                    for x in numbers(0) {
                        let image = [x, y, z, w];
                        let is_in = |axes: &[usize], slack: f64| {
                            axes.iter().all(|&a| {
                                let offset: f64 =
                                    (0..dim).map(|v| image[v] as f64 * vectors[v][a]).sum();
                                (offset - middle[a]).abs() <= half[a] + slack
                            })
                        };
                        within.extend(is_in(&[0, 1, 2, 3][..dim], 0.0).then_some(image));
                        almost.extend(is_in(&along, 1e-4).then_some(image));
                    }
                }
            }
        }
        // In their order, and with none but those that lie on the faces of the box but for rounding.
        let mut missing = within.iter().filter(|image| !found.contains(image));
        assert_eq!(missing.next(), None, "{vectors:?} {half:?}");
        let mut all = almost.iter();
        let are_in_order = found.iter().all(|image| all.any(|other| other == image));
        assert!(are_in_order, "{vectors:?} {half:?}");
    }

    #[test]
    fn just_those_in_the_box_are_enumerated() {
        let halves = [
            [0.9; 4],
            [7.3, 0.6, 2.2, 1.1],
            [0.2, 9.7, 0.1, 5.0],
            [0.01; 4],
        ];
        for half in halves {
            for lean in [0.0, 0.4, -3.3, 17.1] {
                for open in 0..4 {
                    let plane = [
                        [1.0, 0.0, 0.0, 0.0],
                        [lean, 1.5, 0.0, 0.0],
                        [0.0; 4],
                        [0.0; 4],
                    ];
                    check(2, plane, open, half, 60);
                    let turned = [
                        [lean, 1.5, 0.0, 0.0],
                        [1.0, 0.3, 0.0, 0.0],
                        [0.0; 4],
                        [0.0; 4],
                    ];
                    check(2, turned, open, half, 60);
                    let space = [
                        [1.0, 0.2, 0.0, 0.0],
                        [lean, 1.0, 0.1, 0.0],
                        [0.5, lean, 2.0, 0.0],
                        [0.0; 4],
                    ];
                    check(3, space, open, half, 16);
                    let [a, b, c, d] = space;
                    check(3, [c, b, a, d], open, half, 16);
                }
            }
        }
    }
}

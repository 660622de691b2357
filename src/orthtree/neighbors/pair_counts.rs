//! Counts the pairs of points of two trees within each of several radii, or adds the products of their weights.

mod sum_pairs;

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Sub;

use super::ScalarOf;
use crate::bits::set_bits;
use crate::error::{Error, or_panic};
use crate::nearest::Ranked;
use crate::orthtree::{Kernels, Orthtree};
use crate::shape::{ArrayOf, Bounded, check_number};
use crate::simd::LANES;
use crate::vector::{Scalar, Vector};
use crate::wide_nodes::Tree;
use sum_pairs::sum_pairs;

/// Pairs of points of two trees, by their distances.
impl<T: Bounded> Orthtree<T> {
    /// Counts, for each radius, the pairs of a point of this tree and a point of another tree (or of this one) that are within it:
    /// `count_neighbors` of scipy's trees. With `cumulative` answer `i` counts all pairs within `radii[i]`; without, each pair counts once,
    /// for the least radius that reaches it (the first of equal radii). Radii come in any order; a negative or NaN radius reaches nothing.
    /// With the feature `rayon` it runs on several threads.
    ///
    /// ```
    /// use orthant::{Octree, glam::Vec3};
    /// let (stars, ships) = ([Vec3::ZERO, Vec3::X], [Vec3::X * 2.0, Vec3::X * 3.0]);
    /// let (stars, ships) = (Octree::new(&stars), Octree::new(&ships));
    /// assert_eq!(stars.count_neighbors(&ships, &[2.0, 1.0, 9.0], true), [3, 1, 4]);
    /// assert_eq!(stars.count_neighbors(&ships, &[2.0, 1.0, 9.0], false), [2, 1, 1]);
    /// assert_eq!(stars.count_neighbors(&stars, &[0.0], true), [2]); // each and itself
    /// ```
    ///
    /// # Panics
    ///
    /// If there is not enough memory.
    ///
    /// # Complexity
    ///
    /// O(m log n + pairs about as far apart as a radius) for `m` points of the other tree, O(m n) at worst.
    #[must_use]
    #[track_caller]
    pub fn count_neighbors(
        &self,
        others: &Self,
        radii: &[ScalarOf<T>],
        cumulative: bool,
    ) -> Vec<u64>
    where
        T: Vector,
    {
        let limits = Limits::new(radii);
        let sums = <ArrayOf<T>>::count_pairs(&self.core, &others.core, &limits.squares);
        let sums = or_panic("Orthtree", sums);
        limits.answers(&sums, cumulative)
    }

    /// Adds, for each radius, the products of the weights of the pairs within it. Weights are given by index: first those of the points of
    /// this tree, then those of the other. Radii are as in [`count_neighbors`](Self::count_neighbors).
    ///
    /// The order of additions depends only on the points and the radii, not on threads or the machine. Sums of small whole numbers are
    /// exact. If a sum of weights or products overflows, answers are infinite or NaN. Without `cumulative`, answers are differences of sums.
    ///
    /// ```
    /// use orthant::{Octree, glam::Vec3};
    /// let (stars, ships) = ([Vec3::ZERO, Vec3::X], [Vec3::X * 2.0]);
    /// let (stars, ships) = (Octree::new(&stars), Octree::new(&ships));
    /// let weights = [&[0.5, 2.0][..], &[10.0]];
    /// assert_eq!(stars.weigh_neighbors(&ships, weights, &[1.0, 2.0], true)?, [20.0, 25.0]);
    /// let refused = stars.weigh_neighbors(&ships, [&[1.0, f64::NAN], &[1.0]], &[1.0], true);
    /// assert_eq!(refused.unwrap_err().to_string(), "item 1: weight is NaN on axis 0, not a finite number");
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If there is not enough memory, or if a weight is infinite or NaN; this error names the index of its point, and whether it is one of the `others`.
    ///
    /// # Panics
    ///
    /// If there are not as many weights as points.
    ///
    /// # Complexity
    ///
    /// The cost of [`count_neighbors`](Self::count_neighbors).
    #[track_caller]
    pub fn weigh_neighbors(
        &self,
        others: &Self,
        weights: [&[f64]; 2],
        radii: &[ScalarOf<T>],
        cumulative: bool,
    ) -> Result<Vec<f64>, Error>
    where
        T: Vector,
    {
        let of = [
            ("weight", self.len()),
            ("weight of the others", others.len()),
        ];
        for (weights, (part, points)) in weights.iter().zip(of) {
            let many = weights.len();
            assert!(many == points, "{many} weights of {points} points");
            for (index, &weight) in weights.iter().enumerate() {
                check_number(part, weight).map_err(|error| Error::Item { index, error })?;
            }
        }
        let limits = Limits::new(radii);
        let sums = <ArrayOf<T>>::weigh_pairs(&self.core, &others.core, &limits.squares, weights)?;
        Ok(limits.answers(&sums, cumulative))
    }
}

/// Radii as squares, sorted and without duplicates.
struct Limits<S> {
    /// The distinct squares of the radii that reach something, in ascending order.
    squares: Vec<S>,
    /// For each radius that reaches something, the place of its square, and true if it is the first radius with that square.
    places: Vec<Option<(usize, bool)>>,
}

impl<S: Scalar> Limits<S> {
    fn new(radii: &[S]) -> Self {
        let mut order: Vec<usize> = (0..radii.len()).filter(|&i| radii[i] >= S::ZERO).collect();
        order.sort_by_key(|&i| Ranked(radii[i], i));
        let (mut squares, mut places) = (Vec::new(), vec![None; radii.len()]);
        for i in order {
            let square = radii[i] * radii[i];
            let is_new = squares.last() != Some(&square);
            if is_new {
                squares.push(square);
            }
            places[i] = Some((squares.len() - 1, is_new));
        }
        Self { squares, places }
    }

    /// The answer for each radius, from the sum over the pairs within each square.
    fn answers<X: Copy + Default + Sub<Output = X>>(&self, sums: &[X], cumulative: bool) -> Vec<X> {
        let answer = |place: &Option<(usize, bool)>| match *place {
            Some((place, true)) if place > 0 && !cumulative => sums[place] - sums[place - 1],
            Some((place, is_first)) if is_first || cumulative => sums[place],
            _ => X::default(),
        };
        self.places.iter().map(answer).collect()
    }
}

/// Counts, for each limit, the pairs whose squared distance is at most the limit. Limits ascend.
pub(in crate::orthtree) fn count<A: Vector>(
    tree: &Tree<A>,
    of: &Tree<A>,
    limits: &[A::Scalar],
) -> Result<Vec<u64>, Error> {
    sum_pairs(tree, of, limits, None, |count| count as u64)
}

/// Adds, for each limit, the products of the weights of the pairs that [`count`] counts. Weights are by index.
pub(in crate::orthtree) fn weigh<A: Vector>(
    tree: &Tree<A>,
    of: &Tree<A>,
    limits: &[A::Scalar],
    [own, others]: [&[f64]; 2],
) -> Result<Vec<f64>, Error> {
    let by_slot = weights_by_slot(tree, own);
    let weights = Weights {
        own,
        nodes: weights_of_nodes(tree, by_slot.as_flattened()),
        by_slot,
        others: weights_by_slot(of, others),
    };
    sum_pairs(tree, of, limits, Some(&weights), |sum| sum)
}

/// The weights of the points of two trees. A pair counts the product of the weights of its points.
struct Weights<'a> {
    /// The weights of the points of one tree, by index.
    own: &'a [f64],
    /// These weights by slot, in blocks.
    by_slot: Vec<[f64; LANES]>,
    /// The sums of the weights below its nodes and leaves.
    nodes: Vec<f64>,
    /// The weights of the points of the other tree, by slot.
    others: Vec<[f64; LANES]>,
}

impl Weights<'_> {
    /// The sum of the weights in some lanes of a block of the first tree.
    fn of_lanes(&self, block: usize, lanes: u32) -> f64 {
        set_bits(lanes).map(|lane| self.by_slot[block][lane]).sum()
    }
}

/// Weights in the order of a tree, sixteen to a block, with zeros behind the last.
fn weights_by_slot<A: Vector>(tree: &Tree<A>, weights: &[f64]) -> Vec<[f64; LANES]> {
    let mut by_slot = vec![[0.0; LANES]; tree.items.points.len()];
    let indices = &tree.indices[..tree.len];
    for (weight, &index) in by_slot.as_flattened_mut().iter_mut().zip(indices) {
        *weight = weights[index as usize];
    }
    by_slot
}

/// The sum of the weights below each node and leaf, by its lane.
fn weights_of_nodes<A: Vector>(tree: &Tree<A>, by_slot: &[f64]) -> Vec<f64> {
    let levels = &tree.nodes.levels;
    let mut sums = vec![0.0; levels.blocks() * LANES];
    for level in levels.as_slice() {
        for (number, block, lane) in level.boxes() {
            sums[block * LANES + lane] = by_slot[level.slots(number, tree.len)].iter().sum();
        }
    }
    sums
}

//! The pairs of two trees by their distances: counted, or weighed.

mod part;

use alloc::vec;
use alloc::vec::Vec;
use core::ops::AddAssign;

use fearless_simd::Simd;

use crate::bits::set_bits;
use crate::orthtree::tree::Tree;
use crate::overlap::columns::Columns;
use crate::simd::{LANES, Wide};
use crate::vector::{Scalar, Vector};
use crate::wide_nodes::Level;
use part::{Packed, in_parts, splats, wide};

type WideF64<S> = <f64 as Scalar>::Wide<S>;

/// How many pairs have squared distances up to each limit. Limits increase.
pub(in crate::orthtree) fn count<A: Vector>(
    tree: &Tree<A>,
    of: &Tree<A>,
    limits: &[A::Scalar],
) -> Vec<u64> {
    let new = || Counts { tree, used: 0 };
    in_parts(tree, of, limits, new)
}

/// The sums of the products of the weights of such pairs, each by index.
pub(in crate::orthtree) fn weigh<A: Vector>(
    tree: &Tree<A>,
    of: &Tree<A>,
    limits: &[A::Scalar],
    weights: [&[f64]; 2],
) -> Vec<f64> {
    let own = by_slot(tree, weights[0]);
    let nodes = of_nodes(tree, own.as_flattened());
    let others = by_slot(of, weights[1]);
    let new = || Weights {
        own: &own,
        nodes: &nodes,
        others: &others,
        asking: [0.0; LANES],
        sum: 0.0,
    };
    in_parts(tree, of, limits, new)
}

/// Weights in the order of a tree, with zeros behind the last.
fn by_slot<A: Vector>(tree: &Tree<A>, weights: &[f64]) -> Vec<[f64; LANES]> {
    let blocks = tree.indices[..tree.len].chunks(LANES);
    let of_block = |indices: &[u32]| {
        let mut lanes = [0.0; LANES];
        for (lane, &index) in lanes.iter_mut().zip(indices) {
            *lane = weights[index as usize];
        }
        lanes
    };
    blocks.map(of_block).collect()
}

/// The weights of what each node and leaf holds, by its lane.
fn of_nodes<A: Vector>(tree: &Tree<A>, weights: &[f64]) -> Vec<f64> {
    let levels = &tree.nodes.levels;
    let mut sums = vec![0.0; levels.blocks() * LANES];
    let mut below: Option<&Level> = None;
    for level in levels.as_slice() {
        for number in 0..level.len() {
            let parts = match below {
                None => &weights[level.slots(number, tree.len)],
                Some(below) => {
                    let first = below.block_below(number) * LANES;
                    &sums[first..first + below.below(number).len()]
                }
            };
            let sum = parts.iter().sum();
            let (block, lane) = level.place(number);
            sums[block * LANES + lane] = sum;
        }
        below = Some(level);
    }
    sums
}

/// One loop over the pairs of a block and a tree fills [`Counts`] or sums of [`Weights`].
trait Tally {
    type Sum: Copy + Default + AddAssign + Send;

    /// Whether points are packed with their weights.
    const WEIGHS: bool;

    /// Begins with a block, in which so many lanes are used.
    fn begin(&mut self, block: usize, used: usize);

    /// All pairs with what a node holds.
    fn node(&self, node: u32) -> Self::Sum;

    /// All pairs with some lanes of a block of the tree.
    fn lanes(&self, block: usize, lanes: u32) -> Self::Sum;

    /// The weights of sixteen points of the tree.
    fn weights(&self, block: usize) -> &[f64; LANES];

    /// The pairs with packed points that are within each of some limits.
    fn packed<A: Vector, S: Simd, const N: usize>(
        &self,
        simd: S,
        points: &Columns<A>,
        packed: &Packed<A>,
        limits: &[A::Scalar; N],
    ) -> [Self::Sum; N];
}

struct Counts<'a, A: Vector> {
    tree: &'a Tree<A>,
    used: usize,
}

impl<T: Vector> Tally for Counts<'_, T> {
    type Sum = u64;

    const WEIGHS: bool = false;

    #[inline(always)]
    fn begin(&mut self, _: usize, used: usize) {
        self.used = used;
    }

    #[inline(always)]
    fn node(&self, node: u32) -> u64 {
        (self.tree.slots_below(node).len() * self.used) as u64
    }

    #[inline(always)]
    fn lanes(&self, _: usize, lanes: u32) -> u64 {
        u64::from(lanes.count_ones()) * self.used as u64
    }

    #[inline(always)]
    fn weights(&self, _: usize) -> &[f64; LANES] {
        &[0.0; LANES]
    }

    #[inline(always)]
    fn packed<A: Vector, S: Simd, const N: usize>(
        &self,
        simd: S,
        points: &Columns<A>,
        packed: &Packed<A>,
        limits: &[A::Scalar; N],
    ) -> [u64; N] {
        let points = wide::<A, S>(simd, points);
        let limits = splats::<A, S, N>(simd, limits);
        let mut counts = [0; N];
        for place in 0..packed.len {
            let apart = packed.apart_sq(simd, &points, place);
            for (count, &limit) in counts.iter_mut().zip(&limits) {
                *count += apart.at_most(limit).count() as u64;
            }
        }
        counts
    }
}

/// The order in which weights are added depends on the trees and the limits alone.
struct Weights<'a> {
    own: &'a [[f64; LANES]],
    nodes: &'a [f64],
    others: &'a [[f64; LANES]],
    /// Of those that ask, and their sum.
    asking: [f64; LANES],
    sum: f64,
}

impl Tally for Weights<'_> {
    type Sum = f64;

    const WEIGHS: bool = true;

    #[inline(always)]
    fn begin(&mut self, block: usize, _: usize) {
        self.asking = self.others[block];
        self.sum = self.asking.iter().sum();
    }

    #[inline(always)]
    fn node(&self, node: u32) -> f64 {
        self.sum * self.nodes[node as usize]
    }

    #[inline(always)]
    fn lanes(&self, block: usize, lanes: u32) -> f64 {
        let mut sum = 0.0;
        for lane in set_bits(lanes) {
            sum += self.own[block][lane];
        }
        self.sum * sum
    }

    #[inline(always)]
    fn weights(&self, block: usize) -> &[f64; LANES] {
        &self.own[block]
    }

    #[inline(always)]
    fn packed<A: Vector, S: Simd, const N: usize>(
        &self,
        simd: S,
        points: &Columns<A>,
        packed: &Packed<A>,
        limits: &[A::Scalar; N],
    ) -> [f64; N] {
        let points = wide::<A, S>(simd, points);
        let limits = splats::<A, S, N>(simd, limits);
        let zero = WideF64::splat(simd, 0.0);
        let mut sums = [zero; N];
        for place in 0..packed.len {
            let apart = packed.apart_sq(simd, &points, place);
            let weight = WideF64::splat(simd, packed.weights[place]);
            for (sum, &limit) in sums.iter_mut().zip(&limits) {
                *sum = *sum + weight.only(apart.at_most(limit), zero);
            }
        }
        let mut products = [0.0; N];
        for (product, sum) in products.iter_mut().zip(sums) {
            let lanes = sum * WideF64::load(simd, &self.asking);
            *product = lanes.store().iter().sum();
        }
        products
    }
}

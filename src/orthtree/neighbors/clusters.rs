//! Connected components, and clusters by density (M. Ester, H.-P. Kriegel, J. Sander and X. Xu, "A density-based
//! algorithm for discovering clusters in large spatial databases with noise", 1996), without listing pairs.
//!
//! ```text
//! find the core points, which have enough points within the radius; stop counting at enough
//! join the core points of each clique: a node so small that all its points are within the radius of each other
//! for each leaf, in the order of the tree:
//!     join its core points with each other, and with those of the leaves before it
//! number the sets of core points; give each point that is no core point the least number of a core point near it
//! ```
//!
//! The bounds of a node prove that it is a clique, since the distance expressions are monotone. Two nodes whose core points are known to be
//! one set each are joined by a single pair, and are not compared if they are in the same set already. So a point in a dense region costs a
//! few steps, however many neighbors it has.

mod join;
mod leaf_view;

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use fearless_simd::Simd;

use super::ScalarOf;
use super::descent::Found;
use crate::bits::set_bits;
use crate::groups::{Forest, Groups};
use crate::orthtree::{Kernels, Orthtree};
use crate::parallel;
use crate::shape::{ArrayOf, Bounded};
use crate::simd::{LANES, run};
use crate::vector::{Scalar, Vector};
use crate::wide_nodes::Tree;
use join::join_leaves;
use leaf_view::LeafView;

/// The number of leaves in a part.
const PART: usize = 64;

/// Marks a node without core points.
const NONE: u32 = u32::MAX;

/// Marks a node whose core points are not known to be one set.
const MIXED: u32 = u32::MAX - 1;

/// Groups of the points of a tree.
impl<T: Bounded> Orthtree<T> {
    /// The connected components of the points, where points within a radius of each other are connected (friends of friends). A distance of
    /// exactly the radius connects. Every point is in a group, alone if nothing is near it. A negative or NaN radius connects nothing, an
    /// infinite radius connects all points.
    ///
    /// ```
    /// use orthant::{Octree, glam::Vec3};
    /// let groups = Octree::new(&[Vec3::X * 7.0, Vec3::ZERO, Vec3::X]).components(1.0);
    /// assert_eq!(groups.labels(), [0, 1, 1]);
    /// ```
    ///
    /// # Complexity
    ///
    /// O(n) for points that are spread evenly about each other, however many are within the radius: pairs are not
    /// listed.
    #[must_use]
    pub fn components(&self, radius: ScalarOf<T>) -> Groups
    where
        T: Vector,
    {
        self.grouped(radius, 0, &[])
    }

    /// Clusters by density (DBSCAN). A core point has at least `min_points` points within the radius, itself included. Core points within
    /// the radius of each other are in the same cluster. A point that is no core point belongs to the first cluster with a core point
    /// within the radius of it, and is noise if there is none. Clusters are numbered by the least index of their core points: the labels
    /// are those of scikit-learn.
    ///
    /// If the radius is negative or NaN, no point is near any point, not even itself. With `min_points` 0 every point is a core point: the
    /// clusters are the [`components`](Self::components).
    ///
    /// ```
    /// use orthant::{Quadtree, glam::Vec2};
    /// let points = [0.0, 1.0, 2.0, 3.0, 9.0].map(|x| Vec2::X * x);
    /// let groups = Quadtree::new(&points).dbscan(1.0, 3);
    /// assert_eq!((groups.len(), groups.label(3), groups.label(4)), (1, Some(0), None));
    /// ```
    ///
    /// # Complexity
    ///
    /// O(n · `min_points`) for points that are spread evenly about each other, however many are within the radius: counting stops at
    /// `min_points`. With the feature `rayon`, all but the joining of clusters runs on several threads.
    #[must_use]
    pub fn dbscan(&self, radius: ScalarOf<T>, min_points: usize) -> Groups
    where
        T: Vector,
    {
        self.grouped(radius, min_points, &[])
    }

    pub(crate) fn grouped(
        &self,
        radius: ScalarOf<T>,
        min_points: usize,
        shifts: &[Shift<ArrayOf<T>>],
    ) -> Groups
    where
        T: Vector,
    {
        <ArrayOf<T>>::groups(&self.core, radius, min_points, shifts)
    }
}

/// A periodic image: its offset, and whether it lies towards the lower end of the box. Of an image and its opposite, exactly one does.
#[derive(Clone, Copy, Debug)]
pub struct Shift<A> {
    pub(crate) offset: A,
    pub(crate) is_lower: bool,
}

/// Groups the points of a tree. A core point has at least `min_points` points within the radius, itself among them. `shifts` are all images
/// in which points may be near, except the home image.
pub(in crate::orthtree) fn groups<A: Vector>(
    tree: &Tree<A>,
    radius: A::Scalar,
    min_points: usize,
    shifts: &[Shift<A>],
) -> Groups {
    // A negative radius reaches nothing, and neither does NaN.
    let reaches = radius >= Scalar::ZERO;
    let mut work = Clusters {
        tree,
        limit: radius * radius,
        min_points,
        shifts,
        cores: vec![0; tree.items.points.len()],
        known: vec![NONE; tree.nodes.levels.blocks() * LANES],
        forest: Forest::new(tree.len),
    };
    if min_points <= usize::from(reaches) {
        for (block, lanes) in work.cores.iter_mut().enumerate() {
            *lanes = tree.lanes_of(block);
        }
    } else if reaches {
        work.cores =
            work.in_parts(|range| run!(tree.instructions, |simd| core_lanes(simd, &work, range)));
    }
    if reaches {
        work.join_cliques();
        run!(up_to_avx2(tree.instructions), |simd| join_leaves(
            simd, &mut work
        ));
    }
    work.label(reaches)
}

/// A clustering in progress.
struct Clusters<'a, A: Vector> {
    tree: &'a Tree<A>,
    /// The square of the radius.
    limit: A::Scalar,
    min_points: usize,
    shifts: &'a [Shift<A>],
    /// The lanes of core points, block by block.
    cores: Vec<u32>,
    /// For each node, by its lane: one of its core points if all of them are known to be one set, or [`NONE`], or [`MIXED`].
    known: Vec<u32>,
    /// The sets of core points, by slot.
    forest: Forest,
}

impl<A: Vector> Clusters<'_, A> {
    #[inline(always)]
    fn is_core(&self, slot: u32) -> bool {
        self.cores[slot as usize / LANES] >> (slot as usize % LANES) & 1 != 0
    }

    /// The slots of a leaf.
    #[inline(always)]
    fn slots(&self, leaf: u32) -> Range<u32> {
        let first = leaf * LANES as u32;
        first..first + self.tree.lanes_of(leaf as usize).count_ones()
    }

    /// The home image, which has no offset, and all others.
    fn images(&self) -> impl Iterator<Item = Option<A>> {
        let shifts = self.shifts.iter().map(|shift| Some(shift.offset));
        core::iter::once(None).chain(shifts)
    }

    /// Makes a list for each part of the leaves, on several threads if possible, and joins the lists in order.
    fn in_parts<X: Send>(&self, part: impl Fn(Range<u32>) -> Vec<X> + Sync) -> Vec<X> {
        let mut all = Vec::new();
        let part = |leaves: Range<usize>| part(leaves.start as u32..leaves.end as u32);
        parallel::parts(self.cores.len(), PART, &part, &mut |part| all.extend(part));
        all
    }

    /// Numbers the sets of core points by their least index, and gives each other point the least number near it.
    fn label(mut self, reaches: bool) -> Groups {
        let len = self.tree.len;
        let roots = core::mem::replace(&mut self.forest, Forest::new(0)).flatten();
        let indices = &self.tree.indices[..len];
        // Find the slot of each index.
        let mut slots = vec![0; len];
        for (slot, &index) in (0..).zip(indices) {
            slots[index as usize] = slot;
        }
        // Number the sets in the order of their first core points.
        let (mut count, mut numbers) = (0, vec![NONE; len]);
        let mut labels = vec![Groups::NOISE; len];
        for slot in slots {
            if self.is_core(slot) {
                let number = &mut numbers[roots[slot as usize] as usize];
                if *number == NONE {
                    *number = count;
                    count += 1;
                }
                labels[slot as usize] = *number;
            }
        }
        if reaches && count > 0 && labels.contains(&Groups::NOISE) {
            // Give the other points the least label near them.
            let border = self.in_parts(|range| {
                run!(up_to_avx2(self.tree.instructions), |simd| border_labels(
                    simd, &self, range, &labels
                ))
            });
            for (slot, label) in border {
                labels[slot as usize] = label;
            }
        }
        // List the labels by index.
        let mut groups = Groups {
            labels: vec![Groups::NOISE; len],
            len: count as usize,
        };
        for (&index, label) in indices.iter().zip(labels) {
            groups.labels[index as usize] = label;
        }
        groups
    }
}

/// The lanes of the core points of each leaf.
#[inline(always)]
fn core_lanes<A: Vector, S: Simd>(simd: S, work: &Clusters<'_, A>, leaves: Range<u32>) -> Vec<u32> {
    let least = work.min_points;
    let mut found = Found::default();
    let mut cores = Vec::with_capacity(leaves.len());
    for leaf in leaves {
        let all = work.tree.lanes_of(leaf as usize);
        let (mut left, mut counts) = (all, [0; LANES]);
        for offset in work.images() {
            let view = LeafView::new(simd, work, leaf, offset);
            // Count the points of nodes that are near as a whole.
            let whole = view.descend(&mut found, least, |_, _| false);
            for lane in set_bits(left) {
                counts[lane] += whole;
                if counts[lane] >= least {
                    left &= !(1 << lane);
                }
            }
            // Compare with its own points first: they are many, and near.
            if let Some(place) = found.leaves.iter().position(|&other| other == leaf) {
                found.leaves.swap(0, place);
            }
            for &other in &found.leaves {
                if left == 0 {
                    break;
                }
                view.compare(
                    left,
                    other,
                    0xffff,
                    #[inline(always)]
                    |lane, near| {
                        counts[lane] += near.count();
                        if counts[lane] >= least {
                            left &= !(1 << lane);
                        }
                        true
                    },
                );
            }
            if left == 0 {
                break;
            }
        }
        cores.push(all & !left);
    }
    cores
}

/// The slot of each point of some leaves that is no core point, and the least label of a core point near it. `labels` are by slot.
#[inline(always)]
fn border_labels<A: Vector, S: Simd>(
    simd: S,
    work: &Clusters<'_, A>,
    leaves: Range<u32>,
    labels: &[u32],
) -> Vec<(u32, u32)> {
    let (mut found, mut border) = (Found::default(), Vec::new());
    for leaf in leaves {
        let lanes = !work.cores[leaf as usize] & work.tree.lanes_of(leaf as usize);
        if lanes == 0 {
            continue;
        }
        let mut least = [Groups::NOISE; LANES];
        for offset in work.images() {
            let view = LeafView::new(simd, work, leaf, offset);
            view.descend(&mut found, usize::MAX, |node, _| {
                work.known[node as usize] == NONE
            });
            // Take the least label below nodes that are near as a whole, then compare with the leaves. Points that are no core points have
            // the label `NOISE`, which is the largest.
            let slots = found
                .whole
                .iter()
                .flat_map(|&node| work.tree.slots_below(node));
            let whole = slots.map(|slot| labels[slot as usize]).min();
            let whole = whole.unwrap_or(Groups::NOISE);
            least
                .iter_mut()
                .for_each(|least| *least = whole.min(*least));
            for &other in &found.leaves {
                let labels = &labels[other as usize * LANES..];
                view.compare(
                    lanes,
                    other,
                    work.cores[other as usize],
                    #[inline(always)]
                    |lane, near| {
                        for other in set_bits(near.bits(simd)) {
                            least[lane] = labels[other].min(least[lane]);
                        }
                        true
                    },
                );
            }
        }
        let slots = work.slots(leaf).start;
        border.extend(set_bits(lanes).map(|lane| (slots + lane as u32, least[lane])));
    }
    border
}

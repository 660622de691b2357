//! The order of boxes in the tree. Those at rest and the others are divided into a few classes of size, and the centers of each class
//! are put in order as in a tree of points, by medians (`orthtree/median_order.rs`).

use alloc::vec;
use alloc::vec::Vec;
use core::mem::{size_of, take};

use super::table::Bodies;
use super::tree::{NODE, longest_edge};
use crate::orthtree::order_of_points;
use crate::simd::{InstructionSet, LANES};
use crate::sweep::finite;
use crate::vector::Vector;

/// The number of classes of size. Each class is four times as large as the one before, so that a few large boxes do not widen the
/// bounds of all blocks.
const CLASSES: usize = 4;
/// The number of boxes in the sample that tells where most boxes are.
const SAMPLES: usize = 256;

/// The number of slabs of space that a gradual sort sorts one after the other.
const SLABS: usize = 4;

/// Keys of bodies in order, of those at rest and of the others: first those that fill whole nodes, then those that fill whole
/// blocks, then the rest. So only the last blocks have boxes from several classes or slabs.
type Order = [[Vec<u32>; 3]; 2];

/// Returns the keys of some bodies in order: those at rest, and the others.
pub(super) fn sorted<V: Vector>(
    bodies: &Bodies<V>,
    ids: &[u32],
    set: InstructionSet,
) -> [Vec<u32>; 2] {
    let mut order = Order::default();
    sort_to(&mut order, bodies, ids, set);
    order.map(|ids| ids.concat())
}

/// A sort of all boxes, spread over several steps: of one slab of space in each. Bodies may move, come and go meanwhile.
#[derive(Clone)]
pub(super) struct GradualSort {
    /// The bodies of each slab that is still to be sorted.
    slabs: Vec<Vec<u32>>,
    order: Order,
}

impl GradualSort {
    /// Cuts space into slabs, with about as many bodies in each unless many centers have one coordinate.
    pub(super) fn new<V: Vector>(bodies: &Bodies<V>) -> Self {
        let ids: Vec<u32> = bodies.handles().map(|body| body.slot).collect();
        let samples = (0..V::DIM).map(|axis| (sample(bodies, &ids, axis), axis));
        let widest = samples.max_by(|a, b| extent(&a.0).total_cmp(&extent(&b.0)));
        let (sample, axis) = widest.unwrap_or_default();
        let mut slabs = vec![Vec::new(); SLABS];
        for id in ids {
            let x: f64 = bodies.bounds(id).center().axis(axis).into();
            let is_beyond = |slab: &usize| x > sample[sample.len() * slab / SLABS];
            slabs[(1..SLABS).filter(is_beyond).count()].push(id);
        }
        let order = Order::default();
        Self { slabs, order }
    }

    /// Sorts a slab. Returns the bodies in order if all are sorted; some may have been removed since.
    pub(super) fn advance<V: Vector>(
        &mut self,
        bodies: &Bodies<V>,
        set: InstructionSet,
    ) -> Option<[Vec<u32>; 2]> {
        let Some(mut slab) = self.slabs.pop() else {
            return Some(take(&mut self.order).map(|ids| ids.concat()));
        };
        slab.retain(|&id| bodies.alive(id).is_some());
        sort_to(&mut self.order, bodies, &slab, set);
        None
    }

    pub(super) fn bytes(&self) -> usize {
        let lists = self.slabs.iter().chain(self.order.iter().flatten());
        lists.map(Vec::capacity).sum::<usize>() * size_of::<u32>()
            + self.slabs.capacity() * size_of::<Vec<u32>>()
    }
}

/// Appends the keys of some bodies in order.
///
/// ```text
/// divide the bodies by rest and by class of size
/// for each part: order the centers of its boxes
/// ```
fn sort_to<V: Vector>(to: &mut Order, bodies: &Bodies<V>, ids: &[u32], set: InstructionSet) {
    let (room, axes) = room_of_block(bodies, ids);
    let limits = [0, 1, 2].map(|class| room * power(4.0, class * axes));
    let mut parts = [const { (Vec::new(), Vec::new()) }; 2 * CLASSES];
    for &id in ids {
        let bounds = bodies.bounds(id);
        let volume = power(longest_edge(&bounds).into(), axes);
        let class = limits.map(|most| usize::from(volume > most));
        let class = class.into_iter().sum::<usize>();
        let (ids, centers) = &mut parts[class + CLASSES * usize::from(!bodies.rests(id))];
        let center = bounds.center();
        ids.push(id);
        centers.push(V::from_fn(|axis| finite(center.axis(axis))));
    }
    for (part, (ids, centers)) in parts.into_iter().enumerate() {
        let order = order_of_points(&centers, set);
        let order = Vec::from_iter(order.iter().map(|&at| ids[at as usize]));
        let (nodes, rest) = order.split_at(order.len() / NODE * NODE);
        let (blocks, rest) = rest.split_at(rest.len() / LANES * LANES);
        for (to, ids) in to[part / CLASSES].iter_mut().zip([nodes, blocks, rest]) {
            to.extend_from_slice(ids);
        }
    }
}

/// The share of space that a block of boxes would have if boxes were evenly spread, and the number of axes on which their centers
/// differ. If that share is unknown it is infinite, so that all boxes are in the first class.
fn room_of_block<V: Vector>(bodies: &Bodies<V>, ids: &[u32]) -> (f64, usize) {
    let extents = (0..V::DIM).map(|axis| extent(&sample(bodies, ids, axis)));
    let (mut room, mut axes) = (LANES as f64 / ids.len() as f64, 0);
    for extent in extents.filter(|&extent| extent > 0.0) {
        room *= extent;
        axes += 1;
    }
    let is_known = axes > 0 && room > 0.0 && room < f64::MAX;
    (if is_known { room } else { f64::INFINITY }, axes)
}

/// The coordinates of the centers of some boxes on an axis, ascending.
fn sample<V: Vector>(bodies: &Bodies<V>, ids: &[u32], axis: usize) -> Vec<f64> {
    let some = ids.iter().step_by(ids.len().div_ceil(SAMPLES).max(1));
    let center = |&id: &u32| bodies.bounds(id).center().axis(axis).into();
    let mut sample: Vec<f64> = some.map(center).collect();
    sample.sort_unstable_by(f64::total_cmp);
    sample
}

/// The extent of a sample without outliers.
fn extent(sample: &[f64]) -> f64 {
    let outliers = sample.len() / 64;
    let ends = (sample.get(outliers), sample.iter().nth_back(outliers));
    if let (Some(low), Some(high)) = ends {
        high - low
    } else {
        0.0
    }
}

/// The volume of a cube of a side and a number of axes.
fn power(side: f64, axes: usize) -> f64 {
    (0..axes).fold(1.0, |volume, _| volume * side)
}

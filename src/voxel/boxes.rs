//! Slabs of solid and hollow boxes: the same ranges in every row.

use core::marker::PhantomData;
use core::ops::Range;

use super::Rule;
use super::lattice::{Block, END, FIRST, Lattice, farthest, floor};
use super::slab::{Slab, Slabs};
use crate::{Aabb, Error, Vector, Voxel};

#[derive(Clone, Debug)]
pub(super) struct BoxSlabs<V: Vector> {
    block: Block<V::Voxel>,
    /// By axis, the cells that are met where the others are.
    met: [(i32, i32); 4],
    /// By axis, those that are left out where the others are: strictly within a surface.
    within: [(i32, i32); 4],
    /// By axis, those with their middle in the box, if it takes all axes but one.
    middles: Option<[(i32, i32); 4]>,
    vector: PhantomData<V>,
}

impl<V: Vector> BoxSlabs<V> {
    /// `None` for the rules of distances, and if the box reaches beyond the range of indices where only
    /// a window of it is asked for.
    pub(super) fn new(
        solid: &Aabb<V>,
        hollow: bool,
        lattice: &Lattice<V>,
        rule: Rule<V::Scalar>,
        window: Option<&Block<V::Voxel>>,
    ) -> Result<Option<Self>, Error> {
        // The box of a point that is not finite is not either.
        solid.check()?;
        if matches!(rule, Rule::Shell(_) | Rule::NarrowBand(_)) {
            return Ok(None);
        }
        let nothing = [(0, 0); 4];
        let (mut planes, mut within, mut middles) = (nothing, nothing, nothing);
        for a in 0..V::DIM {
            let half_open = rule == Rule::HalfOpen;
            match ranges(solid, lattice, a, half_open) {
                Ok(found) => [planes[a], within[a], middles[a]] = found,
                Err(_) if window.is_some() => return Ok(None),
                Err(error) => return Err(error),
            }
        }
        let by_middles = rule == Rule::CenterInside;
        let met = if by_middles { middles } else { planes };
        let start = |a: usize| window.map_or(met[a].0, |window| window.start.axis(a).max(met[a].0));
        let end = |a: usize| window.map_or(met[a].1, |window| window.end.axis(a).min(met[a].1));
        Ok(Some(Self {
            block: Block {
                start: Voxel::from_fn(start),
                end: Voxel::from_fn(end),
            },
            met,
            within: match (hollow, by_middles) {
                (false, _) => nothing,
                (true, false) => within,
                // Without the outermost layer.
                (true, true) => middles.map(|(start, end)| (start + 1, end - 1)),
            },
            middles: (rule == Rule::Thin).then_some(middles),
            vector: PhantomData,
        }))
    }
}

/// The cells on an axis that the solid box meets, those strictly within it, and those whose middle is in
/// it.
fn ranges<V: Vector>(
    solid: &Aabb<V>,
    lattice: &Lattice<V>,
    a: usize,
    half_open: bool,
) -> Result<[(i32, i32); 3], Error> {
    let (min, max) = (solid.min().axis(a), solid.max().axis(a));
    let face = |index| lattice.face(a, index);
    let middle = |index| lattice.middle(a, index);
    let first = lattice.index_of(a, min)?;
    let below = farthest(first - FIRST + 1, 0, |k| {
        let hi = face(first - k + 1);
        if half_open { min < hi } else { min <= hi }
    });
    let most = END - first;
    let guess = floor(lattice.position(a, max)) - first;
    let above = farthest(most, guess, |k| face(first + k) <= max);
    let (start, end) = (first - below, first + above + 1);
    if start < FIRST || end > END {
        let value = if start < FIRST { min } else { max };
        return Err(Error::OutOfRange {
            axis: a,
            value: value.into(),
        });
    }
    // The plane after `first` is the lowest one above `min`. At 0 nothing is said.
    let inner = farthest(most, guess - 1, |k| {
        let hi = face(first + k + 1);
        k == 0 || hi < max || (half_open && hi == max)
    });
    // The middle of the next cell is above `min`, that of the one before the last is not above `max`.
    let lower = farthest(first + 1 - FIRST, 1, |k| {
        k == 0 || middle(first + 1 - k) >= min
    });
    let upper = farthest(END - (end - 1), 0, |k| k == 0 || middle(end - 2 + k) <= max);
    let in_range = |(start, end)| (start as i32, end as i32);
    Ok([
        in_range((start, end)),
        in_range((first + 1, first + inner + 1)),
        in_range((first + 1 - lower, end - 1 + upper)),
    ])
}

fn holds((start, end): (i32, i32), index: i32) -> bool {
    start <= index && index < end
}

impl<V: Vector> Slabs for BoxSlabs<V> {
    type Vector = V;

    fn block(&self) -> Block<V::Voxel> {
        self.block
    }

    fn rows(&mut self, _: i32, _: i32) -> Range<i32> {
        if V::DIM > 1 {
            self.block.range(1)
        } else {
            0..1
        }
    }

    fn fill(&mut self, slab: &mut Slab) {
        let x = self.block.range(0);
        let clip = |index: i32| index.max(x.start).min(x.end);
        let [start, hole, rest, end] = slab.columns.get_mut();
        for strip in &slab.strips {
            let mut at = strip.at;
            let is_within = (2..V::DIM).all(|a| holds(self.within[a], at[a]));
            for row in strip.first..strip.end() {
                // Cells without their middle in the box on one axis above 0 are met along that axis
                // alone.
                let off = |middles: [(i32, i32); 4]| {
                    (1..V::DIM).filter(|&a| !holds(middles[a], at[a])).count()
                };
                let met = match self.middles.map(|middles| (middles[0], off(middles))) {
                    None | Some((_, 0)) => self.met[0],
                    Some((middles, 1)) => middles,
                    Some(_) => (x.start, x.start),
                };
                let inner = match V::DIM == 1 || holds(self.within[1], at[1]) {
                    true if is_within => self.within[0],
                    _ => (0, 0),
                };
                let (from, to) = (clip(met.0), clip(met.1.max(met.0)));
                let (left, right) = if inner.0 < inner.1 { inner } else { (to, to) };
                (start[row], end[row]) = (from, to);
                (hole[row], rest[row]) = (left.clamp(from, to), right.clamp(from, to));
                at[1] += 1;
            }
        }
    }
}

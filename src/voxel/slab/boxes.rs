//! The slabs of solid and hollow boxes, which are the same ranges in every row.

use core::ops::Range;

use super::Slab;
use crate::error::Error;
use crate::vector::Scalar;
use crate::voxel::Rule;
use crate::voxel::lattice::{Block, END, FIRST, Lattice, farthest, floor};

/// The ranges of a box, integers only; on axes that there are not, cell 0 is met and within.
#[derive(Clone, Debug)]
pub(in crate::voxel) struct BoxSlabs {
    block: Block<[i32; 4]>,
    /// By axis, the cells that are met where the others are.
    met: [(i32, i32); 4],
    /// By axis, those that are left out where the others are: strictly within a surface.
    within: [(i32, i32); 4],
    /// By axis, those with their middle in the box, if it takes all axes but one.
    middles: Option<[(i32, i32); 4]>,
}

impl BoxSlabs {
    /// The box from `min` to `max` on some axes. `None` for the rules of distances, and if it reaches
    /// beyond the range of indices where only a window of it is asked for.
    pub(in crate::voxel) fn new<S: Scalar>(
        axes: &[(S, S)],
        hollow: bool,
        lattice: &Lattice<S>,
        rule: Rule<S>,
        window: Option<&Block<[i32; 4]>>,
    ) -> Result<Option<Self>, Error> {
        if matches!(rule, Rule::Shell(_) | Rule::NarrowBand(_)) {
            return Ok(None);
        }
        let one = [(0, 1); 4];
        let (mut planes, mut within, mut middles) = (one, one, one);
        let mut layer = one;
        for (a, &ends) in axes.iter().enumerate() {
            let half_open = rule == Rule::HalfOpen;
            match ranges(ends, lattice, a, half_open) {
                Ok(found) => [planes[a], within[a], middles[a]] = found,
                Err(_) if window.is_some() => return Ok(None),
                Err(error) => return Err(error),
            }
            layer[a] = (middles[a].0 + 1, middles[a].1 - 1);
        }
        let by_middles = rule == Rule::CenterInside;
        let met = if by_middles { middles } else { planes };
        let clip = |a: usize| window.map_or(i32::MIN..i32::MAX, |window| window.range(a));
        Ok(Some(Self {
            block: Block {
                start: [0, 1, 2, 3].map(|a| met[a].0.max(clip(a).start)),
                end: [0, 1, 2, 3].map(|a| met[a].1.min(clip(a).end)),
            },
            met,
            within: match (hollow, by_middles) {
                (false, _) => [(0, 0); 4],
                (true, false) => within,
                // Without the outermost layer.
                (true, true) => layer,
            },
            middles: (rule == Rule::Thin).then_some(middles),
        }))
    }
}

/// The cells on an axis that the solid box meets, those strictly within it, and those whose middle is in
/// it.
fn ranges<S: Scalar>(
    (min, max): (S, S),
    lattice: &Lattice<S>,
    a: usize,
    half_open: bool,
) -> Result<[(i32, i32); 3], Error> {
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

impl BoxSlabs {
    pub(super) fn block(&self) -> Block<[i32; 4]> {
        self.block
    }

    /// Whether no cell of a block is met, which then lies strictly within a surface.
    pub(super) fn misses(&self, block: &Block<[i32; 4]>) -> bool {
        let is_within =
            |a: usize| self.within[a].0 <= block.start[a] && block.end[a] <= self.within[a].1;
        (0..4).all(is_within)
    }

    /// The rows of each slab.
    pub(super) fn rows(&self) -> Range<i32> {
        self.block.range(1)
    }

    /// Fills the strips of a slab.
    pub(super) fn fill(&self, slab: &mut Slab) {
        let x = self.block.range(0);
        let clip = |index: i32| index.max(x.start).min(x.end);
        let [start, hole, rest, end] = slab.columns.get_mut();
        for strip in &slab.strips {
            let mut at = strip.at;
            let is_within = (2..4).all(|a| holds(self.within[a], at[a]));
            for row in strip.first..strip.end() {
                // Cells without their middle in the box on one axis above 0 are met along that axis
                // alone.
                let off = |middles: [(i32, i32); 4]| {
                    (1..4).filter(|&a| !holds(middles[a], at[a])).count()
                };
                let met = match self.middles.map(|middles| (middles[0], off(middles))) {
                    None | Some((_, 0)) => self.met[0],
                    Some((middles, 1)) => middles,
                    Some(_) => (x.start, x.start),
                };
                let inner = if is_within && holds(self.within[1], at[1]) {
                    self.within[0]
                } else {
                    (0, 0)
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

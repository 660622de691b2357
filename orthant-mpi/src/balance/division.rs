//! Planes that divide space between ranks: the owner of a position depends on the position alone.
//!
//! So coincident points have one owner. The planes may differ with the number of ranks, but no answer does.

use std::ops::Range;

use orthant::{Aabb, Scalar, Vector};

use super::cuts::{Cut, cuts};
use crate::{Point, Ranks};

/// The owners of space: a tree of planes, the same on all ranks. Every position has an owner, even where there were no points when the tree was
/// made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Division {
    /// The planes, the root first; none if there is one rank.
    planes: Vec<Plane>,
    ranks: usize,
}

/// A plane. Positions below the cut on the axis go left, the others right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Plane {
    axis: usize,
    cut: u64,
    sides: [Side; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Rank(usize),
    Plane(usize),
}

/// Returns a key that grows with the number; −0 and 0 have the same.
fn key<S: Scalar>(x: S) -> u64 {
    let bits = (x.into() + 0.0).to_bits();
    bits ^ if bits >> 63 == 1 { u64::MAX } else { 1 << 63 }
}

fn value(key: u64) -> f64 {
    f64::from_bits(key ^ if key >> 63 == 1 { 1 << 63 } else { u64::MAX })
}

impl Division {
    /// Returns the number of ranks.
    #[must_use]
    pub fn ranks(&self) -> usize {
        self.ranks
    }

    /// Returns the rank that owns a position, in O(log P).
    #[must_use]
    pub fn owner<P: Vector>(&self, place: P) -> usize {
        let mut side = self.root();
        while let Side::Plane(plane) = side {
            let plane = &self.planes[plane];
            side = plane.sides[usize::from(key(place.axis(plane.axis)) >= plane.cut)];
        }
        match side {
            Side::Rank(rank) => rank,
            Side::Plane(_) => 0,
        }
    }

    /// Calls `f` with each rank that owns a part of a box.
    pub fn for_each_owner<P: Vector>(&self, cuboid: &Aabb<P>, mut f: impl FnMut(usize)) {
        let mut waiting = vec![self.root()];
        while let Some(side) = waiting.pop() {
            match side {
                Side::Rank(rank) => f(rank),
                Side::Plane(plane) => {
                    let plane = &self.planes[plane];
                    if key(cuboid.max().axis(plane.axis)) >= plane.cut {
                        waiting.push(plane.sides[1]);
                    }
                    if key(cuboid.min().axis(plane.axis)) < plane.cut {
                        waiting.push(plane.sides[0]);
                    }
                }
            }
        }
    }

    /// Returns the part of a box that each rank owns, as its ends on each axis, for pictures. A plane belongs to its upper side.
    #[must_use]
    pub fn cells<P: Vector>(&self, around: &Aabb<P>) -> Vec<Vec<(f64, f64)>> {
        let all = (0..P::DIM).map(|a| (around.min().axis(a).into(), around.max().axis(a).into()));
        let mut cells = vec![Vec::new(); self.ranks];
        let mut waiting = vec![(self.root(), all.collect::<Vec<(f64, f64)>>())];
        while let Some((side, cell)) = waiting.pop() {
            match side {
                Side::Rank(rank) => cells[rank] = cell,
                Side::Plane(plane) => {
                    let Plane { axis, cut, sides } = self.planes[plane];
                    let at = value(cut);
                    let (mut left, mut right) = (cell.clone(), cell);
                    left[axis].1 = left[axis].1.min(at).max(left[axis].0);
                    right[axis].0 = right[axis].0.max(at).min(right[axis].1);
                    waiting.extend([(sides[0], left), (sides[1], right)]);
                }
            }
        }
        cells
    }

    fn root(&self) -> Side {
        if self.planes.is_empty() {
            Side::Rank(0)
        } else {
            Side::Plane(0)
        }
    }

    /// Divides the weight of all points evenly, within a tolerance given as a fraction of a rank's share, so that no rank has more than the
    /// allowed multiple of the mean number of points. The search begins with the planes of `before`.
    pub(crate) fn new<P: Point>(
        ranks: &Ranks,
        points: &[P],
        weights: &[u32],
        (tolerance, most_points): (f64, f64),
        before: Option<&Self>,
    ) -> Self {
        let mut new = Self {
            planes: Vec::new(),
            ranks: ranks.size(),
        };
        let sum: u64 = weights.iter().map(|&weight| u64::from(weight)).sum();
        let all = ranks.sum(&[sum, points.len() as u64]);
        let share = |all: u64| all as f64 / ranks.size() as f64;
        let rule = Rule {
            // The error of a level is spread over the ranks below it: half as much at each level up, and twice in all.
            tolerance: (share(all[0]) * tolerance / 2.0) as u64,
            most_points: (share(all[1]) * most_points).ceil() as u64,
            before,
        };
        let mut groups = vec![Group {
            ranks: 0..ranks.size(),
            points: (0..points.len() as u32).collect(),
            from: None,
        }];
        while !groups.is_empty() {
            let open: Vec<Group> = groups
                .drain(..)
                .filter_map(|group| new.place(group))
                .collect();
            groups = new.level(ranks, points, weights, &rule, open);
        }
        new
    }

    /// Enters a group into the tree: a leaf if it is one rank, otherwise the plane that will divide it.
    fn place(&mut self, group: Group) -> Option<Group> {
        let is_open = group.ranks.len() > 1;
        if let Some((plane, side)) = group.from {
            self.planes[plane].sides[side] = Side::Rank(group.ranks.start);
        }
        is_open.then_some(group)
    }

    /// Cuts all groups of a level at once.
    fn level<P: Point>(
        &mut self,
        ranks: &Ranks,
        points: &[P],
        weights: &[u32],
        rule: &Rule<'_>,
        open: Vec<Group>,
    ) -> Vec<Group> {
        if open.is_empty() {
            return Vec::new();
        }
        let bounds = Bounds::new(ranks, points, weights, &open);
        let key_of = |i: u32, axis: usize| key(points[i as usize].axis(axis));
        let mut wanted = Vec::new();
        let mut axes = Vec::new();
        for (number, group) in open.iter().enumerate() {
            let plane = self.planes.len() + number;
            let old = rule.before.and_then(|before| before.planes.get(plane));
            let axis = bounds.axis::<P>(number, old);
            let all = bounds.sums[number];
            let (left, many) = (group.half(), group.ranks.len());
            let part = |all: u64| (u128::from(all) * left as u128 / many as u128) as u64;
            let most = |ranks: usize| rule.most_points.saturating_mul(ranks as u64);
            axes.push(axis);
            wanted.push(Cut {
                keys: group
                    .points
                    .iter()
                    .map(|&i| (key_of(i, axis), weights[i as usize]))
                    .collect(),
                ends: bounds.ends(number, axis),
                all,
                target: part(all[0]),
                points: (all[1].saturating_sub(most(many - left)), most(left)),
                before: old.filter(|old| old.axis == axis).map(|old| old.cut),
            });
        }
        let cuts = cuts(ranks, wanted, rule.tolerance);
        let mut next = Vec::with_capacity(2 * open.len());
        for ((group, axis), cut) in open.into_iter().zip(axes).zip(cuts) {
            let plane = self.planes.len();
            if let Some((from, side)) = group.from {
                self.planes[from].sides[side] = Side::Plane(plane);
            }
            let sides = [Side::Rank(0); 2];
            self.planes.push(Plane { axis, cut, sides });
            let middle = group.ranks.start + group.half();
            let (left, right) = group.points.iter().partition(|&&i| key_of(i, axis) < cut);
            let both = [
                (group.ranks.start..middle, left),
                (middle..group.ranks.end, right),
            ];
            next.extend(
                both.into_iter()
                    .zip(0..)
                    .map(|((ranks, points), side)| Group {
                        ranks,
                        points,
                        from: Some((plane, side)),
                    }),
            );
        }
        next
    }
}

struct Rule<'a> {
    tolerance: u64,
    most_points: u64,
    before: Option<&'a Division>,
}

/// Some ranks that are still to be divided, and this rank's points that belong to them.
struct Group {
    ranks: Range<usize>,
    points: Vec<u32>,
    /// The plane that leads here, and the side.
    from: Option<(usize, usize)>,
}

impl Group {
    fn half(&self) -> usize {
        self.ranks.len() / 2
    }
}

/// The bounds and sums of each group, over all ranks.
struct Bounds {
    /// The least key on each axis, and the complement of the largest.
    least: Vec<[u64; 8]>,
    /// Weight and points.
    sums: Vec<[u64; 2]>,
}

impl Bounds {
    fn new<P: Point>(ranks: &Ranks, points: &[P], weights: &[u32], groups: &[Group]) -> Self {
        let mut least = vec![[u64::MAX; 8]; groups.len()];
        let mut sums = vec![[0; 2]; groups.len()];
        for ((group, least), sums) in groups.iter().zip(&mut least).zip(&mut sums) {
            for &i in &group.points {
                for axis in 0..P::DIM {
                    let key = key(points[i as usize].axis(axis));
                    least[axis] = least[axis].min(key);
                    least[4 + axis] = least[4 + axis].min(!key);
                }
                *sums = [sums[0] + u64::from(weights[i as usize]), sums[1] + 1];
            }
        }
        let least = ranks.least(least.as_flattened());
        let sums = ranks.sum(sums.as_flattened());
        Self {
            least: least.as_chunks().0.to_vec(),
            sums: sums.as_chunks().0.to_vec(),
        }
    }

    fn ends(&self, group: usize, axis: usize) -> (u64, u64) {
        (self.least[group][axis], !self.least[group][4 + axis])
    }

    /// Returns the axis to cut: the previous one, unless the group has become more than twice as long on another.
    fn axis<P: Vector>(&self, group: usize, old: Option<&Plane>) -> usize {
        if self.sums[group][1] == 0 {
            return old.map_or(0, |old| old.axis);
        }
        let length = |axis: usize| {
            let (low, high) = self.ends(group, axis);
            // Halves do not overflow.
            0.5 * value(high) - 0.5 * value(low)
        };
        let longer = |best, axis| {
            if length(axis) > length(best) {
                axis
            } else {
                best
            }
        };
        let longest = (1..P::DIM).fold(0, longer);
        match old {
            Some(old) if old.axis < P::DIM && 2.0 * length(old.axis) >= length(longest) => old.axis,
            _ => longest,
        }
    }
}

//! Boxes around the points of each rank, on every rank: the top of the distributed tree.
//!
//! One box a rank is enough if points were divided by planes; more boxes save 1 to 2 % of the copies. Points that were not divided need some
//! dozens, since the empty parts of a single box would attract queries without answers.

pub(crate) mod near;

use orthant::{Aabb, Orthtree, Overlaps, Periodic, Region, SpatialIndex, Translate};

use crate::{Error, Point, Ranks};

/// The boxes of all ranks.
#[derive(Debug)]
pub(crate) struct Top<P: Point> {
    tree: Orthtree<Aabb<P>>,
    boxes: Vec<Aabb<P>>,
    ranks: Vec<u32>,
    /// The number of points in each box.
    counts: Vec<u32>,
    /// The first box of each rank, followed by the number of all boxes.
    starts: Vec<usize>,
}

impl<P: Point> Top<P> {
    /// Makes `boxes` boxes for each rank, from runs along the curve of the tree of its points.
    pub(crate) fn new(ranks: &Ranks, tree: &Orthtree<P>, boxes: usize) -> Result<Self, Error> {
        let cover = tree.cover(boxes);
        let ends: Vec<P> = cover.iter().flat_map(|(_, b)| [b.min(), b.max()]).collect();
        let lens: Vec<u32> = cover.iter().map(|(run, _)| run.len() as u32).collect();
        let all = ranks.share(&ends)?;
        let counts = ranks.share(&lens)?;
        let corners = all.items.as_chunks::<2>().0;
        let boxes: Vec<Aabb<P>> = corners
            .iter()
            .map(|&[low, high]| Aabb::new(low, high))
            .collect();
        let of = |rank: usize| vec![rank as u32; counts.of(rank).len()];
        Ok(Self {
            tree: Orthtree::new(&boxes),
            boxes,
            ranks: (0..ranks.size()).flat_map(of).collect(),
            counts: counts.items,
            starts: counts.starts,
        })
    }

    /// Calls `f` with the rank and the box of each box that a region meets.
    pub(crate) fn visit<R>(&self, region: R, mut f: impl FnMut(usize, &Aabb<P>))
    where
        R: Region<Vector = P> + Overlaps<Aabb<P>>,
    {
        for i in self.tree.query(region) {
            f(self.ranks[i] as usize, &self.boxes[i]);
        }
    }

    /// Finds the ranks of the boxes that a region meets, ascending.
    pub(crate) fn ranks_of<R>(&self, region: R, ranks: &mut Vec<u32>)
    where
        R: Region<Vector = P> + Overlaps<Aabb<P>>,
    {
        ranks.clear();
        ranks.extend(self.tree.query(region).map(|i| self.ranks[i]));
        ranks.sort_unstable();
        ranks.dedup();
    }

    /// Finds the ranks of the boxes of which an image meets a region.
    pub(crate) fn ranks_in_images<R>(
        &self,
        periodic: &Periodic<P>,
        region: R,
        ranks: &mut Vec<u32>,
    ) -> Result<(), orthant::Error>
    where
        R: Translate + Region<Vector = P> + Overlaps<Aabb<P>>,
    {
        ranks.clear();
        let found = periodic.query(&self.tree, region)?;
        ranks.extend(found.map(|(i, _)| self.ranks[i]));
        ranks.sort_unstable();
        ranks.dedup();
        Ok(())
    }

    /// Finds the ranks of the boxes nearest to a point that together hold at least `n` points, ascending. In a periodic box images count.
    pub(crate) fn ranks_with(
        &self,
        periodic: Option<&Periodic<P>>,
        center: P,
        n: usize,
        ranks: &mut Vec<u32>,
    ) -> Result<(), orthant::Error> {
        let mut want = 1;
        loop {
            let near: Vec<usize> = match periodic {
                Some(periodic) => {
                    let near = periodic.nearest_n(&self.tree, center, want)?;
                    near.iter().map(|near| near.item.0).collect()
                }
                None => {
                    let near = self.tree.nearest_n(center, want);
                    near.iter().map(|near| near.item).collect()
                }
            };
            let held: u64 = near.iter().map(|&i| u64::from(self.counts[i])).sum();
            if held >= n as u64 || near.len() < want {
                ranks.clear();
                ranks.extend(near.iter().map(|&i| self.ranks[i]));
                ranks.sort_unstable();
                ranks.dedup();
                return Ok(());
            }
            want *= 2;
        }
    }

    /// Finds all ranks that have points.
    pub(crate) fn all_ranks(&self, ranks: &mut Vec<u32>) {
        ranks.clear();
        ranks.extend(&self.ranks);
        ranks.dedup();
    }

    /// Iterates over the boxes of a rank, with the number of points in each.
    pub(crate) fn of(&self, rank: usize) -> impl Iterator<Item = (&Aabb<P>, u32)> {
        let range = self.starts[rank]..self.starts[rank + 1];
        self.boxes[range.clone()]
            .iter()
            .zip(self.counts[range].iter().copied())
    }
}

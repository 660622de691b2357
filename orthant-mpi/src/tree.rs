//! Queries from any rank of the points of all ranks, after the `DistributedTree` of `ArborX` (D. Lebrun-Grandié, A. Prokopenko, B. Turcksin and
//! S. R. Slattery, "`ArborX`: a performance portable geometric search library", 2020).
//!
//! ```text
//! the boxes of all ranks are on every rank, so each rank knows which ranks may hold points of a region
//! regions go to those ranks, which query their trees, and lists come back
//! ```

mod images;
mod nearest;

pub use nearest::NearestIds;

use std::convert::Infallible;

use bytemuck::Pod;
use orthant::{Lists, Orthtree, Overlaps, Periodic, Region, SpatialIndex};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::ranks::{Held, starts_of};
use crate::top::Top;
use crate::top::near::Meets;
use crate::{Cause, Cloud, Error, Parts, Point, Ranks};

/// A tree of all points: a tree of its own on every rank, and the boxes of all ranks above it.
///
/// Points are queried where they lie. They need not have been [balanced](Cloud::balance), but then most queries go to most ranks. In a periodic
/// box, the queries `in_images` find images too, and the others do not.
///
/// ```no_run
/// use orthant::{Aabb, Sphere};
/// use orthant_mpi::{Cloud, Ranks, Tree};
/// # fn example(ranks: &Ranks, cloud: &Cloud<[f32; 3]>) -> Result<(), orthant_mpi::Error> {
/// let tree = Tree::new(ranks, cloud)?;
/// let near = tree.query_batch(ranks, &[Sphere::new([0.5; 3], 0.1)])?; // each rank asks its own
/// let many = tree.count(ranks, &[Aabb::new([0.0; 3], [0.5; 3])])?;
/// let best = tree.nearest_n(ranks, cloud.points(), 8)?;
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Tree<P: Point> {
    top: Top<P>,
    local: Orthtree<P>,
    ids: Vec<u64>,
    periodic: Option<Periodic<P>>,
    _held: Held,
}

/// A region that can be sent to other ranks and compared with points. Shapes of orthant and their combinations implement it, and so do your own
/// that derive serde's traits.
pub trait Asked<P: Point>:
    Region<Vector = P> + Overlaps<P> + Serialize + DeserializeOwned + Sync
{
}

impl<P: Point, R> Asked<P> for R where
    R: Region<Vector = P> + Overlaps<P> + Serialize + DeserializeOwned + Sync
{
}

/// The destinations of queries: for each rank, rank after rank, the numbers of the queries that it gets.
struct Routes {
    numbers: Vec<u32>,
    counts: Vec<usize>,
}

impl Routes {
    fn new<E>(
        size: usize,
        questions: usize,
        mut ranks_of: impl FnMut(usize, &mut Vec<u32>) -> Result<(), E>,
    ) -> Result<Self, E> {
        let mut routes: Vec<Vec<u32>> = vec![Vec::new(); size];
        let mut ranks = Vec::new();
        for question in 0..questions {
            ranks_of(question, &mut ranks)?;
            for &rank in &ranks {
                routes[rank as usize].push(question as u32);
            }
        }
        Ok(Self {
            counts: routes.iter().map(Vec::len).collect(),
            numbers: routes.concat(),
        })
    }

    /// Returns the items of queries, in the order in which the queries are sent.
    fn sorted<T: Copy>(&self, items: &[T]) -> Vec<T> {
        self.numbers.iter().map(|&i| items[i as usize]).collect()
    }
}

impl<P: Point> Tree<P> {
    /// Makes a tree of the points of a cloud.
    ///
    /// # Errors
    ///
    /// If boxes or points take more than the budget of a rank.
    ///
    /// # Complexity
    ///
    /// O(n log n) for the rank's own tree; one box a rank on every rank, or 32 if points were not divided.
    pub fn new(ranks: &Ranks, cloud: &Cloud<P>) -> Result<Self, Error> {
        let _call = ranks.tell("building trees");
        let (local, top) = cloud.trees(ranks)?;
        let mut ids = ranks.room(cloud.len())?;
        ids.extend_from_slice(cloud.ids());
        Ok(Self {
            _held: ranks.hold(local.bytes() + size_of_val(&ids[..])),
            top,
            local,
            ids,
            periodic: cloud.periodic,
        })
    }

    /// Returns for each region of this rank the ids of the points in it, ascending. Ranks may pass different numbers of regions, or none.
    ///
    /// # Errors
    ///
    /// If queries or answers take more than the budget of a rank.
    ///
    /// # Complexity
    ///
    /// O(log P + log n + answer) for each region and each rank that gets it; four exchanges. The lists that come back take 8 bytes a point,
    /// which is most of the cost.
    pub fn query_batch<R: Asked<P>>(
        &self,
        ranks: &Ranks,
        regions: &[R],
    ) -> Result<Lists<u64>, Error> {
        let _call = ranks.tell("asking regions of all ranks");
        let routes = self.routes(ranks, regions);
        let asked = self.send(ranks, &routes, regions)?;
        let found = self.local.query_batch(&asked.items);
        let lens: Vec<usize> = found.iter().map(|list| list.len()).collect();
        let ids = found.items().iter().map(|&i| self.ids[i as usize]);
        let ids: Vec<u64> = ids.collect();
        Self::gather(ranks, regions.len(), &routes, &asked.starts, (&lens, &ids))
    }

    /// Sends the lists of all ranks back to those that asked, and merges them to one for each query, ascending.
    fn gather<T: Pod + Ord>(
        ranks: &Ranks,
        questions: usize,
        routes: &Routes,
        asked: &[usize],
        (lens, found): (&[usize], &[T]),
    ) -> Result<Lists<T>, Error> {
        let (starts, came) = Self::back(ranks, asked, lens, found)?;
        let mut offsets = vec![0; questions + 1];
        for (answer, &question) in routes.numbers.iter().enumerate() {
            offsets[question as usize + 1] += starts[answer + 1] - starts[answer];
        }
        for i in 0..questions {
            offsets[i + 1] += offsets[i];
        }
        let mut at = offsets.clone();
        let mut items: Vec<T> = ranks.room(came.len())?;
        items.resize(came.len(), T::zeroed());
        for (answer, &question) in routes.numbers.iter().enumerate() {
            let list = &came[starts[answer]..starts[answer + 1]];
            let at = &mut at[question as usize];
            items[*at..*at + list.len()].copy_from_slice(list);
            *at += list.len();
        }
        for list in offsets.windows(2) {
            items[list[0]..list[1]].sort_unstable();
        }
        ranks.agree(Lists::from_parts(offsets, items).map_err(Cause::argument))
    }

    /// Returns for each region of this rank the number of points in it.
    ///
    /// # Errors
    ///
    /// If queries take more than the budget of a rank.
    ///
    /// # Complexity
    ///
    /// O(log P + log n) or less than its answer for each region and each rank that gets it; three exchanges.
    pub fn count<R: Asked<P>>(&self, ranks: &Ranks, regions: &[R]) -> Result<Vec<u64>, Error> {
        let _call = ranks.tell("counting in regions on all ranks");
        let routes = self.routes(ranks, regions);
        let asked = self.send(ranks, &routes, regions)?;
        let count = |region: &R| self.local.count(region) as u64;
        let counts: Vec<u64> = asked.items.iter().map(count).collect();
        Self::add_up(ranks, regions.len(), &routes, &asked.counts(), &counts)
    }

    /// Sends the counts of all ranks back to those that asked, and adds them up.
    fn add_up(
        ranks: &Ranks,
        questions: usize,
        routes: &Routes,
        asked: &[usize],
        counts: &[u64],
    ) -> Result<Vec<u64>, Error> {
        let back = ranks.exchange(counts, asked)?.items;
        let mut sums = vec![0; questions];
        for (&question, count) in routes.numbers.iter().zip(back) {
            sums[question as usize] += count;
        }
        Ok(sums)
    }

    /// Finds the ranks that may hold points of each region, by their boxes.
    fn routes<R: Region<Vector = P>>(&self, ranks: &Ranks, regions: &[R]) -> Routes {
        let routes = Routes::new(ranks.size(), regions.len(), |i, ranks| {
            self.top.ranks_of(Meets::new(&regions[i]), ranks);
            Ok::<(), Infallible>(())
        });
        routes.unwrap_or_else(|never| match never {})
    }

    /// Sends regions to their ranks. Each is serialized once, and sent as bytes.
    fn send<R: Asked<P>>(
        &self,
        ranks: &Ranks,
        routes: &Routes,
        regions: &[R],
    ) -> Result<Parts<R>, Error> {
        let write = || {
            let mut bytes = Vec::new();
            let mut ends = vec![0];
            for region in regions {
                bytes = postcard::to_extend(region, bytes)?;
                ends.push(bytes.len());
            }
            Ok((bytes, ends))
        };
        let written = write().map_err(|error: postcard::Error| {
            Cause::argument(format_args!("a region that cannot be sent: {error}"))
        });
        let (bytes, ends) = ranks.agree(written)?;
        let of = |&i: &u32| ends[i as usize]..ends[i as usize + 1];
        let mut rest = &routes.numbers[..];
        let mut lens = Vec::with_capacity(ranks.size());
        for &count in &routes.counts {
            let (numbers, after) = rest.split_at(count);
            lens.push(numbers.iter().map(|i| of(i).len()).sum());
            rest = after;
        }
        let sent: Vec<u8> = routes
            .numbers
            .iter()
            .flat_map(|i| &bytes[of(i)])
            .copied()
            .collect();
        let counts: Vec<u64> = routes.counts.iter().map(|&count| count as u64).collect();
        let counts = ranks.exchange(&counts, &vec![1; ranks.size()])?.items;
        let came = ranks.exchange(&sent, &lens)?;
        let mut starts = vec![0];
        let mut regions = Vec::new();
        let mut read = || {
            for (rank, &count) in counts.iter().enumerate() {
                let mut rest = came.of(rank);
                for _ in 0..count {
                    let (region, after) = postcard::take_from_bytes(rest)?;
                    regions.push(region);
                    rest = after;
                }
                starts.push(regions.len());
            }
            Ok(())
        };
        let read = read().map_err(|error: postcard::Error| {
            Cause::argument(format_args!(
                "a region that is not read as it was written: {error}"
            ))
        });
        ranks.agree(read)?;
        Ok(Parts {
            items: regions,
            starts,
        })
    }

    /// Sends lists back to the ranks that asked. Returns where each begins among the received items, and the items. `asked` says which queries
    /// came from which rank.
    fn back<T: Pod>(
        ranks: &Ranks,
        asked: &[usize],
        lens: &[usize],
        items: &[T],
    ) -> Result<(Vec<usize>, Vec<T>), Error> {
        let (lens, counts) = Self::lens_back(ranks, asked, lens)?;
        let came = ranks.exchange(items, &counts)?.items;
        Ok((starts_of(&lens), came))
    }

    /// Sends the length of each list back to the rank that asked, and returns how many items go to each rank.
    fn lens_back(
        ranks: &Ranks,
        asked: &[usize],
        lens: &[usize],
    ) -> Result<(Vec<usize>, Vec<usize>), Error> {
        let starts = starts_of(lens);
        let counts = asked
            .windows(2)
            .map(|a| starts[a[1]] - starts[a[0]])
            .collect();
        let questions: Vec<usize> = asked.windows(2).map(|a| a[1] - a[0]).collect();
        let lens: Vec<u32> = lens.iter().map(|&len| len as u32).collect();
        let back = ranks.exchange(&lens, &questions)?.items;
        Ok((back.into_iter().map(|len| len as usize).collect(), counts))
    }
}

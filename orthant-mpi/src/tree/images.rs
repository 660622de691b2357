//! Queries in a periodic box: regions that meet images of points.
//!
//! Boxes of ranks are tested like points, image by image, so that each rank with an image in a region gets the query.

use orthant::{Lists, Overlaps, Region, Translate, Voxel};

use super::{Asked, Routes, Tree};
use crate::top::near::Meets;
use crate::{Cause, Error, Point, Ranks};

/// An id and an image as numbers that can be sent, in the order of ids, then of images, axis 0 fastest.
pub(super) type Packed = [u64; 3];

pub(super) fn pack<X: Voxel>(dim: usize, id: u64, image: &X) -> Packed {
    let axis = |a: usize| {
        let k = if a < dim { image.axis(a) } else { 0 };
        u64::from(k as u32 ^ 1 << 31)
    };
    [id, axis(3) << 32 | axis(2), axis(1) << 32 | axis(0)]
}

pub(super) fn unpack<X: Voxel>(packed: Packed) -> (u64, X) {
    let axis = |a: usize| (packed[2 - a / 2] >> (32 * (a % 2))) as u32 ^ 1 << 31;
    (packed[0], X::from_fn(|a| axis(a) as i32))
}

/// Converts received lists to the returned form.
pub(super) fn unpacked<X: Voxel>(lists: &Lists<Packed>) -> Result<Lists<(u64, X)>, Cause> {
    let ends = lists.iter().scan(0, |end, list| {
        *end += list.len();
        Some(*end)
    });
    let offsets = std::iter::once(0).chain(ends).collect();
    let items = lists.items().iter().map(|&item| unpack(item)).collect();
    Lists::from_parts(offsets, items).map_err(Cause::argument)
}

impl<P: Point> Tree<P> {
    /// Returns for each region of this rank the ids of the points with an image in it, each with that image: by id, then by image, axis 0
    /// fastest. The answers are those of [`Periodic::query`](orthant::Periodic::query) for all points.
    ///
    /// # Errors
    ///
    /// If the cloud is not periodic, a region may reach more than a hundred images, or queries or answers take more than the budget of a rank.
    ///
    /// # Complexity
    ///
    /// The cost of [`query_batch`](Self::query_batch) for each image that a region may meet; 24 bytes an answer.
    pub fn query_batch_in_images<R>(
        &self,
        ranks: &Ranks,
        regions: &[R],
    ) -> Result<Lists<(u64, P::Voxel)>, Error>
    where
        R: Asked<P> + Translate + Clone,
    {
        let _call = ranks.tell("asking regions of all ranks");
        let routes = self.routes_in_images(ranks, regions)?;
        let asked = self.send(ranks, &routes, regions)?;
        let mut lens = Vec::with_capacity(asked.items.len());
        let mut found: Vec<Packed> = Vec::new();
        let answer = self.periodic().and_then(|periodic| {
            let lists = periodic.query_batch(&self.local, &asked.items);
            for list in &lists.map_err(Cause::argument)? {
                lens.push(list.len());
                let each = list.iter();
                found.extend(each.map(|(i, image)| pack(P::DIM, self.ids[i], &image)));
            }
            Ok(())
        });
        ranks.agree(answer)?;
        let lists = Self::gather(
            ranks,
            regions.len(),
            &routes,
            &asked.starts,
            (&lens, &found),
        )?;
        ranks.agree(unpacked(&lists))
    }

    /// Returns for each region of this rank the number of images of points in it.
    ///
    /// # Errors
    ///
    /// The errors of [`query_batch_in_images`](Self::query_batch_in_images).
    ///
    /// # Complexity
    ///
    /// The cost of [`count`](Self::count) for each image that a region may meet.
    pub fn count_in_images<R>(&self, ranks: &Ranks, regions: &[R]) -> Result<Vec<u64>, Error>
    where
        R: Asked<P> + Translate + Clone,
    {
        let _call = ranks.tell("counting in regions on all ranks");
        let routes = self.routes_in_images(ranks, regions)?;
        let asked = self.send(ranks, &routes, regions)?;
        let counts = self.periodic().and_then(|periodic| {
            let count = |region: &R| periodic.count(&self.local, region.clone());
            let counts = asked.items.iter().map(count).map(|n| n.map(|n| n as u64));
            counts
                .collect::<Result<Vec<u64>, _>>()
                .map_err(Cause::argument)
        });
        let counts = ranks.agree(counts)?;
        Self::add_up(ranks, regions.len(), &routes, &asked.counts(), &counts)
    }

    /// Returns the periodic box, if there is one.
    pub(super) fn periodic(&self) -> Result<&orthant::Periodic<P>, Cause> {
        let none = || Cause::argument("images are asked for, and the cloud is not periodic");
        self.periodic.as_ref().ok_or_else(none)
    }

    fn routes_in_images<R>(&self, ranks: &Ranks, regions: &[R]) -> Result<Routes, Error>
    where
        R: Translate + Region<Vector = P> + Overlaps<P> + Clone,
    {
        let routes = self.periodic().and_then(|periodic| {
            let routes = Routes::new(ranks.size(), regions.len(), |i, ranks| {
                let region = Meets::in_images(regions[i].clone());
                self.top.ranks_in_images(periodic, region, ranks)
            });
            routes.map_err(Cause::argument)
        });
        ranks.agree(routes)
    }
}

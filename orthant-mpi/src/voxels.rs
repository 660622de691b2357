//! The union of the voxels about all points, each brick of it on one rank.

use orthant::{Brick, BrickSet, Scalar, Space, Sphere, Vector, Voxel, VoxelGrid};

use crate::ranks::{by_rank, spread};
use crate::{Cause, Cloud, Error, Point, Ranks};

/// Voxels of all ranks: each brick of 8³ voxels is on one rank, so the sets of the ranks are disjoint.
#[derive(Clone, Debug)]
pub struct VoxelsOfRank<X: Voxel + Space> {
    /// The voxels on this rank.
    pub set: BrickSet<X>,
    /// The number of voxels over all ranks.
    pub total: u64,
}

impl<P> Cloud<P>
where
    P: Point + Space + Vector<Voxel: Space>,
{
    /// Returns the voxels that balls of a radius about the points meet, by the grid's rule: the union that [`BrickSet::from_regions`] makes of
    /// all points. Images in a periodic box do not count.
    ///
    /// A brick is on the rank that owns its lower corner, so that most bricks are not sent; if points were not balanced, it is on a rank that
    /// its indices choose.
    ///
    /// # Errors
    ///
    /// If the radius is negative, not finite or differs between ranks, a ball reaches beyond the indices of the grid (the error names the
    /// point), or bricks take more than the budget of a rank.
    ///
    /// # Complexity
    ///
    /// The cost of [`BrickSet::from_regions`] for the rank's points, and an exchange of 76 bytes for each brick that is on
    /// another rank.
    pub fn voxels(
        &self,
        ranks: &Ranks,
        grid: &VoxelGrid<P>,
        radius: P::Scalar,
    ) -> Result<VoxelsOfRank<P::Voxel>, Error> {
        let _call = ranks.tell("filling voxels");
        let (origin, size) = (grid.origin(), grid.voxel_size());
        let numbers = (0..P::DIM).map(|a| origin.axis(a)).chain([size, radius]);
        let bits: Vec<u64> = numbers.map(Scalar::to_bits).collect();
        ranks.same("grid and radius", &bits)?;
        let balls = self.points.iter().map(|&p| Sphere::try_new(p, radius));
        let balls = balls
            .collect::<Result<Vec<_>, _>>()
            .map_err(Cause::argument);
        let balls = ranks.agree(balls)?;
        let here = BrickSet::try_from_regions(grid, &balls);
        let mut set = ranks.agree(here.map_err(|error| Cause::of(error, self.ids())))?;

        let owner = |brick: &Brick<P::Voxel>| match self.division() {
            Some(division) => {
                let corner = |a| P::Scalar::from_f64(8.0 * f64::from(brick.coordinates.axis(a)));
                division.owner(P::from_fn(|a| origin.axis(a) + corner(a) * size))
            }
            None => {
                let index = |a| u64::from(brick.coordinates.axis(a) as u32);
                spread(ranks.size(), std::array::from_fn::<u64, 3, _>(index))
            }
        };
        let leave: Vec<(usize, Brick<P::Voxel>)> = set
            .bricks()
            .map(|brick| (owner(&brick), brick))
            .filter(|&(rank, _)| rank != ranks.rank())
            .collect();
        let indices = leave.iter().map(|(rank, brick)| {
            (
                *rank,
                std::array::from_fn::<i32, 3, _>(|a| brick.coordinates.axis(a)),
            )
        });
        let (indices, counts) = by_rank(ranks.size(), indices);
        let masks = leave.iter().map(|(rank, brick)| (*rank, brick.mask));
        let (masks, _) = by_rank::<[u64; 8]>(ranks.size(), masks);
        let indices = ranks.exchange(&indices, &counts)?.items;
        let masks = ranks.exchange(&masks, &counts)?.items;
        if !leave.is_empty() {
            let stay = set.bricks().filter(|brick| owner(brick) == ranks.rank());
            let stay: Vec<_> = stay.collect();
            set = BrickSet::default();
            stay.iter().for_each(|brick| set.insert_brick(brick));
        }
        for (at, mask) in indices.into_iter().zip(masks) {
            let coordinates = P::Voxel::from_fn(|a| at[a]);
            set.insert_brick(&Brick { coordinates, mask });
        }
        let total = ranks.sum(&[set.len()])[0];
        Ok(VoxelsOfRank { set, total })
    }
}

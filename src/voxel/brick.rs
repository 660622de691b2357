//! Voxels by the hundred: blocks of eight on each axis, a bit for each voxel.

use crate::Voxel;

/// The voxels of an aligned block of eight on each axis, as a mask; never empty.
///
/// Brick `b` holds the voxels from `8 * b` to `8 * b + 7` on each axis, of which there are at most
/// three. Bit `x + 8 * y` of `mask[z]` stands for the voxel at `[x, y, z]` in the brick; axes that the
/// grid lacks are 0.
///
/// ```
/// use orthant::{Brick, Sphere, VoxelGrid};
/// let grid = VoxelGrid::new([0.0f32; 3], 1.0);
/// let bricks: Vec<Brick<[i32; 3]>> = grid.bricks(Sphere::new([8.5, 1.5, 1.5], 0.25)).collect();
/// assert_eq!(bricks.len(), 1);
/// assert_eq!(bricks[0].coordinates, [1, 0, 0]);
/// assert_eq!(bricks[0].mask, [0, 1 << 8, 0, 0, 0, 0, 0, 0]);
/// assert_eq!(bricks[0].voxels().collect::<Vec<_>>(), [[8, 1, 1]]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Brick<X> {
    /// Which block: the indices of its voxels, divided by eight and rounded down.
    pub coordinates: X,
    /// A bit for each voxel.
    pub mask: [u64; 8],
}

impl<X: Voxel> Brick<X> {
    /// The number of voxels.
    #[inline]
    #[must_use]
    pub fn count(&self) -> u32 {
        self.mask.iter().map(|slab| slab.count_ones()).sum()
    }

    /// Whether a voxel is one of them.
    #[inline]
    #[must_use]
    pub fn contains(&self, voxel: X) -> bool {
        let here = (0..X::DIM).all(|a| voxel.axis(a) >> 3 == self.coordinates.axis(a));
        let place = |a| if a < X::DIM { voxel.axis(a) & 7 } else { 0 };
        here && self.mask[place(2) as usize] >> (place(0) + 8 * place(1)) & 1 == 1
    }

    /// The voxels, the last axis slowest and axis 0 fastest.
    pub fn voxels(self) -> impl Iterator<Item = X> + Clone {
        (0..8).flat_map(move |z| {
            let mut left = self.mask[z as usize];
            core::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros() as i32)?;
                left &= left - 1;
                let place = [bit & 7, bit >> 3, z];
                Some(X::from_fn(|a| self.coordinates.axis(a) << 3 | place[a]))
            })
        })
    }
}

//! Between the points of a list and others, which are sorted into the same cells.

use alloc::vec::Vec;

use super::buckets::Buckets;
use super::{CellList, Kernels};
use crate::error::Error;
use crate::lists::NeighborLists;
use crate::vector::{Scalar, Vector};

impl<V: Vector> CellList<V> {
    /// The neighbors of other points: list `i` holds the points within the radius of other point `i`.
    /// In a periodic box the shift is added to the other point.
    ///
    /// ```
    /// use orthant::{CellList, glam::Vec3};
    /// let cells = CellList::new(&[Vec3::ZERO, Vec3::X, Vec3::X * 3.0], 1.0);
    /// let near = cells.neighbors_of(&[Vec3::X * 2.0])?;
    /// assert_eq!(near[0], [1, 2]);
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If a coordinate is infinite or NaN (the error names the item), or there are more points than
    /// `u32` can number.
    ///
    /// # Complexity
    ///
    /// That of [`neighbors`](Self::neighbors).
    pub fn neighbors_of(&self, others: &[V]) -> Result<NeighborLists, Error> {
        let mut near = NeighborLists::new();
        self.neighbors_of_into(others, &mut near)?;
        Ok(near)
    }

    /// The same, in the memory of lists of before, which stay as they are where points are refused.
    ///
    /// # Errors
    ///
    /// Those of [`neighbors_of`](Self::neighbors_of).
    ///
    /// # Complexity
    ///
    /// That of [`neighbors`](Self::neighbors).
    pub fn neighbors_of_into(&self, others: &[V], near: &mut NeighborLists) -> Result<(), Error> {
        let asking = self.sorted(others)?;
        <V::Array as Kernels>::lists(&self.cells.ask_with(&asking), near);
        Ok(())
    }

    /// Calls `f` with each pair of a point and another point within the radius: the index of the point,
    /// that of the other, the displacement from the first to the second, and its square.
    ///
    /// # Errors
    ///
    /// Those of [`neighbors_of`](Self::neighbors_of).
    ///
    /// # Complexity
    ///
    /// That of [`neighbors`](Self::neighbors).
    pub fn for_each_pair_with(
        &self,
        others: &[V],
        mut f: impl FnMut(usize, usize, V, V::Scalar),
    ) -> Result<(), Error> {
        let asking = self.sorted(others)?;
        let ask = self.cells.ask_with(&asking);
        <V::Array as Kernels>::each_pair(&ask, &mut |pairs| {
            for pair in pairs {
                let back = V::from_fn(|a| V::Scalar::ZERO - pair.displacement.axis(a));
                f(
                    pair.near as usize,
                    pair.asking as usize,
                    back,
                    pair.distance_sq,
                );
            }
        });
        Ok(())
    }

    /// The number of pairs of a point and another point within the radius.
    ///
    /// # Errors
    ///
    /// Those of [`neighbors_of`](Self::neighbors_of).
    ///
    /// # Complexity
    ///
    /// That of [`neighbors`](Self::neighbors).
    pub fn count_pairs_with(&self, others: &[V]) -> Result<u64, Error> {
        let asking = self.sorted(others)?;
        Ok(<V::Array as Kernels>::count_pairs(
            &self.cells.ask_with(&asking),
        ))
    }

    /// The number of pairs of a point and another point in each bin of distances, as
    /// [`pair_counts`](Self::pair_counts) has them.
    ///
    /// # Errors
    ///
    /// Those of [`pair_counts`](Self::pair_counts) and of [`neighbors_of`](Self::neighbors_of).
    ///
    /// # Complexity
    ///
    /// That of [`neighbors`](Self::neighbors).
    pub fn pair_counts_with(&self, others: &[V], ends: &[V::Scalar]) -> Result<Vec<u64>, Error> {
        self.check_ends(ends)?;
        let asking = self.sorted(others)?;
        let ask = self.cells.ask_with(&asking);
        Ok(<V::Array as Kernels>::count_in_bins(&ask, ends))
    }

    fn sorted(&self, others: &[V]) -> Result<Buckets<V::Array>, Error> {
        <V::Array as Kernels>::sort(&self.cells, &V::arrays(others))
    }
}

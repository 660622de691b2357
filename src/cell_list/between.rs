//! Between the points of a list and others, which are sorted into the same cells.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use super::CellList;
use super::ask::{Each, Listed};
use super::buckets::Buckets;
use super::limit::Same;
use super::pairs::{PART, count, count_in_bins, length_sq};
use crate::overlap::check_items;
use crate::{Error, NeighborLists, Scalar, Vector};

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
        let ask = self.ask_of(&asking, true);
        near.fill(asking.indices(), PART, |slots, part| {
            let (items, lens) = (&mut part.items, &mut part.lens);
            ask.run(slots, &mut Listed { items, lens }, Same);
        });
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
        let f = |other: u32, point: u32, to: V| {
            let displacement = V::from_fn(|a| V::Scalar::ZERO - to.axis(a));
            f(point as usize, other as usize, displacement, length_sq(to));
        };
        let mut each = Each::<_, false>::new(f);
        self.ask_of(&asking, true)
            .run(0..asking.len(), &mut each, Same);
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
        Ok(count::<V, false>(self.ask_of(&asking, true)))
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
        Ok(count_in_bins::<V, false>(self.ask_of(&asking, true), ends))
    }

    fn sorted(&self, others: &[V]) -> Result<Buckets<V>, Error> {
        check_items(others)?;
        let mut asking = Buckets::new();
        asking.fill(&self.grid, &self.wrapped(others), true, self.instructions);
        Ok(asking)
    }

    /// The points, in the box if there is one.
    pub(super) fn wrapped<'a>(&self, points: &'a [V]) -> Cow<'a, [V]> {
        match &self.periodic {
            Some(periodic) => points.iter().map(|&p| periodic.wrap(p)).collect(),
            None => points.into(),
        }
    }
}

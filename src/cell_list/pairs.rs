//! All pairs within the radius.

use alloc::vec;
use alloc::vec::Vec;

use super::CellList;
use crate::overlap::{check_items, distance::point_sq};
use crate::{Error, Lists, Scalar, Sphere, Vector, Voxel};

impl<V: Vector> CellList<V> {
    /// Fills lists, in the memory that they have where that is enough: list `i` holds the points within
    /// the radius of point `i`, itself included, cell by cell. On several threads with the feature
    /// `rayon`.
    ///
    /// ```
    /// use orthant::{CellList, Lists, glam::Vec3};
    /// let cells = CellList::new(&[Vec3::ZERO, Vec3::X, Vec3::X * 3.0], 1.0);
    /// let mut near = Lists::new();
    /// cells.neighbors(&mut near);
    /// assert_eq!(near[0], [0, 1]);
    /// assert_eq!(near[2], [2]);
    /// ```
    ///
    /// # Complexity
    ///
    /// O(n + answer) for points that are spread evenly about each other, O(n²) at worst.
    pub fn neighbors(&self, lists: &mut Lists<u32>) {
        let mut near: Vec<Vec<u32>> = (0..self.len() as u32).map(|i| vec![i]).collect();
        self.for_each_pair(|i, j, _, _| {
            near[i].push(j as u32);
            near[j].push(i as u32);
        });
        *lists = Lists::collect(&near, |near, found| found.extend(near));
    }

    /// Fills a list with all pairs within the radius, the lower index first, each once; in a periodic
    /// box, as often as it has images that are near.
    ///
    /// ```
    /// use orthant::{CellList, glam::Vec3};
    /// let cells = CellList::new(&[Vec3::ZERO, Vec3::X, Vec3::X * 3.0], 1.0);
    /// let mut pairs = Vec::new();
    /// cells.pairs(&mut pairs);
    /// assert_eq!(pairs, [[0, 1]]);
    /// ```
    ///
    /// # Complexity
    ///
    /// That of [`neighbors`](Self::neighbors).
    pub fn pairs(&self, pairs: &mut Vec<[u32; 2]>) {
        pairs.clear();
        self.for_each_pair(|i, j, _, _| pairs.push([i as u32, j as u32]));
    }

    /// Calls `f` with each pair of [`pairs`](Self::pairs), in the same order: the lower index, the higher
    /// one, the displacement from the first to the second (in a periodic box, to an image of it), and
    /// its square. The displacement is `second - (first - offset)` on each axis, where `offset` is that of
    /// the image ([`Periodic::offset`](crate::Periodic::offset)).
    ///
    /// ```
    /// use orthant::{CellList, glam::Vec3};
    /// let cells = CellList::new(&[Vec3::X, Vec3::ZERO], 1.0);
    /// cells.for_each_pair(|i, j, displacement, distance_sq| {
    ///     assert_eq!((i, j, displacement, distance_sq), (0, 1, -Vec3::X, 1.0));
    /// });
    /// ```
    ///
    /// # Complexity
    ///
    /// That of [`neighbors`](Self::neighbors).
    pub fn for_each_pair(&self, mut f: impl FnMut(usize, usize, V, V::Scalar)) {
        let mut places = vec![V::splat(V::Scalar::ZERO); self.len()];
        for (&i, &p) in self.indices.iter().zip(&self.points) {
            places[i as usize] = p;
        }
        for (&i, &p) in self.indices.iter().zip(&self.points) {
            let i = i as usize;
            self.each_near(p, |j, from, image| {
                let forward = (0..V::DIM).rev().map(|a| image.axis(a)).find(|&k| k != 0);
                if j > i || j == i && forward.is_some_and(|k| k > 0) {
                    let q = places[j];
                    f(i, j, minus(q, from), point_sq(&from, q));
                }
            });
        }
    }

    /// The number of [`pairs`](Self::pairs).
    ///
    /// # Complexity
    ///
    /// That of [`neighbors`](Self::neighbors).
    #[must_use]
    pub fn count_pairs(&self) -> u64 {
        let mut count = 0;
        self.for_each_pair(|_, _, _, _| count += 1);
        count
    }

    /// The number of pairs in each bin of distances: those farther apart than the end of the bin before
    /// and at most as far as its own; in the first, from 0 on.
    ///
    /// ```
    /// use orthant::{CellList, glam::Vec3};
    /// let cells = CellList::new(&[Vec3::ZERO, Vec3::X, Vec3::X * 3.0], 2.0);
    /// assert_eq!(cells.pair_counts(&[0.5, 1.0, 2.0])?, [0, 1, 1]);
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the ends do not increase from 0 to at most the radius.
    ///
    /// # Complexity
    ///
    /// That of [`neighbors`](Self::neighbors).
    pub fn pair_counts(&self, ends: &[V::Scalar]) -> Result<Vec<u64>, Error> {
        let mut counts = vec![0; ends.len()];
        self.check_ends(ends)?;
        self.for_each_pair(|_, _, _, distance_sq| count(&mut counts, ends, distance_sq));
        Ok(counts)
    }

    /// Fills lists: list `i` holds the points within the radius of other point `i`. In a periodic box
    /// the shift is added to the other point.
    ///
    /// ```
    /// use orthant::{CellList, Lists, glam::Vec3};
    /// let cells = CellList::new(&[Vec3::ZERO, Vec3::X, Vec3::X * 3.0], 1.0);
    /// let mut near = Lists::new();
    /// cells.neighbors_of(&[Vec3::X * 2.0], &mut near)?;
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
    pub fn neighbors_of(&self, others: &[V], lists: &mut Lists<u32>) -> Result<(), Error> {
        let mut near: Vec<Vec<u32>> = vec![Vec::new(); others.len()];
        self.for_each_pair_with(others, |i, j, _, _| near[j].push(i as u32))?;
        *lists = Lists::collect(&near, |near, found| found.extend(near));
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
        check_items(others)?;
        let mut places = vec![V::splat(V::Scalar::ZERO); self.len()];
        for (&i, &p) in self.indices.iter().zip(&self.points) {
            places[i as usize] = p;
        }
        for (j, &q) in others.iter().enumerate() {
            let q = self.periodic.map_or(q, |periodic| periodic.wrap(q));
            self.each_near(q, |i, from, _| {
                f(i, j, minus(from, places[i]), point_sq(&from, places[i]));
            });
        }
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
        let mut count = 0;
        self.for_each_pair_with(others, |_, _, _, _| count += 1)?;
        Ok(count)
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
        let mut counts = vec![0; ends.len()];
        self.check_ends(ends)?;
        self.for_each_pair_with(others, |_, _, _, distance_sq| {
            count(&mut counts, ends, distance_sq);
        })?;
        Ok(counts)
    }

    /// The points near a place, the place from which each is seen, and its image.
    fn each_near(&self, place: V, mut f: impl FnMut(usize, V, V::Voxel)) {
        let ball = Sphere::new(place, self.radius);
        let Some(periodic) = &self.periodic else {
            return self
                .query(ball)
                .for_each(|j| f(j, place, V::Voxel::from_fn(|_| 0)));
        };
        let near = periodic.query(self, ball);
        for (j, image) in near.expect("the box is not too small for the radius") {
            f(j, minus(place, periodic.offset(image)), image);
        }
    }

    fn check_ends(&self, ends: &[V::Scalar]) -> Result<(), Error> {
        let mut before = None;
        for (bin, &end) in ends.iter().enumerate() {
            let increases = before.map_or(end >= V::Scalar::ZERO, |before| end > before);
            if !(increases && end <= self.radius) {
                return Err(Error::BinEnd {
                    bin,
                    end: end.into(),
                });
            }
            before = Some(end);
        }
        Ok(())
    }
}

fn count<S: Scalar>(counts: &mut [u64], ends: &[S], distance_sq: S) {
    if let Some(bin) = ends.iter().position(|&end| distance_sq <= end * end) {
        counts[bin] += 1;
    }
}

fn minus<V: Vector>(from: V, what: V) -> V {
    V::from_fn(|a| from.axis(a) - what.axis(a))
}

//! What is asked of two trees.

use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::ops::{ControlFlow, Sub};

use crate::error::{Error, or_panic};
use crate::lists::{List, NeighborLists};
use crate::nearest::{Nearest, Ranked};
use crate::orthtree::{Kernels, Orthtree};
use crate::query::SpatialIndex;
use crate::shape::{ArrayOf, Bounded, check_number};
use crate::vector::{Scalar, Vector};

type ScalarOf<T> = <<T as Bounded>::Vector as Vector>::Scalar;

/// What is asked of two trees of points.
impl<T: Bounded> Orthtree<T> {
    /// Calls `f` with each point of another tree and all points of this one within a radius of it, until it breaks:
    /// all pairs of the two. Sixteen points that lie together in the other tree go down this one at once, half of the
    /// dual-tree search of A. G. Gray and A. W. Moore ("N-body problems in statistical learning", 2000). A point with
    /// nothing near it comes with no points. The order depends on nothing but the points and the radius; a negative
    /// or NaN radius reaches nothing.
    ///
    /// ```
    /// use core::ops::ControlFlow;
    /// use orthant::{Octree, glam::Vec3};
    /// let (stars, ships) = ([Vec3::ZERO, Vec3::X], [Vec3::X * 2.0]);
    /// let mut pairs = Vec::new();
    /// let _ = Octree::new(&stars).visit_neighbors_of(&Octree::new(&ships), 1.0, |ship, near| {
    ///     pairs.extend(near.iter().map(|star| (ship, star)));
    ///     ControlFlow::<()>::Continue(())
    /// });
    /// assert_eq!(pairs, [(0, 1)]);
    /// ```
    ///
    /// # Complexity
    ///
    /// O(m log n + answer) for `m` points of the other tree that are spread evenly about each other, O(m n) at worst.
    pub fn visit_neighbors_of<B>(
        &self,
        others: &Self,
        radius: ScalarOf<T>,
        f: impl FnMut(usize, List<'_, u32>) -> ControlFlow<B>,
    ) -> ControlFlow<B>
    where
        T: Vector,
    {
        self.visit_near(others, radius, false, f)
    }

    pub(super) fn visit_near<B>(
        &self,
        others: &Self,
        radius: ScalarOf<T>,
        later: bool,
        mut f: impl FnMut(usize, List<'_, u32>) -> ControlFlow<B>,
    ) -> ControlFlow<B>
    where
        T: Vector,
    {
        let mut broken = None;
        let mut visit = |point, near: &[u32]| match f(point, List::of(near)) {
            ControlFlow::Continue(()) => ControlFlow::Continue(()),
            ControlFlow::Break(with) => {
                broken = Some(with);
                ControlFlow::Break(())
            }
        };
        let _ = <ArrayOf<T>>::visit_neighbors(&self.core, &others.core, radius, later, &mut visit);
        broken.map_or(ControlFlow::Continue(()), ControlFlow::Break)
    }

    /// The neighbors of every point of another tree: list `i` holds the points of this tree within a radius of the point
    /// `i` of the other, in the order of [`visit_neighbors_of`](Self::visit_neighbors_of). On several threads with
    /// the feature `rayon`.
    ///
    /// ```
    /// use orthant::{Octree, glam::Vec3};
    /// let (stars, ships) = ([Vec3::ZERO, Vec3::X], [Vec3::X * 2.0, Vec3::Y * 5.0]);
    /// let near = Octree::new(&stars).neighbors_of(&Octree::new(&ships), 1.0);
    /// assert_eq!((&near[0], near[1].len()), (&[1][..], 0));
    /// ```
    ///
    /// # Complexity
    ///
    /// That of [`visit_neighbors_of`](Self::visit_neighbors_of).
    ///
    /// # Panics
    ///
    /// Where [`try_neighbors_of_into`](Self::try_neighbors_of_into) returns an error.
    #[must_use]
    #[track_caller]
    pub fn neighbors_of(&self, others: &Self, radius: ScalarOf<T>) -> NeighborLists
    where
        T: Vector,
    {
        let mut near = NeighborLists::new();
        self.neighbors_of_into(others, radius, &mut near);
        near
    }

    /// The same, in the memory of lists of before.
    ///
    /// ```
    /// use orthant::{NeighborLists, Octree, glam::Vec3};
    /// let (tree, others) = (Octree::new(&[Vec3::X]), Octree::new(&[Vec3::ZERO]));
    /// let mut near = NeighborLists::new();
    /// for (radius, many) in [(0.5, 0), (1.0, 1)] {
    ///     tree.neighbors_of_into(&others, radius, &mut near);
    ///     assert_eq!(near[0].len(), many);
    /// }
    /// ```
    ///
    /// # Complexity
    ///
    /// That of [`visit_neighbors_of`](Self::visit_neighbors_of).
    ///
    /// # Panics
    ///
    /// Where [`try_neighbors_of_into`](Self::try_neighbors_of_into) returns an error.
    #[track_caller]
    pub fn neighbors_of_into(&self, others: &Self, radius: ScalarOf<T>, near: &mut NeighborLists)
    where
        T: Vector,
    {
        or_panic("Orthtree", self.try_neighbors_of_into(others, radius, near));
    }

    /// Fills lists with the neighbors of every point of another tree, as [`neighbors_of_into`](Self::neighbors_of_into) does,
    /// where memory may not suffice.
    ///
    /// ```
    /// use orthant::{NeighborLists, Octree, glam::Vec3};
    /// let (tree, others) = (Octree::new(&[Vec3::X]), Octree::new(&[Vec3::ZERO]));
    /// let mut near = NeighborLists::new();
    /// tree.try_neighbors_of_into(&others, 1.0, &mut near)?;
    /// assert_eq!(near[0], [0]);
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// That of [`visit_neighbors_of`](Self::visit_neighbors_of).
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`]; there are no lists then.
    pub fn try_neighbors_of_into(
        &self,
        others: &Self,
        radius: ScalarOf<T>,
        near: &mut NeighborLists,
    ) -> Result<(), Error>
    where
        T: Vector,
    {
        <ArrayOf<T>>::neighbors(&self.core, &others.core, radius, near)
    }

    /// How many pairs of a point of this tree and one of another, which may be this one too, are within each radius of each
    /// other: `count_neighbors` of scipy's trees. With `cumulative` answer `i` counts all pairs within `radii[i]`; without, each
    /// pair counts once, for the least radius that it is within (the first of equal ones). Radii come in any order; a negative
    /// or NaN radius reaches nothing. Sixteen points go down the other tree at once, and what of it lies within all of them, or
    /// between two radii, is added unseen. On several threads with the feature `rayon`.
    ///
    /// ```
    /// use orthant::{Octree, glam::Vec3};
    /// let (stars, ships) = ([Vec3::ZERO, Vec3::X], [Vec3::X * 2.0, Vec3::X * 3.0]);
    /// let (stars, ships) = (Octree::new(&stars), Octree::new(&ships));
    /// assert_eq!(stars.count_neighbors(&ships, &[2.0, 1.0, 9.0], true), [3, 1, 4]);
    /// assert_eq!(stars.count_neighbors(&ships, &[2.0, 1.0, 9.0], false), [2, 1, 1]);
    /// assert_eq!(stars.count_neighbors(&stars, &[0.0], true), [2]); // each and itself
    /// ```
    ///
    /// # Complexity
    ///
    /// O(m log n + pairs about as far apart as a radius) for `m` points of the other tree, O(m n) at worst.
    #[must_use]
    pub fn count_neighbors(
        &self,
        others: &Self,
        radii: &[ScalarOf<T>],
        cumulative: bool,
    ) -> Vec<u64>
    where
        T: Vector,
    {
        let order = Steps::new(radii);
        let sums = <ArrayOf<T>>::count_pairs(&self.core, &others.core, &order.limits);
        order.answers(&sums, cumulative)
    }

    /// The same where each pair counts as much as the product of two weights: those of the points of this tree, by index, and
    /// of the other.
    ///
    /// Sums are taken in the order of the trees, those of a block of points and a node of the other tree at once where all are
    /// within a radius; without `cumulative`, answers are their differences. So they depend on nothing but the points, weights
    /// and radii, neither on threads nor on the machine, and are exact for weights that are small whole numbers.
    ///
    /// ```
    /// use orthant::{Octree, glam::Vec3};
    /// let (stars, ships) = ([Vec3::ZERO, Vec3::X], [Vec3::X * 2.0]);
    /// let (stars, ships) = (Octree::new(&stars), Octree::new(&ships));
    /// let weights = [&[0.5, 2.0][..], &[10.0]];
    /// assert_eq!(stars.weigh_neighbors(&ships, weights, &[1.0, 2.0], true), [20.0, 25.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// Where [`try_weigh_neighbors`](Self::try_weigh_neighbors) returns an error, and if there are not as many weights as points.
    ///
    /// # Complexity
    ///
    /// That of [`count_neighbors`](Self::count_neighbors).
    #[must_use]
    #[track_caller]
    pub fn weigh_neighbors(
        &self,
        others: &Self,
        weights: [&[f64]; 2],
        radii: &[ScalarOf<T>],
        cumulative: bool,
    ) -> Vec<f64>
    where
        T: Vector,
    {
        let weighed = self.try_weigh_neighbors(others, weights, radii, cumulative);
        or_panic("Orthtree", weighed)
    }

    /// The sums of [`weigh_neighbors`](Self::weigh_neighbors), for weights that nobody has checked.
    ///
    /// # Errors
    ///
    /// If a weight is infinite or NaN; the error names the index of its point, and whether it is one of the `others`.
    ///
    /// # Panics
    ///
    /// If there are not as many weights as points.
    ///
    /// ```
    /// use orthant::{Quadtree, glam::Vec2};
    /// let tree = Quadtree::new(&[Vec2::X, Vec2::Y]);
    /// let refused = tree.try_weigh_neighbors(&tree, [&[1.0, f64::NAN], &[1.0; 2]], &[1.0], true);
    /// assert_eq!(refused.unwrap_err().to_string(), "item 1: weight is NaN on axis 0, not a finite number");
    /// ```
    #[track_caller]
    pub fn try_weigh_neighbors(
        &self,
        others: &Self,
        weights: [&[f64]; 2],
        radii: &[ScalarOf<T>],
        cumulative: bool,
    ) -> Result<Vec<f64>, Error>
    where
        T: Vector,
    {
        let of = [
            ("weight", self.len()),
            ("weight of the others", others.len()),
        ];
        for (weights, (part, points)) in weights.iter().zip(of) {
            let many = weights.len();
            assert!(many == points, "{many} weights of {points} points");
            for (index, &weight) in weights.iter().enumerate() {
                check_number(part, weight).map_err(|error| Error::Item { index, error })?;
            }
        }
        let order = Steps::new(radii);
        let sums = <ArrayOf<T>>::weigh_pairs(&self.core, &others.core, &order.limits, weights);
        Ok(order.answers(&sums, cumulative))
    }
}

/// The closest of two trees of points, and the farthest.
impl<T: Bounded> Orthtree<T> {
    /// The two points that are closest to each other; of several pairs the first, by the lower index and then by
    /// the other. `None` of fewer than two points.
    ///
    /// ```
    /// use orthant::{Quadtree, glam::Vec2};
    /// let pair = Quadtree::new(&[Vec2::X, Vec2::X * 9.0, Vec2::ZERO]).closest_pair().unwrap();
    /// assert_eq!((pair.item, pair.distance()), ((0, 2), 1.0));
    /// ```
    ///
    /// # Complexity
    ///
    /// O(n) for points that are spread evenly about each other, and a little for each pair that is as close as the
    /// closest.
    #[must_use]
    pub fn closest_pair(&self) -> Option<Nearest<(usize, usize), ScalarOf<T>>>
    where
        T: Vector,
    {
        self.closest_of(self, true)
    }

    /// The point of this tree and the point of another that are closest to each other: their indices in this order. Of
    /// several pairs the first. `None` if a tree is empty.
    ///
    /// ```
    /// use orthant::{Octree, glam::Vec3};
    /// let (stars, ships) = ([Vec3::ZERO, Vec3::X], [Vec3::X * 9.0, Vec3::X * 3.0]);
    /// let pair = Octree::new(&stars).closest_pair_with(&Octree::new(&ships)).unwrap();
    /// assert_eq!((pair.item, pair.distance()), ((1, 1), 2.0));
    /// ```
    ///
    /// # Complexity
    ///
    /// That of [`closest_pair`](Self::closest_pair), for points of this tree that are spread evenly about those of the other.
    #[must_use]
    pub fn closest_pair_with(&self, others: &Self) -> Option<Nearest<(usize, usize), ScalarOf<T>>>
    where
        T: Vector,
    {
        self.closest_of(others, false)
    }

    fn closest_of(
        &self,
        others: &Self,
        themselves: bool,
    ) -> Option<Nearest<(usize, usize), ScalarOf<T>>>
    where
        T: Vector,
    {
        let pair = |(index, point): (usize, T::Vector)| {
            let found = SpatialIndex::nearest_n(others, point, 1 + usize::from(themselves));
            let other = found
                .iter()
                .find(|near| !themselves || near.item != index)?;
            let (i, j) = (index as u32, other.item as u32);
            let item = if themselves && j < i { (j, i) } else { (i, j) };
            Some(Ranked(other.distance_sq, item))
        };
        let first = self.sample().filter_map(pair).min()?;
        let found = <ArrayOf<T>>::closest_pair(&others.core, &self.core, themselves, first);
        let Ranked(distance_sq, (i, j)) = found;
        let item = (i as usize, j as usize);
        Some(Nearest { item, distance_sq })
    }

    /// The largest distance of a point of this tree from the nearest of another, and both: the directed Hausdorff distance,
    /// that of scipy's `directed_hausdorff`. Of several points the first, and the first of those that are nearest to it. `None`
    /// if a tree is empty.
    ///
    /// ```
    /// use orthant::{Octree, glam::Vec3};
    /// let (stars, ships) = ([Vec3::X, Vec3::X * 2.0], [Vec3::X * 3.0, Vec3::X * 9.0]);
    /// let (stars, ships) = (Octree::new(&stars), Octree::new(&ships));
    /// let far = stars.directed_hausdorff(&ships).unwrap();
    /// assert_eq!((far.item, far.distance()), ((0, 0), 2.0));
    /// ```
    ///
    /// # Complexity
    ///
    /// O(n) for points that are spread evenly about those of the other tree: most of them stop at the first that is not
    /// farther away than the farthest is known to be.
    #[must_use]
    pub fn directed_hausdorff(&self, others: &Self) -> Option<Nearest<(usize, usize), ScalarOf<T>>>
    where
        T: Vector,
    {
        let nearest = |point: T::Vector| SpatialIndex::nearest(others, point);
        let far = |(index, point)| {
            let nearest: Nearest<_, _> = nearest(point)?;
            Some(Ranked(nearest.distance_sq, Reverse(index as u32)))
        };
        let first = self.sample().filter_map(far).max()?;
        let apart = |point| {
            let nearest = nearest(T::Vector::of_array(point));
            nearest.map_or(Scalar::ZERO, |near| near.distance_sq)
        };
        let far = <ArrayOf<T>>::farthest_point(&others.core, &self.core, &apart, first);
        let Ranked(distance_sq, Reverse(index)) = far;
        let other = nearest(self.get(index as usize)?.core().min())?.item;
        Some(Nearest {
            item: (index as usize, other),
            distance_sq,
        })
    }

    /// The larger of the [`directed_hausdorff`](Self::directed_hausdorff) distances of this tree from another and of the
    /// other from this one, the first if they are the same: the Hausdorff distance. The pair has the index of this tree's
    /// point first. `None` if a tree is empty.
    ///
    /// ```
    /// use orthant::{Octree, glam::Vec3};
    /// let (stars, ships) = ([Vec3::X, Vec3::X * 2.0], [Vec3::X * 3.0, Vec3::X * 9.0]);
    /// let far = Octree::new(&stars).hausdorff(&Octree::new(&ships)).unwrap();
    /// assert_eq!((far.item, far.distance()), ((1, 1), 7.0));
    /// ```
    #[must_use]
    pub fn hausdorff(&self, others: &Self) -> Option<Nearest<(usize, usize), ScalarOf<T>>>
    where
        T: Vector,
    {
        let there = self.directed_hausdorff(others)?;
        let back = others.directed_hausdorff(self)?;
        if there.distance_sq >= back.distance_sq {
            return Some(there);
        }
        Some(Nearest {
            item: (back.item.1, back.item.0),
            ..back
        })
    }

    /// Some points with their indices, from all over the tree.
    fn sample(&self) -> impl Iterator<Item = (usize, T::Vector)>
    where
        T: Vector,
    {
        let all = self.iter().step_by((self.len() / SAMPLE).max(1));
        all.map(|(index, point)| (index, point.core().min()))
    }
}

/// So many points, and perhaps some more, are asked about first, so that there is something to go by.
const SAMPLE: usize = 32;

/// Radii in their order.
struct Steps<S> {
    /// The squares of those that reach something, which increase.
    limits: Vec<S>,
    /// Of each radius its place among them; none for one that reaches nothing, and whether it comes first there.
    places: Vec<Option<(usize, bool)>>,
}

impl<S: Scalar> Steps<S> {
    fn new(radii: &[S]) -> Self {
        let mut order: Vec<usize> = (0..radii.len()).filter(|&i| radii[i] >= S::ZERO).collect();
        order.sort_by_key(|&i| Ranked(radii[i], i));
        let (mut limits, mut places) = (Vec::new(), vec![None; radii.len()]);
        for i in order {
            let limit = radii[i] * radii[i];
            let is_new = limits.last() != Some(&limit);
            if is_new {
                limits.push(limit);
            }
            places[i] = Some((limits.len() - 1, is_new));
        }
        Self { limits, places }
    }

    /// What is found within the limits, or beyond the limit before, by radius.
    fn answers<X: Copy + Default + Sub<Output = X>>(&self, sums: &[X], cumulative: bool) -> Vec<X> {
        let answer = |place: &Option<(usize, bool)>| match *place {
            Some((place, true)) if place > 0 && !cumulative => sums[place] - sums[place - 1],
            Some((place, is_first)) if is_first || cumulative => sums[place],
            _ => X::default(),
        };
        self.places.iter().map(answer).collect()
    }
}

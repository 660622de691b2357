use alloc::vec::Vec;

use super::{CellLevels, Kernels, Level, Levels, Reach};
use crate::cell_list::{Buckets, Grid, bounds, check_reach, wrapped};
use crate::error::{Error, ShapeError};
use crate::overlap::check_items;
use crate::vector::{Scalar, Vector};

impl<V: Vector> CellLevels<V> {
    /// Sorts other points with other radii into cells in place of these, in the same box.
    ///
    /// # Errors
    ///
    /// Where [`try_new`](Self::try_new) or [`try_new_periodic`](Self::try_new_periodic) returns one; all
    /// stays as it was.
    ///
    /// # Panics
    ///
    /// If there are not as many radii as points.
    ///
    /// # Complexity
    ///
    /// That of [`try_new`](Self::try_new).
    #[track_caller]
    pub fn rebuild(&mut self, points: &[V], radii: &[V::Scalar]) -> Result<(), Error> {
        assert_eq!(points.len(), radii.len(), "a radius for each point");
        <V::Array as Kernels>::rebuild(&mut self.0, &V::arrays(points), radii)
    }
}

impl<A: Vector> Levels<A> {
    fn rebuild(&mut self, points: &[A], radii: &[A::Scalar]) -> Result<(), Error> {
        check_items(points)?;
        check_radii(radii)?;
        let double = |radius: A::Scalar| match self.reach {
            Reach::Larger => radius,
            Reach::Sum => radius + radius,
        };
        let largest = radii
            .iter()
            .fold(A::Scalar::ZERO, |most, &r| most.larger(r));
        if let Some(periodic) = &self.periodic {
            check_reach(double(largest), periodic)?;
        }
        let points = wrapped(points, self.periodic.as_ref());
        let mut order: Vec<(i32, u32)> = radii.iter().map(|&r| octave(r)).zip(0..).collect();
        order.sort_unstable();
        let mut spare = core::mem::take(&mut self.levels).into_iter();
        for members in order.chunk_by(|a, b| a.0 == b.0) {
            let of = |i: &(i32, u32)| i.1 as usize;
            let places: Vec<A> = members.iter().map(|i| points[of(i)]).collect();
            let sizes: Vec<A::Scalar> = members.iter().map(|i| radii[of(i)]).collect();
            let names: Vec<u32> = members.iter().map(|i| i.1).collect();
            let most = sizes
                .iter()
                .fold(A::Scalar::ZERO, |most, &r| most.larger(r));
            let around = bounds(&places, self.instructions).expect("finite points");
            let reach = double(most);
            let grid = Grid::new(around, places.len(), reach, self.periodic.as_ref());
            let mut buckets = spare
                .next()
                .map_or_else(Buckets::new, |level| level.buckets);
            buckets.fill(&grid, &places, false, self.instructions);
            buckets.set_sizes(&sizes);
            buckets.rename(&names);
            self.levels.push(Level { grid, buckets });
        }
        self.len = points.len();
        Ok(())
    }

    /// All points of smaller radii than those of a level, sorted into its cells; none below the first.
    pub(super) fn smaller(&self, level: usize) -> Option<Buckets<A>> {
        if level == 0 {
            return None;
        }
        let (mut places, mut sizes, mut names) = (Vec::new(), Vec::new(), Vec::new());
        for Level { buckets, .. } in &self.levels[..level] {
            for slot in 0..buckets.len() {
                places.push(buckets.point(slot));
                sizes.push(buckets.size(slot));
            }
            names.extend_from_slice(buckets.indices());
        }
        let mut smaller = Buckets::new();
        let grid = &self.levels[level].grid;
        smaller.fill(grid, &places, true, self.instructions);
        smaller.set_sizes(&sizes);
        smaller.rename(&names);
        Some(smaller)
    }
}

/// Sorts points into cells in place of those before.
pub(super) fn rebuild<A: Vector>(
    levels: &mut Levels<A>,
    points: &[A],
    radii: &[A::Scalar],
) -> Result<(), Error> {
    levels.rebuild(points, radii)
}

fn check_radii<S: Scalar>(radii: &[S]) -> Result<(), Error> {
    for (index, &radius) in radii.iter().enumerate() {
        let refused = |error| Err(Error::Item { index, error });
        let value = radius.into();
        if !radius.is_finite() {
            let part = "radius";
            let axis = 0;
            return refused(ShapeError::NotFinite { part, axis, value });
        }
        if radius < S::ZERO {
            return refused(ShapeError::NegativeRadius { radius: value });
        }
    }
    Ok(())
}

/// The exponent of a radius as a power of two.
fn octave<S: Scalar>(radius: S) -> i32 {
    let radius: f64 = radius.into();
    (radius.to_bits() >> (f64::MANTISSA_DIGITS - 1)) as i32
}

//! The nearest of all points, in two phases.
//!
//! ```text
//! first whoever has n points in the boxes nearest by is asked
//! then, with the distance of the worst of those, whoever has a box that is not farther and was not asked
//! ```
//!
//! Not farther, and not nearer: at an equal distance the lower id counts, wherever it lies. `ArborX` asks all who are
//! near enough anew in the second phase, and drops what it knew: as many questions again as in the first.

use orthant::{Lists, Scalar, SpatialIndex, Sphere};

use super::{Routes, Tree};
use crate::cloud::check;
use crate::near::Meets;
use crate::{Cause, Error, Point, Ranks};

/// The nearest points of many: list `i` has the ids of those of point `i`, the nearest first, ties by id.
#[derive(Clone, Debug, PartialEq)]
pub struct NearestIds<S> {
    /// The ids.
    pub ids: Lists<u64>,
    /// Their squared distances, one behind the other as [`Lists::items`] has the ids.
    pub distances_sq: Vec<S>,
    /// How many questions were sent in the first phase and in the second: on this rank.
    pub asked: [u64; 2],
}

/// The best so far of one point.
type Best<S> = Vec<(S, u64)>;

impl<P: Point> Tree<P> {
    /// For each point of this rank the `n` nearest of all points, by distance, ties by id; all where there are fewer.
    /// A point that is in the cloud is its own nearest.
    ///
    /// # Errors
    ///
    /// If a point is not finite (the error has its number on its rank), `n` is not the same on all ranks, or answers
    /// take more than the budget of a rank.
    ///
    /// # Complexity
    ///
    /// O(log P + n log n) for each point and each rank that it is asked of: where points were balanced, mostly one
    /// rank, and some 2 in 100 points a second. Ten exchanges.
    pub fn nearest_n(
        &self,
        ranks: &Ranks,
        points: &[P],
        n: usize,
    ) -> Result<NearestIds<P::Scalar>, Error> {
        ranks.tell("asking for the nearest points");
        ranks.same("the number of nearest", &[n as u64])?;
        let numbers: Vec<u64> = (0..points.len() as u64).collect();
        ranks.agree(check(points, &numbers))?;
        let questions = if n == 0 { 0 } else { points.len() };
        let mut found: Vec<Best<P::Scalar>> = vec![Vec::new(); points.len()];
        let mut first: Vec<Vec<u32>> = Vec::with_capacity(questions);
        let routes = Routes::new(ranks.size(), questions, |i, ranks| {
            self.top.ranks_with(points[i], n, ranks);
            first.push(ranks.clone());
        });
        let infinite = vec![P::Scalar::INFINITY; points.len()];
        self.phase(ranks, points, n, &infinite, &routes, &mut found)?;

        let worst = |best: &Best<P::Scalar>| match best.get(n.wrapping_sub(1)) {
            Some(&(distance_sq, _)) => reach(distance_sq),
            None => P::Scalar::INFINITY,
        };
        let radii: Vec<P::Scalar> = found.iter().map(worst).collect();
        let again = Routes::new(ranks.size(), questions, |i, ranks| {
            match Sphere::try_new(points[i], radii[i]) {
                Ok(ball) => self.top.ranks_of(Meets(&ball), ranks),
                Err(_) => self.top.all_ranks(ranks),
            }
            ranks.retain(|rank| first[i].binary_search(rank).is_err());
        });
        self.phase(ranks, points, n, &radii, &again, &mut found)?;

        let offsets = std::iter::once(0).chain(found.iter().scan(0, |sum, best| {
            *sum += best.len();
            Some(*sum)
        }));
        let ids = found.iter().flatten().map(|&(_, id)| id).collect();
        let lists = Lists::from_parts(offsets.collect(), ids).map_err(Cause::argument);
        Ok(NearestIds {
            ids: ranks.agree(lists)?,
            distances_sq: found
                .iter()
                .flatten()
                .map(|&(distance_sq, _)| distance_sq)
                .collect(),
            asked: [routes.numbers.len() as u64, again.numbers.len() as u64],
        })
    }

    /// Asks some ranks about some points, and keeps the best.
    fn phase(
        &self,
        ranks: &Ranks,
        points: &[P],
        n: usize,
        radii: &[P::Scalar],
        routes: &Routes,
        found: &mut [Best<P::Scalar>],
    ) -> Result<(), Error> {
        let asked = ranks.exchange(&routes.sorted(points), &routes.counts)?;
        let radii = ranks.exchange(&routes.sorted(radii), &routes.counts)?.items;
        let (mut lens, mut ids, mut distances) = (Vec::new(), Vec::new(), Vec::new());
        if radii.iter().all(|&radius| radius == P::Scalar::INFINITY) {
            // All at once is half the time.
            let near = self.local.nearest_n_batch(&asked.items, n);
            lens.extend(near.items().iter().map(|list| list.len()));
            ids.extend(near.items().items().iter().map(|&i| self.ids[i as usize]));
            distances = near.into_parts().1;
        } else {
            for (&p, &radius) in asked.items.iter().zip(&radii) {
                let near = self.local.nearest_n_within(p, n, radius);
                lens.push(near.len());
                ids.extend(near.iter().map(|near| self.ids[near.item]));
                distances.extend(near.iter().map(|near| near.distance_sq));
            }
        }
        let (lens, counts) = Self::lens_back(ranks, &asked.starts, &lens)?;
        let ids = ranks.exchange(&ids, &counts)?.items;
        let distances = ranks.exchange(&distances, &counts)?.items;
        let mut from = 0;
        for (&question, len) in routes.numbers.iter().zip(lens) {
            let best = &mut found[question as usize];
            let come = distances[from..from + len]
                .iter()
                .zip(&ids[from..from + len]);
            best.extend(come.map(|(&distance_sq, &id)| (distance_sq, id)));
            // Squares of numbers from 0 on: their bits are in their order.
            best.sort_unstable_by_key(|&(distance_sq, id)| (distance_sq.to_bits(), id));
            best.truncate(n);
            from += len;
        }
        Ok(())
    }
}

/// The least radius that the root gives, or the next, whose square is at least so much.
fn reach<S: Scalar>(distance_sq: S) -> S {
    let mut radius = distance_sq.sqrt();
    while radius * radius < distance_sq {
        radius = radius.next_up();
    }
    radius
}

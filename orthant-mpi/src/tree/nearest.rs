//! The nearest of all points, found in two phases.
//!
//! ```text
//! first, ask the ranks that have n points in the nearest boxes
//! then, with the distance of the worst of these, ask the other ranks with a box that is no farther
//! ```
//!
//! A box at an equal distance is asked too: at ties the lower id counts, wherever it lies. In its second phase `ArborX` asks all ranks that are
//! near enough again, and drops the first answers: as many queries again as in the first.

use bytemuck::Pod;
use orthant::{Lists, Periodic, Scalar, SpatialIndex, Sphere};

use super::images::{Packed, pack, unpacked};
use super::{Routes, Tree};
use crate::cloud::check;
use crate::top::near::Meets;
use crate::{Cause, Error, Point, Ranks};

/// The nearest points of many: list `i` has those of point `i`, the nearest first, ties by id. `I` is an id, or an id and an image.
#[derive(Clone, Debug, PartialEq)]
pub struct NearestIds<S, I = u64> {
    /// The ids.
    pub ids: Lists<I>,
    /// The squared distances, concatenated in the order of [`Lists::items`].
    pub distances_sq: Vec<S>,
    /// The number of queries that this rank sent in the first and in the second phase.
    pub asked: [u64; 2],
}

/// The best so far of one point.
type Best<S, T> = Vec<(S, T)>;

/// A kind of search, for points or for their images: what it finds, and how to find the ranks that have it.
trait Search<P: Point> {
    /// The name of an item, in the order of ties.
    type Name: Pod + Ord;

    /// Finds the ranks of the nearest boxes that together hold `n` items.
    fn holders(&self, p: P, n: usize, ranks: &mut Vec<u32>) -> Result<(), orthant::Error>;

    /// Finds the ranks that may have an item in a ball.
    fn near(&self, ball: Sphere<P>, ranks: &mut Vec<u32>) -> Result<(), orthant::Error>;

    /// Returns for each point the best items that this rank has within a radius.
    fn answer(
        &self,
        points: &[P],
        n: usize,
        radii: &[P::Scalar],
    ) -> Result<Answers<P::Scalar, Self::Name>, orthant::Error>;
}

/// The number of items for each point, and all items, concatenated.
struct Answers<S, T> {
    lens: Vec<usize>,
    names: Vec<T>,
    distances: Vec<S>,
}

struct Points<'a, P: Point>(&'a Tree<P>);

impl<P: Point> Search<P> for Points<'_, P> {
    type Name = u64;

    fn holders(&self, p: P, n: usize, ranks: &mut Vec<u32>) -> Result<(), orthant::Error> {
        self.0.top.ranks_with(None, p, n, ranks)
    }

    fn near(&self, ball: Sphere<P>, ranks: &mut Vec<u32>) -> Result<(), orthant::Error> {
        self.0.top.ranks_of(Meets::new(ball), ranks);
        Ok(())
    }

    fn answer(
        &self,
        points: &[P],
        n: usize,
        radii: &[P::Scalar],
    ) -> Result<Answers<P::Scalar, u64>, orthant::Error> {
        let Tree { local, ids, .. } = self.0;
        if radii.iter().all(|&radius| radius == P::Scalar::INFINITY) {
            // One batch takes half the time.
            let near = local.nearest_n_batch(points, n);
            let items = near.items();
            return Ok(Answers {
                lens: items.iter().map(|list| list.len()).collect(),
                names: items.items().iter().map(|&i| ids[i as usize]).collect(),
                distances: near.into_parts().1,
            });
        }
        let each = points.iter().zip(radii);
        Ok(answers(each.map(|(&p, &radius)| {
            let near = local.nearest_n_within(p, n, radius);
            near.into_iter()
                .map(|near| (near.distance_sq, ids[near.item]))
        })))
    }
}

struct Images<'a, P: Point>(&'a Tree<P>, &'a Periodic<P>);

impl<P: Point> Search<P> for Images<'_, P> {
    type Name = Packed;

    fn holders(&self, p: P, n: usize, ranks: &mut Vec<u32>) -> Result<(), orthant::Error> {
        self.0.top.ranks_with(Some(self.1), p, n, ranks)
    }

    fn near(&self, ball: Sphere<P>, ranks: &mut Vec<u32>) -> Result<(), orthant::Error> {
        self.0
            .top
            .ranks_in_images(self.1, Meets::in_images(ball), ranks)
    }

    fn answer(
        &self,
        points: &[P],
        n: usize,
        radii: &[P::Scalar],
    ) -> Result<Answers<P::Scalar, Packed>, orthant::Error> {
        let Tree { local, ids, .. } = self.0;
        let each = points.iter().zip(radii);
        let lists = each.map(|(&p, &radius)| self.1.nearest_n_within(local, p, n, radius));
        let lists = lists.collect::<Result<Vec<_>, _>>()?;
        Ok(answers(lists.into_iter().map(|list| {
            list.into_iter().map(|near| {
                let (i, image) = near.item;
                (near.distance_sq, pack(P::DIM, ids[i], &image))
            })
        })))
    }
}

fn answers<S, T>(lists: impl Iterator<Item = impl Iterator<Item = (S, T)>>) -> Answers<S, T> {
    let (mut lens, mut names, mut distances) = (Vec::new(), Vec::new(), Vec::new());
    for list in lists {
        let before = names.len();
        for (distance, name) in list {
            names.push(name);
            distances.push(distance);
        }
        lens.push(names.len() - before);
    }
    Answers {
        lens,
        names,
        distances,
    }
}

impl<P: Point> Tree<P> {
    /// Returns for each point of this rank the `n` nearest of all points, by distance, ties by id; all points if there are fewer. A point of the
    /// cloud is its own nearest.
    ///
    /// # Errors
    ///
    /// If a point is not finite (the error has its number on its rank), `n` differs between ranks, or answers take more than the budget of a
    /// rank.
    ///
    /// # Complexity
    ///
    /// O(log P + n log n) for each point and each rank that gets it: with balanced points mostly one rank, and a second one for about 2 in 100
    /// points. Ten exchanges.
    pub fn nearest_n(
        &self,
        ranks: &Ranks,
        points: &[P],
        n: usize,
    ) -> Result<NearestIds<P::Scalar>, Error> {
        self.nearest_of(ranks, points, n, Ok(Points(self)))
    }

    /// Returns the nearest of all images of the points of a periodic cloud: ties by id, then by image, axis 0 fastest. A point may come several
    /// times. The answers are those of [`Periodic::nearest_n`] for all points.
    ///
    /// # Errors
    ///
    /// The errors of [`nearest_n`](Self::nearest_n), and if the cloud is not periodic or the nearest may lie in more than a hundred images on an
    /// axis.
    ///
    /// # Complexity
    ///
    /// The cost of [`nearest_n`](Self::nearest_n) for each image that may hold one of them, mostly 1 to 8.
    #[allow(
        clippy::type_complexity,
        reason = "an id and an image: each part has its name"
    )]
    pub fn nearest_n_in_images(
        &self,
        ranks: &Ranks,
        points: &[P],
        n: usize,
    ) -> Result<NearestIds<P::Scalar, (u64, P::Voxel)>, Error> {
        let search = self.periodic().map(|periodic| Images(self, periodic));
        let near = self.nearest_of(ranks, points, n, search)?;
        Ok(NearestIds {
            ids: ranks.agree(unpacked(&near.ids))?,
            distances_sq: near.distances_sq,
            asked: near.asked,
        })
    }

    fn nearest_of<F: Search<P>>(
        &self,
        ranks: &Ranks,
        points: &[P],
        n: usize,
        search: Result<F, Cause>,
    ) -> Result<NearestIds<P::Scalar, F::Name>, Error> {
        let _call = ranks.tell("asking for the nearest points");
        ranks.same("the number of nearest", &[n as u64])?;
        let numbers: Vec<u64> = (0..points.len() as u64).collect();
        let search = ranks.agree(search.and_then(|search| {
            check(points, &numbers)?;
            Ok(search)
        }))?;
        let questions = if n == 0 { 0 } else { points.len() };
        let mut found: Vec<Best<P::Scalar, F::Name>> = vec![Vec::new(); points.len()];
        let mut first: Vec<Vec<u32>> = Vec::with_capacity(questions);
        let routes = Routes::new(ranks.size(), questions, |i, ranks| {
            search.holders(points[i], n, ranks)?;
            first.push(ranks.clone());
            Ok::<(), orthant::Error>(())
        });
        let routes = ranks.agree(routes.map_err(Cause::argument))?;
        let infinite = vec![P::Scalar::INFINITY; points.len()];
        phase(ranks, &search, (points, n, &infinite), &routes, &mut found)?;

        let worst = |best: &Best<P::Scalar, F::Name>| match best.get(n.wrapping_sub(1)) {
            Some(&(distance_sq, _)) => reach(distance_sq),
            None => P::Scalar::INFINITY,
        };
        let radii: Vec<P::Scalar> = found.iter().map(worst).collect();
        let again = Routes::new(ranks.size(), questions, |i, ranks| {
            match Sphere::try_new(points[i], radii[i]) {
                Ok(ball) => search.near(ball, ranks)?,
                Err(_) => self.top.all_ranks(ranks),
            }
            ranks.retain(|rank| first[i].binary_search(rank).is_err());
            Ok::<(), orthant::Error>(())
        });
        let again = ranks.agree(again.map_err(Cause::argument))?;
        phase(ranks, &search, (points, n, &radii), &again, &mut found)?;

        let offsets = std::iter::once(0).chain(found.iter().scan(0, |sum, best| {
            *sum += best.len();
            Some(*sum)
        }));
        let names = found.iter().flatten().map(|&(_, name)| name).collect();
        let lists = Lists::from_parts(offsets.collect(), names).map_err(Cause::argument);
        let distances = found.iter().flatten().map(|&(distance_sq, _)| distance_sq);
        Ok(NearestIds {
            ids: ranks.agree(lists)?,
            distances_sq: distances.collect(),
            asked: [routes.numbers.len() as u64, again.numbers.len() as u64],
        })
    }
}

/// Asks some ranks about some points, and keeps the best.
fn phase<P: Point, F: Search<P>>(
    ranks: &Ranks,
    search: &F,
    (points, n, radii): (&[P], usize, &[P::Scalar]),
    routes: &Routes,
    found: &mut [Best<P::Scalar, F::Name>],
) -> Result<(), Error> {
    let asked = ranks.exchange(&routes.sorted(points), &routes.counts)?;
    let radii = ranks.exchange(&routes.sorted(radii), &routes.counts)?.items;
    let answers = search.answer(&asked.items, n, &radii);
    let answers = ranks.agree(answers.map_err(Cause::argument))?;
    let (lens, counts) = Tree::<P>::lens_back(ranks, &asked.starts, &answers.lens)?;
    let names = ranks.exchange(&answers.names, &counts)?.items;
    let distances = ranks.exchange(&answers.distances, &counts)?.items;
    let mut from = 0;
    for (&question, len) in routes.numbers.iter().zip(lens) {
        let best = &mut found[question as usize];
        let come = distances[from..from + len]
            .iter()
            .zip(&names[from..from + len]);
        best.extend(come.map(|(&distance_sq, &name)| (distance_sq, name)));
        // Squares are not negative, so their bits are ordered like them.
        best.sort_unstable_by_key(|&(distance_sq, name)| (distance_sq.to_bits(), name));
        best.truncate(n);
        from += len;
    }
    Ok(())
}

/// Returns the least radius whose square is at least `distance_sq`: the rounded root, or the next number.
fn reach<S: Scalar>(distance_sq: S) -> S {
    let mut radius = distance_sq.sqrt();
    while radius * radius < distance_sq {
        radius = radius.next_up();
    }
    radius
}

//! Groups of friends, and clusters by density: points that are connected by a chain of steps no longer than a length.
//!
//! ```text
//! each rank joins its points and copies, and names each group by its least id
//! if the owner of a copy has another name for it, the two names are linked
//! linked names are joined on their home ranks, in rounds that do not grow with the number of ranks that a chain crosses
//! ```
//!
//! Nothing of this is ever on every rank, and only names of groups that touch another rank are looked up: for galaxies some tens of bytes for
//! each hundred points.

mod directory;

use orthant::Orthtree;

use crate::cloud::bytes_in_tree;
use crate::halo::each_list;
use crate::{Cause, Cloud, Copies, Error, Halo, Point, Ranks};
use directory::Directory;

/// Groups of the points of a cloud, from [`Cloud::groups`] and [`Cloud::dbscan`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupIds {
    /// For each point of this rank the least id of its group, or [`NOISE`](Self::NOISE) if it is in none. A cluster by density has the least id
    /// of its core points.
    pub labels: Vec<u64>,
    /// The number of groups over all ranks.
    pub groups: u64,
    /// The number of rounds in which names were joined: 1 if no group is on two ranks.
    pub rounds: u64,
    /// The number of copies of other ranks' points on this rank.
    pub copies: usize,
}

impl GroupIds {
    /// The label of points that are in no group.
    pub const NOISE: u64 = u64::MAX;
}

impl<P: Point> Cloud<P> {
    /// Finds friends of friends: the connected components of the points, where two points are near if they are at most `length` apart. In a
    /// periodic box, images count too. Single points are groups.
    ///
    /// The groups are those of [`Orthtree::components`] and [`Periodic::components`](orthant::Periodic::components) for all points; a group is
    /// named by its least id.
    ///
    /// # Errors
    ///
    /// The errors of [`Halo::new`], and if the length reaches across more than a hundred periodic boxes.
    ///
    /// # Complexity
    ///
    /// A halo, O(n) for groups on each rank, and O(log P) rounds of some exchanges of the names that touch other ranks.
    pub fn groups(&self, ranks: &Ranks, length: P::Scalar) -> Result<GroupIds, Error> {
        self.dbscan(ranks, length, 1)
    }

    /// Finds clusters by density. Core points have at least `min_points` points within the radius, themselves included, and form a cluster with
    /// all points within the radius of one of them. A point that is no core point but near several clusters belongs to the one of the least
    /// name. In a periodic box, each image counts.
    ///
    /// The clusters are those of [`Orthtree::dbscan`] and [`Periodic::dbscan`](orthant::Periodic::dbscan) for all points; a cluster is named by
    /// the least id of its core points.
    ///
    /// # Errors
    ///
    /// The errors of [`groups`](Self::groups), and if `min_points` differs between ranks.
    ///
    /// # Complexity
    ///
    /// The cost of [`groups`](Self::groups), and the lists of all points, which are not kept.
    pub fn dbscan(
        &self,
        ranks: &Ranks,
        radius: P::Scalar,
        min_points: usize,
    ) -> Result<GroupIds, Error> {
        let _call = ranks.tell("finding groups");
        ranks.same("the least number of points", &[min_points as u64])?;
        let halo = Halo::new(ranks, self, radius)?;
        let core = cores(ranks, &halo, min_points)?;
        let _call = ranks.tell("joining points of this rank");
        let many = halo.points().len();
        // This is a tree of all points and copies, their names here, and the names that their owners have for them.
        let room = ranks.take(many * (bytes_in_tree::<P>() + 2 * size_of::<u64>()));
        let names = ranks.agree(room.and_then(|()| names(&halo, &core, radius)))?;
        let own: Vec<u64> = halo.own().iter().map(|&i| names[i as usize]).collect();
        let theirs = halo.fill(ranks, &own)?;
        let mut links = Vec::new();
        let mut touched = Vec::new();
        for &copy in halo.places_of_copies() {
            let (here, there) = (names[copy as usize], theirs[copy as usize]);
            if core[copy as usize] != 0 {
                touched.push(here);
                // The other rank finds the same link; it is followed from the higher name only.
                if here > there {
                    links.push([here, there]);
                }
            }
        }
        let _call = ranks.tell("joining groups of all ranks");
        let mut directory = Directory::new(ranks, self);
        let rounds = directory.join(links)?;
        touched.sort_unstable();
        touched.dedup();
        let tops = directory.look_up(&touched)?;
        let top = |name: &u64| touched.binary_search(name).map_or(*name, |at| tops[at]);
        let mut labels: Vec<u64> = own.iter().map(top).collect();
        borders(ranks, &halo, &core, &mut labels)?;
        let named = labels
            .iter()
            .zip(self.ids())
            .filter(|(label, id)| label == id)
            .count();
        Ok(GroupIds {
            groups: ranks.sum(&[named as u64])[0],
            labels,
            rounds,
            copies: halo.copies(),
        })
    }
}

/// Returns which points and copies are core points, as bytes that can be sent.
fn cores<P: Point>(ranks: &Ranks, halo: &Halo<P>, min_points: usize) -> Result<Vec<u8>, Error> {
    if min_points <= 1 {
        return Ok(vec![1; halo.points().len()]);
    }
    let counts = halo.count_neighbors(ranks)?;
    let own: Vec<u8> = counts
        .iter()
        .map(|&count| u8::from(count as usize >= min_points))
        .collect();
    halo.fill(ranks, &own)
}

/// Returns for each core point, own or copy, the least id of the points that it is joined with here; others have none.
fn names<P: Point>(copies: &Copies<P>, core: &[u8], radius: P::Scalar) -> Result<Vec<u64>, Cause> {
    let numbers: Vec<usize> = (0..core.len()).filter(|&i| core[i] != 0).collect();
    let points: Vec<P> = numbers.iter().map(|&i| copies.points()[i]).collect();
    let tree = Orthtree::try_new(&points).map_err(|error| Cause::of(error, copies.ids()))?;
    let groups = match copies.periodic() {
        Some(periodic) => periodic
            .components(&tree, radius)
            .map_err(Cause::argument)?,
        None => tree.components(radius),
    };
    // Ids grow with numbers, so the first point of a group has the least.
    let mut least = vec![GroupIds::NOISE; groups.len()];
    let mut names = vec![GroupIds::NOISE; core.len()];
    for (&number, &group) in numbers.iter().zip(groups.labels()) {
        let least = &mut least[group as usize];
        *least = copies.ids()[number].min(*least);
        names[number] = *least;
    }
    Ok(names)
}

/// Assigns points that are no core points to the cluster of the least name among the core points near them.
fn borders<P: Point>(
    ranks: &Ranks,
    halo: &Halo<P>,
    core: &[u8],
    labels: &mut [u64],
) -> Result<(), Error> {
    let is_border = |i: &usize| core[halo.own()[*i] as usize] == 0;
    let border: Vec<usize> = (0..labels.len()).filter(is_border).collect();
    if ranks.sum(&[border.len() as u64])[0] == 0 {
        return Ok(());
    }
    let all = halo.fill(ranks, labels)?;
    let cells = ranks.agree(halo.cells(ranks, halo.points()))?;
    let asking: Vec<u32> = border.iter().map(|&i| halo.own()[i]).collect();
    each_list(&cells, &asking, |i, list| {
        let near = list.iter().filter(|&&i| core[i as usize] != 0);
        let least = near.map(|&i| all[i as usize]).min();
        labels[border[i]] = least.unwrap_or(GroupIds::NOISE);
    });
    Ok(())
}

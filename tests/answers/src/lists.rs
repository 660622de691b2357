//! Hashes all pairs within a radius, groups, and pairs of two trees.

use alloc::vec::Vec;

use orthant::{Aabb, CellLevels, CellList, NeighborLists, Orthtree, Periodic, Reach, Vector};

use crate::places::{Numbers, number, points};
use crate::{Hash, Said};

const MANY: usize = 1000;

fn of_lists(lists: &NeighborLists) -> Hash {
    let mut hash = Hash::new();
    for list in lists {
        list.into_iter().for_each(|i| hash.index(i));
        hash.end();
    }
    hash
}

pub(crate) fn all<V: Vector>(said: &mut Said, name: &str) {
    let set = said.instructions;
    let (places, others) = (points::<V>(MANY, 6), points::<V>(MANY / 2, 7));
    let radius = number::<V::Scalar>(0.08);
    let cells = CellList::new(&places, radius).with_instructions(set);
    said.say(name, "lists of cells", of_lists(&cells.neighbors()));
    said.say(
        name,
        "lists of others",
        of_lists(&cells.neighbors_of(&others).expect("finite")),
    );
    let mut hash = Hash::new();
    cells.for_each_pair(|i, j, way, distance_sq| {
        hash.index(i);
        hash.index(j);
        hash.vector(way);
        hash.number(distance_sq);
    });
    let ends = [0.01, 0.03, 0.08].map(number::<V::Scalar>);
    for count in cells.pair_counts(&ends).expect("ends within the radius") {
        hash.word(count);
    }
    said.say(name, "pairs of cells", hash);

    let room = Aabb::new(V::from_fn(|_| number(0.0)), V::from_fn(|_| number(1.0)));
    let around =
        CellList::new_periodic(&places, radius, Periodic::new(room)).with_instructions(set);
    said.say(
        name,
        "lists in a periodic box",
        of_lists(&around.neighbors()),
    );
    let mut hash = Hash::new();
    around.for_each_pair_in_images(|i, j, _, way, distance_sq| {
        hash.index(i);
        hash.index(j);
        hash.vector(way);
        hash.number(distance_sq);
    });
    said.say(name, "pairs in images", hash);

    let mut numbers = Numbers::new(8);
    let radii: Vec<V::Scalar> = places
        .iter()
        .map(|_| numbers.unit::<V::Scalar>() * radius)
        .collect();
    let levels = CellLevels::new(&places, &radii, Reach::Larger).with_instructions(set);
    said.say(name, "lists of levels", of_lists(&levels.neighbors()));

    let tree = Orthtree::new(&places).with_instructions(set);
    let small = number::<V::Scalar>(if V::DIM == 2 { 0.02 } else { 0.05 });
    said.say(name, "lists of a tree", of_lists(&tree.neighbors(small)));
    let other = Orthtree::new(&others).with_instructions(set);
    said.say(
        name,
        "lists of two trees",
        of_lists(&tree.neighbors_of(&other, small)),
    );
    let mut hash = Hash::new();
    for groups in [tree.components(small), tree.dbscan(small, 4)] {
        for i in 0..MANY {
            hash.word(groups.label(i).map_or(u64::MAX, |label| label as u64));
        }
        hash.end();
    }
    said.say(name, "components and clusters", hash);
    let mut hash = Hash::new();
    let all = tree.nearest_n_of_all(5, false);
    for i in 0..MANY {
        for near in all.list(i) {
            hash.index(near.item);
            hash.number(near.distance_sq);
        }
        hash.end();
    }
    for count in tree.count_neighbors(&other, &ends, false) {
        hash.word(count);
    }
    said.say(name, "nearest of all, counts", hash);
}

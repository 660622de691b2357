//! Compares a set of bricks with a `BTreeSet` of voxels.

use std::collections::BTreeSet;

use orthant::{Adjacency, Brick, BrickSet, Sphere, VoxelGrid};
use proptest::prelude::*;

use crate::cases::cases;

pub(crate) type Voxel = [i32; 3];
pub(crate) type Model = BTreeSet<Voxel>;

pub(crate) const ALL: [Adjacency; 3] = [Adjacency::Faces, Adjacency::Edges, Adjacency::Corners];

/// Makes voxels that are often at corners of bricks and tiles, and at the ends of the indices.
pub(crate) fn voxel() -> impl Strategy<Value = Voxel> {
    let index = || {
        prop_oneof![
            8 => -3..4i32,
            3 => 5..11i32,
            2 => 62..66i32,
            1 => Just(i32::MIN),
            1 => Just(i32::MAX),
        ]
    };
    [index(), index(), index()]
}

pub(crate) fn voxels(most: usize) -> impl Strategy<Value = Vec<Voxel>> {
    let dense = (0..120usize, any::<u64>()).prop_map(|(n, seed)| {
        let mixed = |i: u64| (seed ^ i).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20;
        let at = |i: u64| [0, 8, 16].map(|by| (mixed(i) >> by) as i32 % 5 + 6);
        (0..n as u64).map(at).collect()
    });
    prop_oneof![proptest::collection::vec(voxel(), 0..most), dense]
}

pub(crate) fn listed(set: &BrickSet<Voxel>) -> Model {
    let listed: Vec<Voxel> = set.iter().collect();
    let key = |v: &Voxel| {
        let at = |shift: i32| [v[2] >> shift, v[1] >> shift, v[0] >> shift];
        [at(6), at(3), at(0)]
    };
    assert!(listed.is_sorted_by_key(key), "{listed:?}");
    assert_eq!(set.iter().fold(0, |n, _| n + 1), listed.len());
    assert_eq!(set.len(), listed.len() as u64);
    assert_eq!(
        set.bricks().flat_map(Brick::voxels).collect::<Vec<_>>(),
        listed
    );
    set.validate().unwrap();
    listed.into_iter().collect()
}

pub(crate) fn neighbours(voxel: Voxel, adjacency: Adjacency) -> impl Iterator<Item = Voxel> {
    let axes = match adjacency {
        Adjacency::Faces => 1,
        Adjacency::Edges => 2,
        Adjacency::Corners => 3,
    };
    let steps = (0..27).map(|code| [code % 3 - 1, code / 3 % 3 - 1, code / 9 - 1]);
    let steps = steps.filter(move |step: &[i32; 3]| {
        (1..=axes).contains(&step.iter().filter(|&&by| by != 0).count())
    });
    steps.filter_map(move |step| {
        let mut there = voxel;
        for (index, by) in there.iter_mut().zip(step) {
            *index = index.checked_add(by)?;
        }
        Some(there)
    })
}

/// Returns all voxels that are connected with a voxel.
fn flood(model: &Model, from: Voxel, adjacency: Adjacency) -> Model {
    let mut found = Model::from([from]);
    let mut pending = vec![from];
    while let Some(voxel) = pending.pop() {
        for next in neighbours(voxel, adjacency) {
            if model.contains(&next) && found.insert(next) {
                pending.push(next);
            }
        }
    }
    found
}

#[derive(Clone, Debug)]
enum Step {
    Insert(Voxel),
    Remove(Voxel),
    Or(Vec<Voxel>),
    And(Vec<Voxel>),
    Xor(Vec<Voxel>),
    Sub(Vec<Voxel>),
    Clear,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        8 => voxel().prop_map(Step::Insert),
        4 => voxel().prop_map(Step::Remove),
        2 => voxels(30).prop_map(Step::Or),
        1 => voxels(30).prop_map(Step::And),
        1 => voxels(30).prop_map(Step::Xor),
        1 => voxels(30).prop_map(Step::Sub),
        1 => Just(Step::Clear),
    ];
    proptest::collection::vec(step, 0..60)
}

proptest! {
    #![proptest_config(cases(32, 32))]

    #[test]
    fn a_set_is_its_model(steps in steps()) {
        let (mut set, mut model) = (BrickSet::new(), Model::new());
        for step in steps {
            match step {
                Step::Insert(voxel) => prop_assert_eq!(set.insert(voxel), model.insert(voxel)),
                Step::Remove(voxel) => prop_assert_eq!(set.remove(voxel), model.remove(&voxel)),
                Step::Or(more) => {
                    set |= &more.iter().copied().collect();
                    model.extend(more);
                }
                Step::And(some) => {
                    set &= &some.iter().copied().collect();
                    model = &model & &some.into_iter().collect();
                }
                Step::Xor(some) => {
                    set ^= &some.iter().copied().collect();
                    model = &model ^ &some.into_iter().collect();
                }
                Step::Sub(some) => {
                    set -= &some.iter().copied().collect();
                    model = &model - &some.into_iter().collect();
                }
                Step::Clear => {
                    set.clear();
                    model.clear();
                }
            }
            prop_assert_eq!(set.is_empty(), model.is_empty());
        }
        prop_assert_eq!(listed(&set), model.clone());
        // Sets of equal voxels are equal, whatever their history.
        prop_assert_eq!(&model.iter().rev().copied().collect::<BrickSet<Voxel>>(), &set);
        let ends = |pick: fn(i32, i32) -> i32| {
            model.iter().copied().reduce(|a, b| [0, 1, 2].map(|i| pick(a[i], b[i])))
        };
        prop_assert_eq!(set.bounds(), ends(i32::min).zip(ends(i32::max)));
    }

    #[test]
    fn sets_compare_as_their_models(a in voxels(20), b in voxels(20), subset in any::<bool>()) {
        let a: Model = a.into_iter().collect();
        let mut b: Model = b.into_iter().collect();
        if subset {
            b.extend(&a);
        }
        let sets: [BrickSet<Voxel>; 2] = [&a, &b].map(|model| model.iter().copied().collect());
        prop_assert_eq!(sets[0].is_subset(&sets[1]), a.is_subset(&b));
        prop_assert_eq!(sets[0].is_disjoint(&sets[1]), a.is_disjoint(&b));
        prop_assert_eq!(sets[0] == sets[1], a == b);
        prop_assert_eq!(listed(&(&sets[0] | &sets[1])), &a | &b);
        prop_assert_eq!(listed(&(&sets[0] & &sets[1])), &a & &b);
        prop_assert_eq!(listed(&(&sets[0] ^ &sets[1])), &a ^ &b);
        prop_assert_eq!(listed(&(&sets[0] - &sets[1])), &a - &b);
    }

    #[test]
    fn neighbours_grow_and_shrink_a_set(voxels in voxels(40)) {
        let model: Model = voxels.into_iter().collect();
        let set: BrickSet<Voxel> = model.iter().copied().collect();
        for adjacency in ALL {
            let around = |&v: &Voxel| neighbours(v, adjacency).chain([v]);
            let grown: Model = model.iter().flat_map(around).collect();
            prop_assert_eq!(listed(&set.dilated(adjacency)), grown.clone());
            let shrunk = |model: &Model| -> Model {
                let all = |&v: &Voxel| {
                    let there = neighbours(v, adjacency).filter(|v| model.contains(v)).count();
                    there == [6, 18, 26][adjacency as usize]
                };
                model.iter().copied().filter(all).collect()
            };
            prop_assert_eq!(listed(&set.eroded(adjacency)), shrunk(&model));
            prop_assert_eq!(listed(&set.dilated(adjacency).eroded(adjacency)), shrunk(&grown));
            for &v in &grown {
                let there = neighbours(v, adjacency).filter(|v| model.contains(v));
                prop_assert!(set.neighbors(v, adjacency).eq(there));
            }
        }
    }

    #[test]
    fn components_are_what_is_connected(voxels in voxels(40)) {
        let model: Model = voxels.into_iter().collect();
        let set: BrickSet<Voxel> = model.iter().copied().collect();
        for adjacency in ALL {
            let parts = set.components(adjacency);
            let firsts: Vec<Voxel> = parts.iter().filter_map(|part| part.iter().next()).collect();
            prop_assert_eq!(firsts.len(), parts.len());
            // Components are numbered by their first voxels, in the order of the set.
            let mut left = model.clone();
            let mut number = 0;
            for first in &set {
                if !left.contains(&first) {
                    continue;
                }
                let expected = flood(&model, first, adjacency);
                prop_assert_eq!(&listed(&parts[number]), &expected);
                prop_assert_eq!(listed(&set.component(first, adjacency)), expected.clone());
                left = &left - &expected;
                number += 1;
            }
            prop_assert_eq!(number, parts.len());
        }
        prop_assert!(set.component([1, 1, 40], Adjacency::Corners).is_empty());
    }

    #[test]
    fn what_is_enclosed_cannot_be_reached(
        walls in proptest::collection::vec((0..3usize, 0..4i32, 0..4i32, 1..5i32), 0..12),
        holes in voxels(12),
        far in 0..3i32,
    ) {
        // The set has walls of cubes of different sizes, with some holes.
        let at = |a: i32| a * 5 + 2;
        let mut model = Model::new();
        for (axis, a, b, edge) in walls {
            let low: Voxel = [at(a), at(b), at((a + b) % 3)];
            let high = low.map(|i| i + edge + 6 * far);
            for z in low[2]..=high[2] {
                for y in low[1]..=high[1] {
                    for x in low[0]..=high[0] {
                        let v = [x, y, z];
                        if (0..3).any(|i| v[i] == low[i] || v[i] == high[i]) || v[axis] == low[axis] + 3 {
                            model.insert(v);
                        }
                    }
                }
            }
        }
        for hole in holes {
            model.remove(&hole);
        }
        let set: BrickSet<Voxel> = model.iter().copied().collect();
        let all = BrickSet::block([0; 3], [50; 3]);
        for adjacency in ALL {
            let outside = (&all - &set).component([0; 3], adjacency);
            let enclosed = &(&all - &set) - &outside;
            prop_assert_eq!(set.enclosed(adjacency), enclosed);
        }
    }

    #[test]
    fn a_query_is_what_both_have(voxels in voxels(40), center in [-4.0..12.0f64, 0.0..9.0, -4.0..70.0], radius in 0.0..9.0f64) {
        let set: BrickSet<Voxel> = voxels.into_iter().collect();
        let grid = VoxelGrid::new([0.25; 3], 1.0);
        let ball = Sphere::new(center, radius);
        let near: Model = grid.voxels(ball).collect();
        prop_assert_eq!(listed(&set.query(&grid, ball)), &listed(&set) & &near);
        let mut left = set.clone();
        left.remove_region(&grid, ball);
        prop_assert_eq!(listed(&left), &listed(&set) - &near);
        left.insert_region(&grid, ball);
        prop_assert_eq!(listed(&left), &listed(&set) | &near);
    }
}

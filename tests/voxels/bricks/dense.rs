//! Dense blocks of bits.

use orthant::{BitGrid, BrickSet, Error, Hollow, Sphere, VoxelGrid};
use proptest::prelude::*;

use super::model::{Model, Voxel, listed, voxels};
use crate::cases::cases;

proptest! {
    #![proptest_config(cases(60, 60))]

    #[test]
    fn a_block_is_what_a_set_has_there(
        voxels in voxels(60), start in [-9..9i32, -9..9i32, -9..9i32], size in [1..140i32, 1..12i32, 1..12i32],
    ) {
        let set: BrickSet<Voxel> = voxels.into_iter().collect();
        let end = [0, 1, 2].map(|a| start[a] + size[a]);
        let bits = BitGrid::from_bricks(&set, start, end);
        let there = &set & &BrickSet::block(start, end);
        prop_assert_eq!(bits.to_bricks(), there.clone());
        prop_assert_eq!(bits.iter().collect::<Model>(), listed(&there));
        let by_row = bits.iter().map(|[x, y, z]| [z, y, x]);
        prop_assert!(by_row.collect::<Vec<_>>().is_sorted());
        prop_assert_eq!((bits.len(), bits.is_empty()), (there.len(), there.is_empty()));
        prop_assert!(set.iter().all(|voxel| bits.contains(voxel) == there.contains(voxel)));
        prop_assert_eq!(bits.rows().len(), (size[1] * size[2]) as usize);
    }

    #[test]
    fn a_region_is_clipped(center in [-4.0..70.0f64, -4.0..9.0], radius in 0.0..40.0f64, x in -9..9i32) {
        let grid = VoxelGrid::new([0.0; 2], 1.0);
        let ring = Hollow(Sphere::new(center, radius));
        let (start, end) = ([x, -3], [x + 131, 6]);
        let mut bits = BitGrid::new(start, end);
        bits.insert_region(&grid, ring);
        let within = |v: &[i32; 2]| (0..2).all(|a| (start[a]..end[a]).contains(&v[a]));
        let expected: Vec<[i32; 2]> = grid.voxels(ring).filter(within).collect();
        prop_assert_eq!(bits.iter().collect::<Vec<_>>(), expected);
    }
}

#[test]
fn voxels_of_a_block_come_and_go() {
    let mut bits = BitGrid::new([i32::MIN, 5], [i32::MIN + 65, 7]);
    let last = [i32::MIN + 64, 6];
    assert!(bits.insert(last) && !bits.insert(last) && bits.contains(last));
    assert_eq!(bits.words(), [0, 0, 0, 1]);
    assert!(bits.remove(last) && !bits.remove(last) && bits.is_empty());
    let beyond = [i32::MIN + 65, 6];
    assert!(!bits.insert(beyond) && !bits.contains(beyond) && !bits.remove(beyond));
    assert_eq!(
        (bits.start(), bits.end(), bits.extent(0)),
        ([i32::MIN, 5], [i32::MIN + 65, 7], 65)
    );
}

#[test]
fn blocks_that_cannot_be_are_refused() {
    let refused = Error::EmptyBlock {
        axis: 1,
        start: 3,
        end: 3,
    };
    assert_eq!(BitGrid::try_new([0, 3, 0], [1, 3, 1]), Err(refused));
    // Such a block has more voxels than addresses, or more than any machine's memory.
    for end in [i32::MAX, i32::MIN + (1 << 20)] {
        let all = BitGrid::try_new([i32::MIN; 3], [end; 3]);
        assert!(matches!(all, Err(Error::BlockTooLarge { .. })));
        assert!(all.unwrap_err().to_string().contains("no memory"));
    }
}

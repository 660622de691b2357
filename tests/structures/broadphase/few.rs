//! Steps in which few bodies move, so that each queries the tree with its old and its new box.

use orthant::{Aabb, Broadphase, Motion};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

/// Neighbors in a long row part or come back, both in one step. Where two blocks of the tree meet, one body finds the old place of the other
/// only if bounds that are refitted in turn still hold old places.
#[test]
fn neighbors_in_a_row_part_and_come_back() {
    let random = &mut SmallRng::seed_from_u64(21);
    let mut at: Vec<f32> = (0..3000).map(|i| i as f32 * 0.75).collect();
    let unit = |x: f32| Aabb::new([x], [x + 1.0]);
    let mut world = Broadphase::new();
    let handles = world.insert_batch(at.iter().map(|&x| (unit(x), Motion::Dynamic)));
    world.update();
    let mut parted = vec![false; at.len()];
    for step in 0..40 {
        for _ in 0..150 {
            let i = random.random_range(0..at.len() / 2) * 2 + step % 2;
            if i + 1 == at.len() || i > 0 && parted[i - 1] || parted[i + 1] {
                continue;
            }
            let by = if parted[i] { -0.375 } else { 0.375 };
            parted[i] = !parted[i];
            at[i] -= by;
            at[i + 1] += by;
            for i in [i, i + 1] {
                world.set_bounds(handles[i], unit(at[i]));
            }
        }
        world.update();
        let pairs = world.pairs().map(|(a, b)| (a.slot(), b.slot()));
        // No body meets the third one to its right.
        let all = (0..at.len()).flat_map(|i| [(i, i + 1), (i, i + 2)]);
        let expected = all.filter(|&(i, j)| j < at.len() && at[j] <= at[i] + 1.0);
        assert!(pairs.eq(expected), "{step}");
    }
    assert!(parted.contains(&true));
}

//! The batch form, with more questions than one part of it holds, on any number of threads.

use orthant::glam::{Vec2, Vec3};
use orthant::{CellList, Linear, Octree, SpatialIndex, Sphere};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

#[test]
fn threads_do_not_show() {
    let mut random = SmallRng::seed_from_u64(1);
    let mut point = || Vec3::from_array(std::array::from_fn(|_| random.random()));
    let points: Vec<Vec3> = (0..3000).map(|_| point()).collect();
    let tree = Octree::new(&points);
    let cells = CellList::new(&points, 0.1);
    let balls: Vec<_> = (0..5000).map(|_| Sphere::new(point(), 0.1)).collect();
    let expected: Vec<Vec<u32>> = balls
        .iter()
        .map(|&ball| tree.query(ball).map(|i| i as u32).collect())
        .collect();
    assert!(expected.iter().any(|list| list.len() > 10));
    for threads in [1, 2, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let (lists, by_cells) = pool
            .build()
            .unwrap()
            .install(|| (tree.query_batch(&balls), cells.query_batch(&balls)));
        assert_eq!(lists.len(), balls.len());
        assert!(lists.iter().eq(&expected));
        assert_eq!(lists[4999], expected[4999]);
        assert_eq!(lists.offsets().last(), Some(&lists.items().len()));
        for (a, b) in by_cells.iter().zip(&expected) {
            let (mut a, mut b) = (a.to_vec(), b.clone());
            a.sort_unstable();
            b.sort_unstable();
            assert_eq!(a, b);
        }
    }
}

#[test]
fn no_question_has_no_answer() {
    let lists = Linear::new(&[Vec2::ZERO]).query_batch::<Sphere<Vec2>>(&[]);
    assert_eq!(
        (lists.len(), lists.is_empty(), lists.offsets()),
        (0, true, &[0][..])
    );
    assert!(lists.items().is_empty());
}

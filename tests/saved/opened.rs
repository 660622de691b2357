//! Trees that are opened in place.

use orthant::{
    Aabb, Bounded, DOctree, Distance, Error, Octree, Orthtree, Overlaps, SavedOrthtree, Sphere,
    Vector,
};

use crate::{Aligned, MANY, balls, boxes, points, same};

/// The opened tree answers bit for bit what the saved tree and its copy answer.
fn opens<T>(make: impl Fn(usize) -> Vec<T>)
where
    T: Bounded + Distance + Clone + PartialEq + std::fmt::Debug + Sync,
    Sphere<T::Vector>: Overlaps<T>,
    Aabb<T::Vector>: Overlaps<T>,
{
    for many in [0, 1, 2, 15, 16, 17, 64, 65, 300, 3000, MANY] {
        let tree = Orthtree::new(&make(many));
        let mut saved = Aligned::new(&tree.to_bytes());
        let opened = Orthtree::<T>::open(saved.bytes()).unwrap();
        opened.check().unwrap();
        opened.validate().unwrap();
        assert!(opened.bytes() < 1000 && opened.bytes() <= tree.bytes());
        same(&tree, &opened);
        // A clone does not need the bytes, which may change.
        let clone: Orthtree<T> = opened.clone();
        saved.bytes().fill(0xff);
        drop(saved);
        same(&tree, &clone);
    }
}

#[test]
fn trees_of_points_answer_where_they_lie() {
    opens(points::<[f32; 1]>);
    opens(points::<[f32; 2]>);
    opens(points::<[f32; 3]>);
    opens(points::<orthant::glam::Vec3A>);
    opens(points::<[f32; 4]>);
    opens(points::<[f64; 2]>);
    opens(points::<[f64; 3]>);
}

#[test]
fn trees_of_boxes_and_balls_answer_where_they_lie() {
    opens(boxes::<[f32; 3]>);
    opens(boxes::<[f64; 2]>);
    opens(boxes::<[f64; 4]>);
    opens(balls::<[f32; 2]>);
    opens(balls::<[f32; 3]>);
    opens(balls::<[f64; 3]>);
}

/// Compares all queries of points and of two trees, one or both of which are opened in place.
#[test]
fn neighbors_and_groups_are_the_same() {
    fn all<V: Vector>() {
        let radius = orthant::Scalar::from_f64(1.5);
        let (tree, other) = (
            Orthtree::new(&points::<V>(3000)),
            Orthtree::new(&points::<V>(500)),
        );
        let (mut bytes, mut others) = (
            Aligned::new(&tree.to_bytes()),
            Aligned::new(&other.to_bytes()),
        );
        let saved = Orthtree::<V>::open(bytes.bytes()).unwrap();
        let saved_other = Orthtree::<V>::open(others.bytes()).unwrap();
        assert_eq!(saved.neighbors(radius), tree.neighbors(radius));
        assert_eq!(
            saved.neighbors_of(&saved_other, radius),
            tree.neighbors_of(&other, radius)
        );
        assert_eq!(
            other.neighbors_of(&saved, radius),
            other.neighbors_of(&tree, radius)
        );
        assert_eq!(
            saved.nearest_n_of_all(5, false),
            tree.nearest_n_of_all(5, false)
        );
        assert_eq!(saved.components(radius), tree.components(radius));
        assert_eq!(saved.dbscan(radius, 9), tree.dbscan(radius, 9));
        assert_eq!(saved.closest_pair(), tree.closest_pair());
        assert_eq!(saved.hausdorff(&saved_other), tree.hausdorff(&other));
        let count = |tree: &Orthtree<V>, other| tree.count_neighbors(other, &[radius], true);
        assert_eq!(count(&saved, &saved_other), count(&tree, &other));
    }
    all::<[f32; 2]>();
    all::<[f32; 3]>();
    all::<[f64; 3]>();
}

/// Several threads query one tree, which moves to another thread.
#[test]
fn threads_share_it() {
    let tree = Octree::new(&points(1000));
    let mut bytes = Aligned::new(&tree.to_bytes());
    let saved = Octree::open(bytes.bytes()).unwrap();
    let ball = Sphere::new(orthant::glam::Vec3::ZERO, 5.0);
    let many = tree.count(ball);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| assert_eq!(saved.count(ball), many));
        }
        let saved: SavedOrthtree<_> = Octree::open(saved_again(&tree)).unwrap();
        scope.spawn(move || assert_eq!(saved.count(ball), many));
    });
}

/// Returns saved bytes that live forever.
fn saved_again(tree: &Octree) -> &'static [u8] {
    let bytes: &'static mut Aligned = Box::leak(Box::new(Aligned::new(&tree.to_bytes())));
    bytes.bytes()
}

#[test]
fn bytes_that_are_not_aligned_are_refused() {
    let bytes = Octree::new(&points(100)).to_bytes();
    let mut longer = Aligned::new(&[&[0; 64], &bytes[..]].concat());
    for shift in 1..64 {
        longer.bytes().rotate_left(1);
        let shifted = &longer.bytes()[64 - shift..][..bytes.len()];
        let refused = Octree::open(shifted).unwrap_err();
        let says = "saved tree: it does not begin at a multiple of 64 bytes: `from_bytes` takes it";
        assert_eq!(refused.to_string(), says);
        assert!(Octree::from_bytes(shifted).is_ok());
    }
    longer.bytes().rotate_left(1);
    assert!(Octree::open(&longer.bytes()[..bytes.len()]).is_ok());
}

#[test]
fn other_items_and_other_lengths_are_refused() {
    let tree = Octree::new(&points(100));
    let mut bytes = Aligned::new(&tree.to_bytes());
    let bytes = bytes.bytes();
    let what = "its items are of another kind, scalar or number of axes";
    assert_eq!(DOctree::open(bytes).unwrap_err(), Error::Saved { what });
    assert_eq!(
        Orthtree::<Sphere<[f32; 3]>>::open(bytes).unwrap_err(),
        Error::Saved { what }
    );
    let what = "it is cut short";
    for len in 0..bytes.len() {
        assert_eq!(
            Octree::open(&bytes[..len]).unwrap_err(),
            Error::Saved { what }
        );
    }
    let mut longer = Aligned::new(&[&*bytes, &[0]].concat());
    let what = "there are bytes behind it";
    assert_eq!(
        Octree::open(longer.bytes()).unwrap_err(),
        Error::Saved { what }
    );
    assert_eq!(
        format!("{:?}", Octree::open(bytes).unwrap()),
        format!("{tree:?}")
    );
}

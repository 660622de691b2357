//! Round trips through `from_bytes`.

use orthant::{Aabb, Bounded, Distance, Orthtree, Overlaps, Sphere};

use crate::{MANY, balls, boxes, points, same};

fn round_trip<T>(make: impl Fn(usize) -> Vec<T>)
where
    T: Bounded + Distance + Clone + PartialEq + std::fmt::Debug + Sync,
    Sphere<T::Vector>: Overlaps<T>,
    Aabb<T::Vector>: Overlaps<T>,
{
    for many in [0, 1, 2, 15, 16, 17, 64, 65, 300, 3000, MANY] {
        let tree = Orthtree::new(&make(many));
        let read = Orthtree::from_bytes(&tree.to_bytes()).unwrap();
        same(&tree, &read);
    }
    let default = Orthtree::<T>::default();
    same(
        &default,
        &Orthtree::from_bytes(&default.to_bytes()).unwrap(),
    );
}

#[test]
fn trees_of_points_answer_as_before() {
    round_trip(points::<[f32; 2]>);
    round_trip(points::<[f32; 3]>);
    round_trip(points::<[f64; 3]>);
    round_trip(points::<[f32; 1]>);
    round_trip(points::<[f64; 4]>);
}

#[test]
fn trees_of_boxes_and_balls_answer_as_before() {
    round_trip(boxes::<[f32; 3]>);
    round_trip(boxes::<[f64; 2]>);
    round_trip(balls::<[f32; 3]>);
    round_trip(balls::<[f64; 2]>);
}

/// Tests points so different that the tree is as deep as can be, and coincident points.
#[test]
fn deep_trees_and_coincident_points() {
    let mut deep = Vec::new();
    for exponent in -140..120 {
        for i in 0..40 {
            deep.push([2f32.powi(exponent) * (1.0 + i as f32 / 64.0), 0.0]);
        }
    }
    let alike = vec![[1.0f32, 2.0]; 10_000];
    let flat: Vec<[f32; 1]> = (0..50_000).map(|i| [1.0 / (i as f32 + 1.0)]).collect();
    let tree = Orthtree::new(&deep);
    same(&tree, &Orthtree::from_bytes(&tree.to_bytes()).unwrap());
    let tree = Orthtree::new(&alike);
    same(&tree, &Orthtree::from_bytes(&tree.to_bytes()).unwrap());
    let tree = Orthtree::new(&flat);
    same(&tree, &Orthtree::from_bytes(&tree.to_bytes()).unwrap());
}

#[test]
fn other_items_are_refused_by_name() {
    let bytes = Orthtree::new(&points::<[f32; 3]>(100)).to_bytes();
    let refused = [
        Orthtree::<[f64; 3]>::from_bytes(&bytes).unwrap_err(),
        Orthtree::<[f32; 2]>::from_bytes(&bytes).unwrap_err(),
        Orthtree::<Aabb<[f32; 3]>>::from_bytes(&bytes).unwrap_err(),
        Orthtree::<Sphere<[f32; 3]>>::from_bytes(&bytes).unwrap_err(),
    ];
    for error in refused {
        let says = "saved tree: its items are of another kind, scalar or number of axes";
        assert_eq!(error.to_string(), says);
    }
    let mut longer = bytes.clone();
    longer.push(0);
    let refused = Orthtree::<[f32; 3]>::from_bytes(&longer).unwrap_err();
    assert_eq!(refused.to_string(), "saved tree: there are bytes behind it");
    // Read bytes that are not aligned, as another vector type with the same numbers.
    longer.rotate_right(1);
    assert!(Orthtree::<orthant::glam::Vec3>::from_bytes(&longer[1..]).is_ok());
}

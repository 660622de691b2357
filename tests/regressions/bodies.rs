//! Bugs of bodies, and of bounds that cannot be trusted.

use orthant::{
    Aabb, BodyInfo, Bounded, Brick, BrickSet, Broadphase, CellList, Error, Event, Filter, Handle,
    LooseOrthtree, Motion, Orthtree, Periodic, Rigid, ShapeError, SpatialIndex, Sphere,
};

fn unit(x: f32) -> Aabb<[f32; 2]> {
    Aabb::new([x, 0.0], [x + 1.0, 1.0])
}

const NOWHERE: [f32; 2] = [0.0, f32::NAN];

fn is_not_finite<T>(refused: &Result<T, Error>, part: &str, axis: usize) -> bool {
    matches!(
        refused,
        Err(Error::Shape(ShapeError::NotFinite { part: p, axis: a, .. })) if (*p, *a) == (part, axis)
    )
}

/// After a refusal of each kind, the world is as before: answers, pairs, events and sleep.
#[test]
fn places_that_are_none_are_an_error_and_change_nothing() {
    for margin in [0.0, 0.5] {
        let mut world = Broadphase::new().with_margin(margin);
        let a = world.insert(unit(0.0), Motion::Dynamic);
        let b = world.insert(Sphere::new([1.5, 0.5], 0.5), Motion::Dynamic);
        assert_eq!(world.update(), [Event::Begin(a, b)]);
        world.sleep(a);
        world.update();
        let before =
            [a, b].map(|body| (world.volume(body), world.fat_bounds(body), world.path(body)));
        let far = Aabb::new([f32::MAX; 2], [f32::MAX; 2]);
        for body in [a, b] {
            assert!(is_not_finite(
                &world.try_set_bounds(body, NOWHERE.bounds()),
                "point",
                1
            ));
            assert!(is_not_finite(
                &world.try_set_swept(body, NOWHERE.bounds(), [0.0; 2]),
                "point",
                1
            ));
            assert!(is_not_finite(
                &world.try_set_swept(body, unit(9.0), NOWHERE),
                "path",
                1
            ));
            let beyond = world.try_set_swept(body, far, [f32::MAX, 0.0]);
            assert!(is_not_finite(&beyond, "displaced min", 0));
            let refused = world.try_set_bounds_expecting(body, unit(9.0), [f32::INFINITY, 0.0]);
            assert!(is_not_finite(&refused, "displacement", 0));
        }
        let gone = world.insert(unit(50.0), Motion::Dynamic);
        world.remove(gone);
        let stale = Err(Error::Stale { handle: gone });
        assert_eq!(world.try_set_bounds(gone, unit(0.0)), stale);
        assert_eq!(
            world.try_set_bounds_expecting(gone, unit(0.0), [0.0; 2]),
            stale
        );
        assert_eq!(world.try_set_swept(gone, unit(0.0), [0.0; 2]), stale);
        let after =
            [a, b].map(|body| (world.volume(body), world.fat_bounds(body), world.path(body)));
        assert_eq!(before, after);
        assert_eq!(world.is_asleep(a), Some(true));
        world.validate().unwrap();
        assert!(world.update().is_empty());
        assert!(world.pairs().eq([(a, b)]));

        assert_eq!(world.try_set_bounds(a, unit(9.0)), Ok(true));
        assert_eq!(world.try_set_bounds(a, unit(9.0)), Ok(false));
        assert_eq!(world.update(), [Event::End(a, b)]);
        assert_eq!(world.try_set_swept(a, unit(9.0), [-7.5, 0.0]), Ok(true));
        assert_eq!(world.update(), [Event::Begin(a, b)]);
        world.validate().unwrap();
    }
}

#[test]
fn what_else_takes_numbers_has_a_form_that_does_not_panic() {
    let mut tree = LooseOrthtree::new();
    let item = tree.insert([1.0, 2.0]);
    assert!(is_not_finite(&tree.try_update(item, NOWHERE), "point", 1));
    assert_eq!((tree[item], tree.len()), ([1.0, 2.0], 1));
    assert_eq!(tree.try_update(item, [3.0, 4.0]), Ok([1.0, 2.0]));
    tree.remove(item);
    assert_eq!(
        tree.try_update(item, [0.0; 2]),
        Err(Error::Stale { handle: item })
    );
    tree.validate().unwrap();

    let axis = |refused: ShapeError| match refused {
        ShapeError::NotFinite { axis, .. } => axis,
        other => panic!("{other}"),
    };
    assert_eq!(axis(Aabb::try_spanning(NOWHERE, [0.0; 2]).unwrap_err()), 1);
    assert_eq!(axis(Rigid::try_from_translation(NOWHERE).unwrap_err()), 1);
    let slip = orthant::glam::Quat::from_xyzw(0.0, 0.0, 1.0, 1.0);
    let slip = Rigid::try_from_rotation_translation(slip, orthant::glam::Vec3::ZERO);
    assert!(matches!(
        slip,
        Err(ShapeError::NotOrthonormal {
            first: 0,
            second: 0,
            ..
        })
    ));

    let mut set = BrickSet::new();
    for (coordinate, is_in) in [
        (-(1 << 28), true),
        ((1 << 28) - 1, true),
        (1 << 28, false),
        (i32::MIN, false),
    ] {
        let brick = Brick {
            coordinates: [0, 0, coordinate],
            mask: [1; 8],
        };
        let added = set.try_insert_brick(&brick);
        let value = f64::from(coordinate) * 8.0;
        assert_eq!(
            added,
            if is_in {
                Ok(())
            } else {
                Err(Error::OutOfRange { axis: 2, value })
            }
        );
    }
    assert_eq!(set.len(), 16);

    let points = Orthtree::new(&[[0.0, 0.0], [1.0, 0.0]]);
    let weigh = |weights| points.weigh_neighbors(&points, weights, &[1.0], true);
    assert_eq!(weigh([&[1.0, 2.0], &[4.0, 8.0]]), Ok(vec![36.0]));
    let refused = weigh([&[1.0, 2.0], &[1.0, f64::INFINITY]]).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "item 1: weight of the others is inf on axis 0, not a finite number"
    );
}

/// Events count from the last update or refresh.
#[test]
fn a_pair_that_a_refresh_found_has_no_begin() {
    let mut world = Broadphase::new();
    let [a, b] = [0.0, 1.0].map(|x| world.insert(unit(x), Motion::Dynamic));
    world.refresh();
    assert!(world.events().is_empty() && world.pairs().eq([(a, b)]));
    assert!(world.update().is_empty() && world.pairs().eq([(a, b)]));
    world.set_bounds(b, unit(5.0));
    world.refresh();
    assert_eq!(world.pairs().len(), 0);
    assert!(world.update().is_empty()); // the end was not reported either
    world.set_bounds(b, unit(0.5));
    assert_eq!(world.update(), [Event::Begin(a, b)]);
}

/// Compares boxes and balls on a lattice of whole numbers with integers.
#[test]
fn the_nearest_to_a_box_are_found_by_the_gap_of_each_axis() {
    let coordinate = |i: i64, by: i64| i * by % 23 - 11;
    let corners: Vec<[[i64; 2]; 2]> = (1..200)
        .map(|i| {
            let low = [coordinate(i, 7), coordinate(i * i, 5)];
            [low, [low[0] + i % 3, low[1] + i % 4]]
        })
        .collect();
    let cuboid =
        |[low, high]: [[i64; 2]; 2]| Aabb::new(low.map(|x| x as f64), high.map(|x| x as f64));
    let boxes: Vec<_> = corners.iter().copied().map(cuboid).collect();
    let points: Vec<[f64; 2]> = boxes.iter().map(Aabb::min).collect();
    let tree = Orthtree::new(&boxes);
    let mut loose = LooseOrthtree::new();
    loose.insert_batch(boxes.iter().copied());
    let mut world = Broadphase::new();
    world.insert_batch(boxes.iter().map(|&bounds| (bounds, Motion::Static)));
    let cells = CellList::new(&points, 3.0);
    for asked in corners.iter().step_by(9).copied() {
        let gap = |[low, high]: [[i64; 2]; 2]| -> i64 {
            let apart = |a: usize| (low[a] - asked[1][a]).max(asked[0][a] - high[a]).max(0);
            apart(0) * apart(0) + apart(1) * apart(1)
        };
        let sorted = |gaps: &mut dyn Iterator<Item = i64>| {
            let mut all: Vec<_> = gaps.enumerate().map(|(i, gap)| (gap as f64, i)).collect();
            all.sort_by(|a, b| a.partial_cmp(b).unwrap());
            all.truncate(40);
            all
        };
        let of_boxes = sorted(&mut corners.iter().map(|&corners| gap(corners)));
        let of_points = sorted(&mut corners.iter().map(|&[low, _]| gap([low, low])));
        let shape = cuboid(asked);
        let near = tree.nearest_n_to(shape, 40).into_iter();
        assert_eq!(
            near.map(|n| (n.distance_sq, n.item)).collect::<Vec<_>>(),
            of_boxes
        );
        let near = loose.nearest_n_to(shape, 40).into_iter();
        assert_eq!(
            near.map(|n| (n.distance_sq, n.item.slot()))
                .collect::<Vec<_>>(),
            of_boxes
        );
        let near = world.nearest_n_to(shape, 40).into_iter();
        assert_eq!(
            near.map(|n| (n.distance_sq, n.item.slot()))
                .collect::<Vec<_>>(),
            of_boxes
        );
        let near = cells.nearest_n_to(shape, 40).into_iter();
        assert_eq!(
            near.map(|n| (n.distance_sq, n.item)).collect::<Vec<_>>(),
            of_points
        );
    }
    assert_eq!(tree.nearest_to([f64::NAN, 0.0]), None);
    assert_eq!(Orthtree::<[f64; 2]>::new(&[]).nearest_to([0.0; 2]), None);
    assert!(tree.nearest_n_to(boxes[0], 0).is_empty());
}

#[test]
fn the_nearest_to_a_ball_are_measured_from_its_surface() {
    let balls = [(-9.0, 2.0), (9.0, 4.0), (0.0, 1.0)].map(|(x, r)| Sphere::new([x, 0.0], r));
    let tree = Orthtree::new(&balls);
    let near = tree.nearest_n_to(Sphere::new([1.0, 0.0], 3.0), 9);
    // The last one overlaps the ball; the others have the distances 9 - 1 - 3 - 4 = 1 and 1 + 9 - 3 - 2 = 5.
    let near: Vec<_> = near.iter().map(|n| (n.item, n.distance())).collect();
    assert_eq!(near, [(2, 0.0), (1, 1.0), (0, 5.0)]);
    // The corner (6, 4) is 5 from the center (9, 0).
    let cube = Aabb::new([0.0, 4.0], [6.0, 9.0]);
    let nearest = tree.nearest_to(cube).unwrap();
    assert_eq!((nearest.item, nearest.distance_sq), (1, 1.0));
}

/// A quaternion of any length was taken for a rotation if it turned by no angle or a small one.
#[test]
fn a_quaternion_of_another_length_is_refused_whatever_it_turns_by() {
    use orthant::glam::{DQuat, DVec3, Quat, Vec3};
    let refused = |[x, y, z, w]: [f64; 4]| {
        let double = DQuat::from_xyzw(x, y, z, w);
        let double = Rigid::try_from_rotation_translation(double, DVec3::X);
        let single = Quat::from_xyzw(x as f32, y as f32, z as f32, w as f32);
        let single = Rigid::try_from_rotation_translation(single, Vec3::X);
        let is_refused = matches!(double, Err(ShapeError::NotOrthonormal { .. }));
        assert_eq!(single.is_err(), is_refused, "{x} {y} {z} {w}");
        is_refused
    };
    for length in [1.5, 0.5, 0.0, 1.0 + 1e-5, -1.0 - 1e-5] {
        assert!(refused([0.0, 0.0, 0.0, length]), "{length}");
        assert!(refused([0.0, 1e-9, 0.0, length]), "{length}");
    }
    assert!(!refused([0.0, 0.0, 0.0, -1.0]));
    assert!(!refused([0.0, 1e-9, 0.0, 1.0]));
    assert!(!refused([0.6, 0.0, 0.0, 0.8]));
}

/// Removes a few of many bodies; then the pairs of these bodies end, and no others.
fn only_their_pairs_end(mut world: Broadphase<[f32; 2]>, removed: &[Handle]) {
    // These bodies are far from all others, so that few bodies change.
    for i in 0..60 {
        world.insert(unit(1000.0 + 3.0 * i as f32), Motion::Dynamic);
        world.insert(unit(1000.5 + 3.0 * i as f32), Motion::Dynamic);
    }
    world.update();
    world.update();
    let had = |pair: &(Handle, Handle)| removed.contains(&pair.0) || removed.contains(&pair.1);
    let (ended, stay): (Vec<_>, Vec<_>) = world.pairs().partition(had);
    for &body in removed {
        world.remove(body);
    }
    let ended: Vec<_> = ended.iter().map(|&(a, b)| Event::End(a, b)).collect();
    assert_eq!(world.update(), ended);
    assert!(world.pairs().eq(stay));
    world.validate().unwrap();
}

#[test]
fn the_last_body_with_a_filter_leaves_no_pairs_that_never_were() {
    let mut world = Broadphase::new();
    let none = Filter {
        mask: 0,
        ..Filter::ALL
    };
    let ghost = BodyInfo::from(Motion::Dynamic).with_filter(none);
    let ghost = world.insert(unit(0.0), ghost);
    world.insert(unit(0.5), Motion::Dynamic);
    only_their_pairs_end(world, &[ghost]);
}

#[test]
fn the_last_ball_leaves_no_pairs_of_its_box() {
    let mut world = Broadphase::new();
    let ball = world.insert(Sphere::new([0.0, 0.0], 1.0), Motion::Dynamic);
    world.insert(Aabb::new([0.9, 0.9], [2.0, 2.0]), Motion::Dynamic);
    only_their_pairs_end(world, &[ball]);
}

#[test]
fn the_last_bullet_leaves_no_pairs_of_its_box() {
    let mut world = Broadphase::new();
    let bullet = world.insert(unit(0.0), Motion::Dynamic);
    world.insert(Aabb::new([8.0, 0.0], [9.0, 0.5]), Motion::Dynamic);
    world.update();
    // The path passes the other box in a corner of the box around the whole path.
    world.set_swept(bullet, unit(0.0), [8.0, 8.0]);
    only_their_pairs_end(world, &[bullet]);
}

#[test]
fn static_bodies_that_touch_leave_no_pairs() {
    for many in [2, 40] {
        let mut world = Broadphase::new();
        let tiles: Vec<_> = (0..many)
            .map(|i| world.insert(unit(0.5 * i as f32), Motion::Static))
            .collect();
        only_their_pairs_end(world, &tiles[..2]);
    }
}

#[test]
fn nothing_is_near_in_a_periodic_box_whose_bodies_are_gone() {
    let periodic = Periodic::new(Aabb::new([0.0, 0.0], [10.0, 10.0]));
    let mut world = Broadphase::new();
    let body = world.insert(unit(1.0), Motion::Dynamic);
    world.update();
    let none = Filter {
        mask: 0,
        ..Filter::ALL
    };
    assert_eq!(
        periodic.nearest(&world.filtered(none), [1.0, 1.0]),
        Ok(None)
    );
    world.remove(body);
    assert_eq!(periodic.nearest(&world, [1.0, 1.0]), Ok(None));
    world.update();
    assert_eq!(periodic.nearest(&world, [1.0, 1.0]), Ok(None));
}

#[test]
fn a_world_without_pairs_needs_no_memory_for_them() {
    let mut world = Broadphase::new().without_pairs();
    world.insert_batch(vec![(unit(0.0), Motion::Dynamic); 70_000]);
    assert_eq!(world.try_update(), Ok(&[][..]));
}

/// The number of a body that was removed before the world was saved was read as 0.
#[cfg(feature = "serde")]
#[test]
fn numbers_of_bodies_that_were_removed_before_a_world_was_saved_are_forgotten() {
    let mut world = Broadphase::new();
    let numbered = |user| BodyInfo::from(Motion::Dynamic).with_user(user);
    let [early, late] = [7, 8].map(|user| world.insert(unit(0.0), numbered(user)));
    world.update();
    world.remove(early);
    assert_eq!(world.user(early), Some(7));
    let text = serde_json::to_string(&world).unwrap();
    let mut read: Broadphase<[f32; 2]> = serde_json::from_str(&text).unwrap();
    read.remove(late);
    for _ in 0..2 {
        assert_eq!((read.user(early), read.user(late)), (None, Some(8)));
        read.update();
    }
    assert_eq!(read.events(), []);
    assert_eq!((read.user(early), read.user(late)), (None, None));
}

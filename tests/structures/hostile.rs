//! Deserialized values are as suspect as any file: after any change of a written value, reading it gives an error, or a valid value that answers
//! like one made from the same parts.

use orthant::{
    Aabb, BrickSet, Broadphase, CellList, Contains, Ellipsoid, Frustum, Handle, Hexahedron, Linear,
    Lists, LooseOrthtree, Motion, Moving, NeighborLists, Periodic, Plane, Quadrilateral, Ray,
    Rigid, Shell, Sphere, SphereTree, Volume, VoxelGrid, With,
};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

/// The number of random changes for each type.
const CASES: usize = if cfg!(debug_assertions) {
    2_000
} else {
    100_000
};

/// Returns the paths of all parts of a value, whole arrays and maps included.
fn places(value: &Value) -> Vec<String> {
    let mut all = Vec::new();
    let mut below = |key: String, value: &Value| {
        let inner = places(value);
        all.extend(inner.iter().map(|place| format!("/{key}{place}")));
    };
    match value {
        Value::Array(list) => (0..)
            .zip(list)
            .for_each(|(i, v): (usize, _)| below(i.to_string(), v)),
        Value::Object(map) => map.iter().for_each(|(key, v)| below(key.clone(), v)),
        _ => {}
    }
    all.push(String::new());
    all
}

/// Returns the values that may replace a part.
fn others() -> Vec<Value> {
    vec![
        json!(0),
        json!(1),
        json!(2),
        json!(7),
        json!(-1),
        json!(0.5),
        json!(-0.0),
        json!(1e-320),
        json!(1e-170),
        json!(1e38),
        json!(f64::MAX),
        json!(u32::MAX),
        json!(u32::MAX - 1),
        json!(u64::MAX),
        json!(i32::MIN),
        json!(true),
        json!(false),
        json!(null),
        json!("Static"),
        json!([]),
        json!({}),
    ]
}

fn change(value: &mut Value, place: &str, how: usize) {
    let others = others();
    let target = value.pointer_mut(place).expect("a place of the value");
    match (how, target) {
        (how, target) if how < others.len() => *target = others[how].clone(),
        (_, Value::Array(list)) if how.is_multiple_of(3) => drop(list.pop()),
        (_, Value::Array(list)) if how % 3 == 1 => list.reverse(),
        (_, Value::Array(list)) => list.extend(list.first().cloned()),
        (_, Value::Number(number)) => {
            let more = if how.is_multiple_of(2) { 1 } else { -1 };
            if let Some(whole) = number.as_i64() {
                *number = (whole + more).into();
            }
        }
        (_, Value::Object(map)) => {
            let first = map.keys().next().cloned();
            first.and_then(|key| map.remove(&key));
        }
        _ => {}
    }
}

/// Reads a written value after each change of one part, and after random changes of several; `check` tests those that can be read.
fn attack<T: Serialize + DeserializeOwned>(value: &T, check: impl Fn(T, &Value)) {
    attack_often(value, CASES, check);
}

fn attack_often<T: Serialize + DeserializeOwned>(
    value: &T,
    cases: usize,
    check: impl Fn(T, &Value),
) {
    let whole = serde_json::to_value(value).unwrap();
    let ways = others().len() + 6;
    let try_it = |changed: &Value| {
        if let Ok(read) = serde_json::from_value::<T>(changed.clone()) {
            check(read, changed);
        }
    };
    try_it(&whole);
    for place in places(&whole) {
        for how in 0..ways {
            let mut changed = whole.clone();
            change(&mut changed, &place, how);
            try_it(&changed);
        }
    }
    let mut random = SmallRng::seed_from_u64(14);
    for _ in 0..cases {
        let mut changed = whole.clone();
        for _ in 0..random.random_range(1..4) {
            let places = places(&changed);
            let place = &places[random.random_range(0..places.len())];
            change(&mut changed, place, random.random_range(0..ways));
        }
        try_it(&changed);
    }
    // Change bytes of formats without names too.
    let try_it = |read: T| {
        let told = serde_json::to_value(&read).unwrap();
        check(read, &told);
    };
    let of_postcard = |bytes: &[u8]| postcard::from_bytes::<T>(bytes).ok();
    let read = |read: Option<T>| serde_json::to_value(read.expect("bytes as written")).unwrap();
    let bytes = postcard::to_stdvec(value).unwrap();
    assert_eq!(read(of_postcard(&bytes)), whole);
    change_bytes(&bytes, cases, &mut random, |changed| {
        of_postcard(changed).into_iter().for_each(try_it);
    });
    let bytes = crate::formats::to_bincode(value);
    assert_eq!(read(crate::formats::from_bincode(&bytes)), whole);
    change_bytes(&bytes, cases, &mut random, |changed| {
        crate::formats::from_bincode(changed)
            .into_iter()
            .for_each(try_it);
    });
}

/// Changes bytes at random, and truncates some.
fn change_bytes(bytes: &[u8], cases: usize, random: &mut SmallRng, try_it: impl Fn(&[u8])) {
    for _ in 0..cases {
        let mut changed = bytes.to_vec();
        for _ in 0..random.random_range(1..4) {
            let at = random.random_range(0..changed.len());
            changed[at] = random.random();
        }
        changed.truncate(random.random_range(0..=2 * bytes.len()));
        try_it(&changed);
    }
}

fn world() -> Broadphase<[f64; 2]> {
    let mut world = Broadphase::new();
    let mut bodies = Vec::new();
    for i in 0..6 {
        let x = f64::from(i);
        let volume = if i % 2 == 0 {
            Volume::from(Sphere::new([x, 0.0], 0.75))
        } else {
            Volume::from(Aabb::from_center([x, 0.5], [0.5, 0.5]))
        };
        let motion = [Motion::Dynamic, Motion::Static, Motion::Kinematic][i as usize % 3];
        bodies.push(world.insert(volume, motion));
    }
    world.update();
    world.set_swept(bodies[0], Sphere::new([0.0, 1.0], 0.5), [3.0, 0.0]);
    world.sleep(bodies[4]);
    world.remove(bodies[3]);
    world.insert(Sphere::new([2.0, 2.0], 1.0), Motion::Dynamic);
    world
}

/// Returns the pairs of a new world made of the same bodies, in the order of their handles.
fn pairs_of_a_fresh(world: &Broadphase<[f64; 2]>, told: &Value) -> Vec<(Handle, Handle)> {
    let rule = |name: &str| told["rules"][name].as_f64().unwrap();
    let mut fresh = Broadphase::new();
    fresh = fresh.with_margin(rule("margin"));
    fresh = fresh.with_prediction(rule("prediction"));
    let mut handles = Vec::new();
    for (handle, volume) in world.iter() {
        let body = fresh.insert(volume, world.motion(handle).unwrap());
        fresh.set_filter(body, world.filter(handle).unwrap());
        fresh.set_swept(body, volume, world.path(handle).unwrap());
        handles.push((body, handle));
    }
    fresh.update();
    let name = |body| handles.iter().find(|known| known.0 == body).unwrap().1;
    let mut pairs: Vec<_> = fresh.pairs().map(|(a, b)| (name(a), name(b))).collect();
    pairs
        .iter_mut()
        .for_each(|pair| *pair = (pair.0.min(pair.1), pair.0.max(pair.1)));
    pairs.sort_unstable();
    pairs
}

fn check_world(mut world: Broadphase<[f64; 2]>, told: &Value) {
    world.validate().unwrap();
    let removed: Vec<Handle> = serde_json::from_value(told["gone"].clone()).unwrap();
    for _ in 0..3 {
        let new = world.insert(Sphere::new([50.0, 50.0], 1.0), Motion::Dynamic);
        assert!(!removed.contains(&new), "{new:?} was removed");
    }
    world.update();
    world.validate().unwrap();
    if told["rules"]["paired"] == json!(false) {
        assert_eq!(world.pairs().count(), 0);
    } else if told["rules"]["fat"] == json!(false) {
        let mut pairs: Vec<_> = world.pairs().collect();
        pairs.sort_unstable();
        assert_eq!(pairs, pairs_of_a_fresh(&world, told), "{told}");
    }
}

#[test]
fn worlds() {
    attack_often(&world(), CASES / 3 + 1, check_world);
    let mut settled = world();
    settled.update();
    attack_often(&settled, CASES / 3 + 1, check_world);
    let mut fat = world().with_margin(0.25).with_prediction(0.125);
    fat.update();
    attack_often(&fat, CASES / 3 + 1, check_world);
}

fn tree() -> LooseOrthtree<Sphere<[f32; 2]>> {
    let mut tree = LooseOrthtree::new();
    let balls = (0..9).map(|i| Sphere::new([i as f32, (i % 3) as f32], 0.25 * i as f32));
    let handles: Vec<_> = balls.map(|ball| tree.insert(ball)).collect();
    for gone in [4, 7, 2] {
        tree.remove(handles[gone]);
    }
    tree.insert(Sphere::new([2.0, 2.0], 1.0));
    tree
}

fn check_tree(mut tree: LooseOrthtree<Sphere<[f32; 2]>>, told: &Value) {
    tree.validate().unwrap();
    let items: Vec<_> = tree.iter().map(|(handle, &ball)| (handle, ball)).collect();
    let probe = Sphere::new([3.0, 1.0], 1.5);
    let overlaps = |ball: &Sphere<[f32; 2]>| orthant::Overlaps::overlaps(&probe, ball);
    let expected = items
        .iter()
        .filter(|(_, ball)| overlaps(ball))
        .map(|(handle, _)| *handle);
    let mut found: Vec<_> = tree.query(probe).collect();
    found.sort_unstable();
    assert_eq!(found, expected.collect::<Vec<_>>(), "{told}");
    for _ in 0..4 {
        let new = tree.insert(probe);
        assert!(items.iter().all(|(handle, _)| *handle != new));
    }
    tree.validate().unwrap();
}

#[test]
fn loose_trees() {
    attack(&tree(), check_tree);
    attack_often(
        &LooseOrthtree::<Sphere<[f32; 2]>>::new(),
        CASES / 10,
        check_tree,
    );
}

#[test]
fn a_tree_goes_on_where_it_was() {
    let mut tree = tree();
    let text = serde_json::to_string(&tree).unwrap();
    let mut back: LooseOrthtree<Sphere<[f32; 2]>> = serde_json::from_str(&text).unwrap();
    assert_eq!(serde_json::to_string(&back).unwrap(), text);
    assert!(tree.iter().eq(back.iter()));
    for i in 0..5 {
        let ball = Sphere::new([i as f32, 9.0], 0.5);
        assert_eq!(tree.insert(ball), back.insert(ball));
    }
    for (text, reason) in [
        (
            r#"{"items":[],"free":[1],"inserted":9}"#,
            "slot 0 is neither",
        ),
        (
            r#"{"items":[],"free":[0,0],"inserted":9}"#,
            "slot 0 is named twice",
        ),
        (
            r#"{"items":[[{"slot":0,"generation":9},[1.0]]],"free":[],"inserted":9}"#,
            "yet to come",
        ),
    ] {
        let refused = serde_json::from_str::<LooseOrthtree<[f32; 1]>>(text).unwrap_err();
        assert!(refused.to_string().contains(reason), "{refused}");
    }
    // postcard can represent NaN: an item with slot and generation, no free slots, 9 insertions.
    let bytes = postcard::to_stdvec(&(
        [((0u32, 8u32), [f32::NAN])].as_slice(),
        [0u8; 0].as_slice(),
        9u64,
    ));
    let refused = postcard::from_bytes::<LooseOrthtree<[f32; 1]>>(&bytes.unwrap());
    assert!(refused.is_err());
}

/// Checks that every solid that is read can be written again, and is as valid as a constructor's value.
#[test]
fn solids() {
    let mut solids = crate::formats::solids();
    for solid in solids.drain(..) {
        attack_often(
            &solid,
            CASES / 3 + 1,
            |solid: Hexahedron<[f64; 3]>, told| {
                let corners: Vec<[f64; 3]> = solid.corners().collect();
                assert!(solid.is_unbounded() || corners.len() >= 4, "{told}");
                let middle = [0, 1, 2].map(|axis| {
                    let sum = corners
                        .iter()
                        .map(|corner| corner[axis] / corners.len() as f64);
                    sum.sum()
                });
                assert!(solid.is_unbounded() || solid.contains(&middle), "{told}");
                let text = serde_json::to_string(&solid).unwrap();
                assert_eq!(serde_json::from_str::<Hexahedron<_>>(&text).unwrap(), solid);
            },
        );
    }
}

#[test]
fn lists() {
    let many = || (0..5_u32).map(|i| 0..i);
    attack(&many().collect::<Lists<u32>>(), |lists, told| {
        let ends = lists.offsets().last().copied();
        assert_eq!(ends, Some(lists.items().len()));
        let read: Vec<Vec<u32>> = lists.iter().map(|list| list.to_vec()).collect();
        assert_eq!(json!(read), *told);
    });
    let points = [0.0, 1.0, 1.5, 2.5, 9.0].map(|x| [x, 0.5]);
    let cells = CellList::new(&points, 1.0);
    attack(&cells.neighbors(), |mut near: NeighborLists, told| {
        let read: Vec<Vec<u32>> = near.iter().map(|list| list.to_vec()).collect();
        assert_eq!(json!(read), *told);
        assert_eq!(near.total(), near.to_lists().items().len());
        // The list is filled again, and equals a new one.
        cells.neighbors_into(&mut near).unwrap();
        assert_eq!(near, cells.neighbors());
    });
}

#[test]
fn all_others() {
    let ball = Sphere::new([3.0, -7.0, 9.0], 2.5);
    attack(
        &BrickSet::from_region(&VoxelGrid::new([0.1; 3], 1.0), ball),
        |set, _| {
            let voxels: Vec<_> = set.iter().collect();
            assert_eq!(set.len(), voxels.len() as u64);
            assert_eq!(set, BrickSet::from_iter(voxels));
        },
    );
    let balls: Vec<_> = (0..9)
        .map(|i| Sphere::new([f64::from(i), 0.0, 0.5], 0.25))
        .collect();
    attack(&SphereTree::new(&balls), |tree, told| {
        let balls: Vec<Sphere<[f64; 3]>> = serde_json::from_value(told.clone()).unwrap();
        let mut found: Vec<_> = tree.query(ball).collect();
        found.sort_unstable();
        assert!(Linear::new(&balls).query(ball).eq(found), "{told}");
    });
    attack(&VoxelGrid::new([0.5f32, 2.0], 0.25), |grid, _| {
        let point = Sphere::new([0.0, 0.0], 0.0);
        if grid.check(&point).is_ok() {
            assert_eq!(grid.count(point), grid.voxels(point).count() as u64);
        }
    });
    attack(
        &Moving::new(ball, [1.0, 2.0, 3.0]).until(2.0),
        |moving, _| {
            assert!(moving.horizon() >= 0.0 && moving.shape().radius() >= 0.0);
        },
    );
    attack(&Rigid::from_translation([1.0f64, 2.0]), |rigid, told| {
        assert!(rigid.translation().iter().all(|x| x.is_finite()));
        let to = rigid.translation();
        let axes = [[1.0, 0.0], [0.0, 1.0]].map(|unit| {
            let image = rigid.point(unit);
            [image[0] - to[0], image[1] - to[1]]
        });
        // Near the origin, the axes can be computed from images without losing digits.
        if to.iter().all(|x| x.abs() < 10.0) {
            let lengths = axes.map(|axis| axis[0].hypot(axis[1]));
            assert!(
                lengths.iter().all(|length| (length - 1.0).abs() < 1e-3),
                "{told}"
            );
        }
    });
    attack(&Plane::new([0.5f32, 2.0], 3.0), |plane, _| {
        assert!(Plane::try_new(plane.normal(), plane.offset()).is_ok());
    });
    let camera = [
        [0.6, 0.1, 0.0, -0.8],
        [0.0, 1.3, 0.0, 0.0],
        [0.8, 0.0, -1.5, -0.6],
        [0.0, 0.0, -1.5, 0.0],
    ];
    attack(
        &Frustum::<[f64; 3]>::from_view_projection(camera),
        |seen, told| {
            let again = serde_json::from_value::<Frustum<[f64; 3]>>(told.clone());
            assert_eq!(again.unwrap(), seen);
        },
    );
    attack(&Aabb::new([1.0f32, 2.0], [1.5, 4.0]), |cuboid, _| {
        assert_eq!(Aabb::try_new(cuboid.min(), cuboid.max()), Ok(cuboid));
    });
    attack(&ball, |ball, _| {
        assert_eq!(Sphere::try_new(ball.center(), ball.radius()), Ok(ball));
    });
    attack(&Ellipsoid::new([1.0f32, 2.0], [0.5, 4.0]), |egg, _| {
        assert_eq!(Ellipsoid::try_new(egg.center(), egg.semi_axes()), Ok(egg));
    });
    attack(&With::new(ball, 'b'), |with, _| {
        assert!(Sphere::try_new(with.item.center(), with.item.radius()).is_ok());
    });
    attack(&Volume::from(ball), |volume, _| match volume {
        Volume::Sphere(ball) => assert!(Sphere::try_new(ball.center(), ball.radius()).is_ok()),
        Volume::Box(cuboid) => assert!(Aabb::try_new(cuboid.min(), cuboid.max()).is_ok()),
    });
    let tilted = Quadrilateral::oriented([1.0f64, 2.0], [2.0, 1.0], [[0.8, 0.6], [-0.6, 0.8]]);
    attack(&tilted, |tilted, told| {
        let again = serde_json::from_value::<Quadrilateral<[f64; 2]>>(told.clone());
        assert_eq!(again.unwrap(), tilted);
        assert!(tilted.corners().len() >= 3, "{told}");
    });
    attack(&Shell::new([1.0f32, 2.0], 0.5, 1.0), |shell, _| {
        assert!(Shell::try_new(shell.center(), shell.inner(), shell.outer()).is_ok());
    });
    let ray = Ray::new([0.5f32, 2.0], [1.0, -3.0]).until(4.0);
    attack(&ray, |ray, _| {
        let again = Ray::try_new(ray.origin(), ray.direction()).unwrap();
        assert_eq!(again.try_until(ray.horizon()), Ok(ray));
    });
}

#[test]
fn periodic_boxes() {
    let slit = Periodic::on_axes(Aabb::new([0.0f64, 1.0], [4.0, 3.5]), [true, false]);
    let cell = Periodic::spanned([1.0f64, 0.0], [[4.0, 0.0], [1.0, 3.0]]);
    for periodic in [slit, cell] {
        let written = serde_json::to_string(&periodic).unwrap();
        let again: Periodic<[f64; 2]> = serde_json::from_str(&written).unwrap();
        assert_eq!(again, periodic);
        attack_often(&periodic, CASES / 2, |periodic, told| {
            let wrapped = periodic.wrap([7.0, -2.0]);
            assert!(wrapped.iter().all(|x| x.is_finite()));
            let scan = Linear::new(&[wrapped]);
            let ball = Sphere::new([0.0, 0.0], 1.0);
            let again = serde_json::to_string(&periodic).unwrap();
            let again: Periodic<[f64; 2]> = serde_json::from_str(&again).unwrap();
            assert_eq!(again, periodic, "{told}");
            assert_eq!(
                again.count(&scan, ball),
                periodic.count(&scan, ball),
                "{told}"
            );
        });
    }
    let written = serde_json::to_value(slit).unwrap();
    let faces = json!({ "min": [0.0, 1.0], "max": [4.0, 3.5] });
    assert_eq!(
        written,
        json!({ "Box": { "bounds": faces, "periodic": [true, false] } })
    );
    for (tampered, message) in [
        (
            json!({ "Box": { "bounds": faces, "periodic": [true] } }),
            "1 axes in a space of 2",
        ),
        (
            json!({ "Box": { "bounds": { "min": [0.0, 1.0], "max": [0.0, 3.5] }, "periodic": [true, false] } }),
            "box length 0 on axis 0 is not a positive number",
        ),
        (
            json!({ "Cell": { "origin": [0.0, 0.0], "vectors": [[1.0, 0.0], [2.0, 0.0]] } }),
            "the vectors of the cell span 0 of what they would at right angles",
        ),
    ] {
        let refused = serde_json::from_value::<Periodic<[f64; 2]>>(tampered).unwrap_err();
        assert_eq!(refused.to_string(), message);
    }
}

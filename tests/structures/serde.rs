//! What is written is read back, and what is read is validated.

use orthant::glam::{DVec2, Quat, Vec3};
use orthant::{
    Aabb, BrickSet, Broadphase, Ellipsoid, Event, Frustum, Handle, Hollow, Motion, Moving, Plane,
    Rigid, Rule, Shell, Sphere, SphereTree, VoxelGrid,
};
use serde::{Serialize, de::DeserializeOwned};

fn round_trip<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: &T) {
    let text = serde_json::to_string(value).unwrap();
    assert_eq!(&serde_json::from_str::<T>(&text).unwrap(), value, "{text}");
}

fn refusal<T: DeserializeOwned>(text: &str) -> String {
    match serde_json::from_str::<T>(text) {
        Ok(_) => panic!("{text} was not refused"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn values_come_back() {
    round_trip(&Aabb::new(Vec3::ZERO, Vec3::splat(0.1)));
    round_trip(&Hollow(Sphere::new(DVec2::X, 0.1)));
    round_trip(&Shell::new(Vec3::X, 0.1, 0.3));
    round_trip(&Ellipsoid::new([0.5f32; 4], [1.0, 2.0, 3.0, 0.1]));
    round_trip(&Plane::new(Vec3::X, 0.1));
    round_trip(&VoxelGrid::new(Vec3::X, 0.25).with_rule(Rule::HalfOpen));
    let mut world = Broadphase::new();
    let unit = Aabb::new([0.0], [1.0]);
    let (a, b) = (
        world.insert(unit, Motion::Static),
        world.insert(unit, Motion::Dynamic),
    );
    round_trip::<Handle>(&a);
    round_trip::<Event>(&Event::Begin(a, b));
    round_trip(&Motion::Kinematic);
}

#[test]
fn sets_of_voxels_come_back() {
    let grid = VoxelGrid::new([0.1; 3], 1.0);
    let ball = Sphere::new([3.0, -70.0, 9.0], 9.5);
    round_trip(&BrickSet::from_region(&grid, Hollow(ball)));
    round_trip(&BrickSet::<[i32; 3]>::new());
    let text = "[[[0,0,0],[1,0,0,0,0,0,0,0]],[[1,0,0],[0,0,0,0,0,0,0,128]]]";
    let set: BrickSet<[i32; 3]> = serde_json::from_str(text).unwrap();
    assert_eq!(set.iter().collect::<Vec<_>>(), [[0, 0, 0], [15, 0, 7]]);
    assert_eq!(serde_json::to_string(&set).unwrap(), text);
    // A format in which lengths come first.
    let bytes = postcard::to_stdvec(&set).unwrap();
    assert_eq!(
        postcard::from_bytes::<BrickSet<[i32; 3]>>(&bytes).unwrap(),
        set
    );
}

#[test]
fn bad_sets_of_voxels_are_refused() {
    let refused = |text| refusal::<BrickSet<[i32; 3]>>(text);
    let empty = "[[[0,0,0],[0,0,0,0,0,0,0,0]]]";
    assert!(refused(empty).contains("brick 0 is empty"));
    let twice = "[[[0,0,0],[1,0,0,0,0,0,0,0]],[[0,0,0],[1,0,0,0,0,0,0,0]]]";
    assert!(refused(twice).contains("brick 1 is out of order"));
    let beyond = "[[[268435456,0,0],[1,0,0,0,0,0,0,0]]]";
    assert!(refused(beyond).contains("no indices"));
}

#[test]
fn motions_come_back() {
    let ball = Sphere::new(DVec2::X, 0.1);
    round_trip(&Moving::new(ball, DVec2::Y).until(0.1));
    round_trip(&Moving::new(ball, DVec2::Y).until(f64::INFINITY));
    round_trip(&Moving::new(Aabb::new([0.0f32], [0.1]), [2.0]));
    let turn = Quat::from_xyzw(0.6, 0.0, 0.8, 0.0);
    round_trip(&Rigid::from_rotation_translation(turn, Vec3::X));
    round_trip(&Rigid::from_translation([0.1f64; 4]));
}

#[test]
fn frustums_come_back() {
    for last in [-1.5, -1.0] {
        // To 3 and to infinity; of a turned camera.
        let camera = [
            [0.6f32, 0.1, 0.0, -0.8],
            [0.0, 1.3, 0.0, 0.0],
            [0.8, 0.0, last, -0.6],
            [0.0, 0.0, last, 0.0],
        ];
        round_trip(&Frustum::<Vec3>::from_view_projection(camera));
    }
}

#[test]
fn bodies_come_back() {
    let balls: Vec<_> = (0..50u32)
        .map(|i| {
            Sphere::new(
                [f64::from(i * 7 % 11), f64::from(i), 0.1],
                0.1 * f64::from(i),
            )
        })
        .collect();
    let tree = SphereTree::new(&balls);
    let text = serde_json::to_string(&tree).unwrap();
    assert_eq!(
        serde_json::from_str::<Vec<Sphere<[f64; 3]>>>(&text).unwrap(),
        balls
    );
    let back: SphereTree<[f64; 3]> = serde_json::from_str(&text).unwrap();
    assert_eq!(format!("{back:?}"), format!("{tree:?}"));
    back.validate().unwrap();
}

#[test]
fn bad_motions_and_solids_are_refused() {
    let text = r#"{"shape":{"center":[0.0],"radius":1.0},"displacement":[1.0],"horizon":-1.0}"#;
    assert!(refusal::<Moving<Sphere<[f64; 1]>>>(text).contains("horizon -1"));
    let text = r#"{"shape":{"center":[0.0],"radius":-1.0},"displacement":[1.0],"horizon":1.0}"#;
    assert!(refusal::<Moving<Sphere<[f64; 1]>>>(text).contains("negative radius -1"));
    let text = r#"{"axes":[[1.0,0.0],[0.5,1.0]],"translation":[0.0,0.0]}"#;
    assert!(refusal::<Rigid<[f64; 2]>>(text).contains("not a rotation"));
    let text = r#"{"axes":[[1.0,0.0]],"translation":[0.0,0.0]}"#;
    assert!(refusal::<Rigid<[f64; 2]>>(text).contains("rotation of 1 axes in 2 dimensions"));
    let text = r#"{"planes":[{"normal":[1.0,0.0,0.0],"offset":1.0}]}"#;
    assert!(refusal::<Frustum<Vec3>>(text).contains("frustum of 1 planes"));
    let plane = r#"{"normal":[1.0,0.0,0.0],"offset":1.0}"#;
    let text = format!(r#"{{"planes":[{}]}}"#, [plane; 5].join(","));
    assert!(refusal::<Frustum<Vec3>>(&text).contains("plane"));
    let text = r#"[{"center":[0.0],"radius":-1.0}]"#;
    assert!(refusal::<SphereTree<[f64; 1]>>(text).contains("negative radius -1"));
}

#[test]
fn bad_values_are_refused() {
    let text = r#"{"min":[0.0,3.0],"max":[1.0,2.0]}"#;
    assert!(refusal::<Aabb<[f32; 2]>>(text).contains("inverted box: min 3 > max 2 on axis 1"));
    let text = r#"{"center":[0.0],"radius":-1.0}"#;
    assert!(refusal::<Sphere<[f64; 1]>>(text).contains("negative radius -1"));
    let text = r#"{"center":[0.0],"inner":2.0,"outer":1.0}"#;
    assert!(refusal::<Shell<[f32; 1]>>(text).contains("inner radius 2 > outer radius 1"));
    let text = r#"{"center":[0.0],"semi_axes":[0.0]}"#;
    assert!(refusal::<Ellipsoid<[f64; 1]>>(text).contains("semi-axis 0 on axis 0"));
    let text = r#"{"normal":[0.0,-0.0],"offset":1.0}"#;
    assert!(refusal::<Plane<[f64; 2]>>(text).contains("normal of a plane is zero"));
    let text = r#"{"origin":[0.0,0.0],"voxel_size":0.0,"rule":"Closed"}"#;
    assert!(refusal::<VoxelGrid<[f32; 2]>>(text).contains("voxel size 0"));
}

/// A settled world of two balls of radius 0 at 0 and 1, with everything else as given.
fn world_of_two(replace: &[(&str, &str)]) -> String {
    let mut world = Broadphase::new();
    for x in [0.0, 1.0] {
        world.insert(Sphere::new([x], 0.0), Motion::Dynamic);
    }
    world.update();
    let mut text = serde_json::to_string(&world).unwrap();
    for (from, to) in replace {
        assert!(text.contains(from), "{from} is not in {text}");
        text = text.replacen(from, to, 1);
    }
    text
}

#[test]
fn worlds_come_back() {
    let text = world_of_two(&[]);
    let world: Broadphase<[f64; 1]> = serde_json::from_str(&text).unwrap();
    assert_eq!(serde_json::to_string(&world).unwrap(), text);
    let bytes = postcard::to_stdvec(&world).unwrap();
    let back: Broadphase<[f64; 1]> = postcard::from_bytes(&bytes).unwrap();
    assert_eq!(serde_json::to_string(&back).unwrap(), text);
}

#[test]
fn bad_worlds_are_refused() {
    let refused =
        |replace: &[(&str, &str)]| refusal::<Broadphase<[f64; 1]>>(&world_of_two(replace));
    let removed = [
        (r#""gone":[]"#, r#""gone":[{"slot":2,"generation":1}]"#),
        (r#""pairs":[]"#, r#""pairs":[[0,2]]"#),
    ];
    assert!(refused(&removed).contains("was removed"));
    // Their squared distance underflows: that they are apart is told by their boxes.
    let fat = [
        (r#""center":[1.0]"#, r#""center":[1e-170]"#),
        (
            r#""fat":{"min":[0.0],"max":[0.0]}"#,
            r#""fat":{"min":[0.0],"max":[1.0]}"#,
        ),
        (
            r#""fat":{"min":[1.0],"max":[1.0]}"#,
            r#""fat":{"min":[0.0],"max":[1.0]}"#,
        ),
    ];
    assert!(refused(&fat).contains("fat box without a margin"));
    let ahead = [
        (r#""settled":true"#, r#""settled":false"#),
        (r#""gone":[]"#, r#""gone":[{"slot":2,"generation":2}]"#),
    ];
    assert!(refused(&ahead).contains("yet to come"));
    assert!(refused(&[(r#""generation":1"#, r#""generation":2"#)]).contains("yet to come"));
    let repeated = [
        (r#""generation":1"#, r#""generation":4294967295"#),
        (r#""inserted":2"#, r#""inserted":4294967296"#),
    ];
    let text = world_of_two(&repeated);
    assert!(serde_json::from_str::<Broadphase<[f64; 1]>>(&text).is_ok());
}

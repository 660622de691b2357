//! Values are read back as they were written, and are validated.

use orthant::glam::{DVec2, Quat, Vec3};
use orthant::{
    Aabb, BodyInfo, BrickSet, Broadphase, Chebyshev, Complement, Difference, Ellipsoid, Event,
    Filter, Frustum, Handle, Hexahedron, Hollow, Intersection, Lists, LooseOrthtree, Manhattan,
    Motion, Moving, NeighborLists, NormBall, Periodic, Plane, Ray, Reach, Rigid, Rule, Shell,
    Sphere, SphereTree, Union, Volume, VoxelGrid, Weighted, With,
};
use serde::{Serialize, de::DeserializeOwned};

use crate::formats::{from_bincode, to_bincode};

fn round_trip<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: &T) {
    let text = serde_json::to_string(value).unwrap();
    assert_eq!(&serde_json::from_str::<T>(&text).unwrap(), value, "{text}");
    // In these formats lengths come first, and there are no names.
    let bytes = postcard::to_stdvec(value).unwrap();
    assert_eq!(&postcard::from_bytes::<T>(&bytes).unwrap(), value, "{text}");
    let bytes = to_bincode(value);
    assert_eq!(from_bincode::<T>(&bytes).as_ref(), Some(value), "{text}");
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
    let vectors = [DVec2::new(3.0, 1.0), DVec2::new(-0.1, 2.0)];
    for along in [[true, true], [true, false], [false, false]] {
        let bounds = Aabb::new(DVec2::ZERO, DVec2::splat(0.3));
        round_trip(&Periodic::on_axes(bounds, along));
        round_trip(&Periodic::spanned_along(DVec2::X, vectors, along));
    }
    round_trip(&Hollow(Sphere::new(DVec2::X, 0.1)));
    round_trip(&Shell::new(Vec3::X, 0.1, 0.3));
    round_trip(&Ellipsoid::new([0.5f32; 4], [1.0, 2.0, 3.0, 0.1]));
    round_trip(&NormBall::new(Vec3::X, 0.1, Manhattan));
    round_trip(&NormBall::new(DVec2::X, 0.1, Chebyshev));
    round_trip(&NormBall::new(
        [0.5f32; 4],
        0.1,
        Weighted::new([1.0, 2.0, 3.0, 0.1]),
    ));
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
    let ball = Sphere::new([0.5f64], 0.25);
    round_trip(&Volume::from(ball));
    round_trip(&With::new(ball, 7));
    round_trip(&Union(ball, Complement(unit)));
    round_trip(&Intersection(ball, Difference(unit, ball)));
    round_trip(&Reach::Sum);
    round_trip(&Filter::default());
    round_trip(&BodyInfo::from(Motion::Dynamic).with_user(u64::MAX));
    let mut tree = LooseOrthtree::new();
    tree.insert(ball);
    let back: LooseOrthtree<Sphere<[f64; 1]>> = from_bincode(&to_bincode(&tree)).unwrap();
    assert!(back.iter().eq(tree.iter()));
    let back: Broadphase<[f64; 1]> = from_bincode(&to_bincode(&world)).unwrap();
    assert_eq!(to_bincode(&back), to_bincode(&world));
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
    round_trip(&set);
}

#[test]
fn solids_come_back() {
    for solid in crate::formats::solids() {
        round_trip(&solid);
    }
    let unit = [[0.0f32; 3], [1.0; 3]];
    let corner = |i: usize| [0, 1, 2].map(|axis| unit[i >> axis & 1][axis]);
    let cube = Hexahedron::from_corners(std::array::from_fn(corner));
    round_trip(&cube);
    let text = serde_json::to_string(&cube).unwrap();
    assert!(
        text.starts_with(r#"{"Corners":[[0.0,0.0,0.0],[1.0,"#),
        "{text}"
    );
}

#[test]
fn bad_norms_are_refused() {
    let why = refusal::<Weighted<[f32; 2]>>(r#"{"weights":[1.0,0.0]}"#);
    assert!(why.contains("weight 0 on axis 1 is not positive"), "{why}");
    let why = refusal::<NormBall<[f32; 2], Weighted<[f32; 2]>>>(
        r#"{"center":[0.0,0.0],"radius":1.0,"norm":{"weights":[-1.0,1.0]}}"#,
    );
    assert!(why.contains("weight -1 on axis 0"), "{why}");
    let why = refusal::<NormBall<[f32; 2], Manhattan>>(
        r#"{"center":[0.0,0.0],"radius":-1.0,"norm":null}"#,
    );
    assert!(why.contains("negative radius -1"), "{why}");
}

#[test]
fn bad_solids_are_refused() {
    let refused = |text: &str| refusal::<Hexahedron<[f32; 3]>>(text);
    let flat = [[0.0; 3]; 8];
    let text = format!(r#"{{"Corners":{flat:?}}}"#);
    assert!(refused(&text).contains("flat"), "{}", refused(&text));
    let corner = |i: usize| [0, 1, 2].map(|axis| (i >> axis & 1) as f64);
    let mut corners: [_; 8] = std::array::from_fn(corner);
    let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let text = format!(r#"{{"Oriented":[{corners:?},{:?}]}}"#, [axes[0]; 3]);
    assert!(refused(&text).contains("normals in a plane"));
    corners[3][0] = 0.5;
    let text = format!(r#"{{"Oriented":[{corners:?},{axes:?}]}}"#);
    assert!(refused(&text).contains("corner off its face"));
    let plane = r#"{"normal":[1.0,0.0,0.0],"offset":1.0}"#;
    let text = format!(r#"{{"Planes":[{}]}}"#, [plane; 6].join(","));
    assert!(refused(&text).contains("plane"), "{}", refused(&text));
    let outline = r#"{"Outline":[[0.0,0.0],[1.0,0.0],[1.0,1.0],[0.0,1.0]]}"#;
    assert!(refused(outline).contains("solid of 2 dimensions"));
}

#[test]
fn lists_come_back() {
    let lists: Lists<u32> = [vec![1, 2], vec![], vec![3]].into_iter().collect();
    round_trip(&lists);
    let text = "[[1,2],[],[3]]";
    assert_eq!(serde_json::to_string(&lists).unwrap(), text);
    let near: NeighborLists = serde_json::from_str(text).unwrap();
    assert_eq!(near.to_lists(), lists);
    round_trip(&near);
    round_trip(&NeighborLists::new());
    round_trip(&Lists::<Handle>::new());
    assert!(refusal::<NeighborLists>("[[-1]]").contains("invalid value"));
    assert!(refusal::<Lists<u32>>(r#"[[1],2]"#).contains("expected a sequence"));
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
        // The frustum of a turned camera ends at 3, or never.
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
    let back: SphereTree<[f64; 3]> = from_bincode(&to_bincode(&tree)).unwrap();
    assert_eq!(format!("{back:?}"), format!("{tree:?}"));
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
    let text = r#"{"Planes":[{"normal":[1.0,0.0,0.0],"offset":1.0}]}"#;
    assert!(refusal::<Frustum<Vec3>>(text).contains("solid of 1 planes"));
    let plane = r#"{"normal":[1.0,0.0,0.0],"offset":1.0}"#;
    let text = format!(r#"{{"Planes":[{}]}}"#, [plane; 5].join(","));
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

/// Returns the text of a settled world of two balls of radius 0 at 0 and 1, with some parts replaced.
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
    // The squared distance underflows, but the boxes tell that the bodies are apart.
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

#[test]
fn motions_without_a_horizon_are_endless() {
    let ball = r#"{"shape":{"center":[0.0,1.0],"radius":1.0},"displacement":[1.0,0.0]}"#;
    let ball: Moving<Sphere<[f32; 2]>> = serde_json::from_str(ball).unwrap();
    let ray: Ray<[f32; 2]> =
        serde_json::from_str(r#"{"origin":[0.0,1.0],"direction":[1.0,0.0]}"#).unwrap();
    assert_eq!(
        (ball.horizon(), ray.horizon()),
        (f32::INFINITY, f32::INFINITY)
    );
}

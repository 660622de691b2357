//! What is written is read back, and what is read is validated.
#![cfg(feature = "serde")]

use orthant::glam::{DVec2, Vec3};
use orthant::{
    Aabb, Broadphase, Ellipsoid, Event, Handle, Hollow, Motion, Plane, Rule, Shell, Sphere,
    VoxelGrid,
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

//! What separates the inside of a sphere from its outside, and what hangs together: by flooding.

use std::collections::HashMap;

use orthant::{
    Hollow, Rule, Sphere, VoxelGrid,
    glam::{DVec3, IVec3},
};
use serde_json::Value;

use crate::oracle::{read, sixteenths};

const WAYS: [usize; 3] = [6, 18, 26];

/// A cube of voxels around a centre, of which some are set.
struct Cube {
    start: IVec3,
    edge: i32,
    set: Vec<bool>,
}

impl Cube {
    fn new(center: DVec3, reach: i32, voxels: impl Iterator<Item = IVec3>) -> Self {
        let start = center.floor().as_ivec3() - reach;
        let edge = 2 * reach + 1;
        let mut cube = Self {
            start,
            edge,
            set: vec![false; (edge * edge * edge) as usize],
        };
        for voxel in voxels {
            let at = cube.place(voxel).expect("the cube is large enough");
            cube.set[at] = true;
        }
        cube
    }

    fn place(&self, voxel: IVec3) -> Option<usize> {
        let at = voxel - self.start;
        let inside = at.cmpge(IVec3::ZERO).all() && at.cmplt(IVec3::splat(self.edge)).all();
        inside.then(|| (at.x + self.edge * (at.y + self.edge * at.z)) as usize)
    }

    /// Turns all that is connected with a voxel and like it; whether that reaches the cube's faces.
    fn flood(&mut self, from: IVec3, ways: usize) -> bool {
        let like = self.set[self.place(from).unwrap()];
        let (mut pending, mut reaches) = (vec![from], false);
        while let Some(voxel) = pending.pop() {
            let Some(at) = self.place(voxel) else {
                reaches = true;
                continue;
            };
            if self.set[at] != like {
                continue;
            }
            self.set[at] = !like;
            for step in 0..27 {
                let step = IVec3::new(step % 3, step / 3 % 3, step / 9) - 1;
                let axes = step.abs().element_sum();
                if axes > 0 && axes <= [1, 2, 3][WAYS.iter().position(|&w| w == ways).unwrap()] {
                    pending.push(voxel + step);
                }
            }
        }
        reaches
    }
}

fn check(row: &Value, center: DVec3, radius: f64, rule: Rule<f64>) {
    let grid = VoxelGrid::new(DVec3::ZERO, 1.0).with_rule(rule);
    let skin = Hollow(Sphere::new(center, radius));
    let voxels: Vec<_> = grid.voxels(skin).collect();
    assert_eq!(
        voxels.len() as u64,
        row["count"],
        "{rule:?} {center} {radius}"
    );
    let cube = || Cube::new(center, radius.ceil() as i32 + 2, voxels.iter().copied());
    let inside = grid.voxel_of(center).unwrap();
    for ways in WAYS {
        let separates = !cube().flood(inside, ways);
        let recorded = row["separating"].as_array().unwrap();
        assert_eq!(
            separates,
            recorded.contains(&ways.to_string().into()),
            "{rule:?} {radius}"
        );
        let mut cube = cube();
        let mut components = 0;
        for &voxel in &voxels {
            if cube.set[cube.place(voxel).unwrap()] {
                cube.flood(voxel, ways);
                components += 1;
            }
        }
        assert_eq!(
            components,
            row["components"][ways.to_string()],
            "{rule:?} {radius}"
        );
    }
}

#[test]
fn surfaces_separate_as_recorded() {
    let thickness = read("oracle_thickness3d.json");
    let centers: HashMap<&str, DVec3> = thickness["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            (
                row["alignment"].as_str().unwrap(),
                sixteenths(row, "center_times_16"),
            )
        })
        .collect();
    let data = read("oracle_separation3d.json");
    let mut asked = 0;
    for row in data["rows"].as_array().unwrap() {
        let radius = row["r"].as_f64().unwrap();
        let center = centers[row["alignment"].as_str().unwrap()];
        for (rule, key) in [
            (Rule::Closed, "closed"),
            (Rule::HalfOpen, "half_open"),
            (Rule::Thin, "naive6_cross"),
        ] {
            // Flooding the larger ones takes a minute.
            if radius < 5.0 && !row[key].is_null() {
                check(&row[key], center, radius, rule);
                asked += 1;
            }
        }
    }
    assert!(asked > 40, "{asked}");
}

/// What the rules promise.
#[test]
fn rules_separate_as_promised() {
    let center = DVec3::new(0.3, -0.2, 0.45);
    let just_above = |x: f64| x + 1e-9;
    for (rule, ways) in [
        (Rule::CentreInside, 6),
        (Rule::Shell(0.0), 26),
        (Rule::Shell(1.5), 26),
        (Rule::NarrowBand(just_above(0.5)), 6),
        (Rule::NarrowBand(just_above(0.5f64.sqrt())), 18),
        (Rule::NarrowBand(just_above(0.75f64.sqrt())), 26),
    ] {
        for radius in [5.3, 7.0] {
            let grid = VoxelGrid::new(DVec3::ZERO, 1.0).with_rule(rule);
            let voxels: Vec<_> = grid.voxels(Hollow(Sphere::new(center, radius))).collect();
            let cube = || Cube::new(center, radius.ceil() as i32 + 3, voxels.iter().copied());
            assert!(!cube().flood(IVec3::ZERO, ways), "{rule:?} {radius}");
            let mut one = cube();
            one.flood(voxels[0], 18);
            assert!(
                voxels.iter().all(|&v| !one.set[one.place(v).unwrap()]),
                "{rule:?} {radius}"
            );
        }
    }
}

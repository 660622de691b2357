//! Tests by flood fills which voxels separate the inside of a sphere from its outside, and which are connected.

use std::collections::HashMap;

use orthant::{
    Aabb, Ellipsoid, Hexahedron, Hollow, Moving, Region, Rule, Sphere, VoxelGrid, Voxelize,
    glam::{DVec3, IVec3},
};
use serde_json::Value;

use crate::oracle::{read, sixteenths};

const WAYS: [usize; 3] = [6, 18, 26];

/// A cube of voxels around a center, of which some are set.
struct Cube {
    start: IVec3,
    edge: i32,
    cells: Vec<Place>,
}

#[derive(Clone, Copy, PartialEq)]
enum Place {
    Empty,
    Set,
    /// A voxel on a face of the cube, which counts as outside.
    Rim,
}

impl Cube {
    fn new(center: DVec3, reach: i32, voxels: impl Iterator<Item = IVec3>) -> Self {
        let start = center.floor().as_ivec3() - reach;
        let edge = 2 * reach + 1;
        let mut cells = Vec::new();
        let is_rim = |i| i == 0 || i == edge - 1;
        for z in 0..edge {
            for y in 0..edge {
                let row = (0..edge).map(|x| [x, y, z].into_iter().any(is_rim));
                cells.extend(row.map(|rim| if rim { Place::Rim } else { Place::Empty }));
            }
        }
        let mut cube = Self { start, edge, cells };
        for voxel in voxels {
            let at = cube.place(voxel);
            assert!(cube.cells[at] != Place::Rim, "the cube is large enough");
            cube.cells[at] = Place::Set;
        }
        cube
    }

    fn place(&self, voxel: IVec3) -> usize {
        let at = voxel - self.start;
        (at.x + self.edge * (at.y + self.edge * at.z)) as usize
    }

    fn is_set(&self, voxel: IVec3) -> bool {
        self.cells[self.place(voxel)] == Place::Set
    }

    /// Flips the voxels that are connected with `from` and of its kind, until they reach the faces of the cube; returns true if they do.
    fn flood(&mut self, from: IVec3, ways: usize) -> bool {
        let most = [1, 2, 3][WAYS.iter().position(|&w| w == ways).unwrap()];
        let steps = (0..27).map(|i| IVec3::new(i % 3, i / 3 % 3, i / 9) - 1);
        let steps = steps.filter(|step| (1..=most).contains(&step.abs().element_sum()));
        let edge = self.edge as isize;
        let steps: Vec<isize> = steps
            .map(|s| s.x as isize + edge * (s.y as isize + edge * s.z as isize))
            .collect();
        let like = self.cells[self.place(from)];
        let other = if like == Place::Set {
            Place::Empty
        } else {
            Place::Set
        };
        let mut pending = vec![self.place(from)];
        self.cells[pending[0]] = other;
        while let Some(at) = pending.pop() {
            for &step in &steps {
                let next = at.wrapping_add_signed(step);
                if self.cells[next] == like {
                    self.cells[next] = other;
                    pending.push(next);
                } else if self.cells[next] == Place::Rim {
                    return true;
                }
            }
        }
        false
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
            if cube.is_set(voxel) {
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
            if !row[key].is_null() {
                check(&row[key], center, radius, rule);
                asked += 1;
            }
        }
    }
    assert_eq!(asked, 207);
}

/// Returns the rules, each with the neighborhood under which its voxels separate. Half-open ones separate only if no edge of the lattice lies in
/// the surface. The band of an ellipsoid is thinner than its half width.
fn promises(thinner: f64) -> [(Rule<f64>, usize); 9] {
    let just_above = |x: f64| x / thinner + 1e-9;
    [
        (Rule::Closed, 26),
        (Rule::HalfOpen, 26),
        (Rule::CenterInside, 6),
        (Rule::Thin, 6),
        (Rule::Shell(0.0), 26),
        (Rule::Shell(1.5), 26),
        (Rule::NarrowBand(just_above(0.5)), 6),
        (Rule::NarrowBand(just_above(0.5f64.sqrt())), 18),
        (Rule::NarrowBand(just_above(0.75f64.sqrt())), 26),
    ]
}

/// Floods from a point that a surface encloses, and along the surface.
fn check_promises<R>(skin: &R, inside: DVec3, reach: i32, thinner: f64)
where
    R: Voxelize + Region<Vector = DVec3> + Clone,
{
    for (rule, ways) in promises(thinner) {
        let grid = VoxelGrid::new(DVec3::ZERO, 1.0).with_rule(rule);
        let voxels: Vec<_> = grid.voxels(skin.clone()).collect();
        let cube = || Cube::new(inside, reach, voxels.iter().copied());
        let start = grid.voxel_of(inside).unwrap();
        assert!(!cube().flood(start, ways), "{rule:?} {:?}", skin.bounds());
        let mut one = cube();
        one.flood(voxels[0], 18);
        let in_one_piece = !voxels.iter().any(|&v| one.is_set(v));
        assert!(in_one_piece, "{rule:?} {:?}", skin.bounds());
    }
}

#[test]
fn rules_separate_as_promised() {
    let center = DVec3::new(0.3, -0.2, 0.45);
    for (radius, reach) in [(5.3, 9), (7.0, 10)] {
        check_promises(&Hollow(Sphere::new(center, radius)), center, reach, 1.0);
    }
    let egg = Ellipsoid::new(center, DVec3::new(3.4, 5.1, 6.2));
    let ratio: f64 = 6.2 / 3.4;
    check_promises(&Hollow(egg), center, 10, 2.0 * ratio.sqrt() / (1.0 + ratio));
    let solid = Aabb::new(center - 4.1, center + DVec3::new(3.3, 5.2, 4.7));
    check_promises(&Hollow(solid), center, 9, 1.0);
    let axes = [
        DVec3::new(0.48, 0.64, 0.6),
        DVec3::new(-0.8, 0.6, 0.0),
        DVec3::new(-0.36, -0.48, 0.8),
    ];
    let turned = Hexahedron::oriented(center, DVec3::new(4.1, 3.6, 5.3), axes);
    check_promises(&Hollow(turned), center, 12, 1.0);
    let capsule = Moving::new(Sphere::new(center - 3.1, 4.2), DVec3::new(5.5, 6.3, 7.1));
    check_promises(&Hollow(capsule), center, 12, 1.0);
}

/// Around an edge of the lattice in a plane, two of the four voxels hold no point of the plane.
#[test]
fn half_open_voxels_do_not_separate_along_edges_of_the_lattice() {
    let axes = [
        DVec3::new(1.0, 1.0, 0.0),
        DVec3::new(-1.0, 1.0, 0.0),
        DVec3::Z,
    ];
    let skin = Hollow(Hexahedron::oriented(
        DVec3::new(0.0, 0.0, 0.5),
        DVec3::splat(4.0),
        axes,
    ));
    let grid = VoxelGrid::new(DVec3::ZERO, 1.0).with_rule(Rule::HalfOpen);
    let cube = || Cube::new(DVec3::ZERO, 12, grid.voxels(skin.clone()));
    assert!(!cube().flood(IVec3::ZERO, 6));
    assert!(cube().flood(IVec3::ZERO, 18));
}

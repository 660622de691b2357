//! All rules in whole numbers, by their definitions, for spheres, shells, boxes and points that floats represent exactly. The formulas differ
//! from those of `brute`, which rounds as the crate does: farthest points are searched among corners, and a half-open voxel is a closed one that
//! ends a little earlier.

use orthant::{
    Aabb, Hollow, Region, Rule, Scalar, Shell, Sphere, Vector, Voxel, VoxelGrid, Voxelize,
};
use proptest::prelude::*;

use crate::cases::cases;

/// The parts of a unit. A move by one part changes squared distances by less than those of whole units differ. So a voxel that ends one part
/// earlier meets the same shapes as a half-open one.
const PART: i64 = 4096;

/// A scene in sixteenths; voxel edges are even, so that their centers are whole.
#[derive(Clone, Debug)]
struct Scene {
    size: i64,
    origin: [i64; 3],
    at: [i64; 3],
    extent: [i64; 3],
    /// Half of a thickness, or half of the width of a band.
    length: i64,
}

fn scene() -> impl Strategy<Value = Scene> {
    let three = proptest::array::uniform3::<std::ops::Range<i64>>;
    let size = prop::sample::select(&[4, 6, 8, 16][..]);
    // Half of all numbers are multiples of a voxel, or of half a voxel.
    (
        size,
        three(-9..9),
        three(-20..21),
        three(0..13),
        1..17i64,
        0..4,
    )
        .prop_map(|(size, origin, at, extent, length, ties)| {
            let unit: i64 = [1, size / 2, size, 3][ties as usize];
            let scaled = |numbers: [i64; 3]| numbers.map(|x| x * unit);
            Scene {
                size,
                origin,
                at: [0, 1, 2].map(|a| scaled(at)[a].clamp(-99, 99) + origin[a]),
                extent: scaled(extent).map(|x| x.min(5 * size)),
                length: if ties == 0 {
                    length
                } else {
                    unit * (1 + length % 3)
                },
            }
        })
}

#[derive(Clone, Copy, Debug)]
enum Shape {
    /// A ball: center, inner and outer radius, and whether the inner radius counts.
    Ball([i64; 3], i64, i64, bool),
    /// A box: corners, and whether only the surface counts.
    Box([i64; 3], [i64; 3], bool),
}

/// A box in the plane or in space, in parts of a unit; a point is one too.
#[derive(Clone, Copy)]
struct Cell {
    dim: usize,
    lo: [i64; 3],
    hi: [i64; 3],
}

impl Cell {
    fn axes(&self) -> impl Iterator<Item = usize> + use<> {
        0..self.dim
    }

    /// Returns the squared distances of a point to the nearest point and to the farthest corner.
    fn distances_sq(&self, from: [i64; 3]) -> (i64, i64) {
        let squared = |p: [i64; 3]| self.axes().map(|a| (p[a] - from[a]).pow(2)).sum();
        let nearest = [0, 1, 2].map(|a| from[a].clamp(self.lo[a], self.hi[a].max(self.lo[a])));
        let corner = |bits: usize| {
            [0, 1, 2].map(|a| {
                if bits >> a & 1 == 1 {
                    self.hi[a]
                } else {
                    self.lo[a]
                }
            })
        };
        let farthest = (0..1 << self.dim).map(|bits| squared(corner(bits)));
        (squared(nearest), farthest.max().expect("a corner"))
    }

    /// Returns true if a point of the cell lies within `reach` of the shape, or `strictly` closer.
    fn is_near(&self, shape: Shape, reach: i64, strictly: bool) -> bool {
        let reaches = |distance_sq: i64, limit: i64| {
            distance_sq < limit * limit || (!strictly && distance_sq == limit * limit)
        };
        match shape {
            Shape::Ball(center, inner, outer, hollow) => {
                let (near, far) = self.distances_sq(center);
                let hole = inner - reach;
                let in_hole = far < hole * hole || (strictly && far == hole * hole);
                reaches(near, outer + reach) && !(hollow && hole >= 0 && in_hole)
            }
            Shape::Box(min, max, hollow) => {
                let gap = |a: usize| (min[a] - self.hi[a]).max(self.lo[a] - max[a]).max(0);
                let depth = |a: usize| (self.lo[a] - min[a]).min(max[a] - self.hi[a]);
                let deepest = self.axes().map(depth).min().expect("an axis");
                let apart = self.axes().map(|a| gap(a).pow(2)).sum();
                reaches(apart, reach) && (!hollow || reaches(deepest.max(0).pow(2), reach))
            }
        }
    }
}

impl Scene {
    fn parts(numbers: [i64; 3]) -> [i64; 3] {
        numbers.map(|x| x * PART)
    }

    fn vector<V: Vector>(numbers: [i64; 3]) -> V {
        V::from_fn(|a| Scalar::from_f64(numbers[a] as f64 / 16.0))
    }

    fn length_of<S: Scalar>(length: i64) -> S {
        S::from_f64(length as f64 / 16.0)
    }

    /// Returns true if a voxel belongs to a shape, by the words of the rule.
    fn says(&self, dim: usize, rule: usize, shape: Shape, surface: bool, voxel: [i64; 3]) -> bool {
        let cell_of = |voxel: [i64; 3]| Cell {
            dim,
            lo: [0, 1, 2].map(|a| (self.origin[a] + voxel[a] * self.size) * PART),
            hi: [0, 1, 2].map(|a| (self.origin[a] + (voxel[a] + 1) * self.size) * PART),
        };
        let middle = |cell: Cell| [0, 1, 2].map(|a| (cell.lo[a] + cell.hi[a]) / 2);
        let center_of = |voxel| {
            let center = middle(cell_of(voxel));
            Cell {
                dim,
                lo: center,
                hi: center,
            }
        };
        let cell = cell_of(voxel);
        match rule {
            0 => cell.is_near(shape, 0, false),
            1 => Cell {
                hi: cell.hi.map(|x| x - 1),
                ..cell
            }
            .is_near(shape, 0, false),
            2 => {
                let filled = match shape {
                    Shape::Ball(center, inner, outer, hollow) => {
                        Shape::Ball(center, inner, outer, hollow && !surface)
                    }
                    Shape::Box(min, max, _) => Shape::Box(min, max, false),
                };
                let holds = |voxel| center_of(voxel).is_near(filled, 0, false);
                let beside = |a: usize, step: i64| {
                    let mut there = voxel;
                    there[a] += step;
                    there
                };
                let outermost =
                    (0..dim).any(|a| [-1, 1].iter().any(|&step| !holds(beside(a, step))));
                holds(voxel) && (!surface || outermost)
            }
            3 => (0..dim).any(|a| {
                let mut segment = center_of(voxel);
                (segment.lo[a], segment.hi[a]) = (cell.lo[a], cell.hi[a]);
                segment.is_near(shape, 0, false)
            }),
            4 => cell.is_near(shape, self.length * PART, false),
            _ => center_of(voxel).is_near(shape, self.length * PART, true),
        }
    }

    fn check<V, R>(&self, region: R, shape: Shape, surface: bool)
    where
        V: Vector,
        R: Voxelize + Region<Vector = V> + Copy,
    {
        let size = Self::length_of(self.size);
        let length: V::Scalar = Self::length_of(self.length);
        let rules = [
            Rule::Closed,
            Rule::HalfOpen,
            Rule::CenterInside,
            Rule::Thin,
            Rule::Shell(length + length),
            Rule::NarrowBand(length),
        ];
        for (which, rule) in rules.into_iter().enumerate() {
            let grid = VoxelGrid::new(Self::vector::<V>(self.origin), size).with_rule(rule);
            let key = |voxel: V::Voxel| {
                [0, 1, 2].map(|a| {
                    if a < V::DIM {
                        i64::from(voxel.axis(a))
                    } else {
                        0
                    }
                })
            };
            let mut found: Vec<[i64; 3]> = grid.voxels(region).map(key).collect();
            assert_eq!(grid.count(region), found.len() as u64);
            found.sort_unstable();
            // The window ends two voxels farther than anything reaches.
            let ends = [0, 1, 2].map(|a| {
                let around = self.extent.iter().max().expect("three") + self.length + 2 * self.size;
                let index = |x: i64| (x - self.origin[a]).div_euclid(self.size);
                (index(self.at[a] - around), index(self.at[a] + around))
            });
            let last = if V::DIM == 2 { (0, 0) } else { ends[2] };
            let mut expected = Vec::new();
            for x in ends[0].0..=ends[0].1 {
                for y in ends[1].0..=ends[1].1 {
                    for z in last.0..=last.1 {
                        if self.says(V::DIM, which, shape, surface, [x, y, z]) {
                            expected.push([x, y, z]);
                        }
                    }
                }
            }
            assert_eq!(found, expected, "{rule:?} {shape:?} {self:?}");
        }
    }

    fn check_all<V: Vector>(&self) {
        let (at, extent) = (self.at, self.extent);
        let center: V = Self::vector(at);
        let (inner, outer) = (extent[0].min(extent[1]), extent[0].max(extent[1]));
        let here = Self::parts(at);
        let ball = Sphere::new(center, Self::length_of(outer));
        self.check(ball, Shape::Ball(here, 0, outer * PART, false), false);
        let skin = Shape::Ball(here, outer * PART, outer * PART, true);
        self.check(Hollow(ball), skin, true);
        let shell = Shell::new(center, Self::length_of(inner), Self::length_of(outer));
        let ring = Shape::Ball(here, inner * PART, outer * PART, inner > 0);
        self.check(shell, ring, false);
        let far = [0, 1, 2].map(|a| at[a] + extent[a]);
        let solid = Aabb::new(center, Self::vector(far));
        self.check(solid, Shape::Box(here, Self::parts(far), false), false);
        self.check(
            Hollow(solid),
            Shape::Box(here, Self::parts(far), true),
            true,
        );
    }
}

proptest! {
    #![proptest_config(cases(4, 200))]

    #[test]
    fn rules_in_whole_numbers(scene in scene()) {
        scene.check_all::<[f32; 2]>();
        scene.check_all::<[f64; 2]>();
        scene.check_all::<[f32; 3]>();
        scene.check_all::<[f64; 3]>();
    }
}

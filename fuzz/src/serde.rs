//! Fuzzes everything that serde reads: bytes of three formats, altered or made up, are an error, or a value that answers.

mod alter;

use std::fmt::Debug;

use orthant::{
    Aabb, BodyInfo, Bounded, BrickSet, Broadphase, CellList, Complement, Difference, Ellipsoid,
    Event, Filter, Frustum, Handle, Hexahedron, Hollow, Intersection, Linear, Lists, LooseOrthtree,
    Manhattan, Motion, Moving, NeighborLists, NormBall, Overlaps, Periodic, Plane, Quadrilateral,
    Ray, Rigid, Rule, Shell, SpatialIndex, Sphere, SphereTree, Union, Volume, VoxelGrid, With,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use alter::attack;

use crate::draw::Draw;
use crate::shapes::{ball, body, cuboid, ellipsoid, filter, shell, volume, weights};

type Plain = [f64; 2];
type Deep = [f32; 3];

/// Fuzzes a value of some type that is written, altered and read, or arbitrary bytes.
pub fn serde(data: &[u8]) {
    let mut draw = Draw::new(data);
    let draw = &mut draw;
    match draw.below(34) {
        0..4 => made(draw, |draw| world(draw_body::<Plain>, draw), world_of),
        4..6 => made(draw, |draw| world(draw_body::<Deep>, draw), world_of),
        6..8 => made(draw, |draw| loose(draw, ball::<Plain>), tree_of),
        8 => made(draw, |draw| loose(draw, cuboid::<Deep>), tree_of),
        9 => made(
            draw,
            |draw| loose(draw, |draw| draw.place::<Plain>()),
            tree_of,
        ),
        10 | 11 => {
            let balls = draw.several(12, ball::<Deep>);
            attack(draw, &SphereTree::new(&balls), |tree, _| {
                let probe = Sphere::new([1.0; 3], 2.0);
                assert_eq!(tree.query(probe).count(), tree.count(probe));
                let _ = (
                    tree.nearest([0.5; 3]),
                    tree.lies().bounds(),
                    tree.cast_ray(Ray::new([-9.0; 3], [1.0; 3])),
                );
            });
        }
        12 | 13 => {
            let voxels: Vec<[i32; 3]> = draw.several(12, |draw| {
                [0, 1, 2].map(|_| draw.of(&[0, 1, 7, 8, 63, 64, -1, i32::MAX, i32::MIN, 1 << 20]))
            });
            attack(
                draw,
                &BrickSet::from_iter(voxels),
                |set: BrickSet<[i32; 3]>, _| {
                    set.validate().unwrap();
                    let all: Vec<_> = set.iter().collect();
                    assert_eq!(set.len(), all.len() as u64);
                    assert_eq!(set, BrickSet::from_iter(all));
                },
            );
        }
        14 => {
            let some = draw.several(6, |draw| draw.several(6, |draw| u32::from(draw.byte())));
            attack(
                draw,
                &some.into_iter().collect::<Lists<u32>>(),
                |lists: Lists<u32>, _| {
                    assert_eq!(lists.offsets().last().copied(), Some(lists.items().len()));
                    assert_eq!(
                        lists.iter().map(|list| list.len()).sum::<usize>(),
                        lists.items().len()
                    );
                },
            );
        }
        15 => {
            let points = draw.several(8, |draw| draw.place::<Plain>());
            let Ok(cells) = CellList::try_new(&points, draw.positive()) else {
                return;
            };
            attack(draw, &cells.neighbors(), |mut near: NeighborLists, _| {
                assert_eq!(near.total(), near.to_lists().items().len());
                cells.neighbors_into(&mut near).unwrap();
                assert_eq!(near, cells.neighbors());
            });
        }
        16 => {
            let Ok(grid) = VoxelGrid::try_new(draw.place::<Plain>(), draw.positive()) else {
                return;
            };
            let grid = grid.with_rule(draw.of(&[Rule::Closed, Rule::Thin, Rule::Shell(1.0)]));
            attack(draw, &grid, |grid, _| {
                let point = Sphere::new([0.0, 0.0], 0.0);
                // A row of a shell may have a thousand million voxels, and there may be as many rows.
                let thickness = match grid.rule() {
                    Rule::Shell(thickness) | Rule::NarrowBand(thickness) => thickness,
                    _ => 0.0,
                };
                if thickness < 100.0 * grid.voxel_size() && grid.check(&point).is_ok() {
                    assert_eq!(grid.count(point), grid.voxels(point).count() as u64);
                }
            });
        }
        17 => {
            let Ok(moving) = Moving::try_new(ball::<Plain>(draw), draw.way()) else {
                return;
            };
            attack(draw, &moving, |moving, _| {
                let again = Moving::try_new(*moving.shape(), moving.displacement()).unwrap();
                assert_eq!(again.try_until(moving.horizon()), Ok(moving));
            });
        }
        18 => {
            let ray = Ray::new(draw.place::<Deep>(), draw.way()).until(draw.length());
            attack(draw, &ray, |ray, _| {
                let again = Ray::try_new(ray.origin(), ray.direction()).unwrap();
                assert_eq!(again.try_until(ray.horizon()), Ok(ray));
            });
        }
        19 => made(
            draw,
            |draw| Rigid::from_translation(draw.place::<Plain>()),
            |rigid, _| {
                assert!(rigid.translation().iter().all(|x| x.is_finite()));
                let _ = (
                    rigid.point([1.0, 2.0]),
                    rigid.sphere(&Sphere::new([0.0, 1.0], 1.0)),
                );
            },
        ),
        20 => {
            let Ok(plane) = Plane::try_new(draw.place::<Deep>(), draw.coordinate()) else {
                return;
            };
            attack(draw, &plane, |plane, _| {
                assert!(Plane::try_new(plane.normal(), plane.offset()).is_ok());
            });
        }
        21 => made(draw, cuboid::<Deep>, |cuboid, _| {
            assert_eq!(Aabb::try_new(cuboid.min(), cuboid.max()), Ok(cuboid));
        }),
        22 => made(draw, ball::<Plain>, |ball, _| {
            assert_eq!(Sphere::try_new(ball.center(), ball.radius()), Ok(ball));
        }),
        23 => made(draw, ellipsoid::<Plain>, |egg, _| {
            assert_eq!(Ellipsoid::try_new(egg.center(), egg.semi_axes()), Ok(egg));
        }),
        24 => made(draw, shell::<Deep>, |shell, _| {
            assert_eq!(
                Shell::try_new(shell.center(), shell.inner(), shell.outer()),
                Ok(shell)
            );
        }),
        25 => {
            let half = [0, 1, 2].map(|_| draw.positive());
            let axes = [[0.6, 0.8, 0.1], [-0.8, 0.6, 0.0], [0.1, 0.3, 1.0]];
            let Ok(solid) = Hexahedron::<[f64; 3]>::try_oriented(draw.place(), half, axes) else {
                return;
            };
            attack(draw, &solid, |solid, _| {
                assert!(solid.corners().count() >= 4, "{solid:?}");
                let _ = Linear::new(&[[0.0; 3], [1.0; 3]]).count(&solid);
            });
        }
        26 => {
            let half = [0, 1].map(|_| draw.positive());
            let Ok(solid) =
                Quadrilateral::<Plain>::try_oriented(draw.place(), half, [[0.6, 0.8], [-0.8, 0.6]])
            else {
                return;
            };
            attack(draw, &solid, |solid, _| {
                assert!(solid.corners().len() >= 3);
                let _ = Linear::new(&[[0.0; 2], [1.0; 2]]).count(&solid);
            });
        }
        27 => {
            let rows = [0, 1, 2, 3].map(|_| [0, 1, 2, 3].map(|_| draw.coordinate::<f64>()));
            let Ok(seen) = Frustum::<[f64; 3]>::try_from_view_projection(rows) else {
                return;
            };
            attack(draw, &seen, |seen, _| {
                let _ = Linear::new(&[[0.0; 3], [1.0; 3]]).count(&seen);
            });
        }
        28 => made(
            draw,
            |draw| With::new(ball::<Plain>(draw), 'b'),
            |with: With<Sphere<Plain>, char>, _| {
                assert_eq!(
                    Sphere::try_new(with.item.center(), with.item.radius()),
                    Ok(with.item)
                );
            },
        ),
        29 => made(draw, volume::<Plain>, |volume, _| match volume {
            Volume::Sphere(ball) => {
                assert_eq!(Sphere::try_new(ball.center(), ball.radius()), Ok(ball))
            }
            Volume::Box(cuboid) => {
                assert_eq!(Aabb::try_new(cuboid.min(), cuboid.max()), Ok(cuboid))
            }
        }),
        30 | 31 => {
            let origin: Plain = draw.place();
            let made = if draw.one_in(2) {
                let vectors = [[draw.positive(), 0.0], [draw.coordinate(), draw.positive()]];
                Periodic::try_spanned_along(origin, vectors, [true, draw.one_in(2)])
            } else {
                let max = [0, 1].map(|a| origin[a] + draw.length::<f64>());
                let Ok(bounds) = Aabb::try_new(origin, max) else {
                    return;
                };
                Periodic::try_on_axes(bounds, [draw.one_in(2), draw.one_in(2)])
            };
            let Ok(periodic) = made else { return };
            attack(draw, &periodic, |periodic: Periodic<Plain>, _| {
                let wrapped = periodic.wrap([7.0, -2.0]);
                let scan = Linear::new(&[[0.5, 0.25]]);
                let _ = (
                    periodic.count(&scan, Sphere::new([0.0, 0.0], 1.0)),
                    periodic.displacement(wrapped, [0.0; 2]),
                );
                let _ = periodic.nearest_n(&scan, wrapped, 3);
                let _ = CellList::try_new_periodic(&[wrapped], 1.0, periodic)
                    .map(|cells| cells.count_pairs());
            });
        }
        32 => {
            let region = Union(
                Intersection(ball::<Plain>(draw), Hollow(cuboid::<Plain>(draw))),
                Difference(Complement(shell::<Plain>(draw)), ellipsoid::<Plain>(draw)),
            );
            attack(draw, &region, |region, _| {
                let _ = Linear::new(&[[0.0; 2]]).count(region);
            });
            let norm = NormBall::new(draw.place::<Plain>(), draw.length(), weights(draw));
            attack(draw, &norm, |norm, _| {
                let _ = Linear::new(&[[0.0; 2]]).count(norm);
            });
            let norm = NormBall::new(draw.place::<Plain>(), draw.length(), Manhattan);
            attack(draw, &norm, |norm, _| {
                let _ = Linear::new(&[[0.0; 2]]).count(norm);
            });
        }
        _ => {
            made(draw, filter, |filter: Filter, _| {
                let info = BodyInfo::from(Motion::Dynamic).with_filter(filter);
                assert_eq!(are_pair(info, info), filter.meets(filter));
            });
            made(draw, body, |info: BodyInfo, _| {
                let met = are_pair(info, Motion::Dynamic.into());
                assert_eq!(met, info.filter.meets(Filter::ALL));
            });
            made(
                draw,
                |draw| draw.of(&[Rule::Closed, Rule::NarrowBand(0.5)]),
                |rule: Rule<f64>, _| {
                    let _ =
                        VoxelGrid::try_new([0.0; 2], 1.0).and_then(|grid| grid.try_with_rule(rule));
                },
            );
            let mut tree = LooseOrthtree::<Plain>::new();
            let (a, b) = (tree.insert([0.0; 2]), tree.insert([0.0; 2]));
            attack(draw, &Event::Begin(a, b), |event: Event, _| {
                let _ = event.pair();
            });
            attack(draw, &a, |handle: Handle, _| {
                let _ = tree.get(handle);
            });
        }
    }
}

/// Makes a value, and alters its written form.
fn made<T: Serialize + DeserializeOwned>(
    draw: &mut Draw,
    make: impl Fn(&mut Draw) -> T,
    ask: impl FnMut(T, &Value),
) {
    let value = make(draw);
    attack(draw, &value, ask);
}

/// Returns true if two coincident bodies are a pair.
fn are_pair(one: BodyInfo, other: BodyInfo) -> bool {
    let mut world = Broadphase::new();
    let bounds = Aabb::new([0.0; 2], [1.0; 2]);
    let handle = world.insert(bounds, one);
    assert_eq!(world.user(handle), Some(one.user));
    world.insert(bounds, other);
    world.update();
    world.validate().unwrap();
    world.pairs().count() == 1
}

fn draw_body<V: orthant::Vector>(draw: &mut Draw) -> (Volume<V>, BodyInfo) {
    (volume(draw), body(draw))
}

fn world<V: orthant::Vector>(
    make: fn(&mut Draw) -> (Volume<V>, BodyInfo),
    draw: &mut Draw,
) -> Broadphase<V> {
    let mut world = Broadphase::new();
    if draw.one_in(3) {
        world = world
            .with_margin(draw.length())
            .with_prediction(draw.length());
    }
    if draw.one_in(6) {
        world = world.with_fat_pairs();
    }
    let bodies = draw.several(8, make);
    let handles = world.insert_batch(bodies);
    world.update();
    for (i, handle) in handles.into_iter().enumerate() {
        match draw.below(8) {
            0 => world.sleep(handle),
            1 => {
                world.remove(handle);
            }
            2 if i % 2 == 0 => {
                world.insert(volume::<V>(draw), Motion::Dynamic);
            }
            _ => {}
        }
    }
    if draw.one_in(2) {
        world.update();
    }
    world
}

fn world_of<V>(mut world: Broadphase<V>, told: &Value)
where
    V: orthant::Vector + Serialize + DeserializeOwned,
    V::Scalar: Serialize + DeserializeOwned,
{
    world.validate().unwrap();
    let removed: Vec<Handle> = serde_json::from_value(told["gone"].clone()).unwrap();
    let probe = Sphere::new(V::splat(orthant::Scalar::ONE), orthant::Scalar::ONE);
    assert_eq!(world.query(probe).count(), world.count(probe));
    let hits = world.iter().filter(|body| probe.overlaps(&body.1)).count();
    assert_eq!(world.count(probe), hits);
    for _ in 0..2 {
        let new = world.insert(probe, Motion::Dynamic);
        assert!(!removed.contains(&new), "{new:?} was removed");
    }
    world.update();
    world.validate().unwrap();
    let _ = (
        world.pairs().count(),
        world.nearest(V::splat(orthant::Scalar::ZERO)),
    );
    assert_eq!(world.update(), []);
}

fn loose<T: Bounded>(draw: &mut Draw, make: fn(&mut Draw) -> T) -> LooseOrthtree<T> {
    let mut tree = LooseOrthtree::new();
    let items = draw.several(10, make);
    for handle in tree.insert_batch(items) {
        if draw.one_in(3) {
            tree.remove(handle);
        }
    }
    tree
}

fn tree_of<T>(mut tree: LooseOrthtree<T>, _: &Value)
where
    T: Bounded + Clone + PartialEq + Debug,
    Sphere<T::Vector>: Overlaps<T>,
{
    tree.validate().unwrap();
    let items: Vec<_> = tree
        .iter()
        .map(|(handle, item)| (handle, item.clone()))
        .collect();
    let probe = Sphere::new(
        orthant::Vector::splat(orthant::Scalar::ONE),
        orthant::Scalar::ONE,
    );
    let hits = items
        .iter()
        .filter(|item| probe.overlaps(&item.1))
        .map(|item| item.0);
    let mut found: Vec<Handle> = tree.query(probe).collect();
    found.sort_unstable();
    assert!(hits.eq(found));
    if let Some((_, item)) = items.first() {
        for _ in 0..3 {
            let new = tree.insert(item.clone());
            assert!(items.iter().all(|(handle, _)| *handle != new));
        }
    }
    tree.validate().unwrap();
    for (handle, item) in items {
        assert_eq!(tree.remove(handle), Some(item));
    }
    tree.validate().unwrap();
}

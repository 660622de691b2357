//! Compares rays, moving shapes and bodies of balls in motion with tests of the items one by one.

use std::fmt::Debug;

use orthant::{
    Aabb, Bounded, Broadphase, CellLevels, CellList, Hit, Impact, Key, Linear, LooseOrthtree,
    Mover, Moving, Orthtree, Ray, Reach, Rigid, Scalar, SpatialIndex, Sphere, SphereTree, Sweep,
    Vector,
};

use crate::draw::Draw;
use crate::shapes::{Room, ball, body, cuboid, volume};

/// Fuzzes rays and moving shapes through each structure, and bodies of balls against each other.
pub fn casts(data: &[u8]) {
    let mut draw = Draw::new(data);
    match draw.below(4) {
        0 => of_some_kind::<[f32; 2]>(&mut draw),
        1 => of_some_kind::<[f64; 2]>(&mut draw),
        2 => of_some_kind::<[f64; 3]>(&mut draw),
        _ => of_some_kind::<[f32; 3]>(&mut draw),
    }
}

fn of_some_kind<V: Room>(draw: &mut Draw) {
    match draw.below(6) {
        0 => {
            let points = draw.several(30, |draw| draw.place::<V>());
            let scene = Scene::new(draw, &points);
            if let Ok(cells) = CellList::try_new(&points, draw.positive()) {
                scene.check(&cells);
            }
            let radii: Vec<V::Scalar> = points.iter().map(|_| draw.length()).collect();
            if let Ok(levels) = CellLevels::try_new(&points, &radii, Reach::Sum) {
                scene.check(&levels);
            }
        }
        1 => {
            let boxes = draw.several(30, cuboid::<V>);
            Scene::new(draw, &boxes);
        }
        2 => {
            let balls = draw.several(30, ball::<V>);
            let scene = Scene::new(draw, &balls);
            let tree = SphereTree::new(&balls);
            scene.check(&tree);
            scene.check(&tree.lies());
        }
        3 => {
            let volumes = draw.several(30, volume::<V>);
            let scene = Scene::new(draw, &volumes);
            let mut world = Broadphase::new().with_margin(draw.length());
            for &volume in &volumes {
                world.insert(volume, body(draw));
            }
            world.update();
            scene.check(&world);
        }
        _ => contacts::<V>(draw),
    }
}

/// Items, a mover, and the hit of each item, in the order of first touch.
struct Scene<V: Vector> {
    rays: Vec<(Ray<V>, Hits<V>)>,
    balls: Vec<(Moving<Sphere<V>>, Hits<V>)>,
    boxes: Vec<(Moving<Aabb<V>>, Hits<V>)>,
}

type Hits<V> = Vec<Hit<usize, V>>;

fn horizon<V: Vector>(draw: &mut Draw) -> V::Scalar {
    let some = [1.0, 1.0, 0.0, 0.3, 7.0, f64::INFINITY];
    V::Scalar::from_f64(draw.of(&some))
}

/// Returns the hit of each item.
fn hits<V, T, M>(mover: &M, items: &[T]) -> Hits<V>
where
    V: Vector,
    T: Bounded<Vector = V> + Debug,
    M: Mover<T> + Debug,
{
    let mut hits = Vec::new();
    for (item, target) in items.iter().enumerate() {
        let (impact, times) = (mover.sweep(target), mover.times(target));
        assert_eq!(
            times,
            impact.map(|impact| (impact.first, impact.last)),
            "{mover:?} {target:?}"
        );
        assert_eq!(
            mover.overlaps(target),
            impact.is_some(),
            "{mover:?} {target:?}"
        );
        if let Some(impact) = impact {
            assert!(
                V::Scalar::ZERO <= impact.first && impact.first <= impact.last,
                "{mover:?} {target:?}"
            );
            hits.push(Hit { item, impact });
        }
    }
    hits.sort_by(|a, b| {
        a.impact
            .first
            .partial_cmp(&b.impact.first)
            .unwrap()
            .then(a.item.cmp(&b.item))
    });
    hits
}

impl<V: Room> Scene<V> {
    fn new<T>(draw: &mut Draw, items: &[T]) -> Self
    where
        T: Bounded<Vector = V> + Debug + Clone + Sync,
        Ray<V>: Mover<T>,
        Moving<Sphere<V>>: Mover<T>,
        Moving<Aabb<V>>: Mover<T>,
    {
        let mut scene = Self {
            rays: Vec::new(),
            balls: Vec::new(),
            boxes: Vec::new(),
        };
        for _ in 0..1 + draw.below(3) {
            let way = draw.way();
            let (ball, cuboid) = (
                Moving::try_new(ball(draw), way),
                Moving::try_new(cuboid(draw), way),
            );
            let until = horizon::<V>(draw);
            let ray = Ray::new(draw.place(), way).until(until);
            scene.rays.push((ray, hits(&ray, items)));
            if let Ok(ball) = ball {
                let ball = ball.until(until);
                scene.balls.push((ball, hits(&ball, items)));
            }
            if let Ok(cuboid) = cuboid {
                let cuboid = cuboid.until(until);
                scene.boxes.push((cuboid, hits(&cuboid, items)));
            }
        }
        scene.check(&Linear::new(items));
        scene.check(&Orthtree::new(items));
        scene.check(&items.iter().cloned().collect::<LooseOrthtree<T>>());
        scene
    }

    fn check<S>(&self, index: &S)
    where
        S: SpatialIndex<Vector = V>,
        Ray<V>: Mover<S::Item>,
        Moving<Sphere<V>>: Mover<S::Item>,
        Moving<Aabb<V>>: Mover<S::Item>,
    {
        self.rays
            .iter()
            .for_each(|(mover, hits)| through(index, mover, hits));
        self.balls
            .iter()
            .for_each(|(mover, hits)| through(index, mover, hits));
        self.boxes
            .iter()
            .for_each(|(mover, hits)| through(index, mover, hits));
    }
}

fn through<V, S, M>(index: &S, mover: &M, expected: &[Hit<usize, V>])
where
    V: Vector,
    S: SpatialIndex<Vector = V>,
    M: Mover<S::Item> + Copy + Debug,
{
    let by_slot = |hit: Hit<S::Key, V>| Hit {
        item: hit.item.slot(),
        impact: hit.impact,
    };
    assert_eq!(
        index.sweep(*mover).map(by_slot),
        expected.first().copied(),
        "{mover:?}"
    );
    let all: Vec<_> = index.sweep_all(*mover).into_iter().map(by_slot).collect();
    assert_eq!(all, expected, "{mover:?}");
    let mut found: Vec<usize> = index.query(mover).map(Key::slot).collect();
    found.sort_unstable();
    let mut touched: Vec<usize> = expected.iter().map(|hit| hit.item).collect();
    touched.sort_unstable();
    assert_eq!(found, touched, "{mover:?}");
    assert_eq!(index.count(mover), touched.len(), "{mover:?}");
}

/// Draws a motion: signs and an order of the axes, or a rounded rotation, and a translation.
fn motion<V: Vector>(draw: &mut Draw) -> Option<Rigid<V>> {
    let (turn, signs, to) = (draw.below(V::DIM), draw.byte(), draw.way());
    let angle = f64::from(draw.byte()) * 0.1;
    let (sin, cos) = if draw.one_in(2) {
        angle.sin_cos()
    } else {
        (0.0, 1.0)
    };
    let image = |axis: usize| {
        V::from_fn(|a| {
            let turned = |axis: usize| -> f64 {
                let one = if signs >> axis & 1 == 0 { 1.0 } else { -1.0 };
                if a == (axis + turn) % V::DIM {
                    one
                } else {
                    0.0
                }
            };
            // Rotate in the plane of the first two axes first.
            V::Scalar::from_f64(match axis {
                0 => cos * turned(0) + sin * turned(1),
                1 => cos * turned(1) - sin * turned(0),
                _ => turned(axis),
            })
        })
    };
    Rigid::try_new(image, to).ok()
}

/// Returns the least hit by time; of equal ones, the first in order.
fn least<K, V: Vector>(hits: impl Iterator<Item = Hit<K, V>>) -> Option<Hit<K, V>> {
    hits.reduce(|a, b| {
        if b.impact.first < a.impact.first {
            b
        } else {
            a
        }
    })
}

/// Compares bodies of balls: which overlap, and which touch first on a path.
fn contacts<V: Room>(draw: &mut Draw) {
    let (ours, theirs) = (draw.several(12, ball::<V>), draw.several(12, ball::<V>));
    let (tree, other) = (SphereTree::new(&ours), SphereTree::new(&theirs));
    let Some(motion) = motion::<V>(draw) else {
        return;
    };
    let moved = tree.at(motion);
    let mut pairs = Vec::new();
    for (i, ball) in ours.iter().enumerate() {
        let Some(ball) = motion.sphere(ball) else {
            continue;
        };
        for (j, other) in theirs.iter().enumerate() {
            if orthant::Overlaps::overlaps(&ball, other) {
                pairs.push((i, j));
            }
        }
    }
    assert_eq!(moved.pairs(&other), pairs);
    assert_eq!(moved.meets_tree(&other), !pairs.is_empty());

    let (way, until) = (draw.way(), horizon::<V>(draw));
    let Ok(moving) = Moving::try_new(moved, way) else {
        return;
    };
    let moving = moving.until(until);
    // By definition, each ball is placed and then moves. If one would leave the finite numbers, the body is refused.
    let sent: Option<Vec<_>> = ours
        .iter()
        .map(|ball| {
            Some(
                Moving::try_new(motion.sphere(ball)?, way)
                    .ok()?
                    .until(until),
            )
        })
        .collect();
    let Some(sent) = sent else { return };
    fn scan<V: Vector, T>(sent: &[Moving<Sphere<V>>], target: &T) -> Option<Hit<usize, V>>
    where
        Moving<Sphere<V>>: Sweep<T, Vector = V>,
    {
        let impact = |(item, ball): (usize, &Moving<Sphere<V>>)| -> Option<Hit<usize, V>> {
            let impact: Impact<V> = ball.sweep(target)?;
            Some(Hit { item, impact })
        };
        least(sent.iter().enumerate().filter_map(impact))
    }
    let all = sent.iter().enumerate().flat_map(|(i, ball)| {
        let hit = move |(j, other)| {
            Some(Hit {
                item: (i, j),
                impact: ball.sweep(other)?,
            })
        };
        theirs.iter().enumerate().filter_map(hit)
    });
    assert_eq!(moving.first_contact(&other), least(all));
    for ball in theirs.iter().take(4) {
        assert_eq!(moving.first_touch(ball), scan(&sent, ball));
        let bounds = ball.bounds();
        assert_eq!(moving.first_touch_of_box(&bounds), scan(&sent, &bounds));
    }
}

//! Draws shapes from bytes: items, and regions of every kind behind one trait.

use std::fmt::Debug;

use orthant::{
    Aabb, BodyInfo, Chebyshev, Complement, Difference, Ellipsoid, Filter, Frustum, Hexahedron,
    Hollow, Intersection, Manhattan, Motion, Moving, NormBall, Overlaps, Plane, Quadrilateral,
    Region, Scalar, Shell, Sphere, Union, Vector, Volume, Weighted,
};

use crate::draw::{Draw, finite};

pub(crate) fn cuboid<V: Vector>(draw: &mut Draw) -> Aabb<V> {
    let min: V = draw.place();
    let most = V::Scalar::MAX;
    Aabb::new(
        min,
        V::from_fn(|a| (min.axis(a) + draw.length()).smaller(most)),
    )
}

pub(crate) fn ball<V: Vector>(draw: &mut Draw) -> Sphere<V> {
    Sphere::new(draw.place(), draw.length())
}

pub(crate) fn volume<V: Vector>(draw: &mut Draw) -> Volume<V> {
    if draw.one_in(2) {
        ball(draw).into()
    } else {
        cuboid(draw).into()
    }
}

pub(crate) fn shell<V: Vector>(draw: &mut Draw) -> Shell<V> {
    let (one, other) = (draw.length::<V::Scalar>(), draw.length());
    Shell::new(draw.place(), one.smaller(other), one.larger(other))
}

pub(crate) fn ellipsoid<V: Vector>(draw: &mut Draw) -> Ellipsoid<V> {
    Ellipsoid::new(draw.place(), V::from_fn(|_| draw.positive()))
}

/// Draws weights of norms.
pub(crate) fn weights<V: Vector>(draw: &mut Draw) -> Weighted<V> {
    Weighted::new(V::from_fn(|_| {
        V::Scalar::from_f64(draw.of(&[1.0, 0.5, 2.0, 1.1, 1e3, 0.01]))
    }))
}

pub(crate) fn motion(draw: &mut Draw) -> Motion {
    draw.of(&[
        Motion::Dynamic,
        Motion::Dynamic,
        Motion::Dynamic,
        Motion::Static,
        Motion::Kinematic,
    ])
}

pub(crate) fn filter(draw: &mut Draw) -> Filter {
    if !draw.one_in(3) {
        return Filter::ALL;
    }
    Filter {
        category: draw.below(8) as u64,
        mask: draw.below(8) as u64,
        group: draw.below(3) as i32 - 1,
    }
}

pub(crate) fn body(draw: &mut Draw) -> BodyInfo {
    let user = u64::from(draw.byte());
    BodyInfo::from(motion(draw))
        .with_filter(filter(draw))
        .with_user(user)
}

/// The bounds of every kind of item.
pub(crate) trait Ask<V: Vector>:
    Region<Vector = V>
    + Overlaps<V>
    + Overlaps<Aabb<V>>
    + Overlaps<Hollow<Aabb<V>>>
    + Overlaps<Sphere<V>>
    + Overlaps<Volume<V>>
    + Debug
    + Sync
{
}

impl<V: Vector, R> Ask<V> for R where
    R: Region<Vector = V>
        + Overlaps<V>
        + Overlaps<Aabb<V>>
        + Overlaps<Hollow<Aabb<V>>>
        + Overlaps<Sphere<V>>
        + Overlaps<Volume<V>>
        + Debug
        + Sync
{
}

pub(crate) type AnyRegion<V> = Box<dyn Ask<V>>;

/// The vectors that are drawn, with the shapes that exist only in the plane or in space.
pub(crate) trait Room: Vector {
    fn turned(draw: &mut Draw) -> AnyRegion<Self>;
    fn point(at: Self) -> AnyRegion<Self>;
}

pub(crate) fn region<V: Room>(draw: &mut Draw) -> AnyRegion<V> {
    match draw.below(18) {
        0..3 => Box::new(ball::<V>(draw)),
        3 => Box::new(Hollow(ball::<V>(draw))),
        4 => Box::new(shell::<V>(draw)),
        5 => Box::new(ellipsoid::<V>(draw)),
        6 => Box::new(Hollow(ellipsoid::<V>(draw))),
        7 => Box::new(cuboid::<V>(draw)),
        8 => Box::new(Hollow(cuboid::<V>(draw))),
        9 => V::point(draw.place()),
        10 => Box::new(NormBall::new(draw.place::<V>(), draw.length(), Manhattan)),
        11 => Box::new(NormBall::new(draw.place::<V>(), draw.length(), Chebyshev)),
        12 => Box::new(NormBall::new(
            draw.place::<V>(),
            draw.length(),
            weights(draw),
        )),
        13 => Box::new(Union(
            Intersection(ball::<V>(draw), cuboid(draw)),
            Difference(ellipsoid(draw), shell(draw)),
        )),
        14 => Box::new(Complement(Difference(
            cuboid::<V>(draw),
            Hollow(ball(draw)),
        ))),
        15 => moving_ball(draw),
        _ => V::turned(draw),
    }
}

fn moving_ball<V: Room>(draw: &mut Draw) -> AnyRegion<V> {
    let ball: Sphere<V> = ball(draw);
    match Moving::try_new(ball, draw.way()) {
        Ok(moving) => Box::new(moving),
        Err(_) => Box::new(ball),
    }
}

fn vector<V: Vector>(values: [f64; 3]) -> V {
    V::from_fn(|a| Scalar::from_f64(values[a]))
}

macro_rules! rooms {
    ($($v:ty, $turned:ident;)*) => {$(
        impl Room for $v {
            fn turned(draw: &mut Draw) -> AnyRegion<Self> {
                $turned(draw)
            }
            fn point(at: Self) -> AnyRegion<Self> {
                Box::new(at)
            }
        }
    )*};
}

rooms! {
    [f32; 2], in_the_plane;
    [f64; 2], in_the_plane;
    [f32; 3], in_space;
    [f64; 3], in_space;
}

/// Draws a solid of planes, or a ball if the solid is refused.
fn in_space<V: Room + orthant::Space>(draw: &mut Draw) -> AnyRegion<V> {
    const TURNS: [[[f64; 3]; 3]; 4] = [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [[1.0, 1.0, 0.0], [-1.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [[2.0, 2.0, 1.0], [-2.0, 1.0, 2.0], [1.0, -2.0, 2.0]],
        [[0.6, 0.8, 0.0], [-0.8, 0.6, 0.0], [0.0, 0.0, 1.0]],
    ];
    let center: V = draw.place();
    match draw.below(4) {
        0 | 1 => {
            let half = V::from_fn(|_| draw.positive());
            let turn = draw.of(&TURNS).map(vector);
            match Hexahedron::try_oriented(center, half, turn) {
                Ok(solid) if draw.one_in(4) => Box::new(Hollow(solid)),
                Ok(solid) => Box::new(solid),
                Err(_) => Box::new(ball::<V>(draw)),
            }
        }
        2 => {
            let planes = [0, 1, 2, 3, 4, 5].map(|_| {
                let normal =
                    V::from_fn(|_| V::Scalar::from_f64(draw.of(&[0.0, 1.0, -1.0, 2.0, 0.1])));
                (normal, draw.coordinate::<V::Scalar>())
            });
            if planes
                .iter()
                .any(|&(normal, k)| Plane::try_new(normal, k).is_err())
            {
                return Box::new(ball::<V>(draw));
            }
            match Hexahedron::try_from_planes(planes.map(|(normal, k)| Plane::new(normal, k))) {
                Ok(solid) => Box::new(solid),
                Err(_) => Box::new(ball::<V>(draw)),
            }
        }
        _ => {
            let rows = [0, 1, 2, 3].map(|_| {
                let mut row = [V::Scalar::ZERO; 4];
                for (a, x) in row.iter_mut().enumerate() {
                    *x = if a == 3 {
                        draw.coordinate()
                    } else {
                        finite(draw.of(&[0.0, 1.0, -1.0, 0.5]))
                    };
                }
                row
            });
            match Frustum::<V>::try_from_view_projection(rows) {
                Ok(seen) => Box::new(seen),
                Err(_) => Box::new(ball::<V>(draw)),
            }
        }
    }
}

fn in_the_plane<V: Room + orthant::Planar>(draw: &mut Draw) -> AnyRegion<V> {
    const TURNS: [[[f64; 3]; 2]; 3] = [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        [[1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]],
        [[0.6, 0.8, 0.0], [-0.8, 0.6, 0.0]],
    ];
    let center: V = draw.place();
    let made = if draw.one_in(3) {
        Quadrilateral::try_from_corners([0, 1, 2, 3].map(|_| draw.place()))
    } else {
        let half = V::from_fn(|_| draw.positive());
        Quadrilateral::try_oriented(center, half, draw.of(&TURNS).map(vector))
    };
    match made {
        Ok(solid) if draw.one_in(4) => Box::new(Hollow(solid)),
        Ok(solid) => Box::new(solid),
        Err(_) => Box::new(ball::<V>(draw)),
    }
}

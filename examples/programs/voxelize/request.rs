//! The shape, the grid and the rule of a run, and the listing of their spans in two or three dimensions.

use std::fmt;

use orthant::{
    Aabb, Bounded, Brick, BrickSet, Ellipsoid, Frustum, Hexahedron, Hollow, Moving, Region, Rule,
    ShapeError, Sphere, Vector, Voxel, VoxelGrid, Voxelize,
    glam::{DMat4, DQuat, DVec2, DVec3, IVec3},
};

use crate::cloud::Cloud;
use crate::kind::Kind;

/// Voxels `start..end` of a row; `z` is 0 in two dimensions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) start: i32,
    pub(crate) end: i32,
    pub(crate) y: i32,
    pub(crate) z: i32,
}

impl Row {
    pub(crate) fn len(&self) -> u32 {
        self.end.abs_diff(self.start)
    }
}

/// A valid shape in a valid grid.
pub(crate) struct Request {
    shape: Shape,
    voxel: f64,
    rule: Rule<f64>,
}

enum Shape {
    Circle(Sphere<DVec2>),
    Sphere(Sphere<DVec3>),
    Ellipse(Ellipsoid<DVec2>),
    Ellipsoid(Ellipsoid<DVec3>),
    Rectangle(Aabb<DVec2>),
    Box(Aabb<DVec3>),
    Oriented(Box<Hexahedron<DVec3>>),
    Frustum(Box<Frustum<DVec3>>),
    Capsule(Moving<Sphere<DVec3>>),
    Cloud(Cloud),
}

impl Request {
    pub(crate) fn new(
        kind: Kind,
        radius: Option<f64>,
        center: Option<Vec<f64>>,
        turn: f64,
        voxel: f64,
        rule: Rule<f64>,
    ) -> Result<Self, String> {
        let needed =
            || radius.ok_or("--radius is needed for a sphere, a circle, a capsule or a cloud");
        let turn = DQuat::from_axis_angle(DVec3::ONE.normalize(), turn.to_radians());
        let grid = VoxelGrid::try_new(DVec3::ZERO, voxel).and_then(|grid| grid.try_with_rule(rule));
        let grid = grid.map_err(|error| error.to_string())?;
        let shape = match kind {
            Kind::Sphere => Sphere::try_new(vector(center)?, needed()?).map(Shape::Sphere),
            Kind::Circle => Sphere::try_new(vector(center)?, needed()?).map(Shape::Circle),
            Kind::Ellipsoid(semi) => match semi[..] {
                [a, b] => Ellipsoid::try_new(vector(center)?, DVec2::new(a, b)).map(Shape::Ellipse),
                _ => Ellipsoid::try_new(vector(center)?, vector(Some(semi))?).map(Shape::Ellipsoid),
            },
            Kind::Box(edges) => match edges[..] {
                [a, b] => around(vector(center)?, DVec2::new(a, b)).map(Shape::Rectangle),
                _ => around(vector(center)?, vector::<DVec3>(Some(edges))?).map(Shape::Box),
            },
            Kind::Oriented(edges) => {
                let half = 0.5 * vector::<DVec3>(Some(edges))?;
                let axes = DVec3::AXES.map(|axis| turn * axis);
                Hexahedron::try_oriented(vector(center)?, half, axes)
                    .map(|solid| Shape::Oriented(solid.into()))
            }
            Kind::Frustum([degrees, near, far]) => {
                camera(vector(center)?, turn, degrees, near, far)
                    .map(|seen| Shape::Frustum(seen.into()))
            }
            Kind::Capsule(way) => {
                let start = vector::<DVec3>(center)? - 0.5 * DVec3::from(way);
                Sphere::try_new(start, needed()?)
                    .and_then(|ball| Moving::try_new(ball, way.into()))
                    .map(Shape::Capsule)
            }
            Kind::Cloud(path) => Ok(Shape::Cloud(Cloud::read(&path, needed()?, &grid)?)),
        };
        let shape = shape.map_err(|error| error.to_string())?;
        Ok(Self { shape, voxel, rule })
    }

    /// The number of dimensions.
    pub(crate) fn dim(&self) -> usize {
        match self.shape {
            Shape::Circle(_) | Shape::Ellipse(_) | Shape::Rectangle(_) => 2,
            _ => 3,
        }
    }

    pub(crate) fn voxel(&self) -> f64 {
        self.voxel
    }

    /// The center of the shape and half its extents; 0 on the third axis in two dimensions.
    pub(crate) fn extent(&self) -> ([f64; 3], [f64; 3]) {
        let flat = |c: DVec2, h: DVec2| (c.extend(0.0).into(), h.extend(0.0).into());
        match &self.shape {
            Shape::Circle(s) => flat(s.center(), DVec2::splat(s.radius())),
            Shape::Ellipse(e) => flat(e.center(), e.semi_axes()),
            Shape::Rectangle(b) => flat(b.center(), b.size() * 0.5),
            Shape::Sphere(s) => (s.center().into(), [s.radius(); 3]),
            Shape::Ellipsoid(e) => (e.center().into(), e.semi_axes().into()),
            Shape::Box(b) => (b.center().into(), (b.size() * 0.5).into()),
            Shape::Oriented(solid) => ends(&**solid),
            Shape::Frustum(seen) => ends(&**seen),
            Shape::Capsule(capsule) => ends(capsule),
            Shape::Cloud(cloud) => {
                let half = 0.5 * (cloud.high - cloud.low);
                ((cloud.low + half).into(), half.into())
            }
        }
    }

    /// Whether the voxels may reach into the corners of the extent.
    pub(crate) fn is_box(&self) -> bool {
        use Shape::{Capsule, Cloud, Frustum, Oriented, Rectangle};
        matches!(
            self.shape,
            Rectangle(_) | Shape::Box(_) | Oriented(_) | Frustum(_) | Capsule(_) | Cloud(_)
        )
    }

    /// Whether the shape is convex, so that a cut shows its inside.
    pub(crate) fn is_convex(&self) -> bool {
        !matches!(self.shape, Shape::Cloud(_))
    }

    /// An estimate of the number of slabs, or of rows in two dimensions.
    pub(crate) fn slabs(&self) -> u64 {
        (2.0 * self.extent().1[self.dim() - 1] / self.voxel) as u64 + 2
    }

    /// The index of a span's slab, or of its row in two dimensions.
    pub(crate) fn slab(&self, row: &Row) -> i32 {
        if self.dim() == 2 { row.y } else { row.z }
    }

    /// Calls `f` with the spans of the shape or its surface, in the order of z, y and x.
    pub(crate) fn each_span(&self, solid: bool, f: impl FnMut(Row)) -> Result<(), String> {
        match &self.shape {
            Shape::Circle(s) => self.list(*s, solid, f),
            Shape::Sphere(s) => self.list(*s, solid, f),
            Shape::Ellipse(s) => self.list(*s, solid, f),
            Shape::Ellipsoid(s) => self.list(*s, solid, f),
            Shape::Rectangle(s) => self.list(*s, solid, f),
            Shape::Box(s) => self.list(*s, solid, f),
            Shape::Oriented(s) => self.list((**s).clone(), solid, f),
            Shape::Frustum(s) => self.list((**s).clone(), solid, f),
            Shape::Capsule(s) => self.list(*s, solid, f),
            Shape::Cloud(cloud) => {
                cloud.each_span(solid, f);
                Ok(())
            }
        }
    }

    /// The voxels as a set; in two dimensions they lie at z = 0.
    pub(crate) fn bricks(&self, solid: bool) -> Result<BrickSet, String> {
        if let Shape::Cloud(cloud) = &self.shape {
            return Ok(cloud.bricks(solid));
        }
        let mut set = BrickSet::new();
        self.each_span(solid, |row| {
            for x in row.start >> 3..=(row.end - 1) >> 3 {
                let bit = |index: i32| (i64::from(index) - i64::from(x) * 8).clamp(0, 8);
                let bits = (1 << bit(row.end)) - (1 << bit(row.start));
                let mut mask = [0; 8];
                mask[(row.z & 7) as usize] = bits << (8 * (row.y & 7));
                let coordinates = IVec3::new(x, row.y >> 3, row.z >> 3);
                set.insert_brick(&Brick { coordinates, mask });
            }
        })?;
        Ok(set)
    }

    fn list<V, S>(&self, shape: S, solid: bool, mut f: impl FnMut(Row)) -> Result<(), String>
    where
        V: Vector<Scalar = f64>,
        S: Voxelize + Region<Vector = V>,
        Hollow<S>: Voxelize + Region<Vector = V>,
    {
        let grid = VoxelGrid::new(V::splat(0.0), self.voxel).with_rule(self.rule);
        let on = |voxel: V::Voxel, axis| if axis < V::DIM { voxel.axis(axis) } else { 0 };
        let mut call = |span: orthant::Span<V::Voxel>| {
            f(Row {
                start: span.range().start,
                end: span.range().end,
                y: on(span.first(), 1),
                z: on(span.first(), 2),
            });
        };
        if solid {
            grid.check(&shape).map_err(|error| error.to_string())?;
            grid.spans(shape).for_each(&mut call);
        } else {
            let surface = Hollow(shape);
            grid.check(&surface).map_err(|error| error.to_string())?;
            grid.spans(surface).for_each(&mut call);
        }
        Ok(())
    }
}

/// Makes a vector of a list; without a list, the zero vector.
fn vector<V: Vector<Scalar = f64>>(list: Option<Vec<f64>>) -> Result<V, String> {
    let list = list.unwrap_or_else(|| vec![0.0; V::DIM]);
    if list.len() == V::DIM {
        Ok(V::from_fn(|a| list[a]))
    } else {
        let (dim, given) = (V::DIM, list.len());
        Err(format!(
            "the shape has {dim} dimensions, --center has {given} coordinates"
        ))
    }
}

/// The center of a shape's bounding box, and half its extents.
fn ends(shape: &impl Bounded<Vector = DVec3>) -> ([f64; 3], [f64; 3]) {
    let bounds = shape.bounds();
    (bounds.center().into(), (bounds.size() * 0.5).into())
}

/// The view of a camera that looks along -z and is then turned.
fn camera(
    eye: DVec3,
    turn: DQuat,
    degrees: f64,
    near: f64,
    far: f64,
) -> Result<Frustum<DVec3>, ShapeError> {
    let scale = 1.0 / (0.5 * degrees.to_radians()).tan();
    let projection = DMat4::from_cols_array_2d(&[
        [scale, 0.0, 0.0, 0.0],
        [0.0, scale, 0.0, 0.0],
        [0.0, 0.0, far / (near - far), -1.0],
        [0.0, 0.0, far * near / (near - far), 0.0],
    ]);
    let view = DMat4::from_quat(turn.conjugate()) * DMat4::from_translation(-eye);
    Frustum::try_from_view_projection(projection * view)
}

fn around<V: Vector<Scalar = f64>>(center: V, edges: V) -> Result<Aabb<V>, orthant::ShapeError> {
    Aabb::try_new(
        V::from_fn(|a| center.axis(a) - 0.5 * edges.axis(a)),
        V::from_fn(|a| center.axis(a) + 0.5 * edges.axis(a)),
    )
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.shape {
            Shape::Circle(s) => write!(f, "circle, center {}, radius {}", s.center(), s.radius()),
            Shape::Sphere(s) => write!(f, "sphere, center {}, radius {}", s.center(), s.radius()),
            Shape::Ellipse(e) => {
                write!(
                    f,
                    "ellipse, center {}, semi-axes {}",
                    e.center(),
                    e.semi_axes()
                )
            }
            Shape::Ellipsoid(e) => {
                write!(
                    f,
                    "ellipsoid, center {}, semi-axes {}",
                    e.center(),
                    e.semi_axes()
                )
            }
            Shape::Rectangle(b) => write!(f, "box from {} to {}", b.min(), b.max()),
            Shape::Box(b) => write!(f, "box from {} to {}", b.min(), b.max()),
            Shape::Oriented(solid) => {
                let b = solid.bounds();
                write!(f, "oriented box from {} to {}", b.min(), b.max())
            }
            Shape::Frustum(seen) => {
                let b = seen.bounds();
                write!(f, "frustum from {} to {}", b.min(), b.max())
            }
            Shape::Capsule(capsule) => {
                let (ball, way) = (capsule.shape(), capsule.displacement());
                let (from, radius) = (ball.center(), ball.radius());
                write!(f, "capsule from {from} to {}, radius {radius}", from + way)
            }
            Shape::Cloud(cloud) => {
                let (points, radius) = (cloud.points, cloud.radius);
                write!(f, "{points} balls of radius {radius}")
            }
        }
    }
}

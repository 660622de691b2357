//! Planes in rational arithmetic, cameras, and refused solids.

use orthant::glam::{DMat4, DVec3, IVec3, Mat4, Quat, Vec3};
use orthant::{
    Aabb, Bounded, Contains, Frustum, Hexahedron, Hollow, Overlaps, Plane, Scalar, ShapeError,
    Side, Sphere, Vector, VoxelGrid,
};
use proptest::prelude::*;

use crate::corners::cube_corners;
use crate::message;

fn vector<V: Vector>(values: [i32; 3]) -> V {
    V::from_fn(|a| Scalar::from_f64(f64::from(values[a])))
}

/// Decides the side in integers: `|g| <= r |n|` if `g² <= r² n²`.
fn side(normal: [i32; 3], offset: i32, center: [i32; 3], radius: i32, dim: usize) -> Side {
    let dot = |a: [i32; 3], b: [i32; 3]| -> i64 {
        (0..dim).map(|i| i64::from(a[i]) * i64::from(b[i])).sum()
    };
    let g = dot(normal, center) - i64::from(offset);
    if g * g <= i64::from(radius).pow(2) * dot(normal, normal) {
        Side::Intersecting
    } else if g < 0 {
        Side::Inside
    } else {
        Side::Outside
    }
}

fn sides<V: Vector>(normal: [i32; 3], offset: i32, center: [i32; 3], radius: i32) -> bool {
    let plane = Plane::<V>::new(vector(normal), Scalar::from_f64(offset.into()));
    let ball = Sphere::new(vector(center), Scalar::from_f64(radius.into()));
    let expected = side(normal, offset, center, radius, V::DIM);
    plane.classify(&ball) == expected
        && plane.circle(&ball).is_some() == (expected == Side::Intersecting)
}

proptest! {
    #[test]
    fn spheres_lie_to_planes_as_in_integers(
        normal in proptest::array::uniform3(-4..=4),
        offset in -20..=20,
        center in proptest::array::uniform3(-6..=6),
        radius in 0..=6,
    ) {
        prop_assume!(normal[0] != 0 || normal[1] != 0);
        prop_assert!(sides::<Vec3>(normal, offset, center, radius));
        prop_assert!(sides::<DVec3>(normal, offset, center, radius));
        prop_assert!(sides::<[f32; 2]>(normal, offset, center, radius));
        prop_assert!(sides::<[f64; 2]>(normal, offset, center, radius));
    }
}

#[test]
fn planes_at_rational_distances() {
    // The normals have integer lengths: 3² + 4² = 5², 2² + 3² + 6² = 7².
    let plane = Plane::new([2.0f32, 3.0, 6.0], 49.0);
    assert_eq!(plane.signed_distance([0.0; 3]), -7.0);
    assert_eq!(plane.closest_point([0.0; 3]), [2.0, 3.0, 6.0]);
    assert_eq!(plane.signed_distance([4.0, 6.0, 12.0]), 7.0);
    for (center, radius, side) in [
        ([0.0; 3], 6.999_999_5, Side::Inside),
        ([0.0; 3], 7.0, Side::Intersecting),
        ([4.0, 6.0, 12.0], 7.0, Side::Intersecting),
        ([4.0, 6.0, 12.0], 6.999_999_5, Side::Outside),
        ([2.0, 3.0, 6.0], 0.0, Side::Intersecting),
    ] {
        assert_eq!(
            plane.classify(&Sphere::new(center, radius)),
            side,
            "{center:?} {radius}"
        );
    }
    // The radius of the circle is the third side of 7, 24, 25.
    let cut = plane.circle(&Sphere::new([0.0; 3], 25.0));
    assert_eq!(cut, Some(([2.0, 3.0, 6.0], 24.0)));
    // The plane touches the sphere in a point.
    let cut = plane.circle(&Sphere::new([0.0; 3], 7.0));
    assert_eq!(cut, Some(([2.0, 3.0, 6.0], 0.0)));
    assert_eq!(plane.circle(&Sphere::new([0.0; 3], 6.5)), None);
    // Normals may have any length, and scales any squares, even vanishing or infinite ones.
    for unit in [1e-30f32, 1.0, 1e30] {
        let plane = Plane::new([3.0 * unit, 4.0 * unit], 25.0 * unit);
        assert!((plane.signed_distance([0.0, 0.0]) + 5.0).abs() < 1e-6);
    }
    let plane = Plane::new([3e-200f64, 4e-200], 25e-200);
    assert!((plane.signed_distance([0.0, 0.0]) + 5.0).abs() < 1e-14);
}

fn cube_planes() -> [Plane<[f64; 3]>; 6] {
    std::array::from_fn(|face| {
        let mut normal = [0.0; 3];
        normal[face / 2] = if face % 2 == 0 { -1.0 } else { 1.0 };
        Plane::new(normal, 1.0)
    })
}

#[test]
fn planes_that_bound_nothing_are_refused_by_name() {
    assert_eq!(
        message(Plane::try_new([0.0; 3], 1.0)),
        "the normal of a plane is zero"
    );
    let nan = Plane::try_new([0.0, f64::NAN], 1.0);
    assert_eq!(message(nan), "normal is NaN on axis 1, not a finite number");
    assert!(Plane::try_new([1.0], f64::INFINITY).is_err());
    // The normal is so short that the plane is farther away than any number.
    assert!(Plane::try_new([1e-300, 0.0], 1e300).is_err());

    let mut planes = cube_planes();
    assert!(Hexahedron::try_from_planes(planes).is_ok());
    planes[3] = Plane::new([0.0, 1.0, 0.0], -2.0);
    let empty = Hexahedron::try_from_planes(planes);
    assert_eq!(message(empty), "plane 3 leaves nothing of the solid");
    // A flat square is refused.
    planes[3] = Plane::new([0.0, 1.0, 0.0], -1.0);
    assert_eq!(
        Hexahedron::try_from_planes(planes),
        Err(ShapeError::Empty { plane: 3 })
    );
    // Without one of the planes, the faces beside it are unbounded.
    let mut planes = cube_planes();
    planes[0] = planes[1];
    let open = Hexahedron::try_from_planes(planes);
    assert_eq!(message(open), "unbounded: the face of plane 2 never ends");
    let slab = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0].map(|k| Plane::new([1.0, 1.0, 0.0], k));
    assert_eq!(
        Hexahedron::try_from_planes(slab),
        Err(ShapeError::Unbounded { plane: 0 })
    );
    let mut none = slab;
    none[4] = Plane::new([-1.0, -1.0, 0.0], -1.5);
    assert_eq!(
        Hexahedron::try_from_planes(none),
        Err(ShapeError::Empty { plane: 4 })
    );
    // This prism is unbounded.
    let mut prism = cube_planes();
    prism[4] = Plane::new([1.0, 1.0, 0.0], 1.5);
    prism[5] = Plane::new([1.0, 1.0, 0.0], 1.75);
    assert!(matches!(
        Hexahedron::try_from_planes(prism),
        Err(ShapeError::Unbounded { .. })
    ));
}

/// Returns the determinant, by cofactors of the first row.
fn determinant(rows: &[Vec<i64>]) -> i64 {
    let Some((first, rest)) = rows.split_first() else {
        return 1;
    };
    let minor = |skip: usize| -> i64 {
        let without = |row: &Vec<i64>| [&row[..skip], &row[skip + 1..]].concat();
        determinant(&rest.iter().map(without).collect::<Vec<_>>())
    };
    let term = |(at, &x): (usize, &i64)| (1 - 2 * (at as i64 % 2)) * x * minor(at);
    first.iter().enumerate().map(term).sum()
}

proptest! {
    /// A matrix is refused as singular exactly if its determinant is zero in whole numbers.
    #[test]
    fn singular_matrices_are_refused(
        mut columns in proptest::array::uniform4(proptest::array::uniform4(-4i64..=4)),
        sum in proptest::option::of(proptest::array::uniform3(-2i64..=2)),
    ) {
        if let Some(factors) = sum {
            columns[3] = [0, 1, 2, 3].map(|row| (0..3).map(|i| factors[i] * columns[i][row]).sum());
        }
        let exact = determinant(&columns.map(Vec::from));
        let columns = columns.map(|column| column.map(|x| x as f64));
        match Frustum::<DVec3>::try_from_view_projection(columns) {
            Err(ShapeError::Singular { determinant }) => prop_assert_eq!((determinant, exact), (0.0, 0)),
            _ => prop_assert_ne!(exact, 0),
        }
    }
}

/// If planes meet between representable points, the bounds still hold the meeting point.
#[test]
fn bounds_are_rounded_outwards() {
    for (n, k) in [
        (3.0_f32, 1.0_f32),
        (3.0, 2.0),
        (7.0, 1.0),
        (7.0, 3.0),
        (8.0, 3.0),
    ] {
        let plane = |i: usize| {
            let mut normal = Vec3::ZERO;
            normal[i / 2] = if i.is_multiple_of(2) { n } else { -n };
            Plane::new(normal, k)
        };
        let solid = Hexahedron::from_planes([0, 1, 2, 3, 4, 5].map(plane));
        let bounds = solid.bounds();
        let exact = f64::from(k) / f64::from(n);
        for (low, high) in bounds
            .min()
            .to_array()
            .into_iter()
            .zip(bounds.max().to_array())
        {
            assert_eq!(low, -high);
            assert!(
                f64::from(high) >= exact && f64::from(high.next_down()) <= exact,
                "{n} {k}"
            );
        }
    }
}

#[test]
fn axes_and_matrices_are_refused_by_name() {
    let unit = [Vec3::X, Vec3::Y, Vec3::Z];
    let refused = Hexahedron::try_oriented(Vec3::ZERO, Vec3::new(1.0, 0.0, 1.0), unit);
    assert_eq!(message(refused), "half extent 0 on axis 1 is not positive");
    let refused = Hexahedron::try_oriented(Vec3::ZERO, Vec3::ONE, [Vec3::X, Vec3::Y, Vec3::ONE]);
    assert!(refused.is_ok());
    let flat = [Vec3::X, Vec3::Y, Vec3::new(0.3, 0.7, 0.0)];
    let refused = Hexahedron::try_oriented(Vec3::ZERO, Vec3::ONE, flat);
    assert_eq!(refused, Err(ShapeError::Singular { determinant: 0.0 }));

    let refused = Hexahedron::<Vec3>::try_from_view_projection([[1.0; 4]; 4]);
    assert_eq!(message(refused), "singular matrix of determinant 0");
    let mut camera = perspective(1.0, 9.0, -1.0).to_cols_array_2d();
    camera[2][1] = f32::NAN;
    let refused = Frustum::<Vec3>::try_from_view_projection(camera);
    assert_eq!(
        message(refused),
        "column 2 is NaN on axis 1, not a finite number"
    );
    // The box is so small and so far away that it rounds to a point.
    let refused = Hexahedron::try_oriented(DVec3::splat(1e17), DVec3::ONE, DVec3::AXES);
    assert_eq!(message(refused), "face 1 is flat or folded");
    // The right side is everywhere or nowhere.
    for (w, error) in [
        (1.0, ShapeError::Unbounded { plane: 1 }),
        (-1.0, ShapeError::Empty { plane: 1 }),
    ] {
        let columns = [
            [1., 0., 0., 1.],
            [0., 1., 0., 0.],
            [0., 0., 1., 0.],
            [0., 0., 0., w],
        ];
        let refused = Frustum::<[f64; 3]>::try_from_view_projection(columns);
        assert_eq!(refused, Err(error));
    }
}

/// Returns a camera that looks along z in the direction of `sign`; `near` maps to 0 and `far` to 1.
fn perspective(near: f32, far: f32, sign: f32) -> Mat4 {
    let (along, offset) = if far.is_infinite() {
        (1.0, -near)
    } else if near.is_infinite() {
        (0.0, far)
    } else {
        (far / (far - near), -far * near / (far - near))
    };
    Mat4::from_cols_array_2d(&[
        [0.75, 0.0, 0.0, 0.0],
        [0.0, 1.5, 0.0, 0.0],
        [0.0, 0.0, sign * along, sign],
        [0.0, 0.0, offset, 0.0],
    ])
}

fn views() -> [Mat4; 3] {
    [
        Mat4::IDENTITY,
        Mat4::from_quat(Quat::from_rotation_x(0.7))
            * Mat4::from_translation(Vec3::new(3.0, -2.0, 5.0)),
        Mat4::from_quat(Quat::from_rotation_y(2.0)) * Mat4::from_translation(Vec3::splat(100.0)),
    ]
}

/// Returns true if a point is inside clip space, in `f64`; `None` if it is near a plane.
fn seen(camera: Mat4, p: DVec3) -> Option<bool> {
    is_seen(camera, p, false)
}

/// Returns true if a point is in clip space with depths from 0 to 1 or, for OpenGL, from -1 to 1; `None` if it is near a plane.
fn is_seen(camera: Mat4, p: DVec3, of_gl: bool) -> Option<bool> {
    let clip = camera.as_dmat4() * p.extend(1.0);
    let room = [
        clip.w + clip.x,
        clip.w - clip.x,
        clip.w + clip.y,
        clip.w - clip.y,
        if of_gl { clip.w + clip.z } else { clip.z },
        clip.w - clip.z,
    ];
    let least = room.into_iter().fold(f64::INFINITY, f64::min);
    (least.abs() > 1e-3).then_some(least > 0.0)
}

/// Returns every projection that glam makes, with the direction of its depths, and whether they are OpenGL's.
fn projections() -> Vec<(&'static str, Mat4, bool)> {
    use orthant::glam::camera::{lh, rh};
    let mut all = Vec::new();
    macro_rules! of {
        ($hand:ident) => {
            of!(@zero_to_one $hand, directx);
            of!(@zero_to_one $hand, vulkan);
            of!(@finite $hand, opengl, true);
        };
        (@zero_to_one $hand:ident, $api:ident) => {
            use $hand::proj::$api;
            of!(@finite $hand, $api, false);
            all.push(("infinite", $api::perspective_infinite(1.0, 1.5, 0.5), false));
            all.push(("infinite, reversed", $api::perspective_infinite_reverse(1.0, 1.5, 0.5), false));
        };
        (@finite $hand:ident, $api:ident, $of_gl:literal) => {{
            use $hand::proj::$api;
            for (near, far) in [(0.5, 30.0), (30.0, 0.5)] {
                let way = if near < far { "from near to far" } else { "reversed" };
                all.push((way, $api::perspective(1.0, 1.5, near, far), $of_gl));
                all.push((way, $api::orthographic(-9.0, 8.0, -6.0, 5.0, near, far), $of_gl));
            }
            all.push(("frustum", $api::frustum(-0.5, 0.25, -0.5, 0.5, 0.5, 30.0), $of_gl));
        }};
    }
    {
        of!(rh);
    }
    {
        of!(lh);
    }
    all
}

proptest! {
    /// One constructor serves projections with depths from 0 to 1, reversed and infinite ones included; that of OpenGL serves all of OpenGL's.
    #[test]
    fn glams_projections_by_the_constructor_of_their_depths(p in proptest::array::uniform3(-60..60i8), view in 0..3usize) {
        let p = DVec3::from_array(p.map(|x| f64::from(x) * 0.5));
        let mut all = projections();
        // glam has no infinite depths of OpenGL: from -1 to 1, and reversed.
        for (along, offset) in [(-1.0, -1.0), (1.0, 1.0)] {
            let columns = [[0.75, 0.0, 0.0, 0.0], [0.0, 1.5, 0.0, 0.0], [0.0, 0.0, along, -1.0], [0.0, 0.0, offset, 0.0]];
            all.push(("infinite, OpenGL", Mat4::from_cols_array_2d(&columns), true));
        }
        for (name, projection, of_gl) in all {
            let camera = projection * views()[view];
            let frustum = match of_gl {
                true => Frustum::<Vec3>::from_view_projection_gl(camera),
                false => Frustum::<Vec3>::from_view_projection(camera),
            };
            prop_assert_eq!(frustum.is_unbounded(), name.starts_with("infinite"), "{}", name);
            prop_assert_eq!(frustum.corners().len(), if frustum.is_unbounded() { 4 } else { 8 });
            let Some(expected) = is_seen(camera, p, of_gl) else { continue };
            prop_assert_eq!(frustum.contains(&p.as_vec3()), expected, "{}", name);
            prop_assert_eq!(frustum.signed_distance(p.as_vec3()) <= 0.0, expected, "{}", name);
        }
    }

    #[test]
    fn cameras_see_what_clip_space_holds(p in proptest::array::uniform3(-60..60i8), view in 0..3usize) {
        let p = DVec3::from_array(p.map(|x| f64::from(x) * 0.5));
        for projection in [
            perspective(0.5, 30.0, -1.0),
            perspective(30.0, 0.5, -1.0), // reverse-z
            perspective(0.5, 30.0, 1.0),
            Mat4::from_scale(Vec3::new(0.125, 0.25, -0.0625)) * Mat4::from_translation(Vec3::Z),
            perspective(0.5, f32::INFINITY, -1.0),
            perspective(f32::INFINITY, 0.5, -1.0),
        ] {
            let camera = projection * views()[view];
            let Some(expected) = seen(camera, p) else { continue };
            let frustum = Frustum::<Vec3>::from_view_projection(camera.to_cols_array_2d());
            prop_assert_eq!(frustum.contains(&p.as_vec3()), expected);
            prop_assert_eq!(frustum.signed_distance(p.as_vec3()) <= 0.0, expected);
            // This camera has depths from -1 to 1: twice the depth, minus w.
            let deeper = camera.to_cols_array_2d().map(|[x, y, z, w]| [x, y, 2.0 * z - w, w]);
            let of_gl = Frustum::<Vec3>::from_view_projection_gl(deeper);
            prop_assert_eq!(of_gl.contains(&p.as_vec3()), expected);
            let wide = Frustum::<DVec3>::from_view_projection(camera.as_dmat4().to_cols_array_2d());
            prop_assert_eq!(wide.contains(&p), expected);
            prop_assert_eq!(wide.is_unbounded(), frustum.is_unbounded());
            prop_assert_eq!(wide.corners().len(), if wide.is_unbounded() { 4 } else { 8 });
        }
    }

    /// A wider camera contains the view of a narrower one, even without a far plane; one that ends sooner or looks elsewhere does not.
    #[test]
    fn a_wide_view_holds_a_narrow_one(wide in 1..9u8, narrow in 1..9u8, near in 1..4u8, turned: bool) {
        let camera = |half: u8, near: u8, far: f64, turned: bool| {
            // The camera looks down or up x from `near`; at 1 its half width is `half` quarters.
            let (half, near) = (4.0 / f64::from(half), f64::from(near));
            let (depth, offset) = if far.is_finite() {
                (far / (far - near), far * near / (far - near))
            } else {
                (1.0, near)
            };
            let sign = if turned { -1.0 } else { 1.0 };
            let columns = [[0.0, 0.0, sign * depth, sign], [half, 0.0, 0.0, 0.0], [0.0, half, 0.0, 0.0], [0.0, 0.0, -offset, 0.0]];
            Frustum::<DVec3>::from_view_projection(columns)
        };
        let endless = camera(wide, 1, f64::INFINITY, false);
        let inner = camera(narrow, near, f64::INFINITY, turned);
        prop_assert!(endless.is_unbounded() && inner.is_unbounded());
        prop_assert_eq!(endless.contains(&inner), narrow <= wide && !turned);
        prop_assert!(!camera(wide, 1, 1e6, false).contains(&inner));
        let ended = camera(narrow, near, 9.0, turned);
        prop_assert_eq!(endless.contains(&ended), narrow <= wide && !turned);
    }

    /// Distances of a frustum without a far plane are those of one whose far plane is far enough.
    #[test]
    fn an_endless_frustum_is_a_long_one(p in proptest::array::uniform3(-20..20i8), r in 0..20u8) {
        let camera = |rows: [[f64; 4]; 4]| DMat4::from_cols_array_2d(&rows).transpose().to_cols_array_2d();
        // The camera looks along x from the origin, with the near plane at 1 and the far plane at 1e6.
        let rows = |far: [f64; 4]| camera([[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 2.0, 0.0], far, [1.0, 0.0, 0.0, 0.0]]);
        let endless = Frustum::<DVec3>::from_view_projection(rows([0.0, 0.0, 0.0, 1.0]));
        let (n, f) = (1.0, 1e6);
        let long = Hexahedron::<DVec3>::from_view_projection(rows([f / (f - n), 0.0, 0.0, -f * n / (f - n)]));
        let p = DVec3::from_array(p.map(f64::from));
        let (a, b) = (endless.signed_distance(p), long.signed_distance(p));
        prop_assert!((a - b).abs() < 1e-9, "{} {}", a, b);
        prop_assert!(endless.closest_point(p).distance(long.closest_point(p)) < 1e-9);
        prop_assert_eq!(endless.farthest_distance(p), f64::INFINITY);
        let ball = Sphere::new(p, f64::from(r));
        if (a.abs() - f64::from(r)).abs() > 1e-9 {
            prop_assert_eq!(endless.classify(&ball), long.classify(&ball));
            prop_assert!(endless.overlaps(&Hollow(ball)) == (a <= f64::from(r)));
        }
        let cell = Aabb::new(p, p + DVec3::splat(f64::from(r)) + 0.25);
        let other = Aabb::new(p + 0.125, p + DVec3::splat(f64::from(r)) + 0.375);
        // At a touch the rounded planes of the long frustum may give either answer.
        if long.overlaps(&cell) == long.overlaps(&other) {
            prop_assert_eq!(endless.overlaps(&cell) || endless.overlaps(&other), long.overlaps(&cell));
        }
    }
}

#[test]
fn voxels_are_those_that_overlap() {
    let axes = [Vec3::new(0.6, 0.8, 0.0), Vec3::new(-0.8, 0.6, 0.0), Vec3::Z];
    let solid = Hexahedron::oriented(Vec3::new(1.0, 2.0, 3.0), Vec3::new(6.0, 3.0, 2.0), axes);
    let grid = VoxelGrid::new(Vec3::ZERO, 0.5);
    let cell = |v: IVec3| Aabb::new(v.as_vec3() * 0.5, (v + 1).as_vec3() * 0.5);
    let all = || {
        let range = || -40..40;
        range()
            .flat_map(move |z| range().flat_map(move |y| range().map(move |x| IVec3::new(x, y, z))))
    };
    let count = all().filter(|&v| solid.overlaps(&cell(v))).count();
    assert_eq!(grid.count(solid.clone()), count as u64);
    let skin = Hollow(solid.clone());
    let count = all().filter(|&v| skin.overlaps(&cell(v))).count();
    assert_eq!(grid.count(skin.clone()), count as u64);
    assert!(solid.bounds().min().z == 1.0 && solid.bounds().max().z == 5.0);
}

#[test]
fn the_plane_test_alone_says_yes_too_often() {
    let solid = Hexahedron::from_corners(cube_corners());
    let ball = Sphere::new([1.75, 1.75, 1.0], 1.0);
    assert!(solid.may_overlap(&ball));
    assert!(!solid.overlaps(&ball));
    assert!(!solid.may_overlap(&Sphere::new([2.5, 0.0, 0.0], 1.0)));
    // Beside an edge of a turned box, only a product of edges separates another box.
    let axes = [[1.0f32, 1.0, 0.0], [-1.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let turned = Hexahedron::oriented([0.0; 3], [1.0; 3], axes);
    assert!(turned.overlaps(&Aabb::new([1.0; 3], [2.0; 3])));
    assert!(!turned.overlaps(&Aabb::new([1.5, 1.0, 0.0], [2.0; 3])));
}

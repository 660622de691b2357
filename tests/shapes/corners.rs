//! Eight corners: which of them make a solid, and which errors the others cause.

use orthant::{Contains, Hexahedron, ShapeError};

use crate::message;

pub(crate) fn cube_corners() -> [[f32; 3]; 8] {
    std::array::from_fn(|i| std::array::from_fn(|a| if i >> a & 1 == 1 { 1.0 } else { -1.0 }))
}

#[test]
fn corners_that_are_not_convex_or_planar_are_refused_by_name() {
    let solid = Hexahedron::from_corners(cube_corners());
    assert_eq!(solid.corners().collect::<Vec<_>>(), cube_corners());
    // Corners rounded by a few units in the last place are accepted.
    let mut corners = cube_corners();
    corners[7][0] += f32::EPSILON * 4.0;
    assert!(Hexahedron::try_from_corners(corners).is_ok());
    corners[7][0] = 1.01;
    assert!(matches!(
        Hexahedron::try_from_corners(corners),
        Err(ShapeError::NotPlanar { face: 1, .. })
    ));
    corners[7][0] = f32::NAN;
    let refused = message(Hexahedron::try_from_corners(corners));
    assert_eq!(refused, "corner 7 is NaN on axis 0, not a finite number");
    // Two corners are swapped.
    let mut corners = cube_corners();
    corners.swap(6, 7);
    assert!(Hexahedron::try_from_corners(corners).is_err());
    // Corner 7 of the upper face lies within the triangle of the others, and corner 3 lies below it.
    let mut corners = cube_corners();
    for i in [3, 7] {
        corners[i][0] = -0.5;
        corners[i][1] = -0.5;
    }
    let refused = Hexahedron::try_from_corners(corners);
    assert!(
        matches!(refused, Err(ShapeError::NotConvex { .. })),
        "{refused:?}"
    );
    // The cube has no extent on one axis.
    let flat = cube_corners().map(|[x, y, _]| [x, y, 1.0]);
    assert!(matches!(
        Hexahedron::try_from_corners(flat),
        Err(ShapeError::FlatFace { .. })
    ));
    assert!(Hexahedron::try_from_corners([[0.5f64; 3]; 8]).is_err());
    // A mirrored order of the corners is accepted.
    let mirrored = cube_corners().map(|[x, y, z]| [-x, y, z]);
    assert!(Hexahedron::from_corners(mirrored).contains(&[1.0, 1.0, 1.0]));
}

/// One edge of each direction of a cube, straight or leaning, is moved inwards: the corners stay convex up to the diagonal of two faces.
#[test]
fn edges_may_be_moved_up_to_the_diagonal() {
    let lean = |[x, y, z]: [f64; 3]| [x + 3.0 * y, y - 2.0 * z, z + 0.5 * x];
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for edge in 0..4usize {
            for (place, is_convex) in [(0.9, true), (0.01, true), (-0.01, false), (-0.9, false)] {
                let corners: [[f64; 3]; 8] = std::array::from_fn(|i| {
                    let mut corner = [0, 1, 2].map(|a| if i >> a & 1 == 1 { 1.0 } else { -1.0 });
                    if (i >> u & 1, i >> v & 1) == (edge & 1, edge >> 1) {
                        corner[u] *= place;
                        corner[v] *= place;
                    }
                    corner
                });
                for corners in [corners, corners.map(lean)] {
                    let made = Hexahedron::try_from_corners(corners);
                    let is_refused = matches!(made, Err(ShapeError::NotConvex { .. }));
                    assert_eq!(
                        (made.is_ok(), is_refused),
                        (is_convex, !is_convex),
                        "{axis} {edge}"
                    );
                }
            }
        }
    }
}

/// Takes all loops of four points of a small grid as one face, and others of their form above it as the opposite face, for each pair of faces.
/// Faces that turn one way only and have no corner twice in a row are solids.
#[test]
fn faces_turn_one_way() {
    let mut solids = 0;
    for code in 0..9_i32.pow(4) {
        let points = [1, 9, 81, 729].map(|digit| [code / digit % 3, code / digit / 3 % 3]);
        let side = |i: usize| [0, 1].map(|a| points[(i + 1) % 4][a] - points[i % 4][a]);
        let turns = [0, 1, 2, 3].map(|i| side(i)[0] * side(i + 1)[1] - side(i)[1] * side(i + 1)[0]);
        let turns_one_way =
            turns.iter().any(|&turn| turn > 0) != turns.iter().any(|&turn| turn < 0);
        let expected = turns_one_way && (0..4).all(|i| side(i) != [0, 0]);
        for (scale, shift) in [(1.0, 0.0), (0.5, 3.0), (2.0, -1.0)] {
            for axis in 0..3 {
                let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                let corners: [[f64; 3]; 8] = std::array::from_fn(|i| {
                    // The corners in order around the face.
                    let at = points[[0, 1, 3, 2][(i >> u & 1) + 2 * (i >> v & 1)]].map(f64::from);
                    let mut corner = [0.0; 3];
                    (corner[u], corner[v]) = (at[0], at[1]);
                    if i >> axis & 1 == 1 {
                        corner = corner.map(|x| x * scale + shift);
                        corner[axis] = 1.0;
                    }
                    corner
                });
                let made = Hexahedron::try_from_corners(corners);
                assert_eq!(made.is_ok(), expected, "{corners:?}");
                solids += usize::from(expected);
            }
        }
    }
    assert!(solids > 1000, "{solids}");
}

/// The largest coordinate of any corner, here of the far face, decides how far off a face corners may be.
#[test]
fn the_largest_coordinate_decides_how_far_off_a_corner_may_be() {
    let unit = 1024.0 - 1024.0_f64.next_down();
    for axis in 0..3 {
        for (moved, is_solid) in [(-100.0, true), (-160.0, false)] {
            let corners: [[f64; 3]; 8] = std::array::from_fn(|i| {
                let is_far = i >> axis & 1 == 1;
                let size = if is_far { 1024.0 } else { 1.0 };
                let mut corner = [0, 1, 2].map(|a| size * f64::from(i >> a & 1 == 1));
                corner[axis] = size;
                if i == 7 {
                    corner[axis] += moved * unit;
                }
                corner
            });
            let made = Hexahedron::try_from_corners(corners);
            assert_eq!(made.is_ok(), is_solid, "{axis} {moved} {made:?}");
        }
    }
}

/// Corners may be 32 units in the last place off a face; solids that are thinner than four times that are refused.
#[test]
fn corners_off_a_face_are_told_by_how_much() {
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for (wide, thick) in [(1.0, 1.0), (1.25, 1e-3), (1e-2, 1.0), (1e-3, 1e-2)] {
            let of = |far: [f64; 2]| {
                let corners: [[f64; 3]; 8] = std::array::from_fn(|i| {
                    let is_upper = |a: usize| f64::from(i >> a & 1 == 1);
                    let mut corner = [0.0; 3];
                    // This is the largest coordinate.
                    corner[u] = 1.5 * is_upper(u);
                    corner[v] = wide * is_upper(v);
                    corner[axis] = far[usize::from(i == 7)] * is_upper(axis);
                    corner
                });
                Hexahedron::try_from_corners(corners)
            };
            // If one corner of a face is moved, all four are off by half as much, two to each side.
            for (moved, is_off) in [(100.0, false), (160.0, true)] {
                let made = of([thick, thick + moved * f64::EPSILON]);
                let Err(ShapeError::NotPlanar { face, distance, .. }) = made else {
                    assert!(made.is_ok() && !is_off, "{made:?}");
                    continue;
                };
                assert_eq!((face, is_off), (2 * axis + 1, true));
                let units = distance / f64::EPSILON;
                assert!((units - 80.0).abs() < 16.0, "{units}");
            }
        }
        let [thin, thicker] = [100.0, 160.0].map(|units| {
            let corners: [[f64; 3]; 8] = std::array::from_fn(|i| {
                let mut corner = [0, 1, 2].map(|a| if i >> a & 1 == 1 { 1.5 } else { 0.0 });
                corner[axis] *= units * f64::EPSILON / 1.5;
                corner
            });
            Hexahedron::try_from_corners(corners)
        });
        assert!(matches!(thin, Err(ShapeError::FlatFace { .. })), "{thin:?}");
        assert!(thicker.is_ok(), "{thicker:?}");
    }
}

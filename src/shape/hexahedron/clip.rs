//! From a view-projection matrix to the planes of its clip space.
//!
//! After G. Gribb and K. Hartmann, "Fast extraction of viewing frustum planes from the
//! world-view-projection matrix", 2001: `-w <= x` is `(row 3 + row 0) · p >= 0`, and so on.

use crate::error::ShapeError;
use crate::shape::check_finite;
use crate::shape::polytope::{HalfSpace, Point, cross, dot, power_of_two};
use crate::vector::Vector;

/// Whether a determinant is more than the rounding of its terms, of which the sum of the magnitudes
/// is given.
pub(crate) fn exceeds_rounding(determinant: f64, magnitude: f64) -> bool {
    // An underflow to zero, or an overflow to infinity or NaN, is no proof either.
    determinant.is_finite() && determinant.abs() > 16.0 * f64::EPSILON * magnitude
}

/// The sum of the magnitudes of the terms of a determinant of three rows.
pub(crate) fn magnitude(rows: [Point; 3]) -> f64 {
    let [a, b, c] = rows.map(|row| row.map(f64::abs));
    let products = [0, 1, 2].map(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        b[j] * c[k] + b[k] * c[j]
    });
    dot(a, products)
}

/// The determinant, and the sum of its terms' magnitudes.
fn determinant(m: &[[f64; 4]; 4]) -> (f64, f64) {
    let (mut sum, mut of_terms) = (0.0, 0.0);
    for skip in 0..4 {
        let minor =
            |row: [f64; 4]| -> Point { [0, 1, 2].map(|c: usize| row[c + usize::from(c >= skip)]) };
        let rows = [minor(m[1]), minor(m[2]), minor(m[3])];
        let sign = if skip % 2 == 0 { 1.0 } else { -1.0 };
        sum += sign * m[0][skip] * dot(rows[0], cross(rows[1], rows[2]));
        of_terms += m[0][skip].abs() * magnitude(rows);
    }
    (sum, of_terms)
}

/// Left, right, bottom, top, `z = 0`, `z = w`; a far plane at infinity is none.
pub(crate) fn planes<V: Vector>(
    columns: [[V::Scalar; 4]; 4],
) -> Result<[Option<HalfSpace>; 6], ShapeError> {
    const PARTS: [&str; 4] = ["column 0", "column 1", "column 2", "column 3"];
    for (part, column) in PARTS.into_iter().zip(columns) {
        check_finite(part, column.map(Into::<f64>::into))?;
    }
    // The planes are those of the matrix times any number: one that keeps products of four finite.
    let entries = || columns.into_iter().flatten().map(Into::<f64>::into);
    let unit = power_of_two(entries().fold(0.0, |most: f64, x| most.max(x.abs())));
    let row = |r: usize| [0, 1, 2, 3].map(|c: usize| -> f64 { columns[c][r].into() / unit });
    let (determinant, of_terms) = determinant(&[row(0), row(1), row(2), row(3)]);
    if !exceeds_rounding(determinant, of_terms) {
        return Err(ShapeError::Singular { determinant });
    }
    let mut planes = [None; 6];
    for (plane, half_space) in planes.iter_mut().enumerate() {
        let (axis, w) = (row(plane / 2), row(3));
        let kept = [0, 1, 2, 3].map(|i: usize| match plane {
            4 => axis[i],
            0 | 2 => w[i] + axis[i],
            _ => w[i] - axis[i],
        });
        let n = [0.0 - kept[0], 0.0 - kept[1], 0.0 - kept[2]];
        if n != [0.0; 3] {
            *half_space = Some(HalfSpace::new(n, kept[3]));
        } else if kept[3] < 0.0 {
            return Err(ShapeError::Empty { plane });
        }
    }
    Ok(planes)
}

//! Makes bodies and motions from small integers.

use orthant::{Rigid, Scalar, Vector};
use proptest::prelude::*;

use crate::balls::Raw;

pub(crate) fn raws() -> impl Strategy<Value = Vec<Raw>> {
    let near = (proptest::array::uniform4(-6i8..=6), 0u8..=3);
    let wide = (proptest::array::uniform4(-100i8..=100), 0u8..=9);
    let one = prop_oneof![6 => near, 1 => wide];
    (proptest::collection::vec(one, 0..=60), 0..6u8).prop_map(|(mut scene, kind)| {
        for raw in &mut scene {
            match kind {
                0 => raw.0 = [1; 4],
                1 => raw.0[1..].fill(2),
                2 => raw.1 = 1,
                _ => {}
            }
        }
        scene
    })
}

/// Returns the scales: exact lattices, inexact ones, a far offset, and squares that vanish or overflow in `f32`.
pub(crate) fn scales() -> impl Strategy<Value = (f64, f64)> {
    let scales = [
        (0.0, 1.0),
        (0.0, 0.1),
        (1e7, 1.0),
        (-1e7, 0.7),
        (0.0, 1e-22),
        (0.0, 1e-30),
        (0.0, 1e-42),
        (0.0, 1e18),
        (0.0, 1e30),
    ];
    proptest::sample::select(scales.to_vec())
}

/// A motion: signs and an order of the axes, a rotation, and a translation.
pub(crate) type Motion = ([bool; 4], usize, [f64; 4], [i8; 4]);

pub(crate) fn motions() -> impl Strategy<Value = Motion> {
    (
        proptest::array::uniform4(any::<bool>()),
        0usize..4,
        proptest::array::uniform4(-1.0f64..=1.0),
        proptest::array::uniform4(-9i8..=9),
    )
}

pub(crate) fn shift<V: Vector>(motion: &Motion, step: f64) -> V {
    V::from_fn(|a| Scalar::from_f64(step * f64::from(motion.3[a])))
}

/// Returns a motion that maps axes to axes, so that lattices tie.
pub(crate) fn along_axes<V: Vector>(motion: &Motion, step: f64) -> Rigid<V> {
    let image = |axis: usize| {
        V::from_fn(|a| {
            let one = if motion.0[axis] { 1.0 } else { -1.0 };
            Scalar::from_f64(if a == (axis + motion.1) % V::DIM {
                one
            } else {
                0.0
            })
        })
    };
    Rigid::new(image, shift(motion, step))
}

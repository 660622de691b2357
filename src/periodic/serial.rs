//! Serializes a box as its faces and its periodic axes, and a skewed cell as its vectors, which are zero where it is
//! not periodic. A reader checks them as the constructors do.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Debug;

use serde::{Deserialize, Serialize};

use super::Periodic;
use super::lattice::narrow;
use crate::shape::Aabb;
use crate::vector::{Scalar, Vector};

#[derive(Serialize, Deserialize)]
#[serde(
    rename = "Periodic",
    bound(
        serialize = "V: Serialize",
        deserialize = "V: Deserialize<'de>, V::Scalar: Deserialize<'de>"
    )
)]
pub(super) enum Raw<V: Vector> {
    Box {
        bounds: Aabb<V>,
        periodic: Vec<bool>,
    },
    Cell {
        origin: V,
        vectors: Vec<V>,
    },
}

impl<V: Vector> From<Periodic<V>> for Raw<V> {
    fn from(made: Periodic<V>) -> Self {
        let lattice = &made.lattice;
        if made.is_box {
            return Self::Box {
                bounds: made.bounds,
                periodic: (0..V::DIM).map(|axis| lattice.is_periodic(axis)).collect(),
            };
        }
        Self::Cell {
            origin: narrow(&lattice.origin),
            vectors: made.vectors().as_ref().to_vec(),
        }
    }
}

impl<V: Vector> TryFrom<Raw<V>> for Periodic<V> {
    type Error = String;

    fn try_from(raw: Raw<V>) -> Result<Self, String> {
        let made = match raw {
            Raw::Box { bounds, periodic } => Self::try_on_axes(bounds, axes::<V, _>(&periodic)?),
            Raw::Cell { origin, vectors } => {
                let zero = V::splat(V::Scalar::ZERO);
                let marked: Vec<bool> = vectors.iter().map(|&vector| vector != zero).collect();
                let (vectors, marked) = (axes::<V, _>(&vectors)?, axes::<V, _>(&marked)?);
                Self::try_spanned_along(origin, vectors, marked)
            }
        };
        made.map_err(|error| error.to_string())
    }
}

/// A value for each axis.
fn axes<V: Vector, X: Copy + Debug + Send + Sync>(list: &[X]) -> Result<V::Axes<X>, String> {
    if list.len() != V::DIM {
        return Err(format!("{} axes in a space of {}", list.len(), V::DIM));
    }
    let mut axes = V::axes(list[0]);
    axes.as_mut().copy_from_slice(list);
    Ok(axes)
}

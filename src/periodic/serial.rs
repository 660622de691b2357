//! Serializes a box as its faces and its periodic axes, and a skewed cell as its vectors, which are zero where it is
//! not periodic. A reader checks them as the constructors do.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::Periodic;
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
        if made.is_skewed() {
            return Self::Cell {
                origin: made.lattice.origin,
                vectors: made.vectors().as_ref().to_vec(),
            };
        }
        let axes = 0..V::DIM;
        Self::Box {
            bounds: made.bounds,
            periodic: axes.map(|axis| made.lattice.is_periodic(axis)).collect(),
        }
    }
}

impl<V: Vector> TryFrom<Raw<V>> for Periodic<V> {
    type Error = String;

    fn try_from(raw: Raw<V>) -> Result<Self, String> {
        let len = match &raw {
            Raw::Box { periodic, .. } => periodic.len(),
            Raw::Cell { vectors, .. } => vectors.len(),
        };
        if len != V::DIM {
            return Err(format!("{len} axes in a space of {}", V::DIM));
        }
        let mut marked = V::axes(true);
        let made = match raw {
            Raw::Box { bounds, periodic } => {
                marked.as_mut().copy_from_slice(&periodic);
                Self::try_on_axes(bounds, marked)
            }
            Raw::Cell { origin, vectors } => {
                let mut axes = V::axes(origin);
                axes.as_mut().copy_from_slice(&vectors);
                for (marked, vector) in marked.as_mut().iter_mut().zip(&vectors) {
                    *marked = (0..V::DIM).any(|a| vector.axis(a) != V::Scalar::ZERO);
                }
                Self::try_spanned_along(origin, axes, marked)
            }
        };
        made.map_err(|error| error.to_string())
    }
}

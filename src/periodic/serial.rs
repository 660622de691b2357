//! A box is written with its faces and which axes are periodic, a skewed cell with its vectors, which are zero
//! where it is not periodic; what is read is checked as by the constructors.

use alloc::format;
use alloc::vec::Vec;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Periodic;
use crate::error::Error;
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
enum Raw<V: Vector> {
    Box {
        bounds: Aabb<V>,
        periodic: Vec<bool>,
    },
    Cell {
        origin: V,
        vectors: Vec<V>,
    },
}

impl<V: Vector + Serialize> Serialize for Periodic<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw = if self.is_skewed() {
            Raw::Cell {
                origin: self.origin(),
                vectors: self.vectors().as_ref().to_vec(),
            }
        } else {
            let is_periodic = |axis| self.lengths.axis(axis) > V::Scalar::ZERO;
            Raw::Box {
                bounds: self.bounds,
                periodic: (0..V::DIM).map(is_periodic).collect(),
            }
        };
        raw.serialize(serializer)
    }
}

impl<'de, V> Deserialize<'de> for Periodic<V>
where
    V: Vector + Deserialize<'de>,
    V::Scalar: Deserialize<'de>,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let is_whole = |len: usize| {
            let expected = V::DIM;
            if len == expected {
                return Ok(());
            }
            let message = format!("{len} axes in a space of {expected}");
            Err(D::Error::custom(message))
        };
        let made: Result<Self, Error> = match Raw::deserialize(deserializer)? {
            Raw::Box { bounds, periodic } => {
                is_whole(periodic.len())?;
                let mut axes = V::axes(false);
                axes.as_mut().copy_from_slice(&periodic);
                Self::try_on_axes(bounds, axes)
            }
            Raw::Cell { origin, vectors } => {
                is_whole(vectors.len())?;
                let mut axes = V::axes(origin);
                axes.as_mut().copy_from_slice(&vectors);
                let mut periodic = V::axes(true);
                for (periodic, vector) in periodic.as_mut().iter_mut().zip(&vectors) {
                    *periodic = (0..V::DIM).any(|a| vector.axis(a) != V::Scalar::ZERO);
                }
                Self::try_spanned_along(origin, axes, periodic)
            }
        };
        made.map_err(D::Error::custom)
    }
}

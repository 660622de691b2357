use crate::{Error, Scalar};

/// When a voxel counts as met; lengths in the units of the grid's coordinates.
///
/// Each rule is one expression of the voxel's faces and its center, in the arithmetic of the grid's
/// scalar. A set of voxels *separates* under 6 neighbors if no path of steps through faces leads
/// from the inside to the outside of a closed surface around the set's voxels; under 18 if none through
/// faces and edges does, under 26 if none at all. What is said holds for surfaces that are wider than
/// a few voxels.
///
/// | rule | of a surface | connected by |
/// |---|---|---|
/// | [`Closed`](Self::Closed) | separates under 6, 18 and 26 | faces |
/// | [`HalfOpen`](Self::HalfOpen) | separates under 6; under 18 where no edge of the lattice lies in it, as in no sphere; under 26 where it passes through no corner either | faces |
/// | [`CenterInside`](Self::CenterInside) | separates under 6 | faces and edges |
/// | [`Thin`](Self::Thin) | separates under 6 | faces and edges |
/// | [`Shell`](Self::Shell) | separates under 6, 18 and 26 | faces |
/// | [`NarrowBand`](Self::NarrowBand) | under 6, 18 and 26 if the half width is more than 1/2, √2/2 and √3/2 voxels | faces and edges, from 1/2 on |
///
/// The band of an ellipsoid, whose semi-axes are lengthened and shortened, is thinner than its half width
/// says, by up to `2√k / (1 + k)` where the longest semi-axis is `k` times the shortest.
///
/// Regions made of others have, by every rule, the voxels that are made of the voxels of their parts:
/// a [`Difference`](crate::Difference) under `Shell(t)` those of the first that are none of the second,
/// both under `Shell(t)`. Where the surface of what is left is meant, mind that it has two parts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Rule<S> {
    /// The closed voxel `[lo, hi]` shares a point with the region: touching counts, and a surface
    /// through a face has voxels on both sides (the supercover).
    #[default]
    Closed,
    /// The half-open voxel `[lo, hi)` shares a point with the region, so that each point has one
    /// voxel.
    HalfOpen,
    /// The center of the voxel lies in the region; of a surface, the outermost layer of what it
    /// encloses: the center lies within, and that of a voxel across a face does not.
    CenterInside,
    /// One of the three segments through the center of the voxel, from face to face, shares a point
    /// with the region: the thinnest surface without gaps between faces.
    Thin,
    /// The closed voxel has a point within half of this thickness of the region.
    Shell(S),
    /// The center of the voxel lies less than this half width from the region.
    NarrowBand(S),
}

impl<S: Scalar> Rule<S> {
    /// That a length is a finite number from 0 on.
    pub(super) fn check(self) -> Result<(), Error> {
        let (part, length) = match self {
            Self::Shell(thickness) => ("shell thickness", thickness),
            Self::NarrowBand(half_width) => ("half width of a narrow band", half_width),
            _ => return Ok(()),
        };
        if length.is_finite() && length >= S::ZERO {
            return Ok(());
        }
        Err(Error::Distance {
            part,
            distance: length.into(),
        })
    }

    /// How far from the region a voxel may be that is met, if the rule is one of distances.
    pub(super) fn reach(self) -> Option<S> {
        match self {
            Self::Shell(thickness) => Some(thickness * S::from_f64(0.5)),
            Self::NarrowBand(half_width) => Some(half_width),
            _ => None,
        }
    }

    /// The name of the rule in an error.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Closed => "Closed",
            Self::HalfOpen => "HalfOpen",
            Self::CenterInside => "CenterInside",
            Self::Thin => "Thin",
            Self::Shell(_) => "Shell",
            Self::NarrowBand(_) => "NarrowBand",
        }
    }
}

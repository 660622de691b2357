//! Uniform grids of voxels, and the voxels that a region meets.
//!
//! A grid holds no items. It turns points into voxels, voxels into boxes, and a region into the list of voxels it
//! meets, in time proportional to the answer: row by row for spheres, shells, ellipsoids and boxes, by halving for
//! anything else. The answer is that of a test of every voxel, bit for bit.
//!
//! All faces come from one function, `origin + index * size`, each operation rounded once, so that
//! neighbors share a bit-identical face.

mod bricks;
mod halving;
mod layers;
mod listing;
mod round;
mod rule;
mod slab;
mod spans;
mod voxelize;
mod voxels;

pub use bricks::{Brick, Bricks};
pub use halving::{Cell, Cells};
pub use rule::Rule;
pub use spans::{Span, Spans};
pub use voxelize::Voxelize;
pub use voxels::Voxels;

pub(crate) use halving::{Halving, around};
pub(crate) use round::Round;
pub(crate) use rule::Criterion;
pub(crate) use slab::Kernels;

use crate::error::{Error, or_panics};
// Files of this room import it from here.
use crate::lattice::{self, Block, Lattice};
use crate::shape::{Aabb, check_finite};
use crate::simd::InstructionSet;
use crate::vector::{Scalar, Vector, Voxel, assert_structure};

/// A uniform lattice of cubic voxels, which lists the voxels that a region meets. It holds no items.
///
/// Voxel `i` spans `origin + i * size` to `origin + (i + 1) * size` on each axis. Indices run from
/// [`i32::MIN`] to one before [`i32::MAX`].
///
/// Voxels smaller than the spacing of floats at their place may have equal boxes, and are then listed together or not
/// at all. Faces beyond the largest finite number lie at that number: a region that reaches it meets more voxels than
/// there are indices, and is refused.
///
/// ```
/// use orthant::{Hollow, Sphere, VoxelGrid, glam::{IVec3, Vec3}};
/// let grid = VoxelGrid::new(Vec3::ZERO, 0.5);
/// let skin = Hollow(Sphere::new(Vec3::splat(0.25), 0.125));
/// let voxels: Vec<IVec3> = grid.voxels(skin).collect();
/// assert_eq!(voxels, [IVec3::ZERO]);
/// assert_eq!(grid.voxel_of(Vec3::new(-0.1, 0.0, 0.5)), Ok(IVec3::new(-1, 0, 1)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(
        try_from = "Raw<V>",
        bound(
            serialize = "V: serde::Serialize, V::Scalar: serde::Serialize, V::Voxel: serde::Serialize",
            deserialize = "V: serde::Deserialize<'de>, V::Scalar: serde::Deserialize<'de>, \
                V::Voxel: serde::Deserialize<'de>"
        )
    )
)]
pub struct VoxelGrid<V: Vector> {
    origin: V,
    voxel_size: V::Scalar,
    rule: Rule<V::Scalar>,
    /// The block of voxels that may be listed; `None` if all may.
    window: Option<Block<V::Voxel>>,
    #[cfg_attr(feature = "serde", serde(skip))]
    instructions: InstructionSet,
}

/// A grid, as the kernels take it: generic over the scalar alone, and with four axes.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Grid<S> {
    lattice: Lattice<S>,
    window: Option<Block<[i32; 4]>>,
    instructions: InstructionSet,
}

/// One value for each axis of a vector, and `none` on axes that it lacks.
#[inline]
fn padded<V: Vector, X: Copy>(on: impl Fn(usize) -> X, none: X) -> [X; 4] {
    crate::simd::from_fn(|a| if a < V::DIM { on(a) } else { none })
}

#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(bound(
    deserialize = "V: serde::Deserialize<'de>, V::Scalar: serde::Deserialize<'de>, \
        V::Voxel: serde::Deserialize<'de>"
))]
struct Raw<V: Vector> {
    origin: V,
    voxel_size: V::Scalar,
    rule: Rule<V::Scalar>,
    window: Option<Block<V::Voxel>>,
}

#[cfg(feature = "serde")]
impl<V: Vector> TryFrom<Raw<V>> for VoxelGrid<V> {
    type Error = Error;

    fn try_from(raw: Raw<V>) -> Result<Self, Error> {
        let grid = Self::try_new(raw.origin, raw.voxel_size)?.try_with_rule(raw.rule)?;
        match raw.window {
            None => Ok(grid),
            Some(window) => grid.try_within(window.start, window.end),
        }
    }
}

impl<V: Vector> VoxelGrid<V> {
    or_panics! {
        /// Makes a grid of voxels with edges of `voxel_size`, in which voxel 0 has its lower corner at `origin`. The
        /// rule is [`Rule::Closed`].
        VoxelGrid: new = try_new(origin: V, voxel_size: V::Scalar)
    }

    /// Makes a grid of voxels with edges of `voxel_size`, in which voxel 0 has its lower corner at `origin`. The rule
    /// is [`Rule::Closed`].
    ///
    /// # Errors
    ///
    /// If the size is not a positive finite number, or a coordinate infinite or NaN.
    pub fn try_new(origin: V, voxel_size: V::Scalar) -> Result<Self, Error> {
        const { assert_structure::<V>() }
        check_finite("origin", origin)?;
        if !(voxel_size.is_finite() && voxel_size > V::Scalar::ZERO) {
            return Err(Error::VoxelSize {
                size: voxel_size.into(),
            });
        }
        Ok(Self {
            origin,
            voxel_size,
            rule: Rule::Closed,
            window: None,
            instructions: InstructionSet::best(),
        })
    }

    or_panics! {
        /// Sets the rule that says when a voxel counts as met.
        ///
        /// ```
        /// use orthant::{Hollow, Rule, Sphere, VoxelGrid};
        /// let closed = VoxelGrid::new([0.0f64; 3], 1.0);
        /// let skin = Hollow(Sphere::new([0.0; 3], 8.0));
        /// assert_eq!(closed.count(skin), 1184);
        /// assert_eq!(closed.with_rule(Rule::HalfOpen).count(skin), 1163);
        /// ```
        VoxelGrid: with_rule = try_with_rule(self, rule: Rule<V::Scalar>)
    }

    /// Sets the rule that says when a voxel counts as met.
    ///
    /// # Errors
    ///
    /// If the rule's thickness or half width is negative, infinite or NaN.
    pub fn try_with_rule(self, rule: Rule<V::Scalar>) -> Result<Self, Error> {
        rule.check()?;
        Ok(Self { rule, ..self })
    }

    or_panics! {
        /// Restricts the grid to a chunk: only its voxels, from `start` to one before `end` on each axis, are
        /// listed and counted.
        ///
        /// The chunks of a tiling list exactly the voxels of the whole grid, each once. In a chunk, a region may
        /// reach beyond the range of indices.
        ///
        /// ```
        /// use orthant::{Hollow, Sphere, VoxelGrid, glam::{DVec3, IVec3}};
        /// let grid = VoxelGrid::new(DVec3::ZERO, 1.0);
        /// let planet = Hollow(Sphere::new(DVec3::ZERO, 1e6));
        /// let start = IVec3::splat(577_318);
        /// let chunk = grid.within(start, start + 64);
        /// assert_eq!(chunk.count(planet), 9_214);
        /// ```
        ///
        /// # Complexity
        ///
        /// Listing takes time for the rows of the chunk that meet the region, however large the region is.
        VoxelGrid: within = try_within(self, start: V::Voxel, end: V::Voxel)
    }

    /// Restricts the grid to a chunk: only its voxels are listed and counted.
    ///
    /// # Errors
    ///
    /// If the block is empty on an axis.
    pub fn try_within(self, start: V::Voxel, end: V::Voxel) -> Result<Self, Error> {
        let block = Block { start, end };
        match (0..V::DIM).find(|&a| block.range(a).is_empty()) {
            Some(axis) => Err(Error::EmptyBlock {
                axis,
                start: start.axis(axis),
                end: end.axis(axis),
            }),
            None => Ok(Self {
                window: Some(block),
                ..self
            }),
        }
    }

    /// The part of a block that lies in the window.
    pub(crate) fn listed(&self, block: Block<V::Voxel>) -> Block<V::Voxel> {
        self.window.map_or(block, |window| block.common(&window))
    }

    /// Restricts the grid to a block of voxels, within its window; `None` if nothing is left.
    pub(crate) fn clipped(self, start: V::Voxel, end: V::Voxel) -> Option<Self> {
        let Block { start, end } = self.listed(Block { start, end });
        self.try_within(start, end).ok()
    }

    /// Chooses the vector instructions, instead of the machine's widest; answers do not depend on them.
    #[doc(hidden)]
    #[must_use]
    pub fn with_instructions(self, instructions: InstructionSet) -> Self {
        Self {
            instructions,
            ..self
        }
    }

    /// The lower corner of voxel 0.
    #[inline]
    #[must_use]
    pub fn origin(&self) -> V {
        self.origin
    }

    /// The edge of a voxel.
    #[inline]
    #[must_use]
    pub fn voxel_size(&self) -> V::Scalar {
        self.voxel_size
    }

    /// The rule that says when a voxel counts as met.
    #[inline]
    #[must_use]
    pub fn rule(&self) -> Rule<V::Scalar> {
        self.rule
    }

    #[inline]
    pub(crate) fn lattice(&self) -> Lattice<V::Scalar> {
        Lattice {
            origin: padded::<V, _>(|a| self.origin.axis(a), Scalar::ZERO),
            step: self.voxel_size,
        }
    }

    /// The grid as the kernels take it.
    fn core(&self) -> Grid<V::Scalar> {
        Grid {
            lattice: self.lattice(),
            window: self.window.as_ref().map(Block::padded),
            instructions: self.instructions,
        }
    }

    /// The lattice and the rule, which decide each voxel.
    #[inline]
    pub(crate) fn criterion(&self) -> Criterion<V> {
        Criterion {
            lattice: self.lattice(),
            rule: self.rule,
        }
    }

    /// The voxel whose half-open box holds a point, whatever the rule. On each axis, it is the one with the largest
    /// index whose lower face is not above the point.
    ///
    /// ```
    /// use orthant::VoxelGrid;
    /// let grid = VoxelGrid::new([0.0f32], 0.1);
    /// // 0.9 / 0.1 is 9, but the lower face of voxel 9 is 0.90000004.
    /// assert_eq!(grid.voxel_of([0.9]), Ok([8]));
    /// assert!(grid.voxel_of([1e9]).is_err());
    /// ```
    ///
    /// # Complexity
    ///
    /// O(1).
    ///
    /// # Errors
    ///
    /// If a coordinate is infinite or NaN, or its voxel has an index beyond the range.
    pub fn voxel_of(&self, point: V) -> Result<V::Voxel, Error> {
        check_finite("point", point)?;
        let lattice = self.lattice();
        let mut indices = [0; 4];
        for (a, index) in indices.iter_mut().enumerate().take(V::DIM) {
            *index = lattice.index_of(a, point.axis(a))? as i32;
        }
        Ok(V::Voxel::from_fn(|a| indices[a]))
    }

    /// The box of a voxel. A face beyond the largest finite number lies at that number.
    ///
    /// ```
    /// use orthant::{Aabb, VoxelGrid};
    /// let grid = VoxelGrid::new([1.0, 1.0], 0.5);
    /// assert_eq!(grid.voxel_bounds([0, -1]), Aabb::new([1.0, 0.5], [1.5, 1.0]));
    /// ```
    #[inline]
    #[must_use]
    pub fn voxel_bounds(&self, voxel: V::Voxel) -> Aabb<V> {
        self.lattice().cell(voxel)
    }
}

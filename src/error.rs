//! Errors: why input is refused, and answers for which there is no memory.

mod twins;

use alloc::vec::Vec;
use core::fmt;

use crate::handle::Handle;

/// Declares an enum of errors, with a message for each variant.
macro_rules! errors {
    (
        $(#[$about:meta])*
        pub enum $name:ident {$(
            $(#[$doc:meta])*
            $kind:ident
                $({ $($(#[$of_field:meta])* $field:ident: $type:ty,)* })?
                $(($inner:ident: $of_inner:ty))?
                => $says:literal $(with $arg:expr)?,
        )*}
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum $name {$(
            $(#[$doc])*
            $kind $({ $($(#[$of_field])* $field: $type,)* })? $(($of_inner))?,
        )*}

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match *self {
                    $(Self::$kind $({ $($field),* })? $(($inner))? => write!(f, $says $(, $arg)?),)*
                }
            }
        }
    };
}

errors! {
    /// Why a shape could not be made. Axes count from 0; values are shown as `f64`.
    pub enum ShapeError {
        /// A coordinate, radius or semi-axis is infinite or NaN.
        NotFinite {
            /// Which part of the shape: `"min"`, `"max"`, `"center"`, `"radius"`, …; `"point"` for an item that is a
            /// point.
            part: &'static str,
            /// The axis, 0 for a length.
            axis: usize,
            /// The value that was given.
            value: f64,
        } => "{part} is {value} on axis {axis}, not a finite number",
        /// A box whose lower corner lies above its upper one.
        Inverted {
            /// The first such axis.
            axis: usize,
            /// The lower corner there.
            min: f64,
            /// The upper corner there.
            max: f64,
        } => "inverted box: min {min} > max {max} on axis {axis}",
        /// A radius below zero.
        NegativeRadius {
            /// The value that was given.
            radius: f64,
        } => "negative radius {radius}",
        /// A shell whose inner radius is larger than its outer one.
        InvertedRadii {
            /// The inner radius.
            inner: f64,
            /// The outer radius.
            outer: f64,
        } => "inner radius {inner} > outer radius {outer}",
        /// A semi-axis of an ellipsoid that is zero or negative.
        SemiAxisNotPositive {
            /// The first such axis.
            axis: usize,
            /// The value that was given.
            value: f64,
        } => "semi-axis {value} on axis {axis} is not positive",
        /// A weight of a norm that is zero or negative.
        WeightNotPositive {
            /// The first such axis.
            axis: usize,
            /// The value that was given.
            value: f64,
        } => "weight {value} on axis {axis} is not positive",
        /// Axes of a rotation that are not of length 1 and at right angles.
        NotOrthonormal {
            /// One axis.
            first: usize,
            /// Another, or the same.
            second: usize,
            /// Their scalar product, which should be 0, or 1 for an axis with itself.
            product: f64,
        } => "not a rotation: the product of axes {first} and {second} is {product}, not {}" with u8::from(first == second),
        /// A horizon of a motion that is negative or NaN.
        Horizon {
            /// The value that was given.
            horizon: f64,
        } => "horizon {horizon} is not a time from 0 to infinity",
        /// A half extent of an oriented box that is zero or negative.
        HalfExtentNotPositive {
            /// The first such axis.
            axis: usize,
            /// The value that was given.
            value: f64,
        } => "half extent {value} on axis {axis} is not positive",
        /// A plane whose normal is zero.
        ZeroNormal => "the normal of a plane is zero",
        /// Half-spaces without an interior in common.
        Empty {
            /// The first plane that leaves nothing of what the planes before it enclose.
            plane: usize,
        } => "plane {plane} leaves nothing of the solid",
        /// Half-spaces whose intersection is unbounded.
        Unbounded {
            /// The first plane whose face is unbounded.
            plane: usize,
        } => "unbounded: the face of plane {plane} never ends",
        /// A solid that has no extent across a face.
        FlatFace {
            /// The face; six faces are numbered axis by axis, the lower before the upper.
            face: usize,
        } => "face {face} is flat or folded",
        /// Four corners of a face that do not lie in a plane.
        NotPlanar {
            /// The first corner that is too far off.
            corner: usize,
            /// The face.
            face: usize,
            /// How far it lies behind the plane of the other corners.
            distance: f64,
        } => "corner {corner} lies {distance} off the plane of face {face}",
        /// Eight corners that are not those of a convex solid.
        NotConvex {
            /// A corner that lies in front of a face.
            corner: usize,
            /// The face.
            face: usize,
        } => "not convex at corner {corner} against face {face}",
        /// A matrix that is not invertible.
        Singular {
            /// Its determinant, after division by powers of two that bring its entries near 1.
            determinant: f64,
        } => "singular matrix of determinant {determinant}",
    }
}

impl core::error::Error for ShapeError {}

errors! {
    /// The reason why input was refused, or why there is no answer. Refused input changes nothing.
    pub enum Error {
        /// An argument that is not a valid shape.
        Shape(error: ShapeError) => "{error}",
        /// An item that is not a valid shape.
        Item {
            /// Its index in the input.
            index: usize,
            /// The fault.
            error: ShapeError,
        } => "item {index}: {error}",
        /// More items than a structure can number: a [`LooseOrthtree`](crate::LooseOrthtree) at most 2³⁰, all others 2³² - 2.
        TooManyItems {
            /// The number of items that there would be.
            count: usize,
            /// The largest number of items.
            most: usize,
        } => "{count} items are more than the structure can hold, {most}",
        /// A voxel size that is zero, negative, infinite or NaN.
        VoxelSize {
            /// The value that was given.
            size: f64,
        } => "voxel size {size} is not a positive number",
        /// A radius of neighbors that is zero, negative, infinite or NaN.
        Radius {
            /// The value that was given.
            radius: f64,
        } => "radius {radius} is not a positive number",
        /// A radius of neighbors that would reach more than a hundred images of a periodic box on either
        /// side, including images that coordinates cannot tell apart.
        RadiusOverBox {
            /// The value that was given.
            radius: f64,
            /// The first axis on which it reaches too many.
            axis: usize,
            /// The distance between the faces of the box on that axis.
            length: f64,
        } => "radius {radius} reaches more than a hundred images of the box, {length} long, on axis {axis}",
        /// Ends of bins of distances that do not increase from 0 to the radius of a cell list.
        BinEnd {
            /// The first bin whose end is too small, too large or NaN.
            bin: usize,
            /// The value that was given.
            end: f64,
        } => "bin {bin} ends at {end}: ends are to increase, from 0 to the radius of the list",
        /// A length of a periodic box that is zero or infinite.
        BoxLength {
            /// The first such axis.
            axis: usize,
            /// The value that it would have.
            length: f64,
        } => "box length {length} on axis {axis} is not a positive number",
        /// Vectors of a periodic cell that span next to nothing.
        SingularCell {
            /// The volume that they span, as a fraction of what they would span at right angles.
            volume: f64,
        } => "the vectors of the cell span {volume} of what they would at right angles",
        /// A region that reaches more than a hundred images of a periodic box on either side, or images so far away that
        /// 32-bit integers do not number them.
        TooManyImages {
            /// The index of the region that may reach them; 0 if there is only one.
            region: usize,
            /// The axis along which they lie.
            axis: usize,
        } => "region {region} may reach more than a hundred images of the box on axis {axis}, or some beyond 32-bit numbers",
        /// A voxel index below [`i32::MIN`] or above `i32::MAX - 1`.
        OutOfRange {
            /// The first axis on which it is out of range.
            axis: usize,
            /// The coordinate that lies too far out.
            value: f64,
        } => "{value} on axis {axis} lies outside the grid: voxel indices are 32-bit integers",
        /// One of several regions that reaches a voxel index below [`i32::MIN`] or above `i32::MAX - 1`.
        RegionOutOfRange {
            /// Its index in the input.
            region: usize,
            /// The first axis on which it reaches beyond the range.
            axis: usize,
            /// The coordinate that lies too far out.
            value: f64,
        } => "region {region}: {value} on axis {axis} lies outside the grid: voxel indices are 32-bit integers",
        /// A margin, prediction distance, thickness or half width that is negative, infinite or NaN.
        Distance {
            /// The name of the distance.
            part: &'static str,
            /// The value that was given.
            distance: f64,
        } => "{part} {distance} is not a finite number from 0 on",
        /// A block without voxels.
        EmptyBlock {
            /// The first axis on which it is empty.
            axis: usize,
            /// Its first index there.
            start: i32,
            /// One past its last index there.
            end: i32,
        } => "no voxels from {start} to {end} on axis {axis}",
        /// A dense block of more voxels than memory could hold.
        BlockTooLarge {
            /// The words of 64 bits that it would take.
            words: u128,
        } => "no memory could hold {words} words of a block",
        /// An answer, or a part of one, for which there is no memory.
        OutOfMemory {
            /// The number of items for which memory was requested: those found so far and some more.
            items: usize,
            /// The bytes that they take.
            bytes: usize,
        } => "no memory for {items} items, which take {bytes} bytes",
        /// A rule that needs distances, for a region that cannot compute them.
        NoDistances {
            /// The rule.
            rule: &'static str,
        } => "the rule {rule} needs distances, which this region does not know",
        /// An offset of lists that is less than the one before or more than the number of items; a first offset that
        /// is not 0; or a last offset that is not the number of items.
        Offset {
            /// Its place in the input.
            place: usize,
            /// The value that was given.
            offset: usize,
            /// How many items there are.
            items: usize,
        } => "offset {place} is {offset}: offsets are to go up from 0 to the number of items, {items}",
        /// Bytes that are not those of a saved tree.
        Saved {
            /// The fault.
            what: &'static str,
        } => "saved tree: {what}",
        /// A handle whose item has been removed.
        Stale {
            /// The handle that was given.
            handle: Handle,
        } => "{handle:?} is stale: its item has been removed",
    }
}

impl core::error::Error for Error {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Shape(error) | Self::Item { error, .. } => Some(error),
            _ => None,
        }
    }
}

// Memory for answers.

/// Reserves room for `more` items in a list. Every list whose length depends on the answer, not on the input, is
/// enlarged here.
#[inline]
pub(crate) fn reserve<T>(list: &mut Vec<T>, more: usize) -> Result<(), Error> {
    let reserved = list.try_reserve(more);
    reserved.map_err(|_| out_of_memory::<T>(list.len().saturating_add(more)))
}

pub(crate) fn reserve_exact<T>(list: &mut Vec<T>, more: usize) -> Result<(), Error> {
    let reserved = list.try_reserve_exact(more);
    reserved.map_err(|_| out_of_memory::<T>(list.len().saturating_add(more)))
}

/// Truncates a list to a length, or extends it by copies of an item.
pub(crate) fn resize<T: Clone>(list: &mut Vec<T>, len: usize, item: T) -> Result<(), Error> {
    reserve(list, len.saturating_sub(list.len()))?;
    list.resize(len, item);
    Ok(())
}

/// Fails if there is not even a mebibyte left. It is called before small allocations, which cannot return an error.
pub(crate) fn headroom() -> Result<(), Error> {
    const BYTES: usize = 1 << 20;
    reserve(&mut Vec::<[u8; BYTES]>::new(), 1)
}

#[cold]
#[inline(never)]
fn out_of_memory<T>(items: usize) -> Error {
    Error::OutOfMemory {
        items,
        bytes: items.saturating_mul(size_of::<T>()),
    }
}

pub(crate) use twins::{or_panics, shown_as};

/// Returns the value of a checked constructor, or panics with the name of the type and the place of the caller's
/// caller: a closure in `unwrap_or_else` would report a line of this crate.
#[inline(always)]
#[track_caller]
pub(crate) fn or_panic<T>(what: &str, result: Result<T, impl fmt::Display>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => refuse(what, &error),
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn refuse(what: &str, error: &dyn fmt::Display) -> ! {
    panic!("{what}: {error}")
}

impl From<ShapeError> for Error {
    fn from(error: ShapeError) -> Self {
        Self::Shape(error)
    }
}

//! What trees can be asked by lanes, chosen at run time.

use alloc::boxed::Box;

use super::Plain;
use super::planes::Planes;
use crate::overlap::Region;
use crate::shape::{Bounded, Layout};
use crate::vector::Vector;

/// What trees ask by lanes: a plain region, or a solid of few planes.
#[derive(Clone, Debug)]
pub enum Asked<V: Vector> {
    /// A ball or a box.
    Plain(Plain<V>),
    /// A solid of few planes.
    Planes(Box<Planes<V>>),
}

impl<V: Vector> Asked<V> {
    /// None for a region that lanes cannot be asked of; `T` is the type of the items.
    #[inline(always)]
    pub(crate) fn of<T, R>(region: &R) -> Option<Self>
    where
        T: Bounded,
        R: Region<Vector: Vector<Array = V::Array, Scalar = V::Scalar>>,
    {
        if let Some(plain) = region.plain() {
            return Some(Self::Plain(plain.cast()));
        }
        if matches!(T::LAYOUT, Layout::Point | Layout::Box)
            && let Some(cube) = region.cube()
        {
            return Some(Self::Plain(Plain::Box(cube.cast())));
        }
        let planes = region.planes()?;
        Some(Self::Planes(Box::new(planes.cast())))
    }
}

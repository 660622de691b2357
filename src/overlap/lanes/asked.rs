//! What trees can be asked by lanes, chosen at run time.

use super::Plain;
use super::inexact::Inexact;
use crate::overlap::Region;
use crate::shape::Layout;
use crate::simd::InstructionSet;
use crate::vector::Vector;

/// What trees ask by lanes: a plain region, or a solid.
#[derive(Clone, Debug)]
pub enum Asked<V: Vector> {
    /// A ball or a box.
    Plain(Plain<V>),
    /// A solid that lanes know by bounds.
    Inexact(Inexact<V>),
}

impl<V: Vector<Array = V>> Asked<V> {
    /// None for a region or items that lanes cannot be asked of. Nor are solids and measures on x86-64 machines without AVX2: in four
    /// registers for sixteen numbers, the code for them took as long to compile as all other.
    #[inline(always)]
    pub(crate) fn of<R>(region: &R, items: Layout, set: InstructionSet) -> Option<Self>
    where
        R: Region<Vector: Vector<Array = V::Array, Scalar = V::Scalar>>,
    {
        if items == Layout::Whole {
            return None;
        }
        if let Some(plain) = region.plain() {
            return Some(Self::Plain(plain.cast()));
        }
        if matches!(items, Layout::Point | Layout::Box) {
            let ball = || region.measured().filter(|_| set.is_wide());
            let cube = region.cube().map(Plain::Box);
            if let Some(plain) = cube.or_else(|| ball().map(Plain::Ball)) {
                return Some(Self::Plain(plain.cast()));
            }
        }
        if !set.is_wide() {
            return None;
        }
        let mut region = region.inexact()?;
        if items == Layout::Box {
            region = region.for_boxes();
        }
        Some(Self::Inexact(region))
    }
}

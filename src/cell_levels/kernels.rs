//! What is compiled of it in this crate.

use alloc::vec::Vec;

use super::{Levels, build, neighbors, pairs};
use crate::cell_list::Pair;
use crate::error::Error;
use crate::kernels::kernels;
use crate::lists::NeighborLists;

kernels! {
    /// The work of [`CellLevels`](crate::CellLevels).
    pub trait Kernels {
        /// Sorts points into cells in place of those before.
        fn rebuild(
            levels: &mut Levels<Self>,
            points: &[Self],
            radii: &[Self::Scalar],
        ) -> Result<(), Error> = build::rebuild;

        /// Lists what is near each point.
        fn lists(levels: &Levels<Self>, near: &mut NeighborLists) = neighbors::lists;

        /// Appends pairs to a list.
        fn pairs(levels: &Levels<Self>, pairs: &mut Vec<[u32; 2]>) = pairs::pairs;

        /// Counts pairs.
        fn count_pairs(levels: &Levels<Self>) -> u64 = pairs::count;

        /// Hands on the pairs of one point after the other.
        fn each_pair(levels: &Levels<Self>, f: &mut dyn FnMut(&[Pair<Self>])) = pairs::each;
    }
}

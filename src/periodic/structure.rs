use crate::overlap::Extent;
use crate::query::{Hierarchy, ItemTree};
use crate::{Bounded, CellList, Handle, Linear, LooseOrthtree, Orthtree, Overlaps, Region, Vector};

mod sealed {
    use super::{Bounded, CellList, Linear, LooseOrthtree, Orthtree, Vector};

    pub trait Sealed {}
    impl<T> Sealed for Linear<T> {}
    impl<T: Bounded> Sealed for Orthtree<T> {}
    impl<T: Bounded> Sealed for LooseOrthtree<T> {}
    impl<V: Vector> Sealed for CellList<V> {}
}

/// A structure that can be asked for a region, whichever it is: what a
/// [`Periodic`](super::Periodic) box asks.
pub trait Structure<R: Region>: sealed::Sealed {
    /// What it holds.
    type Item: Bounded<Vector = R::Vector>;
    /// What names an item.
    type Key: Copy;

    /// The items that overlap the region, lazily, each once.
    fn query(&self, region: R) -> impl Iterator<Item = Self::Key>;

    /// What is known of all items; `None` where there are none.
    #[doc(hidden)]
    fn extent(&self) -> Option<Extent<R::Vector>>;
}

macro_rules! structure {
    ($structure:ty, [$($g:tt)*], $item:ty, $key:ty, |$this:ident| $extent:expr) => {
        impl<$($g)*, R> Structure<R> for $structure
        where
            R: Region<Vector = <$item as Bounded>::Vector> + Overlaps<$item>,
        {
            type Item = $item;
            type Key = $key;

            #[inline]
            fn query(&self, region: R) -> impl Iterator<Item = $key> {
                <$structure>::query(self, region)
            }

            fn extent(&self) -> Option<Extent<R::Vector>> {
                let $this = self;
                $extent
            }
        }
    };
}

structure!(Linear<T>, [T: Bounded], T, usize, |scan| scan.extent());
structure!(Orthtree<T>, [T: Bounded], T, usize, |tree| root(tree));
structure!(LooseOrthtree<T>, [T: Bounded], T, Handle, |tree| root(tree));
structure!(CellList<V>, [V: Vector], V, usize, |cells| cells.extent());

fn root<T: ItemTree>(tree: &T) -> Option<Extent<<T::Item as Bounded>::Vector>> {
    let tree = tree.nodes();
    tree.root().map(|root| tree.extent(root).cast())
}

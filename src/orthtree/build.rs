//! Building: the shape first, then coordinates in its order.

use alloc::vec::Vec;

use super::bounds::bound;
use super::columns::set;
use super::keys::Coder;
use super::sort::Key;
use super::split::Splitter;
use super::{Items, Orthtree, ScalarOf};
use crate::overlap::lanes::Layout;
use crate::overlap::{check_count, check_from};
use crate::parallel::{GRAIN, fill, join};
use crate::simd::{Column, LANES};
use crate::{Bounded, Error, Scalar, Vector};

/// Builds a tree in the memory of an old one, which stays as it is where items are refused.
pub(super) fn build<T>(tree: &mut Orthtree<T>, items: &[T]) -> Result<(), Error>
where
    T: Bounded + Clone + Sync,
{
    check_count(items.len())?;
    check(0, items)?;
    let coder = Coder::new(items, tree.instructions);
    let mut keys = Vec::new();
    fill(&mut keys, items.len(), 1, |index| Key(index as u64));
    let shape = Splitter { coder }.shape(&mut keys);
    tree.len = items.len();
    fill(&mut tree.indices, padded(items.len()), 1, |slot| {
        keys.get(slot).map_or(0, |&key| coder.index(key))
    });
    drop(keys);
    place(&mut tree.items, items, &tree.indices);
    bound(tree, &shape.blocks);
    Ok(())
}

/// Checks items, of which the first has an index.
fn check<T: Bounded + Sync>(index: usize, items: &[T]) -> Result<(), Error> {
    if items.len() <= GRAIN {
        return check_from(index, items);
    }
    let middle = items.len() / 2;
    let (first, second) = items.split_at(middle);
    let (first, second) = join(|| check(index, first), || check(index + middle, second));
    first.and(second)
}

/// As many indices as any sixteen that begin at an item take.
pub(super) fn padded(len: usize) -> usize {
    len.next_multiple_of(LANES) + LANES
}

/// Copies the items into the tree's order.
fn place<T>(to: &mut Items<T>, items: &[T], indices: &[u32])
where
    T: Bounded + Clone + Sync,
{
    let indices = &indices[..items.len()];
    let blocks = items.len().div_ceil(LANES);
    let many = |wanted: bool| if wanted { blocks } else { 0 };
    let of = |block: usize| {
        let indices = indices[block * LANES..].iter().take(LANES);
        indices.map(|&index| &items[index as usize]).enumerate()
    };
    let zero = Column([ScalarOf::<T>::ZERO; LANES]);
    let zeros = <T::Vector as Vector>::axes(zero);
    fill(
        &mut to.points,
        many(T::LAYOUT != Layout::Whole),
        LANES,
        |block| {
            let mut columns = zeros;
            of(block).for_each(|(lane, item)| set(&mut columns, lane, item.core().min()));
            columns
        },
    );
    fill(
        &mut to.highs,
        many(T::LAYOUT == Layout::Box),
        LANES,
        |block| {
            let mut columns = zeros;
            of(block).for_each(|(lane, item)| set(&mut columns, lane, item.core().max()));
            columns
        },
    );
    fill(
        &mut to.radii,
        many(T::LAYOUT == Layout::Ball),
        LANES,
        |block| {
            let mut column = zero;
            of(block).for_each(|(lane, item)| column.0[lane] = item.radius());
            column
        },
    );
    to.whole.clear();
    if T::LAYOUT == Layout::Whole {
        to.whole.reserve_exact(items.len());
        let items = indices.iter().map(|&index| items[index as usize].clone());
        to.whole.extend(items);
    }
}

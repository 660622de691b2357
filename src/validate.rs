//! What the `validate` of several structures has in common.

use alloc::vec;

/// Whether the slots of a structure name the items of its input, each once.
pub(crate) fn check_permutation(indices: &[u32], items: usize) -> Result<(), &'static str> {
    let mut seen = vec![false; items];
    let each_once = indices.len() == items
        && indices.iter().all(|&index| {
            let seen = seen.get_mut(index as usize);
            seen.is_some_and(|seen| !core::mem::replace(seen, true))
        });
    if each_once {
        Ok(())
    } else {
        Err("the indices are not a permutation")
    }
}

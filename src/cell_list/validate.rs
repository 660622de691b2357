use alloc::vec;

use super::CellList;
use crate::validate::check_permutation;
use crate::voxel::{Block, cut};
use crate::{Contains, Vector};

impl<V: Vector> CellList<V> {
    /// Checks what every query relies on, for tests and for memory that is in doubt: each point is in
    /// exactly one cell, and within its faces.
    ///
    /// # Errors
    ///
    /// Says what does not hold.
    ///
    /// # Complexity
    ///
    /// O(n + cells).
    pub fn validate(&self) -> Result<(), &'static str> {
        check_permutation(&self.indices, self.points.len())?;
        let cells = self.block.cells();
        let ends = (self.starts.first(), self.starts.last());
        let all = self.points.len() as u32;
        if self.starts.len() != cells + 1
            || ends != (Some(&0), Some(&all))
            || !self.starts.is_sorted()
        {
            return Err("the cells do not divide the points");
        }
        let mut blocks = vec![self.block];
        while let Some(block) = blocks.pop() {
            match cut(&block, None) {
                Some(parts) => blocks.extend(parts),
                None => self.validate_cell(&block)?,
            }
        }
        Ok(())
    }

    fn validate_cell(&self, cell: &Block<V::Voxel>) -> Result<(), &'static str> {
        let bounds = self.lattice.bounds(cell);
        let run = self.row(cell);
        let points = &self.points[run.start as usize..run.end as usize];
        if points.iter().all(|p| bounds.contains(p)) {
            Ok(())
        } else {
            Err("a point lies outside its cell")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::CellList;

    /// What `validate` says of cells that were tampered with.
    fn broken(tamper: impl FnOnce(&mut CellList<[f32; 2]>)) -> &'static str {
        let mut cells = CellList::new(&[[0.0, 0.0], [3.5, 0.5], [3.5, 9.0], [0.1, 0.2]], 1.0);
        cells.validate().unwrap();
        tamper(&mut cells);
        cells.validate().unwrap_err()
    }

    #[test]
    fn validate_finds_what_is_broken() {
        assert_eq!(
            broken(|c| c.indices[0] = 2),
            "the indices are not a permutation"
        );
        assert_eq!(
            broken(|c| c.starts[1] = 4),
            "the cells do not divide the points"
        );
        assert_eq!(
            broken(|c| c.points.swap(0, 3)),
            "a point lies outside its cell"
        );
    }
}

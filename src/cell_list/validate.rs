use super::CellList;
use super::build::Cells;
use crate::overlap::Contains;
use crate::validate::check_permutation;
use crate::vector::{Vector, Voxel};
use crate::voxel::Block;

impl<V: Vector> CellList<V> {
    /// Checks what every query relies on, for tests and for memory that is in doubt: each point is in
    /// exactly one cell, and within its bounds.
    ///
    /// # Errors
    ///
    /// Says what does not hold.
    ///
    /// # Complexity
    ///
    /// O(n + cells).
    #[doc(hidden)]
    pub fn validate(&self) -> Result<(), &'static str> {
        let Cells { grid, buckets, .. } = &self.cells;
        check_permutation(buckets.indices(), buckets.len())?;
        let starts = &buckets.starts;
        let cells = if grid.dense {
            grid.cells()
        } else {
            buckets.keys.len()
        };
        let ends = (starts.first(), starts.last());
        let all = buckets.len() as u32;
        if starts.len() != cells + 1 || ends != (Some(&0), Some(&all)) || !starts.is_sorted() {
            return Err("the cells do not divide the points");
        }
        if !buckets.keys.is_sorted_by(|a, b| a < b) {
            return Err("the cells are not sorted");
        }
        for cell in 0..cells {
            let run = starts[cell] as usize..starts[cell + 1] as usize;
            if run.is_empty() {
                continue;
            }
            let cell = if grid.dense {
                grid.cell_of(cell)
            } else {
                grid.cell_of_key(buckets.keys[cell])
            };
            let bounds = grid.bounds_of(&Block {
                start: Voxel::from_fn(|a| cell[a]),
                end: Voxel::from_fn(|a| cell[a] + 1),
            });
            if !run
                .into_iter()
                .all(|slot| bounds.contains(&buckets.point(slot)))
            {
                return Err("a point lies outside its cell");
            }
        }
        Ok(())
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
            broken(|c| c.cells.buckets.indices[0] = 2),
            "the indices are not a permutation"
        );
        assert_eq!(
            broken(|c| c.cells.buckets.starts[1] = 4),
            "the cells do not divide the points"
        );
        assert_eq!(
            broken(|c| c.cells.buckets.coordinates.swap(0, 3)),
            "a point lies outside its cell"
        );
    }
}

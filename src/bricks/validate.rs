use super::BrickSet;
use crate::Voxel;

impl<X: Voxel> BrickSet<X> {
    /// Checks that the set is as it should be, for tests.
    ///
    /// # Errors
    ///
    /// What is wrong, if anything is.
    pub fn validate(&self) -> Result<(), &'static str> {
        for (key, tile) in &self.tiles {
            // Of 32 bits, six name a voxel within a tile.
            if key.indices().iter().any(|&index| index << 6 >> 6 != index) {
                return Err("a tile has no indices");
            }
            tile.validate()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::mask::NONE;
    use super::super::tile::{Key, Tile};
    use super::BrickSet;

    /// What is wrong after a change of the tiles of a sound set.
    fn broken(change: impl FnOnce(&mut BrickSet<[i32; 3]>)) -> &'static str {
        let mut set = BrickSet::from_iter([[0, 0, 0], [9, 0, 0], [-5, 700, 3]]);
        set.validate().unwrap();
        change(&mut set);
        set.validate().unwrap_err()
    }

    #[test]
    fn what_is_broken_is_found() {
        let first = Key::at([0; 3]);
        assert_eq!(
            broken(|set| drop(set.tiles.insert(first, Tile::default()))),
            "a tile is empty"
        );
        assert_eq!(
            broken(|set| {
                let tile = set.tiles.remove(&first).unwrap();
                set.tiles.insert(Key::at([1 << 25, 0, 0]), tile);
            }),
            "a tile has no indices"
        );
        assert_eq!(
            broken(|set| set
                .tiles
                .get_mut(&first)
                .unwrap()
                .break_masks(|masks| masks[1] = NONE)),
            "a brick is empty"
        );
        assert_eq!(
            broken(|set| {
                let tile = set.tiles.get_mut(&first).unwrap();
                tile.break_masks(|masks| {
                    masks.pop();
                });
            }),
            "a tile has not as many bricks as it says"
        );
    }
}

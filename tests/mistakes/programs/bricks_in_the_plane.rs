//! Bricks are sets of voxels in space.

use orthant::BrickSet;

fn main() {
    let mut set: BrickSet<[i32; 2]> = BrickSet::new();
    set.insert([1, 2]);
}

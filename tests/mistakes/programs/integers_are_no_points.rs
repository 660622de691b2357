//! Coordinates are `f32` or `f64`.

use orthant::Orthtree;

fn main() {
    let _ = Orthtree::new(&[[0, 1, 2], [3, 4, 5]]);
}

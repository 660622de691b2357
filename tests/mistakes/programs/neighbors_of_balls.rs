//! Only points have neighbors within a radius: balls have radii of their own.

use orthant::glam::Vec3;
use orthant::{Orthtree, Sphere};

fn main() {
    let balls = [Vec3::ZERO, Vec3::X].map(|at| Sphere::new(at, 1.0));
    let tree = Orthtree::new(&balls);
    let _ = tree.neighbors(1.0);
}

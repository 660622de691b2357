//! The last step as text, for other programs to check.
//!
//! `ball,i,x,y,z,r` are the centres and radii after the last step, with as many digits as give the
//! same `f64` when read. `pair,i,j` with i < j are the pairs of balls, without floor and walls, that
//! `Broadphase` listed for exactly these balls: two balls i and j are a pair when
//! `x_i - r_i <= x_j + r_j` and `x_j - r_j <= x_i + r_i`, and likewise for y and z, where each
//! difference and each sum is rounded to `f64` before it is compared.

use std::io::Write;

use crate::world::World;

pub(crate) fn write(world: &World, to: impl Write) -> csv::Result<()> {
    // Rows of two lengths.
    let mut rows = csv::WriterBuilder::new().flexible(true).from_writer(to);
    for (i, ball) in world.balls().enumerate() {
        let (c, r) = (ball.center(), ball.radius());
        rows.serialize(("ball", i, c.x, c.y, c.z, r))?;
    }
    let first = world.first_ball();
    for (p, q) in world.pairs() {
        let (a, b) = (world.number(p), world.number(q));
        if a.min(b) >= first {
            rows.serialize(("pair", a.min(b) - first, a.max(b) - first))?;
        }
    }
    rows.flush()?;
    Ok(())
}

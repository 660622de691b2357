//! Writes the last step as text, for other programs to check.
//!
//! Rows `ball,i,x,y,z,r` have the centers and radii after the last step. Rows `box,i,x,y,z,u,v,w` have the lower and
//! upper corners of crates, whose numbers continue those of the balls. Numbers have enough digits to give the same
//! `f64` when read. Rows `pair,i,j`, with i < j, are the pairs of these bodies that `Broadphase` listed; floor and
//! walls are left out. Every sum, difference and product is rounded to `f64`, sums from left to right. The pairs are
//!
//! - two balls i and j if `(x_j - x_i)² + (y_j - y_i)² + (z_j - z_i)² <= (r_i + r_j)²`,
//! - a ball and a crate if the squared distance of the center from the nearest point of the crate is at most `r²`,
//! - two crates if they overlap on each axis; touching counts.

use std::io::Write;

use crate::world::World;

pub(crate) fn write(world: &World, to: impl Write) -> csv::Result<()> {
    // Rows have different lengths.
    let mut rows = csv::WriterBuilder::new().flexible(true).from_writer(to);
    let bodies = world.movers().count() + world.first_mover();
    let mut numbers = vec![None; bodies];
    let mut next = 0;
    for (body, ball) in world.balls() {
        let (c, r) = (ball.center(), ball.radius());
        rows.serialize(("ball", next, c.x, c.y, c.z, r))?;
        numbers[body] = Some(next);
        next += 1;
    }
    for (body, bounds) in world.crates() {
        let (a, b) = (bounds.min(), bounds.max());
        rows.serialize(("box", next, a.x, a.y, a.z, b.x, b.y, b.z))?;
        numbers[body] = Some(next);
        next += 1;
    }
    let named = |(p, q)| Some((numbers[world.number(p)]?, numbers[world.number(q)]?));
    let mut pairs: Vec<_> = world.pairs().filter_map(named).collect();
    for pair in &mut pairs {
        *pair = (pair.0.min(pair.1), pair.0.max(pair.1));
    }
    pairs.sort_unstable();
    for (i, j) in pairs {
        rows.serialize(("pair", i, j))?;
    }
    rows.flush()?;
    Ok(())
}

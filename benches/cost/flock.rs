//! The rules of the boids, for any search of neighbors: each flies to the middle of the boids that it sees, in their direction, and away from
//! those that are too near.

use std::time::Instant;

use crate::Vec3;

const BOIDS: usize = 5000;
/// The edge of the room, at which boids turn back.
const ROOM: f32 = 100.0;
/// The distance up to which a boid sees others: about a dozen at first.
pub const SIGHT: f32 = 8.4;
/// The number of steps of a run, and the time after which no further step begins.
const STEPS: usize = 40;
const SECONDS: f32 = 2.0;

struct Flock {
    points: Vec<Vec3>,
    velocities: Vec<Vec3>,
    next: Vec<Vec3>,
}

impl Flock {
    fn new() -> Self {
        let mut state = 1u32;
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 24) as f32
        };
        let mut vector = || Vec3::new(random(), random(), random());
        let points = (0..BOIDS).map(|_| vector() * ROOM).collect();
        let velocities: Vec<_> = (0..BOIDS).map(|_| vector() - Vec3::splat(0.5)).collect();
        Self {
            points,
            next: velocities.clone(),
            velocities,
        }
    }

    /// The boid sees itself too, which changes only the means.
    fn steer(&mut self, boid: usize, near: &[u32]) {
        let (place, velocity) = (self.points[boid], self.velocities[boid]);
        let (points, velocities) = (self.points.as_slice(), self.velocities.as_slice());
        let (mut middle, mut course, mut away) = (Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
        for &other in near {
            let from = place - points[other as usize];
            middle -= from;
            course += velocities[other as usize];
            away += from / (from.length_squared() + 0.1);
        }
        let count = near.len() as f32;
        let turn = 0.01 * middle / count + 0.1 * (course / count - velocity) + 0.02 * away;
        let back = (Vec3::splat(0.5 * ROOM) - place) * 0.0005;
        self.next[boid] = (velocity + turn + back).clamp_length(0.3, 1.0);
    }

    fn fly(&mut self) {
        std::mem::swap(&mut self.velocities, &mut self.next);
        for (point, velocity) in self.points.iter_mut().zip(&self.velocities) {
            *point += *velocity;
        }
    }
}

/// Returns this thread's processor seconds if the system reports them (Linux), so that being preempted does not count; otherwise those of the
/// clock.
fn seconds(begin: Instant) -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| begin.elapsed().as_secs_f64(), |taken| taken / 1e9)
}

/// Runs the flock and prints the milliseconds of a step. `see` passes each boid, and those that it sees, to a function.
pub fn run(mut see: impl FnMut(&[Vec3], &mut dyn FnMut(usize, &[u32]))) {
    let (mut steps, mut seen) = (0, 0);
    let begin = Instant::now();
    let start = seconds(begin);
    while steps == 0 || begin.elapsed().as_secs_f32() < SECONDS {
        let mut flock = Flock::new();
        for _ in 0..STEPS {
            let points = flock.points.clone();
            see(&points, &mut |boid, near| {
                seen += near.len();
                flock.steer(boid, near);
            });
            flock.fly();
        }
        steps += STEPS;
    }
    let taken = seconds(begin) - start;
    eprintln!("each sees {:.1}", seen as f64 / (steps * BOIDS) as f64);
    println!("{:.4} ms a step", taken * 1e3 / steps as f64);
}

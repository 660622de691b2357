//! Runs millions of operations on structures that change, beside a plain model, and compares the memory of the process with that after the first
//! tenth: `cargo bench -p clients --bench soak [-- OPERATIONS STEPS]`, by default ten million and a million, some minutes.

use std::collections::HashSet;
use std::time::Instant;

use orthant::{Aabb, Broadphase, Event, Handle, LooseOrthtree, Motion, Orthtree, Overlaps, Sphere};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

/// Returns the megabytes of the process that are in memory.
fn resident() -> f64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: f64 = statm
        .split(' ')
        .nth(1)
        .and_then(|pages| pages.parse().ok())
        .unwrap_or(0.0);
    pages * 4096.0 / 1e6
}

/// The memory after a tenth of the operations, and the peak since then.
struct Memory {
    tenth: f64,
    most: f64,
}

impl Memory {
    fn new() -> Self {
        Self {
            tenth: 0.0,
            most: 0.0,
        }
    }

    fn look(&mut self, done: usize, all: usize) {
        let now = resident();
        if done * 10 <= all {
            self.tenth = self.tenth.max(now);
        }
        self.most = self.most.max(now);
    }

    fn check(&self, what: &str, begin: Instant) {
        let Self { tenth, most } = self;
        println!(
            "{what}: {:.1} s, {tenth:.1} MB after a tenth, {most:.1} at most",
            begin.elapsed().as_secs_f64()
        );
        assert!(
            *most <= 1.1 * tenth + 4.0,
            "{what} takes more and more memory"
        );
    }
}

fn place(random: &mut SmallRng) -> [f32; 3] {
    [0; 3].map(|_| random.random::<f32>())
}

fn cuboid(random: &mut SmallRng) -> Aabb<[f32; 3]> {
    let (min, size) = (place(random), place(random));
    Aabb::new(min, [0, 1, 2].map(|a| min[a] + 0.04 * size[a] * size[a]))
}

/// Inserts, moves and removes boxes; every 50 000 operations, a ball and a box query the tree and a list.
fn loose_tree(operations: usize) {
    let (begin, mut memory) = (Instant::now(), Memory::new());
    let mut random = SmallRng::seed_from_u64(1);
    let mut tree = LooseOrthtree::new();
    let mut model: Vec<(Handle, Aabb<[f32; 3]>)> = Vec::new();
    let mut most = 20_000;
    for done in 0..operations {
        if model.is_empty() || random.random_range(0..5) < 2 {
            // Move mostly towards the number of boxes that is aimed at.
            let comes = (model.len() < most) == (random.random_range(0..4) > 0);
            if comes || model.is_empty() {
                let item = cuboid(&mut random);
                model.push((tree.insert(item), item));
            } else {
                let (handle, item) = model.swap_remove(random.random_range(0..model.len()));
                assert_eq!(tree.remove(handle), Some(item));
                assert_eq!(tree.remove(handle), None);
            }
        } else {
            let at = random.random_range(0..model.len());
            let item = cuboid(&mut random);
            assert_eq!(tree.update(model[at].0, item), model[at].1);
            model[at].1 = item;
        }
        if done % 50_000 == 0 {
            // Aim at few boxes and at many by turns.
            most = random.random_range(1..20_000);
            tree.validate().expect("sound");
            let ball = Sphere::new(place(&mut random), 0.2);
            let asked = cuboid(&mut random);
            let mut found: Vec<Handle> = tree.query(ball).chain(tree.query(asked)).collect();
            let hits = |region: &dyn Overlaps<Aabb<[f32; 3]>>| {
                let hits = model.iter().filter(|(_, item)| region.overlaps(item));
                hits.map(|&(handle, _)| handle).collect::<Vec<_>>()
            };
            let mut expected = [hits(&ball), hits(&asked)].concat();
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected);
            memory.look(done, operations);
        }
    }
    memory.check(&format!("{operations} operations on a loose tree"), begin);
}

/// Moves a twentieth of the bodies in each step, removes one and inserts one. The pairs are compared with those that follow from the events, and
/// now and then with a search of all pairs.
fn world(steps: usize) {
    let (begin, mut memory) = (Instant::now(), Memory::new());
    let mut random = SmallRng::seed_from_u64(2);
    let mut world = Broadphase::new().with_margin(0.01);
    let mut bodies: Vec<(Handle, Aabb<[f32; 3]>)> = Vec::new();
    for _ in 0..1000 {
        let item = cuboid(&mut random);
        bodies.push((world.insert(item, Motion::Dynamic), item));
    }
    let mut pairs = HashSet::new();
    for step in 0..steps {
        for _ in 0..bodies.len() / 20 {
            let at = random.random_range(0..bodies.len());
            let by = place(&mut random).map(|x| 0.02 * (x - 0.5));
            let (handle, item) = &mut bodies[at];
            let moved = |corner: [f32; 3]| [0, 1, 2].map(|a| corner[a] + by[a]);
            *item = Aabb::new(moved(item.min()), moved(item.max()));
            world.set_bounds(*handle, *item);
        }
        let (gone, _) = bodies.swap_remove(random.random_range(0..bodies.len()));
        world.remove(gone);
        let item = cuboid(&mut random);
        bodies.push((world.insert(item, Motion::Dynamic), item));
        for event in world.update() {
            let new = match *event {
                Event::Begin(a, b) => pairs.insert((a, b)),
                Event::End(a, b) => pairs.remove(&(a, b)),
            };
            assert!(new, "{event:?} of step {step} tells nothing new");
        }
        if step % 10_000 == 0 {
            world.validate().expect("sound");
            let mut told: Vec<_> = pairs.iter().copied().collect();
            told.sort_unstable();
            let mut all = Vec::new();
            for (i, a) in bodies.iter().enumerate() {
                let met = bodies[..i].iter().filter(|b| a.1.overlaps(&b.1));
                all.extend(met.map(|b| (a.0.min(b.0), a.0.max(b.0))));
            }
            all.sort_unstable();
            assert_eq!(told, all);
            assert!(world.pairs().eq(told));
            memory.look(step, steps);
        }
    }
    memory.check(&format!("{steps} steps of a world of 1000"), begin);
}

/// Builds a tree again and again, of few points and of many.
fn rebuilt(builds: usize) {
    let (begin, mut memory) = (Instant::now(), Memory::new());
    let mut random = SmallRng::seed_from_u64(3);
    let mut tree = Orthtree::<[f32; 3]>::default();
    for done in 0..builds {
        let many = random.random_range(0..20_000);
        let points: Vec<[f32; 3]> = (0..many).map(|_| place(&mut random)).collect();
        tree.rebuild(&points).expect("finite");
        let ball = Sphere::new(place(&mut random), 0.1);
        assert_eq!(
            tree.count(ball),
            points.iter().filter(|point| ball.overlaps(*point)).count()
        );
        memory.look(done, builds);
    }
    memory.check(
        &format!("{builds} trees built where the last one was"),
        begin,
    );
}

fn main() {
    let mut numbers = std::env::args().filter_map(|arg| arg.parse().ok());
    let operations = numbers.next().unwrap_or(10_000_000);
    let steps = numbers.next().unwrap_or(1_000_000);
    loose_tree(operations);
    world(steps);
    rebuilt(operations / 2000);
}

//! Runs on one thread and on two by turns, and detects whether the cores of the two share a cache.
//!
//! A virtual machine may lose its shared cache for seconds, whenever its host moves one of its cores.
//! Data that one thread has written then takes ten times as long to reach the other, and a step of moving
//! boxes, which is mostly such transfers, takes 1.5 times as long. Such runs are kept apart and not counted.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::race::Kind;
use crate::table::Entry;

/// The most nanoseconds that a cache line takes to the other core and back if both share a
/// cache: it takes some 40 then, and 300 or more otherwise.
const NEAR: f64 = 100.0;
/// The longest time to wait for such cores.
const PATIENCE: Duration = Duration::from_secs(20);

pub(super) struct Turns {
    start: Instant,
    pools: [ThreadPool; 2],
    one: Vec<f64>,
    two: Vec<f64>,
    /// The times of two threads whose cores share no cache.
    apart: Vec<f64>,
}

impl Turns {
    pub(super) fn new() -> Self {
        Self {
            start: Instant::now(),
            pools: [1, 2].map(pool),
            one: Vec::new(),
            two: Vec::new(),
            apart: Vec::new(),
        }
    }

    /// Calls `run` on one thread or, if `i` is 1, on two.
    pub(super) fn warm<T: Send>(&self, i: usize, run: impl FnOnce() -> T + Send) -> T {
        self.pools[i].install(run)
    }

    /// Like `warm`, but records the wall-clock time in nanoseconds a unit. The threads are awake when it begins,
    /// as those of an engine that has just moved its bodies.
    pub(super) fn time<T: Send>(
        &mut self,
        i: usize,
        units: usize,
        run: impl FnOnce() -> T + Send,
    ) -> T {
        let pool = &self.pools[i];
        pool.broadcast(|_| ());
        let near = i == 0 || round_trip(pool) < NEAR;
        let start = Instant::now();
        let made = pool.install(run);
        let taken = start.elapsed().as_nanos() as f64 / units as f64;
        let samples = if i == 0 {
            &mut self.one
        } else if near && round_trip(pool) < NEAR {
            &mut self.two
        } else {
            &mut self.apart
        };
        samples.push(taken);
        made
    }

    /// True if there are enough samples, or it has taken too long.
    pub(super) fn are_done(&self, samples: usize) -> bool {
        self.one.len() >= samples && (self.two.len() >= samples || self.start.elapsed() > PATIENCE)
    }

    /// One thread is the peer to be faster than.
    pub(super) fn entries(self, differing: u64) -> Vec<Entry> {
        let entry = |name, kind, samples| Entry {
            name,
            kind,
            samples,
            differing,
            note: String::new(),
        };
        // If there are no others, what there is.
        let kind = if self.two.is_empty() {
            Kind::Own
        } else {
            Kind::Reference
        };
        let mut entries = vec![
            entry("1 thread", Kind::Peer, self.one),
            entry("2 threads", Kind::Own, self.two),
            entry("2 threads, no cache in common", kind, self.apart),
        ];
        entries.retain(|entry| !entry.samples.is_empty());
        entries
    }
}

/// A pool of threads that each have a core to themselves: where the system places them, two that
/// begin together may share one for milliseconds, even while the other is idle.
fn pool(threads: usize) -> ThreadPool {
    let cores = core_affinity::get_core_ids().unwrap_or_default();
    let pin = move |thread: usize| {
        if let Some(&core) = cores.get(thread) {
            core_affinity::set_for_current(core);
        }
    };
    let builder = ThreadPoolBuilder::new().num_threads(threads);
    let pool = builder.start_handler(pin).build();
    pool.expect("there are threads to be had")
}

/// The nanoseconds that a cache line takes from one of two threads to the other and back.
fn round_trip(pool: &ThreadPool) -> f64 {
    const TRIPS: u32 = 200;
    let at = AtomicU32::new(0);
    let wait = |until: u32| {
        while at.load(Ordering::Acquire) != until {
            spin_loop();
        }
    };
    let taken = pool.broadcast(|thread| {
        // Wait until both threads are here, and then start the clock.
        let first = u32::from(thread.index() == 0);
        if first == 1 {
            at.store(1, Ordering::Release);
            wait(2);
        } else {
            wait(1);
            at.store(2, Ordering::Release);
        }
        let start = Instant::now();
        for trip in 1..=TRIPS {
            if first == 1 {
                at.store(2 * trip + 1, Ordering::Release);
                wait(2 * trip + 2);
            } else {
                wait(2 * trip + 1);
                at.store(2 * trip + 2, Ordering::Release);
            }
        }
        start.elapsed().as_nanos() as f64 / f64::from(TRIPS)
    });
    taken.into_iter().fold(0.0, f64::max)
}

//! Molecular dynamics: a Lennard-Jones fluid in a periodic box, with a Verlet list that is renewed when an
//! atom has gone half of the skin (L. Verlet, 1967).

use orthant::glam::DVec3;
use orthant::{Aabb, CellList, Periodic};

use crate::random;

const CUTOFF: f64 = 2.5;
const SKIN: f64 = 0.4;
const TIME_STEP: f64 = 0.004;

#[derive(Debug)]
struct Fluid {
    periodic: Periodic<DVec3>,
    at: Vec<DVec3>,
    velocities: Vec<DVec3>,
    forces: Vec<DVec3>,
    energy: f64,
    cells: CellList<DVec3>,
    pairs: Vec<[u32; 2]>,
    /// Where atoms were when pairs were listed.
    listed: Vec<DVec3>,
    renewals: usize,
}

impl Fluid {
    /// A cubic lattice that has been shaken a little.
    fn new(side: usize) -> Self {
        let mut random = random(8);
        let mut vector = || DVec3::new(random().into(), random().into(), random().into()) - 0.5;
        let spacing = 1.2;
        let place = |i: usize| {
            DVec3::new(
                (i % side) as f64,
                (i / side % side) as f64,
                (i / side / side) as f64,
            )
        };
        let at: Vec<DVec3> = (0..side.pow(3))
            .map(|i| (place(i) + 0.5) * spacing)
            .collect();
        let mut velocities: Vec<DVec3> = at.iter().map(|_| vector() * 2.0).collect();
        let drift = velocities.iter().sum::<DVec3>() / velocities.len() as f64;
        velocities.iter_mut().for_each(|v| *v -= drift);
        let periodic = Periodic::new(Aabb::new(DVec3::ZERO, DVec3::splat(side as f64 * spacing)));
        let mut fluid = Self {
            cells: CellList::new_periodic(&at, CUTOFF + SKIN, periodic),
            forces: vec![DVec3::ZERO; at.len()],
            pairs: Vec::new(),
            listed: Vec::new(),
            energy: 0.0,
            renewals: 0,
            periodic,
            at,
            velocities,
        };
        fluid.attract();
        fluid
    }

    fn list(&mut self) {
        for at in &mut self.at {
            *at = self.periodic.wrap(*at);
        }
        self.cells
            .rebuild(&self.at)
            .expect("atoms stay in the finite");
        self.cells.pairs(&mut self.pairs);
        self.listed.clone_from(&self.at);
        self.renewals += 1;
    }

    fn attract(&mut self) {
        let has_gone = |(at, listed): (&DVec3, &DVec3)| (at - listed).length() > SKIN / 2.0;
        if self.listed.is_empty() || self.at.iter().zip(&self.listed).any(has_gone) {
            self.list();
        }
        self.forces.fill(DVec3::ZERO);
        self.energy = 0.0;
        for &[a, b] in &self.pairs {
            let (a, b) = (a as usize, b as usize);
            let apart = self.periodic.displacement(self.at[a], self.at[b]);
            if let Some((energy, force)) = lennard_jones(apart) {
                self.energy += energy;
                self.forces[a] -= force;
                self.forces[b] += force;
            }
        }
    }

    /// Velocity Verlet.
    fn step(&mut self) {
        for i in 0..self.at.len() {
            self.velocities[i] += 0.5 * TIME_STEP * self.forces[i];
            self.at[i] += TIME_STEP * self.velocities[i];
        }
        self.attract();
        for (velocity, force) in self.velocities.iter_mut().zip(&self.forces) {
            *velocity += 0.5 * TIME_STEP * force;
        }
    }

    fn total_energy(&self) -> f64 {
        let kinetic = |velocity: &DVec3| 0.5 * velocity.length_squared();
        self.energy + self.velocities.iter().map(kinetic).sum::<f64>()
    }
}

/// Energy and the force on the second of two, from the first to which `apart` leads; none beyond the cutoff.
fn lennard_jones(apart: DVec3) -> Option<(f64, DVec3)> {
    let square = apart.length_squared();
    (square <= CUTOFF * CUTOFF).then(|| {
        let sixth = square.recip().powi(3);
        let shift = 4.0 * (CUTOFF.powi(-12) - CUTOFF.powi(-6));
        let energy = 4.0 * (sixth * sixth - sixth) - shift;
        (
            energy,
            apart * (48.0 * sixth * sixth - 24.0 * sixth) / square,
        )
    })
}

#[test]
fn energy_is_kept_and_forces_are_those_of_all_pairs() {
    let mut fluid = Fluid::new(7);
    let start = fluid.total_energy();
    for _ in 0..150 {
        fluid.step();
    }
    let drift = (fluid.total_energy() - start).abs() / fluid.at.len() as f64;
    assert!(drift < 0.02, "{drift}");
    assert!((4..75).contains(&fluid.renewals), "{}", fluid.renewals);

    let mut energy = 0.0;
    let mut forces = vec![DVec3::ZERO; fluid.at.len()];
    let lengths = fluid.periodic.lengths();
    for b in 0..fluid.at.len() {
        for a in 0..b {
            let apart = fluid.at[b] - fluid.at[a];
            let apart = apart - lengths * (apart / lengths).round();
            if let Some((of_pair, force)) = lennard_jones(apart) {
                energy += of_pair;
                forces[a] -= force;
                forces[b] += force;
            }
        }
    }
    assert!((energy - fluid.energy).abs() < 1e-9 * energy.abs());
    for (force, expected) in fluid.forces.iter().zip(&forces) {
        assert!((force - expected).length() < 1e-9 * expected.length().max(1.0));
    }
}

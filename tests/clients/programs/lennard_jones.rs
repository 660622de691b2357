//! Lennard-Jones atoms in a periodic box, with a Verlet skin.
use orthant::glam::DVec3;
use orthant::{Aabb, CellList, Periodic};

const CUTOFF: f64 = 2.5;
const SKIN: f64 = 0.4;

/// Returns the energy of a pair, which is 0 at the cutoff, and the force divided by the distance.
fn lennard_jones(distance_sq: f64) -> (f64, f64) {
    let energy = |s6: f64| 4.0 * s6 * (s6 - 1.0);
    let s6 = distance_sq.powi(-3);
    (
        energy(s6) - energy(CUTOFF.powi(-6)),
        24.0 * s6 * (2.0 * s6 - 1.0) / distance_sq,
    )
}

struct Gas {
    periodic: Periodic<DVec3>,
    atoms: Vec<DVec3>,
    velocities: Vec<DVec3>,
    forces: Vec<DVec3>,
    potential: f64,
    cells: CellList<DVec3>,
    /// The positions of the atoms when the pairs were found, and the pairs with the shift of the second atom.
    then: Vec<DVec3>,
    pairs: Vec<(usize, usize, DVec3)>,
    renewed: usize,
}

impl Gas {
    fn new(side: f64, atoms: Vec<DVec3>, velocities: Vec<DVec3>) -> Self {
        let periodic = Periodic::new(Aabb::new(DVec3::ZERO, DVec3::splat(side)));
        let cells = CellList::new_periodic(&atoms, CUTOFF + SKIN, periodic);
        let forces = vec![DVec3::ZERO; atoms.len()];
        let mut gas = Self {
            periodic,
            atoms,
            velocities,
            forces,
            potential: 0.0,
            cells,
            then: Vec::new(),
            pairs: Vec::new(),
            renewed: 0,
        };
        gas.renew();
        gas.push();
        gas
    }

    fn renew(&mut self) {
        for atom in &mut self.atoms {
            *atom = self.periodic.wrap(*atom);
        }
        self.cells.rebuild(&self.atoms).expect("atoms are finite");
        self.then.clone_from(&self.atoms);
        self.pairs.clear();
        self.cells.for_each_pair(|i, j, displacement, _| {
            self.pairs
                .push((i, j, displacement - (self.atoms[j] - self.atoms[i])));
        });
        self.renewed += 1;
    }

    /// Iterates over all pairs within the cutoff, with the displacement from the first to the image of the second.
    fn pairs(&self) -> impl Iterator<Item = (usize, usize, DVec3)> {
        let all = self
            .pairs
            .iter()
            .map(|&(i, j, shift)| (i, j, self.atoms[j] - self.atoms[i] + shift));
        all.filter(|(_, _, displacement)| displacement.length_squared() <= CUTOFF * CUTOFF)
    }

    fn push(&mut self) {
        let (mut forces, mut potential) = (vec![DVec3::ZERO; self.atoms.len()], 0.0);
        for (i, j, displacement) in self.pairs() {
            let (energy, over_distance) = lennard_jones(displacement.length_squared());
            potential += energy;
            forces[i] -= displacement * over_distance;
            forces[j] += displacement * over_distance;
        }
        (self.forces, self.potential) = (forces, potential);
    }

    /// Takes a step of velocity Verlet.
    fn step(&mut self, dt: f64) {
        for i in 0..self.atoms.len() {
            self.velocities[i] += self.forces[i] * (0.5 * dt);
            self.atoms[i] += self.velocities[i] * dt;
        }
        let gone = |(now, then): (&DVec3, &DVec3)| now.distance(*then) > 0.5 * SKIN;
        if self.atoms.iter().zip(&self.then).any(gone) {
            self.renew();
        }
        self.push();
        for (velocity, force) in self.velocities.iter_mut().zip(&self.forces) {
            *velocity += force * (0.5 * dt);
        }
    }

    fn energy(&self) -> f64 {
        self.potential
            + 0.5
                * self
                    .velocities
                    .iter()
                    .copied()
                    .map(DVec3::length_squared)
                    .sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    #[test]
    fn pairs_are_those_of_all_and_energy_is_kept() {
        let (n, side) = (8, 9.6);
        let mut random = Random::new(6);
        let atoms = (0..n * n * n).map(|i| {
            DVec3::new(f64::from(i % n), f64::from(i / n % n), f64::from(i / n / n))
                * (side / f64::from(n))
        });
        let atoms: Vec<DVec3> = atoms.collect();
        let mut velocities: Vec<DVec3> = atoms
            .iter()
            .map(|_| random.in_cube(-1.0, 1.0).as_dvec3())
            .collect();
        let drift = velocities.iter().sum::<DVec3>() / atoms.len() as f64;
        velocities.iter_mut().for_each(|v| *v -= drift);
        let mut gas = Gas::new(side, atoms, velocities);
        let (energy, kinetic) = (gas.energy(), gas.energy() - gas.potential);
        for step in 0..400 {
            gas.step(0.002);
            if step % 20 == 0 {
                let mut pairs: Vec<(usize, usize)> = gas.pairs().map(|(i, j, _)| (i, j)).collect();
                pairs.sort();
                let mut plain = Vec::new();
                let mut potential = 0.0;
                for i in 0..gas.atoms.len() {
                    for j in i + 1..gas.atoms.len() {
                        let d = gas.atoms[j] - gas.atoms[i];
                        let d = d - (d / side).round() * side;
                        if d.length_squared() <= CUTOFF * CUTOFF {
                            plain.push((i, j));
                            potential += lennard_jones(d.length_squared()).0;
                        }
                    }
                }
                assert_eq!(pairs, plain, "step {step}");
                assert!((potential - gas.potential).abs() < 1e-9 * potential.abs());
            }
            assert!(
                (gas.energy() - energy).abs() < 1e-3 * kinetic,
                "step {step}: {} {energy}",
                gas.energy()
            );
        }
        let momentum = gas.velocities.iter().sum::<DVec3>();
        assert!(momentum.length() < 1e-9);
        assert!(gas.renewed > 3 && gas.renewed < 100, "{}", gas.renewed);
    }
}

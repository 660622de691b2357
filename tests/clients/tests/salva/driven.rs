//! The fluid solver with lists of choice.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use salva3d::TimestepManager;
use salva3d::counters::Counters;
use salva3d::geometry::ContactManager;
use salva3d::math::Vector;
use salva3d::object::{Boundary, Fluid};
use salva3d::solver::{DFSPHSolver, PressureSolver};

use crate::search::{names, overwrite, search, sort};

/// The search whose lists the solver uses.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lists {
    Theirs,
    Ours,
}

/// The counts and times of a run.
#[derive(Default)]
pub(crate) struct Notes {
    /// The number of contacts of each kind: fluid with fluid, fluid with boundary, boundary with boundary.
    pub(crate) contacts: [usize; 3],
    /// The times of the solver's search and of ours, which overwrites all contacts.
    pub(crate) time: [Duration; 2],
}

/// A solver whose contacts are sorted or overwritten before it sees them.
pub(crate) struct Driven {
    solver: DFSPHSolver,
    lists: Lists,
    /// The contacts that the solver's search writes when it is timed.
    again: ContactManager,
    notes: Arc<Mutex<Notes>>,
}

impl Driven {
    pub(crate) fn new(lists: Lists, notes: Arc<Mutex<Notes>>) -> Self {
        Self {
            solver: DFSPHSolver::new(),
            lists,
            again: ContactManager::new(),
            notes,
        }
    }

    /// Overwrites the contacts with ours, which must be equal.
    fn replace(
        &mut self,
        contacts: &mut ContactManager,
        h: f32,
        fluids: &[Fluid],
        boundaries: &[Boundary],
    ) {
        let start = Instant::now();
        search(&mut self.again, h, fluids, boundaries);
        let theirs = start.elapsed();
        sort(contacts);
        let expected = names(contacts);
        let start = Instant::now();
        overwrite(contacts, h, fluids, boundaries);
        let ours = start.elapsed();
        assert!(names(contacts) == expected, "other lists");
        let mut notes = self.notes.lock().expect("no thread has failed");
        notes.time[0] += theirs;
        notes.time[1] += ours;
        for (count, kind) in notes.contacts.iter_mut().zip(&expected) {
            *count += kind.iter().map(Vec::len).sum::<usize>();
        }
    }
}

impl PressureSolver for Driven {
    fn init_with_fluids(&mut self, fluids: &[Fluid]) {
        self.solver.init_with_fluids(fluids);
    }

    fn init_with_boundaries(&mut self, boundaries: &[Boundary]) {
        self.solver.init_with_boundaries(boundaries);
    }

    fn predict_advection(
        &mut self,
        timestep: &TimestepManager,
        kernel_radius: f32,
        contact_manager: &ContactManager,
        gravity: &Vector<f32>,
        fluids: &mut [Fluid],
        boundaries: &[Boundary],
    ) {
        self.solver.predict_advection(
            timestep,
            kernel_radius,
            contact_manager,
            gravity,
            fluids,
            boundaries,
        );
    }

    /// Runs as soon as there are contacts, before anything else reads them.
    fn evaluate_kernels(
        &mut self,
        kernel_radius: f32,
        contact_manager: &mut ContactManager,
        fluids: &[Fluid],
        boundaries: &[Boundary],
    ) {
        match self.lists {
            Lists::Theirs => sort(contact_manager),
            Lists::Ours => self.replace(contact_manager, kernel_radius, fluids, boundaries),
        }
        self.solver
            .evaluate_kernels(kernel_radius, contact_manager, fluids, boundaries);
    }

    fn compute_densities(
        &mut self,
        contact_manager: &ContactManager,
        fluids: &[Fluid],
        boundaries: &mut [Boundary],
    ) {
        self.solver
            .compute_densities(contact_manager, fluids, boundaries);
    }

    fn step(
        &mut self,
        counters: &mut Counters,
        timestep: &mut TimestepManager,
        gravity: &Vector<f32>,
        contact_manager: &mut ContactManager,
        kernel_radius: f32,
        fluids: &mut [Fluid],
        boundaries: &[Boundary],
    ) {
        self.solver.step(
            counters,
            timestep,
            gravity,
            contact_manager,
            kernel_radius,
            fluids,
            boundaries,
        );
    }
}

//! The neighbors of the particles of several bodies: by cell lists, and as the fluid solver
//! finds them.

use orthant::{CellList, NeighborLists};
use salva3d::counters::Counters;
use salva3d::geometry::{
    ContactManager, HGrid, ParticlesContacts, insert_boundaries_to_grid, insert_fluids_to_grid,
};
use salva3d::math::Vector;
use salva3d::object::{Boundary, Fluid};

/// A body and the number of a particle in it.
type Name = (usize, usize);

/// The particles of several bodies, body by body.
struct Crowd {
    points: Vec<[f32; 3]>,
    names: Vec<Name>,
}

impl Crowd {
    fn new<'a>(bodies: impl Iterator<Item = &'a Vec<Vector<f32>>>) -> Self {
        let (mut points, mut names) = (Vec::new(), Vec::new());
        for (body, positions) in bodies.enumerate() {
            points.extend(positions.iter().map(|&p| <[f32; 3]>::from(p)));
            names.extend((0..positions.len()).map(|i| (body, i)));
        }
        Self { points, names }
    }
}

/// Overwrites all contacts with lists of this crate.
pub(crate) fn overwrite(
    contacts: &mut ContactManager,
    h: f32,
    fluids: &[Fluid],
    boundaries: &[Boundary],
) {
    let fluid = Crowd::new(fluids.iter().map(|f| &f.positions));
    let solid = Crowd::new(boundaries.iter().map(|b| &b.positions));
    let fluid_cells = CellList::new(&fluid.points, h);
    let solid_cells = CellList::new(&solid.points, h);
    // The type of a contact cannot be named from outside, so copy one: each particle of a fluid is near itself.
    let first = contacts.fluid_fluid_contacts[0].particle_contacts(0).read();
    let mould = first.expect("no thread has failed")[0];
    let write = |kind: &mut [ParticlesContacts], near: &NeighborLists, of: &Crowd, all: &Crowd| {
        let mut names = Vec::new();
        for (&(i_model, i), list) in of.names.iter().zip(near.iter()) {
            names.clear();
            names.extend(list.iter().map(|j| all.names[j]));
            names.sort_unstable();
            let to = kind[i_model].contacts_mut()[i].get_mut();
            let to = to.expect("no thread has failed");
            to.clear();
            for &(j_model, j) in &names {
                let mut contact = mould;
                (contact.i_model, contact.i) = (i_model, i);
                (contact.j_model, contact.j) = (j_model, j);
                to.push(contact);
            }
        }
    };
    let mut near = NeighborLists::new();
    fluid_cells.neighbors_into(&mut near).unwrap();
    write(&mut contacts.fluid_fluid_contacts, &near, &fluid, &fluid);
    let found = solid_cells.neighbors_of_into(&fluid.points, &mut near);
    found.expect("particles are somewhere");
    write(&mut contacts.fluid_boundary_contacts, &near, &fluid, &solid);
    solid_cells.neighbors_into(&mut near).unwrap();
    write(
        &mut contacts.boundary_boundary_contacts,
        &near,
        &solid,
        &solid,
    );
}

/// Runs the solver's own search, as its world does.
pub(crate) fn search(
    contacts: &mut ContactManager,
    h: f32,
    fluids: &[Fluid],
    boundaries: &[Boundary],
) {
    let mut grid = HGrid::new(h);
    insert_fluids_to_grid(fluids, &mut grid);
    insert_boundaries_to_grid(boundaries, &mut grid);
    contacts.update_contacts(&mut Counters::new(), h, fluids, boundaries, &grid);
}

/// Returns the contacts of fluid with fluid, fluid with boundary, and boundary with boundary.
fn kinds(contacts: &mut ContactManager) -> [&mut Vec<ParticlesContacts>; 3] {
    [
        &mut contacts.fluid_fluid_contacts,
        &mut contacts.fluid_boundary_contacts,
        &mut contacts.boundary_boundary_contacts,
    ]
}

/// Puts all lists into the order of names.
pub(crate) fn sort(contacts: &mut ContactManager) {
    let bodies = kinds(contacts).into_iter().flatten();
    for list in bodies.flat_map(ParticlesContacts::contacts_mut) {
        let list = list.get_mut().expect("no thread has failed");
        list.sort_unstable_by_key(|c| (c.j_model, c.j));
    }
}

/// Returns the lists of all particles, kind by kind and body by body.
pub(crate) fn names(contacts: &mut ContactManager) -> [Vec<Vec<(Name, Name)>>; 3] {
    kinds(contacts).map(|kind| {
        let lists = kind.iter_mut().flat_map(ParticlesContacts::contacts_mut);
        let lists = lists.map(|list| {
            let list = list.get_mut().expect("no thread has failed");
            let name = list.iter().map(|c| ((c.i_model, c.i), (c.j_model, c.j)));
            name.collect()
        });
        lists.collect()
    })
}

//! The structures of [`orthant`] on many machines, over MPI. Points lie on ranks, and answers are those of one process with all points, bit for
//! bit, whatever the number of ranks.
//!
//! ```no_run
//! use orthant_mpi::{Balance, Cloud, Halo, HalfHalo, Ranks};
//!
//! let universe = mpi::initialize().unwrap();
//! orthant_mpi::abort_on_panic(); // a program's choice, never a library's
//! let ranks = Ranks::new(&universe.world());
//! # let mine: Vec<[f32; 3]> = Vec::new();
//! let mut cloud = Cloud::new(&ranks, &mine)?; // ids: rank after rank
//! cloud.balance(&ranks, &Balance::default())?; // points, and what belongs to them, to their owners
//! let pairs: u64 = HalfHalo::new(&ranks, &cloud, 0.1)?.count_pairs(&ranks)?; // the same on all ranks
//! let near = Halo::new(&ranks, &cloud, 0.1)?.neighbor_ids(&ranks)?; // of this rank's points
//! # Ok::<(), orthant_mpi::Error>(())
//! ```
//!
//! **Collective by type.** All ranks call a function that takes `&Ranks` in the same order, and it returns `Ok` on all of them or the same
//! [`Error`] on all. So no rank waits for one that was refused.
//!
//! `docs/scale.md` in the repository says why answers are exact, what they cost, and what is not done.

mod balance;
mod bodies;
mod cloud;
mod error;
mod groups;
mod halo;
pub mod input;
mod ranks;
mod top;
mod tree;
mod voxels;

pub use balance::{Balance, Balanced, Division};
pub use bodies::Bodies;
pub use cloud::{Cloud, Column};
pub use error::{Cause, Error, abort_on_panic};
pub use groups::GroupIds;
pub use halo::{Copies, HalfHalo, Halo};
pub use ranks::{Parts, Ranks, Tally};
pub use tree::{Asked, NearestIds, Tree};
pub use voxels::VoxelsOfRank;

use bytemuck::Pod;
use orthant::Vector;

/// A point that can be sent as its bytes: vectors of glam and arrays of `f32` and `f64`, of 1 to 4 axes.
pub trait Point: Vector<Scalar: Pod> + Pod {}

impl<P: Vector<Scalar: Pod> + Pod> Point for P {}

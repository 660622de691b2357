//! Who takes part; a file for each crate, and here the register.

mod kiddo;
mod orthant;
mod rstar;
mod scan;
mod sif_kdtree;

use crate::jobs::radius::{Contestant, contestant};

pub(crate) fn radius() -> Vec<Contestant<3>> {
    vec![
        contestant::<3, orthant::Tree>(),
        contestant::<3, kiddo::Immutable>(),
        contestant::<3, kiddo::Flat>(),
        contestant::<3, rstar::Tree>(),
        contestant::<3, sif_kdtree::Tree>(),
        contestant::<3, scan::Scan<3>>(),
    ]
}

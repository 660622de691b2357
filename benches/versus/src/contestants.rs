//! Who takes part; a file for each crate, and here the register.

mod bevy;
mod bvh;
mod kiddo;
mod orthant;
mod pairs;
mod parry;
mod plain;
mod rstar;
mod scan;
mod sif_kdtree;

use crate::jobs::predicate::{self, Tester};
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

pub(crate) fn predicate() -> Vec<Tester> {
    vec![
        predicate::tester::<orthant::InRows>(),
        predicate::tester::<pairs::Pairs<bevy::Volumes>>(),
        predicate::tester::<pairs::Pairs<bvh::Balls>>(),
        predicate::tester::<pairs::Pairs<parry::Distance>>(),
        predicate::tester::<pairs::Pairs<parry::Shapes>>(),
        predicate::tester::<plain::Columns>(),
    ]
}

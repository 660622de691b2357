//! A saved tree that is opened in place, one that is copied, and one that is built from the points.

use super::library::Orthtree;

use super::{KIND, NAME};
use crate::jobs::open::{OpenContestant, Opened, opener};
use crate::race::Kind;

pub(super) fn open3() -> Vec<OpenContestant<3>> {
    vec![
        opener::<3, Lent>(),
        opener::<3, Copied>(),
        opener::<3, Built<3>>(),
    ]
}

pub(super) fn open2() -> Vec<OpenContestant<2>> {
    vec![
        opener::<2, Lent>(),
        opener::<2, Copied>(),
        opener::<2, Built<2>>(),
    ]
}

/// Opens bytes in place; they begin at a multiple of 64, as those of a mapped file.
struct Lent {
    memory: Vec<u8>,
    at: usize,
    len: usize,
}

impl Lent {
    fn new(saved: &[u8]) -> Self {
        let len = saved.len();
        let mut memory = vec![0; len + 63];
        let at = memory.as_ptr().align_offset(64);
        memory[at..at + len].copy_from_slice(saved);
        Self { memory, at, len }
    }

    fn bytes(&self) -> &[u8] {
        &self.memory[self.at..self.at + self.len]
    }
}

/// Copies all bytes into a tree.
struct Copied(Vec<u8>);

/// Builds a tree from points.
struct Built<const D: usize>(Vec<[f32; D]>);

fn item(nearest: Option<super::library::Nearest<usize, f32>>) -> u32 {
    nearest.map_or(0, |near| near.item as u32)
}

macro_rules! opened {
    ($d:literal) => {
        impl Opened<$d> for Lent {
            const NAME: &'static str = NAME;
            const KIND: Kind = KIND;

            fn save(points: &[[f32; $d]]) -> Self {
                Self::new(&Orthtree::new(points).to_bytes())
            }

            fn nearest(&mut self, center: &[f32; $d]) -> u32 {
                let tree = Orthtree::<[f32; $d]>::open(self.bytes());
                item(tree.expect("its own bytes").nearest(*center))
            }
        }

        impl Opened<$d> for Copied {
            const NAME: &'static str = "orthant copied";
            const KIND: Kind = Kind::Reference;

            fn save(points: &[[f32; $d]]) -> Self {
                Self(Orthtree::new(points).to_bytes())
            }

            fn nearest(&mut self, center: &[f32; $d]) -> u32 {
                let tree = Orthtree::<[f32; $d]>::from_bytes(&self.0);
                item(tree.expect("its own bytes").nearest(*center))
            }
        }

        impl Opened<$d> for Built<$d> {
            const NAME: &'static str = "orthant built";
            const KIND: Kind = Kind::Reference;

            fn save(points: &[[f32; $d]]) -> Self {
                Self(points.to_vec())
            }

            fn nearest(&mut self, center: &[f32; $d]) -> u32 {
                item(Orthtree::new(&self.0).nearest(*center))
            }
        }
    };
}

opened!(2);
opened!(3);

//! Hashes the answers of every structure, one line each. The hashes are equal on every machine, with any instruction set, any number of threads,
//! in debug and in release.
//!
//! Each hash covers the answer in its order, and the bits of its numbers. `tests/answers.rs` compares the hashes with the committed ones, and
//! `.ci/platforms` compares those of other machines.

#![no_std]

extern crate alloc;

mod bodies;
mod lists;
mod places;
mod trees;
mod voxels;

use alloc::format;
use alloc::string::String;

use orthant::{InstructionSet, Scalar, Vector};

/// Returns the hashes as lines of a name and a hash, computed with one instruction set.
#[must_use]
pub fn answers(instructions: InstructionSet) -> String {
    let mut said = Said {
        text: String::new(),
        instructions,
    };
    of_vector::<[f32; 2]>(&mut said, "f32x2");
    of_vector::<[f32; 3]>(&mut said, "f32x3");
    of_vector::<[f64; 3]>(&mut said, "f64x3");
    trees::solids(&mut said);
    said.text
}

fn of_vector<V: Vector>(said: &mut Said, name: &str) {
    trees::all::<V>(said, name);
    lists::all::<V>(said, name);
    voxels::all::<V>(said, name);
    bodies::all::<V>(said, name);
}

/// The answers as text, and the instruction set with which they were computed.
struct Said {
    text: String,
    instructions: InstructionSet,
}

impl Said {
    fn say(&mut self, vector: &str, name: &str, hash: Hash) {
        self.text += &format!("{vector} {name} {:016x}\n", hash.0);
    }
}

/// FNV-1a of 64 bits (G. Fowler, L. C. Noll, K.-P. Vo; RFC 9923), word by word.
#[derive(Clone, Copy)]
struct Hash(u64);

impl Hash {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn word(&mut self, word: u64) {
        for byte in word.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn index(&mut self, index: usize) {
        self.word(index as u64);
    }

    fn number<S: Scalar>(&mut self, number: S) {
        let number: f64 = number.into();
        self.word(number.to_bits());
    }

    fn vector<V: Vector>(&mut self, vector: V) {
        for a in 0..V::DIM {
            self.number(vector.axis(a));
        }
    }

    /// Hashes the end of a list.
    fn end(&mut self) {
        self.word(u64::MAX);
    }
}

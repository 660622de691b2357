//! Computes the hashes in a module without imports, for hosts without standard output. `said` computes the text and returns its address, `len`
//! returns its length, and `counted` serves to time trees.
#![allow(unsafe_code, reason = "exported names")]

use std::sync::OnceLock;

use orthant::{InstructionSet, Orthtree, Sphere};

static TEXT: OnceLock<String> = OnceLock::new();

/// Computes the text and returns its address.
#[unsafe(no_mangle)]
pub extern "C" fn said() -> *const u8 {
    TEXT.get_or_init(|| answers::answers(InstructionSet::BASELINE))
        .as_ptr()
}

/// Returns the length of the text, in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn len() -> usize {
    TEXT.get().map_or(0, String::len)
}

/// Builds a tree of points in the unit cube, and returns the total number of points near some of them.
#[unsafe(no_mangle)]
pub extern "C" fn counted(many: u32) -> u32 {
    let mut state = 12_345_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / 16_777_216.0
    };
    let points: Vec<[f32; 3]> = (0..many).map(|_| [0; 3].map(|_| next())).collect();
    let tree = Orthtree::new(&points);
    let count = |&at: &[f32; 3]| tree.count(Sphere::new(at, 0.03)) as u32;
    points.iter().map(count).sum()
}

//! The hashes as a module without imports, for what has no standard output: `said` makes the text and tells where it
//! begins, `len` how long it is. And `counted`, which takes as long as trees take.
#![allow(unsafe_code, reason = "exported names")]

use std::sync::OnceLock;

use orthant::{InstructionSet, Orthtree, Sphere};

static TEXT: OnceLock<String> = OnceLock::new();

/// The address of the text.
#[unsafe(no_mangle)]
pub extern "C" fn said() -> *const u8 {
    TEXT.get_or_init(|| answers::answers(InstructionSet::BASELINE))
        .as_ptr()
}

/// How long it is, in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn len() -> usize {
    TEXT.get().map_or(0, String::len)
}

/// How many points are near each of some in the unit cube, in all: a tree is built, and asked as often.
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

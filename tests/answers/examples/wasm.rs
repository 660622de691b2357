//! The hashes as a module without imports, for what has no standard output: `said` makes the text and tells where it
//! begins, `len` how long it is.
#![allow(unsafe_code, reason = "exported names")]

use std::sync::OnceLock;

use orthant::InstructionSet;

static TEXT: OnceLock<String> = OnceLock::new();

/// Where the text begins.
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

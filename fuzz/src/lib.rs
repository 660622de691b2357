//! The targets of the fuzzers: each decodes bytes into a scene, queries the crate, and compares the answers with a plain model by exact
//! equality. `fuzz_targets` passes bytes of libFuzzer, and `tests` bytes of the corpus and of proptest.

mod bricks;
mod broadphase;
#[allow(dead_code, reason = "shared with tests/voxels")]
#[path = "../../tests/voxels/brute.rs"]
mod brute;
mod casts;
mod cells;
mod draw;
#[path = "../../tests/saved/every_question.rs"]
mod every_question;
mod formats;
#[allow(dead_code, reason = "shared with an example")]
#[path = "../../examples/programs/voxelize/kind.rs"]
mod kind;
mod loose;
#[path = "../../tests/structures/broadphase/model.rs"]
mod model;
mod predicates;
mod queries;
#[allow(dead_code, reason = "shared with an example")]
#[path = "../../examples/programs/neighbours/read.rs"]
mod read;
mod readers;
#[allow(dead_code, reason = "shared with tests/exact")]
#[path = "../../tests/exact/reference.rs"]
mod reference;
mod rows;
mod saved;
mod serde;
mod shapes;
#[allow(dead_code, reason = "shared with tests/structures")]
#[path = "../../tests/structures/cell_list/truth.rs"]
mod truth;
mod voxels;

/// The error of the examples' readers.
type Failure = Box<dyn std::error::Error + Send + Sync>;

pub use bricks::bricks;
pub use broadphase::broadphase;
pub use casts::casts;
pub use cells::cells;
pub use loose::loose;
pub use predicates::predicates;
pub use queries::queries;
pub use readers::readers;
pub use rows::rows;
pub use saved::saved;
pub use serde::serde;
pub use voxels::voxels;

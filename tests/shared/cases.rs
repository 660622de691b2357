//! The number of random cases of a test, which is larger in release builds, where they are cheap.

use proptest::prelude::ProptestConfig;

pub(crate) fn cases(debug: u32, release: u32) -> ProptestConfig {
    ProptestConfig {
        cases: if cfg!(debug_assertions) {
            debug
        } else {
            release
        },
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| orthant_fuzz::serde(data));

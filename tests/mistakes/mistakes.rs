//! The likeliest mistakes do not compile, and the compiler says what to do.
//!
//! What it says is in `programs/*.stderr`, and depends on its version; after a change
//! `TRYBUILD=overwrite cargo test -p mistakes` writes it anew, to be read before it is kept.

#[test]
fn messages_say_what_to_do() {
    trybuild::TestCases::new().compile_fail("programs/*.rs");
}

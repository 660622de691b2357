//! The likeliest mistakes do not compile, and the compiler says what to do.
//!
//! The messages are in `programs/*.stderr`, and depend on the compiler's version. After a change, `TRYBUILD=overwrite cargo test -p mistakes`
//! writes them anew; read them before you commit them.

#[test]
fn messages_say_what_to_do() {
    trybuild::TestCases::new().compile_fail("programs/*.rs");
}

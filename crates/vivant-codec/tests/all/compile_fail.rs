//! Programs that must not compile, with the compiler's messages (`tests/ui`): one for each type
//! that cannot be saved, and one for the options of the derive.
//!
//! The messages are pinned for rustc 1.95, which CI uses. To see and keep new ones:
//! `TRYBUILD=overwrite cargo test -p vivant-codec --test all compile_fail`, and read the
//! difference.

#[test]
fn refused_with_a_helpful_message() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}

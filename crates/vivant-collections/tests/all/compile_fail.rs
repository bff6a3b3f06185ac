//! Programs that must not compile, with the compiler's messages (`tests/ui`): see `vivant-heap`'s
//! tests.
//!
//! The messages are pinned for rustc 1.95, which CI uses. To see and keep new ones:
//! `TRYBUILD=overwrite cargo test -p vivant-collections --test all compile_fail`, and read the
//! difference.

#[test]
fn refused_with_a_helpful_message() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}

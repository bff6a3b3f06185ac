//! Programs that must not compile, with the compiler's messages (`tests/ui`). There is one for each
//! typing rule, and one for each way in which another collector was found to be unsound. Programs
//! that resemble one of them, and are allowed, are in `allowed`.
//!
//! The messages are pinned for rustc 1.95, which CI uses. To see and keep new ones:
//! `TRYBUILD=overwrite cargo test -p vivant-heap --test all compile_fail`, and read the difference.

#[test]
fn refused_with_a_helpful_message() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}

//! Programs that must not compile, and what the compiler says about them (`tests/ui`).
//!
//! The messages are part of vivant: each is to say what to do. They are pinned for rustc 1.95, which CI uses; another
//! compiler words and underlines differently, and then the comparison fails though the programs are still refused. To
//! see and keep new messages: `TRYBUILD=overwrite cargo test -p vivant --test compile_fail`, and read the difference.

#[test]
fn refused_with_a_helpful_message() {
    let programs = trybuild::TestCases::new();
    programs.pass("tests/ui/pass/*.rs");
    programs.compile_fail("tests/ui/*.rs");
}

//! Programs that must not compile, and what the compiler says about them (`tests/ui`).
//!
//! The messages are part of vivant: each is to say what to do. They are pinned for rustc 1.95,
//! which CI uses; another compiler words and underlines differently, and then the comparison fails
//! though the programs are still refused. To see and keep new messages:
//! `TRYBUILD=overwrite cargo test -p vivant --test all compile_fail`, and read the difference.

/// All at once: cargo checks them together, and none of them runs.
#[test]
fn refused_with_a_helpful_message() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}

/// Whether a stop hook is called is known only when the program is built, as it is beside a hook
/// that runs.
#[test]
fn refused_when_built() {
    let programs = trybuild::TestCases::new();
    programs.pass("tests/ui/built/bounds_on_the_type.rs");
    programs.compile_fail("tests/ui/built/stop_hook_bounds.rs");
    programs.compile_fail("tests/ui/built/saved_blocks.rs");
}

//! Bugs that tests plant, to see that their checkers find them. Compiled for tests only.

use std::cell::Cell;

/// A bug.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Planted {
    Nothing,
    /// A turn changes the state, and no guard is looked at again.
    ForgottenGuard,
    /// One that has just come waits behind another, though its guard reads its arguments.
    WrongLine,
    /// A restart loses a message that waited.
    #[cfg_attr(miri, allow(dead_code, reason = "planted without an interpreter only"))]
    LostOnRestart,
    /// A supervisor starts a child once more than it may.
    #[cfg_attr(miri, allow(dead_code, reason = "planted without an interpreter only"))]
    OverBudget,
}

thread_local! {
    static PLANTED: Cell<Planted> = const { Cell::new(Planted::Nothing) };
}

/// Whether the test that runs on this thread has planted `bug`.
pub(crate) fn is_planted(bug: Planted) -> bool {
    PLANTED.get() == bug
}

/// Runs `test`, which is to fail, with `bug` in place.
///
/// # Panics
///
/// If it does not fail.
pub(crate) fn must_catch(bug: Planted, test: impl FnOnce() + std::panic::UnwindSafe) {
    PLANTED.set(bug);
    let outcome = std::panic::catch_unwind(test);
    PLANTED.set(Planted::Nothing);
    assert!(outcome.is_err(), "nobody noticed: {bug:?}");
}

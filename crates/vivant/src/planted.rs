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
    /// A message comes between two steps of another.
    MessageBetweenSteps,
    /// A step finds nothing: what was left for it is dropped.
    LostLocals,
    /// What was left for a step that will not come is never dropped.
    LeakedLocals,
    /// A message that loses its next step is dropped, and nobody is told.
    UntoldStep,
    /// The next incarnation goes on with a step of the last one.
    InheritedStep,
    /// Signals are heard after the last step only.
    DeafSteps,
    /// A step that a fault has hit is taken again.
    StepAfterPanic,
    /// Steps cost nothing of the budget.
    FreeSteps,
    /// Who has a step to take, and no message, is idle.
    ParkedStep,
    /// The guard is asked before every step.
    GuardedStep,
    /// Every step takes a place in the mailbox.
    StepTakesPlace,
    /// Where a message was sent from is not copied to its next step.
    StepWithoutPlace,
    /// After a panic the worker keeps what was left for the step.
    LeftWithWorker,
    /// Each address in a state is shown twice.
    ShownTwice,
    /// Whoever has more addresses than the others show is condemned all the same.
    UncheckedCount,
    /// The verdict trusts what the look has seen, and does not look again.
    StaleVerdict,
    /// Who was condemned, and cannot be, stays so.
    ForgottenPardon,
    /// Who could not be judged because others ran is not looked at again.
    ForgottenSuspect,
    /// A drop makes nobody a suspect.
    UnnoticedDrop,
    /// What a mark has seen in a heap is trusted after the actor has run.
    StaleSighting,
    /// After a panic the heap keeps what was left for the step.
    LeftInHeap,
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
    let _words = caught(bug, test);
}

/// As `must_catch`: the words with which it fails.
///
/// # Panics
///
/// If it does not fail.
pub(crate) fn caught(bug: Planted, test: impl FnOnce() + std::panic::UnwindSafe) -> String {
    PLANTED.set(bug);
    let outcome = std::panic::catch_unwind(test);
    PLANTED.set(Planted::Nothing);
    let words = match outcome {
        Ok(()) => panic!("nobody noticed: {bug:?}"),
        Err(words) => words,
    };
    match words.downcast_ref::<&str>() {
        Some(words) => (*words).to_owned(),
        None => *words.downcast().unwrap_or_default(),
    }
}

//! Injected faults for the self-tests of this crate's checkers. Compiled for tests only.

use std::cell::Cell;

/// An injected fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum InjectedFault {
    Nothing,
    /// A manifest gets its name before its bytes are durable.
    ManifestBeforeSync,
    /// A segment is called finished before its bytes are durable.
    SegmentNotSynced,
    /// The directory is not synced.
    DirectoryNotSynced,
    /// The hash of a block is not compared.
    HashNotChecked,
    /// Retention removes an image that a later one needs.
    NeededNotKept,
    /// A writer may begin to hold an image while it is removed.
    RemovalUnlocked,
    /// The memory limit is not enforced.
    LengthNotBounded,
}

thread_local! {
    static INJECTED: Cell<InjectedFault> = const { Cell::new(InjectedFault::Nothing) };
}

/// Whether the test on this thread has injected `fault`.
pub(crate) fn is_injected(fault: InjectedFault) -> bool {
    INJECTED.get() == fault
}

/// Runs `test`, which must fail, with `fault` injected.
///
/// # Panics
///
/// If it does not fail.
pub(crate) fn must_catch(fault: InjectedFault, test: impl FnOnce() + std::panic::UnwindSafe) {
    INJECTED.set(fault);
    let outcome = std::panic::catch_unwind(test);
    INJECTED.set(InjectedFault::Nothing);
    assert!(outcome.is_err(), "no check has noticed {fault:?}");
}

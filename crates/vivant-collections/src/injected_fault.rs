//! Injected faults for the self-tests of the collections. Compiled for tests only.

use std::cell::Cell;

/// An injected fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum InjectedFault {
    Nothing,
    /// A chunk does not pass the barrier before it is changed.
    SecretChange,
    /// A chunk notes another slot than the changed one.
    NarrowWindow,
    /// An immutable map keeps a node for a single entry.
    LoneEntry,
    /// An immutable ordered map or text keeps a node that is too small.
    SmallNode,
}

thread_local! {
    static INJECTED: Cell<InjectedFault> = const { Cell::new(InjectedFault::Nothing) };
}

/// Whether the test on this thread has injected `bug`.
pub(crate) fn is_injected(bug: InjectedFault) -> bool {
    INJECTED.get() == bug
}

/// Runs `test` with `bug` injected.
pub(crate) fn with<T>(bug: InjectedFault, test: impl FnOnce() -> T) -> T {
    INJECTED.set(bug);
    let result = test();
    INJECTED.set(InjectedFault::Nothing);
    result
}

//! A value that the protocol under test gives to one thread at a time.

use loom::cell::UnsafeCell;

/// Loom tracks every access: it panics if two of them, one a change, are not ordered by the
/// protocol, even when they do not overlap in this interleaving. So a missing `Release` or
/// `Acquire` is found.
pub(crate) struct Tracked<T>(UnsafeCell<T>);

impl<T> Tracked<T> {
    pub(crate) fn new(value: T) -> Tracked<T> {
        Tracked(UnsafeCell::new(value))
    }

    pub(crate) fn read<R>(&self, look: impl FnOnce(&T) -> R) -> R {
        // SAFETY: loom panics before it gives the pointer away while a change is under way, also
        // one further up this stack; a change that begins meanwhile panics.
        self.0.with(|value| look(unsafe { &*value }))
    }

    pub(crate) fn change<R>(&self, change: impl FnOnce(&mut T) -> R) -> R {
        // SAFETY: loom panics before it gives the pointer away while any other touch is under way,
        // and at the beginning of another touch before this one has ended.
        self.0.with_mut(|value| change(unsafe { &mut *value }))
    }
}

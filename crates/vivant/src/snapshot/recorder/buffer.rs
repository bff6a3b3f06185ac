//! The buffer in which a thread encodes one value after the other.

use std::cell::Cell;

thread_local! {
    /// Empty.
    static BUFFER: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// The capacity of a buffer that is kept.
const BUFFER_MAX: usize = 64 << 10;

/// An empty buffer: the thread's own, if it is here.
pub(super) fn buffer() -> Vec<u8> {
    BUFFER.try_with(Cell::take).unwrap_or_default()
}

/// Keeps the memory of a buffer that was used.
pub(super) fn reuse(mut buffer: Vec<u8>) {
    if buffer.capacity() <= BUFFER_MAX {
        buffer.clear();
        // An error: the thread ends.
        let _kept = BUFFER.try_with(|it| it.set(buffer));
    }
}

//! [`Prefault`]: prefaulting. The system commits the memory of the next chunks before a heap needs
//! it.

use super::page_source::PageSource;
use crate::foreign_code::{self, ForeignCode};
use crate::sync::{AtomicBool, OnceLock, Ordering};
use std::panic::{self, AssertUnwindSafe};
use std::task::Waker;

/// Whether the next chunks are committed, and what commits them.
#[derive(Debug, Default)]
pub(super) struct Prefault {
    /// The next chunks are not committed.
    is_pending: AtomicBool,
    /// Woken when `is_pending` is set. Without a waker, each heap commits memory between two of its
    /// turns.
    waker: OnceLock<Waker>,
}

impl Prefault {
    /// Notes that the next chunks are not committed, and wakes the waker if there is one. Not
    /// called under the source's lock.
    #[cold]
    pub(super) fn request(&self) {
        // Relaxed: a hint. What remains to be committed is read under the source's lock.
        self.is_pending.store(true, Ordering::Relaxed);
        if let Some(waker) = self.waker.get() {
            // This runs in the middle of a turn or a collection, which a waker must not disturb.
            let _foreign = ForeignCode::begin();
            let woken = panic::catch_unwind(AssertUnwindSafe(|| waker.wake_by_ref()));
            if let Err(panic) = woken {
                foreign_code::drop_panic(panic);
            }
        }
    }

    /// Notes that memory is being committed.
    pub(super) fn fulfil(&self) {
        // Relaxed: a hint, as in `request`.
        self.is_pending.store(false, Ordering::Relaxed);
    }
}

impl PageSource {
    /// Whether the caller, a heap between two turns, should call [`PageSource::prefault`].
    #[inline]
    pub(crate) fn needs_prefault(&self) -> bool {
        // Relaxed: a hint.
        self.prefault.is_pending.load(Ordering::Relaxed) && self.prefault.waker.get().is_none()
    }

    /// Sets the waker that is woken when memory has to be committed. What it wakes calls
    /// [`PageSource::prefault`] on a thread of its own, so that no heap waits for the system. Only
    /// the first call has an effect. The waker is woken in turns and in collections; if it panics,
    /// the panic ends with the panic hook.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use std::task::{Wake, Waker};
    /// use std::thread::{self, Thread};
    /// use vivant_heap::PageSource;
    ///
    /// struct Prefaulter(Thread);
    ///
    /// impl Wake for Prefaulter {
    ///     fn wake(self: Arc<Self>) {
    ///         self.0.unpark();
    ///     }
    /// }
    ///
    /// let source = Arc::new(PageSource::new());
    /// let shared = source.clone();
    /// let thread = thread::spawn(move || {
    ///     thread::park();
    ///     shared.prefault();
    /// });
    /// source.prefault_by(Waker::from(Arc::new(Prefaulter(thread.thread().clone()))));
    /// thread.thread().unpark();
    /// thread.join().unwrap();
    /// ```
    pub fn prefault_by(&self, waker: Waker) {
        let _first = self.prefault.waker.set(waker);
    }
}

//! [`Ready`]: prefaulting. The system commits the memory of the next chunks before a heap needs it.

use super::source::Source;
use crate::orca::ForeignCode;
use crate::sync::{AtomicBool, OnceLock, Ordering};
use std::panic::{self, AssertUnwindSafe};
use std::task::Waker;

/// Whether the next chunks are committed, and what commits them.
#[derive(Debug, Default)]
pub(super) struct Ready {
    /// The next chunks are not committed.
    unready: AtomicBool,
    /// Woken when `unready` is set. Without a waker, each heap commits memory between two of its
    /// turns.
    waker: OnceLock<Waker>,
}

impl Ready {
    /// Notes that the next chunks are not committed, and wakes the waker if there is one. Not
    /// called under the source's lock.
    #[cold]
    pub(super) fn is_missing(&self) {
        // Relaxed: a hint. What remains to be committed is read under the source's lock.
        self.unready.store(true, Ordering::Relaxed);
        if let Some(waker) = self.waker.get() {
            // This runs in the middle of a turn or a collection, which a waker must not disturb.
            let _foreign = ForeignCode::begin();
            let woken = panic::catch_unwind(AssertUnwindSafe(|| waker.wake_by_ref()));
            if let Err(panic) = woken {
                crate::old::over(panic);
            }
        }
    }

    /// Notes that memory is being committed.
    pub(super) fn is_seen_to(&self) {
        // Relaxed: a hint, as in `is_missing`.
        self.unready.store(false, Ordering::Relaxed);
    }
}

impl Source {
    /// Whether the caller, a heap between two turns, should call [`Source::prepare`].
    #[inline]
    pub(crate) fn is_unready(&self) -> bool {
        // Relaxed: a hint.
        self.ready.unready.load(Ordering::Relaxed) && self.ready.waker.get().is_none()
    }

    /// Sets the waker that is woken when memory has to be committed. What it wakes calls
    /// [`Source::prepare`] on a thread of its own, so that no heap waits for the system. Only the
    /// first call has an effect. The waker is woken in turns and in collections; if it panics, the
    /// panic ends with the panic hook.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use std::task::{Wake, Waker};
    /// use std::thread::{self, Thread};
    /// use vivant_heap::Source;
    ///
    /// struct Keeper(Thread);
    ///
    /// impl Wake for Keeper {
    ///     fn wake(self: Arc<Self>) {
    ///         self.0.unpark();
    ///     }
    /// }
    ///
    /// let source = Arc::new(Source::new());
    /// let seen_to = source.clone();
    /// let thread = thread::spawn(move || {
    ///     thread::park();
    ///     seen_to.prepare();
    /// });
    /// source.prepared_by(Waker::from(Arc::new(Keeper(thread.thread().clone()))));
    /// thread.thread().unpark();
    /// thread.join().unwrap();
    /// ```
    pub fn prepared_by(&self, waker: Waker) {
        let _first = self.ready.waker.set(waker);
    }
}

//! [`Ready`]: memory that will be taken next, which the system is to give before anybody waits for it.

use super::source::Source;
use crate::orca::ForeignCode;
use crate::sync::{AtomicBool, OnceLock, Ordering};
use std::panic::{self, AssertUnwindSafe};
use std::task::Waker;

/// Whether the next chunks have their memory, and who sees to it.
#[derive(Debug, Default)]
pub(super) struct Ready {
    /// They have not.
    unready: AtomicBool,
    /// Is woken then. Without, each heap sees to it between two of its turns.
    waker: OnceLock<Waker>,
}

impl Ready {
    /// The next chunks have no memory yet: whoever is to see to it is told. Not under the source's
    /// lock.
    #[cold]
    pub(super) fn is_missing(&self) {
        // Relaxed: a hint; what there is to do is found under the source's lock.
        self.unready.store(true, Ordering::Relaxed);
        if let Some(waker) = self.waker.get() {
            // In the middle of a turn or a collection, which must not notice.
            let _foreign = ForeignCode::begin();
            let woken = panic::catch_unwind(AssertUnwindSafe(|| waker.wake_by_ref()));
            if let Err(panic) = woken {
                crate::old::over(panic);
            }
        }
    }

    /// Somebody sees to it.
    pub(super) fn is_seen_to(&self) {
        // Relaxed: as above.
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

    /// Says who calls [`Source::prepare`] when memory is missing: whoever is woken by this, on a
    /// thread of his own, so that no heap waits for the system. Once: the first one counts. Woken
    /// in turns and in collections; if it panics, that is over with the hook.
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

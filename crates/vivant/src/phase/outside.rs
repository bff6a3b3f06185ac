//! Threads that send and are no worker of the receiver's system (L5).
//!
//! The words are those of the process ([`super::this_thread`]), not of a system: a coordinator may
//! wait for the send of a thread to another system, which is as short.

use crate::sync::{Arc, AtomicU64, Mutex, Ordering, fault, fence, lock};
use std::ops::Deref;

/// A thread that may send from outside.
pub(crate) struct OutsideThread {
    /// Odd while the thread sends. Written by this thread alone.
    sends: AtomicU64,
}

/// The threads of a process that have sent from outside and have not ended.
#[derive(Default)]
pub(crate) struct OutsideThreads(pub(super) Mutex<Vec<Arc<OutsideThread>>>);

/// Threads that were sending when the coordinator read their words.
#[derive(Default)]
pub(crate) struct Senders(Vec<(Arc<OutsideThread>, u64)>);

impl OutsideThread {
    pub(crate) fn new() -> OutsideThread {
        OutsideThread {
            sends: AtomicU64::new(0),
        }
    }

    /// Calls `body`, which reads the pass of the system, and sends. Not while the same thread sends
    /// already.
    #[inline]
    pub(crate) fn send<R>(&self, body: impl FnOnce() -> R) -> R {
        let _sending = Sending::begin(self);
        body()
    }

    /// Whether it sends now. For the thread itself.
    pub(crate) fn is_sending(&self) -> bool {
        // Relaxed: only this thread writes it.
        !self.sends.load(Ordering::Relaxed).is_multiple_of(2)
    }
}

/// A send of an outside thread. The thread has sent when this is dropped.
pub(crate) struct Sending<T: Deref<Target = OutsideThread>> {
    thread: T,
    sends_after: u64,
}

impl<T: Deref<Target = OutsideThread>> Sending<T> {
    /// The caller is this thread, and reads the pass of the system after this.
    #[inline]
    pub(crate) fn begin(thread: T) -> Sending<T> {
        // Relaxed: only this thread writes it.
        let before = thread.sends.load(Ordering::Relaxed);
        debug_assert!(before.is_multiple_of(2), "L5: a send within a send");
        // Release: a coordinator that waits for the send before may read this word in place of that
        // send's last one.
        let release = fault!(Ordering::Release, NextSendRelaxed => Ordering::Relaxed);
        thread.sends.store(before + 1, release);
        // Pairs with the fence in `Passes::begin_next`: either the coordinator finds this word odd,
        // or the caller reads the new pass.
        fault!(fence(Ordering::SeqCst), NoFenceBeforeSend => ());
        Sending {
            thread,
            sends_after: before + 2,
        }
    }
}

impl<T: Deref<Target = OutsideThread>> Drop for Sending<T> {
    #[inline]
    fn drop(&mut self) {
        // Release: pairs with the Acquire in `senders` and `have_sent`. The message is in its
        // mailbox when the coordinator reads this word.
        let release = fault!(Ordering::Release, SentRelaxed => Ordering::Relaxed);
        self.thread.sends.store(self.sends_after, release);
    }
}

impl OutsideThreads {
    pub(crate) fn join(&self, thread: &Arc<OutsideThread>) {
        lock(&self.0).push(thread.clone());
    }

    pub(crate) fn leave(&self, thread: &Arc<OutsideThread>) {
        lock(&self.0).retain(|other| !Arc::ptr_eq(other, thread));
    }

    /// Returns the threads that send now, and may have read an earlier pass.
    pub(crate) fn senders(&self) -> Senders {
        let threads = lock(&self.0);
        let sends = |thread: &Arc<OutsideThread>| {
            // Acquire: pairs with the Release at the end of a send.
            let word = thread.sends.load(Ordering::Acquire);
            (!word.is_multiple_of(2)).then(|| (thread.clone(), word))
        };
        Senders(threads.iter().filter_map(sends).collect())
    }
}

impl Senders {
    /// Whether each of them has sent what it was sending.
    pub(crate) fn have_sent(&mut self) -> bool {
        // Acquire: as in `senders`.
        self.0
            .retain(|(thread, word)| thread.sends.load(Ordering::Acquire) == *word);
        self.0.is_empty()
    }
}

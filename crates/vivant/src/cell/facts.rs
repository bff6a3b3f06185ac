//! What the holder publishes about an actor, for inspection and for the watchdog: plain numbers, a little late.

use crate::mailbox::Kind;
use crate::sync::{AtomicPtr, AtomicU64, Ordering};
use std::ptr;

/// All relaxed: each field is read alone, as a report; nothing is concluded from two of them together.
#[derive(Default)]
pub(crate) struct Facts {
    turns: AtomicU64,
    busy_ns: AtomicU64,
    /// When the message last begun had been sent (coarse milliseconds).
    begun_sent: AtomicU64,
    /// When the first message came to the idle actor (coarse milliseconds).
    pub(crate) waiting_since: AtomicU64,
    deferred: AtomicU64,
    current: AtomicPtr<Kind>,
}

impl Facts {
    pub(crate) fn turn_begins(&self, kind: &'static Kind, sent_ms: u64) {
        self.current
            .store(ptr::from_ref(kind).cast_mut(), Ordering::Relaxed);
        self.begun_sent.store(sent_ms, Ordering::Relaxed);
    }

    pub(crate) fn turn_ends(&self) {
        self.current.store(ptr::null_mut(), Ordering::Relaxed);
        // Only the holder writes, so load and store need not be one step.
        self.turns
            .store(self.turns.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    pub(crate) fn was_busy(&self, ns: u64) {
        self.busy_ns
            .store(self.busy_ns.load(Ordering::Relaxed) + ns, Ordering::Relaxed);
    }

    pub(crate) fn now_deferred(&self, messages: usize) {
        self.deferred.store(messages as u64, Ordering::Relaxed);
    }

    pub(crate) fn turns(&self) -> u64 {
        self.turns.load(Ordering::Relaxed)
    }

    pub(crate) fn busy_ns(&self) -> u64 {
        self.busy_ns.load(Ordering::Relaxed)
    }

    pub(crate) fn deferred(&self) -> usize {
        self.deferred.load(Ordering::Relaxed) as usize
    }

    /// When the oldest waiting message may have been sent: never earlier than the truth by more than one message.
    pub(crate) fn oldest_ms(&self) -> u64 {
        self.begun_sent
            .load(Ordering::Relaxed)
            .max(self.waiting_since.load(Ordering::Relaxed))
    }

    /// The behaviour that runs now.
    pub(crate) fn current(&self) -> Option<&'static Kind> {
        let kind = self.current.load(Ordering::Relaxed);
        // SAFETY: only `turn_begins` stores a non-null pointer, made from a `&'static Kind` without interior mutability.
        unsafe { kind.as_ref() }
    }
}

//! What the holder publishes about an actor, for inspection and for the watchdog: plain numbers, a
//! little late.

use crate::mailbox::Kind;
use crate::sync::{AtomicPtr, AtomicU32, AtomicU64, Ordering};
use std::ptr;

/// All relaxed: each field is read alone, as a report; nothing is concluded from two of them
/// together. Times are coarse milliseconds, and wrap after 49 days: only differences mean anything.
#[derive(Default)]
pub(crate) struct Facts {
    current: AtomicPtr<Kind>,
    turns: AtomicU64,
    /// When the message last begun had been sent.
    begun_sent: AtomicU32,
    /// When the first message came to the idle actor.
    waiting_since: AtomicU32,
    /// Ticks of the coarse clock that fell into its runs: a sample of the time it took.
    busy_ms: AtomicU32,
    deferred: AtomicU32,
}

impl Facts {
    pub(crate) fn wakes(&self, sent_ms: u32) {
        self.waiting_since.store(sent_ms, Ordering::Relaxed);
    }

    pub(crate) fn turn_begins(&self, kind: &'static Kind, sent_ms: u32) {
        self.current
            .store(ptr::from_ref(kind).cast_mut(), Ordering::Relaxed);
        self.passed(sent_ms);
    }

    /// A message was deferred without a look at it.
    pub(crate) fn passed(&self, sent_ms: u32) {
        self.begun_sent.store(sent_ms, Ordering::Relaxed);
    }

    /// What began was no turn after all: the message was deferred.
    pub(crate) fn nothing_runs(&self) {
        self.current.store(ptr::null_mut(), Ordering::Relaxed);
    }

    pub(crate) fn turn_ends(&self) {
        self.nothing_runs();
        // Only the holder writes, so load and store need not be one step.
        self.turns
            .store(self.turns.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    pub(crate) fn was_busy(&self, ms: u64) {
        if ms > 0 {
            let busy_ms = self.busy_ms.load(Ordering::Relaxed);
            self.busy_ms
                .store(busy_ms.wrapping_add(ms as u32), Ordering::Relaxed);
        }
    }

    /// So many wait for their guards.
    pub(crate) fn now_deferred(&self, messages: usize) {
        self.deferred.store(messages as u32, Ordering::Relaxed);
    }

    pub(crate) fn turns(&self) -> u64 {
        self.turns.load(Ordering::Relaxed)
    }

    pub(crate) fn busy_ms(&self) -> u32 {
        self.busy_ms.load(Ordering::Relaxed)
    }

    pub(crate) fn deferred(&self) -> usize {
        self.deferred.load(Ordering::Relaxed) as usize
    }

    /// How long the oldest waiting message may have waited: longer than the truth by no more than
    /// one message.
    pub(crate) fn waits_for(&self, now_ms: u64) -> u32 {
        since(&self.begun_sent, now_ms).min(since(&self.waiting_since, now_ms))
    }

    /// The behaviour that runs now.
    pub(crate) fn current(&self) -> Option<&'static Kind> {
        let kind = self.current.load(Ordering::Relaxed);
        // SAFETY: only `turn_begins` stores a non-null pointer, made from a `&'static Kind` without
        // interior mutability.
        unsafe { kind.as_ref() }
    }
}

pub(super) fn since(then: &AtomicU32, now_ms: u64) -> u32 {
    let ms = (now_ms as u32).wrapping_sub(then.load(Ordering::Relaxed));
    // A clock read a moment before the stamp.
    if ms > u32::MAX / 2 { 0 } else { ms }
}

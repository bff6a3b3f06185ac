//! Published statistics of an actor, written by its holder for inspection and the watchdog: plain
//! numbers, slightly out of date.

use crate::sync::{AtomicPtr, AtomicU32, AtomicU64, Ordering};
use std::ptr;

/// All accesses are relaxed: each field is read alone, as a report, and no conclusion is drawn from
/// two of them together. Times are coarse milliseconds, and wrap after 49 days: only differences
/// have a meaning.
pub(crate) struct Published<K> {
    /// The kind of the message that runs its turn.
    current: AtomicPtr<K>,
    turns: AtomicU64,
    /// Send time of the message last begun.
    begun_sent: AtomicU32,
    /// Send time of the message that woke the idle actor.
    waiting_since: AtomicU32,
    /// Number of ticks of the coarse clock during its runs: a sample of its run time.
    busy_ms: AtomicU32,
    /// The number of deferred messages; and the bit `KEEPS_MESSAGES`.
    deferred: AtomicU32,
}

/// The actor was parked with messages in its backlog: it is muted, or not started.
const KEEPS_MESSAGES: u32 = 1 << 31;

impl<K> Default for Published<K> {
    fn default() -> Self {
        Published {
            current: AtomicPtr::default(),
            turns: AtomicU64::default(),
            begun_sent: AtomicU32::default(),
            waiting_since: AtomicU32::default(),
            busy_ms: AtomicU32::default(),
            deferred: AtomicU32::default(),
        }
    }
}

impl<K: 'static> Published<K> {
    pub(crate) fn set_woken(&self, sent_ms: u32) {
        self.waiting_since.store(sent_ms, Ordering::Relaxed);
    }

    pub(crate) fn turn_begins(&self, kind: &'static K, sent_ms: u32) {
        self.current
            .store(ptr::from_ref(kind).cast_mut(), Ordering::Relaxed);
        self.set_begun(sent_ms);
    }

    /// A message was deferred without an evaluation of its guard.
    pub(crate) fn set_begun(&self, sent_ms: u32) {
        self.begun_sent.store(sent_ms, Ordering::Relaxed);
    }

    /// The message was deferred, so no turn runs.
    pub(crate) fn clear_current(&self) {
        self.current.store(ptr::null_mut(), Ordering::Relaxed);
    }

    pub(crate) fn turn_ends(&self) {
        self.clear_current();
        // Only the holder writes, so load and store need not be one step.
        self.turns
            .store(self.turns.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    pub(crate) fn add_busy(&self, ms: u64) {
        if ms > 0 {
            let busy_ms = self.busy_ms.load(Ordering::Relaxed);
            self.busy_ms
                .store(busy_ms.wrapping_add(ms as u32), Ordering::Relaxed);
        }
    }

    /// Publishes the number of deferred messages.
    pub(crate) fn set_deferred(&self, messages: usize) {
        self.deferred.store(messages as u32, Ordering::Relaxed);
    }

    /// Publishes whether the actor parks with messages in its backlog.
    pub(crate) fn set_keeps_messages(&self, keeps: bool) {
        let bit = if keeps { KEEPS_MESSAGES } else { 0 };
        let deferred = self.deferred() as u32;
        self.deferred.store(deferred | bit, Ordering::Relaxed);
    }

    pub(crate) fn keeps_messages(&self) -> bool {
        self.deferred.load(Ordering::Relaxed) & KEEPS_MESSAGES != 0
    }

    pub(crate) fn turns(&self) -> u64 {
        self.turns.load(Ordering::Relaxed)
    }

    pub(crate) fn busy_ms(&self) -> u32 {
        self.busy_ms.load(Ordering::Relaxed)
    }

    pub(crate) fn deferred(&self) -> usize {
        (self.deferred.load(Ordering::Relaxed) & !KEEPS_MESSAGES) as usize
    }

    /// Returns how long the oldest waiting message may have waited. It exceeds the true time by at
    /// most one message.
    pub(crate) fn waiting_ms(&self, now_ms: u64) -> u32 {
        since(&self.begun_sent, now_ms).min(since(&self.waiting_since, now_ms))
    }

    /// Returns the kind of the message that runs now.
    pub(crate) fn current(&self) -> Option<&'static K> {
        let kind = self.current.load(Ordering::Relaxed);
        // SAFETY: only `turn_begins` stores a pointer that is not null. It was made from a
        // `&'static K`, so the value is never written or freed (X6). `K` is `Kind` alone, of which
        // any thread may have a shared reference (X9).
        unsafe { kind.as_ref() }
    }
}

pub(crate) fn since(then: &AtomicU32, now_ms: u64) -> u32 {
    let ms = (now_ms as u32).wrapping_sub(then.load(Ordering::Relaxed));
    // The clock was read a moment before the time stamp was taken.
    if ms > u32::MAX / 2 { 0 } else { ms }
}

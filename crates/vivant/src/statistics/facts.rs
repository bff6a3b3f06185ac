//! Published statistics of an actor's heap.

use super::pauses::{ByPauseKind, PauseCounts, Pauses};
use crate::sync::{AtomicU64, Ordering};
use vivant_heap::{HeapStats, PauseKind};

/// Published by the run guard after each collection and idle check, read by any thread. Relaxed
/// throughout: the numbers are independent of each other.
#[derive(Debug, Default)]
pub struct HeapCounts {
    live: AtomicU64,
    pages: AtomicU64,
    held: AtomicU64,
    allocated: AtomicU64,
    promoted: AtomicU64,
    exports: AtomicU64,
    imports: AtomicU64,
    incs: AtomicU64,
    decs: AtomicU64,
    changes: AtomicU64,
    idle_checks: AtomicU64,
    waits: AtomicU64,
    spins: AtomicU64,
    pauses: ByPauseKind<PauseCounts>,
}

/// Statistics of an actor's heap, as of its last collection or idle check.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct HeapFacts {
    /// Bytes of old objects, including dead ones that are not swept yet.
    pub live: u64,
    /// Bytes of pages.
    pub pages: u64,
    /// Bytes of the pages that contain old objects. The part of these that is not
    /// [`live`](HeapFacts::live) is free, for old objects of the same sizes.
    pub held: u64,
    /// Bytes of all objects that turns have allocated.
    pub allocated: u64,
    /// Bytes of the objects that were promoted to the old generation.
    pub promoted: u64,
    /// Exports: objects that are referenced from other heaps, from messages, or by holders outside.
    pub exports: u64,
    /// Imports: objects of other heaps that this heap keeps alive there.
    pub imports: u64,
    /// Number of INC messages sent: they report to other heaps that more references to their
    /// objects exist.
    pub incs: u64,
    /// Number of DEC messages sent: they release objects of another heap. Each may cover many
    /// objects.
    pub decs: u64,
    /// Objects covered by these messages, INC and DEC.
    pub changes: u64,
    /// Number of idle checks: messages by which the runtime finds out whether the actor has run.
    pub idle_checks: u64,
    /// How often a turn has waited for a marker to leave an object before changing it. The wait is
    /// part of the turn's time, and of no pause. Counted when a mark ends.
    pub waits: u64,
    /// Number of spins in all these waits. Some nanoseconds each; after 63 in one wait the thread
    /// yields its processor between two.
    pub spins: u64,
    /// Its pauses: how often, and for how long, its heap kept the actor from running a turn.
    pub pauses: ByPauseKind<Pauses>,
}

impl HeapFacts {
    /// Fragmentation of the old generation: the part of [`held`](HeapFacts::held) that is free,
    /// from 0.0 to 1.0. Old objects never move, so a page is given back only when all objects in it
    /// are dead.
    #[must_use]
    pub fn fragmentation(&self) -> f64 {
        let free = self.held.saturating_sub(self.live);
        free as f64 / self.held.max(1) as f64
    }

    /// Number of full marks, both stop-the-world and concurrent.
    #[must_use]
    pub fn marks(&self) -> u64 {
        self.pauses[PauseKind::Major].count + self.pauses[PauseKind::MarkEnd].count
    }
}

impl HeapCounts {
    /// Records a pause of this kind and duration. Only the actor's holder calls this.
    pub(crate) fn record_pause(&self, kind: PauseKind, ns: u64) {
        self.pauses[kind].one_more(ns);
    }

    /// Records a step that took so long. Only the run guard calls this.
    pub(crate) fn record_step(&self, kind: PauseKind, ns: u64, after: &HeapStats) {
        self.record_pause(kind, ns);
        self.publish(after);
    }

    /// Records an idle check. Only the run guard calls this.
    pub(crate) fn record_idle_check(&self, now: &HeapStats) {
        let before = self.idle_checks.load(Ordering::Relaxed);
        self.idle_checks.store(before + 1, Ordering::Relaxed);
        self.publish(now);
    }

    fn publish(&self, after: &HeapStats) {
        self.live.store(after.live as u64, Ordering::Relaxed);
        self.pages.store(after.pages as u64, Ordering::Relaxed);
        self.held.store(after.held as u64, Ordering::Relaxed);
        self.allocated.store(after.allocated, Ordering::Relaxed);
        self.promoted.store(after.promoted, Ordering::Relaxed);
        self.exports.store(after.exports as u64, Ordering::Relaxed);
        self.imports.store(after.imports as u64, Ordering::Relaxed);
        self.incs.store(after.incs, Ordering::Relaxed);
        self.decs.store(after.decs, Ordering::Relaxed);
        self.changes.store(after.changes, Ordering::Relaxed);
        self.waits.store(after.waits, Ordering::Relaxed);
        self.spins.store(after.spins, Ordering::Relaxed);
    }

    pub(crate) fn read(&self) -> HeapFacts {
        HeapFacts {
            live: self.live.load(Ordering::Relaxed),
            pages: self.pages.load(Ordering::Relaxed),
            held: self.held.load(Ordering::Relaxed),
            allocated: self.allocated.load(Ordering::Relaxed),
            promoted: self.promoted.load(Ordering::Relaxed),
            exports: self.exports.load(Ordering::Relaxed),
            imports: self.imports.load(Ordering::Relaxed),
            incs: self.incs.load(Ordering::Relaxed),
            decs: self.decs.load(Ordering::Relaxed),
            changes: self.changes.load(Ordering::Relaxed),
            idle_checks: self.idle_checks.load(Ordering::Relaxed),
            waits: self.waits.load(Ordering::Relaxed),
            spins: self.spins.load(Ordering::Relaxed),
            pauses: ByPauseKind::each(|kind| self.pauses[kind].read()),
        }
    }
}

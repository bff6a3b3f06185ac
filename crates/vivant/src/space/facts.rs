//! What others may know of an actor's heap.

use super::pauses::{ByPauseKind, PauseCounts, PauseKind, Pauses};
use crate::sync::{AtomicU64, Ordering};
use vivant_heap::HeapStats;

/// Published by the holder after each collection and question, read by anybody. Relaxed throughout:
/// each number stands for itself.
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
    questions: AtomicU64,
    waits: AtomicU64,
    looks: AtomicU64,
    pauses: ByPauseKind<PauseCounts>,
}

/// What is known of an actor's heap, as of its last collection, or the last time that the runtime
/// asked it whether it rests.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct HeapFacts {
    /// Bytes of old objects, those included that are dead and not swept yet.
    pub live: u64,
    /// Bytes of pages.
    pub pages: u64,
    /// Bytes of those of them in which old objects lie. What is not [`live`](HeapFacts::live) of
    /// these is free, and for old objects of the same sizes.
    pub held: u64,
    /// Bytes of all objects that turns have made.
    pub allocated: u64,
    /// Bytes of those that have become old.
    pub promoted: u64,
    /// Objects that others know of: those of heaps, messages, and whoever holds some outside.
    pub exports: u64,
    /// Objects of other heaps that it keeps alive there.
    pub imports: u64,
    /// How often it has told other heaps that more references to their objects are about.
    pub incs: u64,
    /// How often it has told one that it needs some of its objects no more. Each time there may be
    /// many of them.
    pub decs: u64,
    /// Objects of which it has told, in both ways.
    pub changes: u64,
    /// Messages by which the runtime asked whether it rests.
    pub questions: u64,
    /// How often a turn has waited for a marker to leave an object that it was about to change.
    /// This is in the turn's time, and in no pause. Counted when a mark ends.
    pub waits: u64,
    /// How often it looked, in all these waits, whether the marker had left. Some nanoseconds each;
    /// after 63 in one wait it offers its processor between two.
    pub looks: u64,
    /// Its pauses: how often, and for how long, the actor could have run a turn and did not because
    /// of its heap.
    pub pauses: ByPauseKind<Pauses>,
}

impl HeapFacts {
    /// Fragmentation of the old generation: the part of [`held`](HeapFacts::held) that is free,
    /// from 0.0 to 1.0. Old objects never move, so a page goes back only when all that lay in it is
    /// dead.
    #[must_use]
    pub fn fragmentation(&self) -> f64 {
        let free = self.held.saturating_sub(self.live);
        free as f64 / self.held.max(1) as f64
    }

    /// How often everything was marked, whether at once or beside the actor's turns.
    #[must_use]
    pub fn marks(&self) -> u64 {
        self.pauses[PauseKind::Major].count + self.pauses[PauseKind::MarkEnd].count
    }
}

impl HeapCounts {
    /// A pause of this kind has taken so long. Only the holder calls this.
    pub(super) fn paused(&self, kind: PauseKind, ns: u64, after: &HeapStats) {
        self.pauses[kind].one_more(ns);
        self.publish(after);
    }

    /// The runtime has asked. Only the holder calls this.
    pub(super) fn asked(&self, now: &HeapStats) {
        let before = self.questions.load(Ordering::Relaxed);
        self.questions.store(before + 1, Ordering::Relaxed);
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
        self.looks.store(after.looks, Ordering::Relaxed);
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
            questions: self.questions.load(Ordering::Relaxed),
            waits: self.waits.load(Ordering::Relaxed),
            looks: self.looks.load(Ordering::Relaxed),
            pauses: ByPauseKind::each(|kind| self.pauses[kind].read()),
        }
    }
}

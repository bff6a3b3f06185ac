//! What others may know of an actor's heap.

use crate::sync::{AtomicU64, Ordering};
use std::time::Duration;
use vivant_heap::HeapStats;

/// Published by the holder after each collection and question, read by anybody. Relaxed throughout: each number stands for itself.
#[derive(Debug, Default)]
pub struct HeapCounts {
    live: AtomicU64,
    pages: AtomicU64,
    allocated: AtomicU64,
    promoted: AtomicU64,
    exports: AtomicU64,
    imports: AtomicU64,
    incs: AtomicU64,
    decs: AtomicU64,
    changes: AtomicU64,
    questions: AtomicU64,
    minor: PauseCounts,
    major: PauseCounts,
    sweep: PauseCounts,
}

/// Of collections of one kind.
#[derive(Debug, Default)]
struct PauseCounts {
    count: AtomicU64,
    total_ns: AtomicU64,
    longest_ns: AtomicU64,
}

/// What is known of an actor's heap, as of its last collection, or the last time that the runtime asked it whether it rests.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct HeapFacts {
    /// Bytes of old objects, those included that are dead and not swept yet.
    pub live: u64,
    /// Bytes of pages.
    pub pages: u64,
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
    /// How often it has told one that it needs some of its objects no more. Each time there may be many of them.
    pub decs: u64,
    /// Objects of which it has told, in both ways.
    pub changes: u64,
    /// Messages by which the runtime asked whether it rests.
    pub questions: u64,
    /// Collections of the nursery.
    pub minor: Pauses,
    /// Collections of everything: those of the nursery that they begin with included.
    pub major: Pauses,
    /// Steps of the sweep that came alone; a step comes with each collection too.
    pub sweep: Pauses,
}

/// Collections of one kind: in each of them the actor could have run a turn, and did not. In a simulation they take no time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Pauses {
    /// How many.
    pub count: u64,
    /// How long all of them took together.
    pub total: Duration,
    /// How long the longest took.
    pub longest: Duration,
}

impl HeapCounts {
    /// A collection has taken so long; `before` it the heap had done that. Only the holder calls this.
    pub(super) fn collected(&self, before: &HeapStats, after: &HeapStats, ns: u64) {
        if after.major > before.major {
            self.major.one_more(ns);
        } else if after.minor > before.minor {
            self.minor.one_more(ns);
        } else {
            self.sweep.one_more(ns);
        }
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
        self.allocated.store(after.allocated, Ordering::Relaxed);
        self.promoted.store(after.promoted, Ordering::Relaxed);
        self.exports.store(after.exports as u64, Ordering::Relaxed);
        self.imports.store(after.imports as u64, Ordering::Relaxed);
        self.incs.store(after.incs, Ordering::Relaxed);
        self.decs.store(after.decs, Ordering::Relaxed);
        self.changes.store(after.changes, Ordering::Relaxed);
    }

    pub(crate) fn read(&self) -> HeapFacts {
        HeapFacts {
            live: self.live.load(Ordering::Relaxed),
            pages: self.pages.load(Ordering::Relaxed),
            allocated: self.allocated.load(Ordering::Relaxed),
            promoted: self.promoted.load(Ordering::Relaxed),
            exports: self.exports.load(Ordering::Relaxed),
            imports: self.imports.load(Ordering::Relaxed),
            incs: self.incs.load(Ordering::Relaxed),
            decs: self.decs.load(Ordering::Relaxed),
            changes: self.changes.load(Ordering::Relaxed),
            questions: self.questions.load(Ordering::Relaxed),
            minor: self.minor.read(),
            major: self.major.read(),
            sweep: self.sweep.read(),
        }
    }
}

impl PauseCounts {
    fn one_more(&self, ns: u64) {
        let add = |counter: &AtomicU64, more| {
            counter.store(counter.load(Ordering::Relaxed) + more, Ordering::Relaxed);
        };
        add(&self.count, 1);
        add(&self.total_ns, ns);
        let longest = self.longest_ns.load(Ordering::Relaxed).max(ns);
        self.longest_ns.store(longest, Ordering::Relaxed);
    }

    fn read(&self) -> Pauses {
        Pauses {
            count: self.count.load(Ordering::Relaxed),
            total: Duration::from_nanos(self.total_ns.load(Ordering::Relaxed)),
            longest: Duration::from_nanos(self.longest_ns.load(Ordering::Relaxed)),
        }
    }
}

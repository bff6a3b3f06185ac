//! The figures of one actor.

use super::durations::ms;
use super::pauses::Pauses;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use vivant::{ActorFacts, HeapFacts, Mailbox, PauseKind};

/// The known figures of one actor. Times are milliseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Actor {
    /// Its path.
    pub actor: String,
    /// Stable name of its type.
    pub type_name: String,
    /// Messages that wait and could be processed.
    pub depth: usize,
    /// The limit of waiting messages; `None` without a bound.
    pub bound: Option<usize>,
    /// The policy for a message that finds the mailbox full: `reject`, `drop_newest` or
    /// `drop_oldest`; `back_pressure` without a bound.
    pub when_full: String,
    /// Messages that wait for their guard, for a join, or for the end of an exclusive wait.
    pub deferred: usize,
    /// Age of the oldest waiting message.
    pub age_ms: u64,
    /// Age of the oldest deferred message; `None` if unknown.
    pub deferred_age_ms: Option<u64>,
    /// Turns that have ended.
    pub turns: u64,
    /// Time spent in runs that have ended.
    pub busy_ms: u64,
    /// Stable name of the behaviour that runs now.
    pub current: Option<String>,
    /// How long that behaviour has been running; `None` if none runs, or if unknown.
    pub current_for_ms: Option<u64>,
    /// How long it has been waiting exclusively; `None` if it does not. [`Snapshot::waits`] has the
    /// wait.
    ///
    /// [`Snapshot::waits`]: super::Snapshot::waits
    pub exclusive_for_ms: Option<u64>,
    /// Number of actors that it mutes.
    pub mutes: usize,
    /// The path of the overloaded actor that mutes it.
    pub muted_by: Option<String>,
    /// Number of restarts.
    pub restarts: u32,
    /// Messages lost to the bound of its mailbox: rejected or dropped. They are dead letters too.
    pub lost: u64,
    /// Its heap; `None` if its state is no graph.
    pub heap: Option<Heap>,
    /// Why it is reachable, as text.
    pub because: String,
}

/// Statistics of an actor's heap, as of its last collection or idle check. Sizes are bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Heap {
    /// Old objects, including dead ones that are not swept yet.
    pub live: u64,
    /// All pages.
    pub pages: u64,
    /// Pages that contain old objects; the part that is not `live` is free.
    pub held: u64,
    /// All objects that turns have allocated.
    pub allocated: u64,
    /// Objects that were promoted to the old generation.
    pub promoted: u64,
    /// Number of minor collections.
    pub minors: u64,
    /// Number of full marks, stop-the-world and concurrent.
    pub marks: u64,
    /// Number of objects that other heaps, messages or holders outside refer to.
    pub exports: u64,
    /// Number of objects of other heaps that this heap keeps alive there.
    pub imports: u64,
    /// Number of messages that report further references to objects of other heaps.
    pub incs: u64,
    /// Number of messages that release objects of other heaps.
    pub decs: u64,
    /// Number of objects that these messages cover.
    pub changes: u64,
    /// Number of idle checks.
    pub idle_checks: u64,
    /// Number of times that a turn has waited for a marker.
    pub waits: u64,
    /// Number of spins in these waits.
    pub spins: u64,
    /// Its pauses, by the name of their kind, such as `minor`; without kinds that have none.
    pub pauses: BTreeMap<String, Pauses>,
}

impl Actor {
    /// `exclusive_for_ms` is from the waits of the same inspection.
    pub(super) fn of(facts: &ActorFacts, exclusive_for_ms: Option<u64>) -> Actor {
        let (bound, when_full) = match facts.mailbox {
            Mailbox::BackPressure => (None, "back_pressure"),
            Mailbox::Reject(bound) => (Some(bound), "reject"),
            Mailbox::DropNewest(bound) => (Some(bound), "drop_newest"),
            Mailbox::DropOldest(bound) => (Some(bound), "drop_oldest"),
        };
        Actor {
            actor: facts.actor.clone(),
            type_name: facts.type_name.into(),
            depth: facts.depth,
            bound,
            when_full: when_full.to_owned(),
            deferred: facts.deferred,
            age_ms: ms(facts.age),
            deferred_age_ms: (facts.deferred > 0).then(|| ms(facts.deferred_age)),
            turns: facts.turns,
            busy_ms: ms(facts.busy),
            current: facts.current.map(String::from),
            current_for_ms: facts.current_for.map(ms),
            exclusive_for_ms,
            mutes: facts.mutes,
            muted_by: facts.muted_by.clone(),
            restarts: facts.restarts,
            lost: facts.lost,
            heap: facts.heap.as_ref().map(Heap::of),
            because: facts.because.to_string(),
        }
    }
}

impl Heap {
    fn of(facts: &HeapFacts) -> Heap {
        Heap {
            live: facts.live,
            pages: facts.pages,
            held: facts.held,
            allocated: facts.allocated,
            promoted: facts.promoted,
            minors: facts.pauses[PauseKind::Minor].count,
            marks: facts.marks(),
            exports: facts.exports,
            imports: facts.imports,
            incs: facts.incs,
            decs: facts.decs,
            changes: facts.changes,
            idle_checks: facts.idle_checks,
            waits: facts.waits,
            spins: facts.spins,
            pauses: Pauses::by_kind(&facts.pauses),
        }
    }

    /// All pauses together; the longest is the maximum.
    pub fn all_pauses(&self) -> Pauses {
        let add = |sum: Pauses, these: &Pauses| Pauses {
            count: sum.count.saturating_add(these.count),
            total_ns: sum.total_ns.saturating_add(these.total_ns),
            longest_ns: sum.longest_ns.max(these.longest_ns),
        };
        self.pauses.values().fold(Pauses::default(), add)
    }
}

//! The answer to a request: the state of a system at one time.

use super::actor::Actor;
use super::durations::ms;
use super::pauses::SystemPauses;
use super::protocol::{REVISION, VERSION};
use super::waits::{OpenRequest, Wait};
use crate::choice;
use crate::limits::{DEAD_LETTERS_MAX, REQUESTS_MAX, WAITS_MAX};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;
use vivant::{ActorFacts, DeadLetterCount, Inspection};

/// Bytes of a page of the actors' heaps.
const PAGE_BYTES: u64 = 4096;

/// The state of a system at one time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Snapshot {
    /// The version of the protocol.
    pub version: u32,
    /// The revision of the fields: [`REVISION`].
    pub revision: u32,
    /// Name of the system.
    pub name: String,
    /// Time in milliseconds since the console began: rates are differences between two snapshots.
    pub at_ms: u64,
    /// The system as a whole.
    pub totals: Totals,
    /// The pauses of all actors.
    pub pauses: SystemPauses,
    /// The actors, the most telling ones if there are too many (see `choice.rs`); in the order of
    /// creation.
    pub actors: Vec<Actor>,
    /// The exclusive waits, the oldest first.
    pub waits: Vec<Wait>,
    /// The requests that are not answered yet, the oldest first.
    pub requests: Vec<OpenRequest>,
    /// The kinds of dead letters, the most frequent first.
    pub dead_letters: Vec<DeadLetters>,
    /// The latest reports, oldest first.
    pub reports: Vec<Report>,
}

/// Numbers of the whole system, including actors that the lists leave out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Totals {
    /// Actors that exist.
    pub actors: usize,
    /// Number of actors that the snapshot leaves out.
    pub left_out: usize,
    /// Turns of the actors that exist.
    pub turns: u64,
    /// Messages that wait and could be processed.
    pub waiting: usize,
    /// Messages that wait for their guard, for a join, or for the end of an exclusive wait.
    pub deferred: usize,
    /// Mailboxes with as many messages as their bound allows.
    pub full: usize,
    /// Exclusive waits, including those that the list leaves out.
    pub waits: usize,
    /// Requests that are not answered yet, including those that the list leaves out.
    pub requests: usize,
    /// Actors that are muted by overloaded ones, and take no messages.
    pub muted: usize,
    /// Messages that were not processed.
    pub dead_letters: u64,
    /// Messages that the actors that exist have lost to the bounds of their mailboxes. They are
    /// dead letters too.
    pub lost: u64,
    /// Restarts of the actors that exist.
    pub restarts: u64,
    /// Panics.
    pub panics: u64,
    /// Timers that are set.
    pub timers: usize,
    /// Workers, without replacements of blocked ones.
    pub workers: usize,
    /// Workers added because turns block others.
    pub surplus_workers: usize,
    /// Bytes of actor cells and waiting messages.
    pub bytes: i64,
    /// Actors that have a heap.
    pub heaps: usize,
    /// Bytes of the pages of all heaps.
    pub heap_bytes: u64,
    /// Bytes of the old objects in the heaps of the actors that exist.
    pub heap_live: u64,
    /// Heaps of ended actors that are still referenced in part.
    pub detached_heaps: usize,
}

/// Number of messages of one kind, made at one place, with the same fate.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DeadLetters {
    /// Stable name of the behaviour.
    pub behaviour: String,
    /// The place in the source that made them.
    pub place: String,
    /// Why they were not processed, as text.
    pub cause: String,
    /// Their number.
    pub count: u64,
}

/// A report of the runtime.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Report {
    /// `slow_turn`, `large_turn`, `large_container`, `leaked`, `panicked`, `gave_up`, `overdue`,
    /// `unused_collector`, `thread_failed`, or `other`.
    pub kind: String,
    /// The report as text.
    pub text: String,
}

impl Snapshot {
    /// Converts an inspection, taken at a time since the console began.
    pub fn from_inspection(at: Duration, inspection: &Inspection) -> Snapshot {
        let all = &inspection.actors;
        let chosen = choice::most_telling(all);
        let sum = |count: fn(&ActorFacts) -> usize| all.iter().map(count).sum::<usize>();
        let heaps = || all.iter().filter_map(|facts| facts.heap.as_ref());
        let totals = Totals {
            actors: all.len(),
            left_out: all.len() - chosen.len(),
            turns: all.iter().map(|facts| facts.turns).sum(),
            waiting: sum(|facts| facts.depth),
            deferred: sum(|facts| facts.deferred),
            full: sum(|facts| usize::from(facts.depth >= facts.mailbox.bound())),
            waits: inspection.waits.len(),
            requests: inspection.requests.len() + inspection.more_requests,
            muted: sum(|facts| facts.mutes),
            dead_letters: inspection.dead_letters.iter().map(|line| line.count).sum(),
            lost: all.iter().map(|facts| facts.lost).sum(),
            restarts: all.iter().map(|facts| u64::from(facts.restarts)).sum(),
            panics: inspection.panics,
            timers: inspection.timers,
            workers: inspection.workers,
            surplus_workers: inspection.surplus_workers,
            bytes: inspection.bytes,
            heaps: heaps().count(),
            heap_bytes: PAGE_BYTES * inspection.heap_pages as u64,
            heap_live: heaps().map(|heap| heap.live).sum(),
            detached_heaps: inspection.detached_heaps,
        };
        let mut dead_letters: Vec<_> = inspection.dead_letters.iter().collect();
        dead_letters.sort_by_key(|line| std::cmp::Reverse(line.count));
        dead_letters.truncate(DEAD_LETTERS_MAX);
        let exclusive = exclusive_waits(inspection);
        let actor = |facts: &ActorFacts| Actor::of(facts, exclusive.get(&*facts.actor).copied());
        let waits = inspection.waits.iter().take(WAITS_MAX);
        let requests = inspection.requests.iter().take(REQUESTS_MAX);
        Snapshot {
            version: VERSION,
            revision: REVISION,
            name: inspection.name.clone(),
            at_ms: ms(at),
            totals,
            pauses: SystemPauses::of(&inspection.pauses),
            actors: chosen.into_iter().map(actor).collect(),
            waits: waits.map(Wait::of).collect(),
            requests: requests.map(OpenRequest::of).collect(),
            dead_letters: dead_letters.into_iter().map(DeadLetters::of).collect(),
            reports: inspection.reports.iter().map(Report::of).collect(),
        }
    }
}

/// How long actors have been waiting exclusively, in milliseconds, by their paths.
fn exclusive_waits(inspection: &Inspection) -> BTreeMap<&str, u64> {
    let mut oldest = BTreeMap::new();
    for wait in &inspection.waits {
        // The oldest wait is the first.
        oldest.entry(&*wait.actor).or_insert(ms(wait.lasts));
    }
    oldest
}

impl DeadLetters {
    fn of(line: &DeadLetterCount) -> DeadLetters {
        DeadLetters {
            behaviour: line.behaviour.into(),
            place: line.place.clone(),
            cause: line.cause.to_string(),
            count: line.count,
        }
    }
}

impl Report {
    fn of(report: &vivant::Report) -> Report {
        let kind = match report {
            vivant::Report::SlowTurn { .. } => "slow_turn",
            vivant::Report::LargeTurn { .. } => "large_turn",
            vivant::Report::LargeContainer { .. } => "large_container",
            vivant::Report::Leaked { .. } => "leaked",
            vivant::Report::Panicked(_) => "panicked",
            vivant::Report::GaveUp { .. } => "gave_up",
            vivant::Report::Overdue { .. } => "overdue",
            vivant::Report::StateNotRestored { .. } => "state_not_restored",
            vivant::Report::UnusedCollector { .. } => "unused_collector",
            vivant::Report::ThreadFailed { .. } => "thread_failed",
            _ => "other",
        };
        Report {
            kind: kind.to_owned(),
            text: report.to_string(),
        }
    }
}

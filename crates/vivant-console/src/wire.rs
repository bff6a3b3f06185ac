//! The wire format: one JSON object a line. The fields are explained in this crate's README.
//!
//! A reader must ignore fields that it does not know, and take the default for missing ones;
//! [`VERSION`] changes only when that is not enough.

use crate::choice;
use crate::limits::DEAD_LETTERS_MAX;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use vivant::{ActorFacts, DeadLetterCount, Inspection};

/// The version of the protocol. Both sides must have the same.
pub const VERSION: u32 = 1;

/// The first line of a client.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Greeting {
    /// The secret.
    pub token: String,
}

/// Every further line of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// The requested subject.
    pub get: Subject,
}

/// A subject of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// A [`Snapshot`].
    Facts,
}

/// The last line that a client gets before the connection is closed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// The version of the protocol.
    pub version: u32,
    /// The reason.
    pub error: Reason,
}

/// Why a client is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The token is wrong or missing.
    Token,
    /// The line is no request that this version knows.
    Request,
    /// The line is too long.
    TooLong,
    /// The line took too long.
    TooLate,
    /// There is no place for this user.
    Busy,
    /// A reason that only a newer version knows.
    #[serde(other)]
    Other,
}

/// The state of a system at one time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Snapshot {
    /// The version of the protocol.
    pub version: u32,
    /// Time in milliseconds since the console began: rates are differences between two snapshots.
    pub at_ms: u64,
    /// The system as a whole.
    pub totals: Totals,
    /// The actors, the most telling ones if there are too many (see `choice.rs`); in the order of
    /// creation.
    pub actors: Vec<Actor>,
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
    /// Messages that wait for their guard.
    pub deferred: usize,
    /// Actors that are muted by overloaded ones, and take no messages.
    pub muted: usize,
    /// Messages that were not processed.
    pub dead_letters: u64,
    /// Messages lost by a panic or an actor's end, besides dead letters.
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
}

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
    /// Messages that wait for their guard.
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
    /// Number of actors that it mutes.
    pub mutes: usize,
    /// The path of the overloaded actor that mutes it.
    pub muted_by: Option<String>,
    /// Number of restarts.
    pub restarts: u32,
    /// Messages lost with it, besides dead letters.
    pub lost: u64,
    /// Why it is reachable, as text.
    pub because: String,
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
    /// `slow_turn`, `panicked`, `thread_failed`, or `other`.
    pub kind: String,
    /// The report as text.
    pub text: String,
}

impl Snapshot {
    /// Converts an inspection, taken at a time since the console began. This is the only code that
    /// knows the fields of both sides.
    pub fn from_inspection(at: Duration, inspection: &Inspection) -> Snapshot {
        let all = &inspection.actors;
        let chosen = choice::most_telling(all);
        let sum = |count: fn(&ActorFacts) -> usize| all.iter().map(count).sum::<usize>();
        let totals = Totals {
            actors: all.len(),
            left_out: all.len() - chosen.len(),
            turns: all.iter().map(|facts| facts.turns).sum(),
            waiting: sum(|facts| facts.depth),
            deferred: sum(|facts| facts.deferred),
            muted: sum(|facts| facts.mutes),
            dead_letters: inspection.dead_letters.iter().map(|line| line.count).sum(),
            lost: all.iter().map(|facts| facts.lost).sum(),
            restarts: all.iter().map(|facts| u64::from(facts.restarts)).sum(),
            panics: inspection.panics,
            timers: inspection.timers,
            workers: inspection.workers,
            surplus_workers: inspection.surplus_workers,
            bytes: inspection.bytes,
        };
        let mut dead_letters: Vec<_> = inspection.dead_letters.iter().collect();
        dead_letters.sort_by_key(|line| std::cmp::Reverse(line.count));
        dead_letters.truncate(DEAD_LETTERS_MAX);
        Snapshot {
            version: VERSION,
            at_ms: ms(at),
            totals,
            actors: chosen.into_iter().map(Actor::from_facts).collect(),
            dead_letters: dead_letters.into_iter().map(DeadLetters::of).collect(),
            reports: inspection.reports.iter().map(Report::of).collect(),
        }
    }
}

impl Actor {
    fn from_facts(facts: &ActorFacts) -> Actor {
        Actor {
            actor: facts.actor.clone(),
            type_name: facts.type_name.to_owned(),
            depth: facts.depth,
            deferred: facts.deferred,
            age_ms: ms(facts.age),
            turns: facts.turns,
            busy_ms: ms(facts.busy),
            current: facts.current.map(str::to_owned),
            mutes: facts.mutes,
            because: facts.because.to_string(),
            deferred_age_ms: (facts.deferred > 0).then(|| ms(facts.deferred_age)),
            current_for_ms: facts.current_for.map(ms),
            muted_by: facts.muted_by.clone(),
            restarts: facts.restarts,
            lost: facts.lost,
        }
    }
}

impl DeadLetters {
    fn of(line: &DeadLetterCount) -> DeadLetters {
        DeadLetters {
            behaviour: line.behaviour.to_owned(),
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

fn ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

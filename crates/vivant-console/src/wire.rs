//! What goes over the wire: one JSON object a line. The words are explained in this crate's README.
//!
//! A reader must ignore fields that it does not know, and take the default for those that are
//! missing; [`VERSION`] changes only when that is not enough.

use crate::choice;
use crate::limits::DEAD_LETTERS_MAX;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use vivant::{ActorFacts, DeadLetterCount, Inspection};

/// The version of the protocol. Both sides must have the same.
pub const VERSION: u32 = 1;

/// The first line of a visitor.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Greeting {
    /// The secret.
    pub token: String,
}

/// Every further line of a visitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// What it wants.
    pub get: Subject,
}

/// What can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// A [`Snapshot`].
    Facts,
}

/// The last line that a visitor gets before the connection is closed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// The version of the protocol.
    pub version: u32,
    /// Why.
    pub error: Reason,
}

/// Why a visitor is sent away.
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
    /// There are as many visitors as there may be.
    Busy,
    /// A reason that only a newer version knows.
    #[serde(other)]
    Other,
}

/// One look at a system.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Snapshot {
    /// The version of the protocol.
    pub version: u32,
    /// When, in milliseconds since the console began: rates are differences between two of them.
    pub at_ms: u64,
    /// The system as a whole.
    pub totals: Totals,
    /// The actors, the most telling ones if there are too many; in the order of creation.
    pub actors: Vec<Actor>,
    /// The kinds of dead letters, the most frequent first.
    pub dead_letters: Vec<DeadLetters>,
    /// The latest reports, oldest first.
    pub reports: Vec<Report>,
}

/// Figures of the whole system, whatever the lists leave out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Totals {
    /// Actors that exist.
    pub actors: usize,
    /// How many of them the snapshot leaves out.
    pub left_out: usize,
    /// Turns of the actors that exist.
    pub turns: u64,
    /// Messages that wait and could be processed.
    pub waiting: usize,
    /// Messages that wait for their guard.
    pub deferred: usize,
    /// Actors that take no messages, on account of overloaded ones.
    pub muted: usize,
    /// Messages that were not processed.
    pub dead_letters: u64,
    /// Messages that a panic or an end took with it, beside dead letters.
    pub lost: u64,
    /// Restarts of the actors that exist.
    pub restarts: u64,
    /// Panics.
    pub panics: u64,
    /// Timers that are set.
    pub timers: usize,
    /// Workers, without surplus.
    pub workers: usize,
    /// Workers added because turns hold others up.
    pub surplus_workers: usize,
    /// Bytes of cells and waiting messages.
    pub bytes: i64,
}

/// What is known of one actor. Times are milliseconds.
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
    /// How long the oldest waiting message has waited.
    pub age_ms: u64,
    /// How long the oldest deferred message has waited; `None` if that is not known.
    pub deferred_age_ms: Option<u64>,
    /// Turns that have ended.
    pub turns: u64,
    /// Time spent in runs that have ended.
    pub busy_ms: u64,
    /// Stable name of the behaviour that runs now.
    pub current: Option<String>,
    /// How long it has been running; `None` if nothing runs, or if that is not known.
    pub current_for_ms: Option<u64>,
    /// How many actors are muted on account of it.
    pub mutes: usize,
    /// The path of the actor on whose account it is muted.
    pub muted_by: Option<String>,
    /// How often it was restarted.
    pub restarts: u32,
    /// Messages that were lost with it, beside dead letters.
    pub lost: u64,
    /// Why it is alive, in words.
    pub because: String,
}

/// How many messages of one kind, made at one place, met one fate.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DeadLetters {
    /// Stable name of the behaviour.
    pub behaviour: String,
    /// Where in the source they were made.
    pub place: String,
    /// What became of them, in words.
    pub cause: String,
    /// How many.
    pub count: u64,
}

/// Something that the runtime had to say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Report {
    /// `slow_turn`, `panicked`, `thread_failed`, or `other`.
    pub kind: String,
    /// In words.
    pub text: String,
}

impl Snapshot {
    /// What `inspection` says, at a time since the console began. This is the one place that knows
    /// both sides' fields.
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

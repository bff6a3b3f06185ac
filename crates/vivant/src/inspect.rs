//! Inspection: what is going on, read from what holders publish, without the actors' help.

use crate::actor::Mailbox;
use crate::cell::CellRef;
use crate::dead_letter::DeadLetterCount;
use crate::mailbox::Ring;
use crate::report::Report;
use crate::sync::Arc;
use crate::system::{Shared, Survivor};
use std::fmt;
use std::time::Duration;

/// One look at a system. The numbers of an actor are read one after the other while it runs: each is right, together
/// they may be a message apart.
#[derive(Clone, Debug)]
pub struct Inspection {
    /// Every actor that exists, in the order of creation.
    pub actors: Vec<ActorFacts>,
    /// Messages that were not processed.
    pub dead_letters: Vec<DeadLetterCount>,
    /// The latest reports, oldest first.
    pub reports: Vec<Report>,
    /// How many turns, hooks and drops have panicked.
    pub panics: u64,
    /// Timers that are set.
    pub timers: usize,
    /// Workers, without surplus.
    pub workers: usize,
    /// Workers added because turns hold others up.
    pub surplus_workers: usize,
    /// Bytes of cells and waiting messages that the runtime holds.
    pub bytes: i64,
}

/// What is known of one actor.
#[derive(Clone, Debug)]
pub struct ActorFacts {
    /// Its path.
    pub actor: String,
    /// Stable name of its type.
    pub type_name: &'static str,
    /// Messages that wait and could be processed.
    pub depth: usize,
    /// Messages that wait for their guard.
    pub deferred: usize,
    /// How long the oldest waiting message has waited, to a millisecond or one message; zero when none waits.
    pub age: Duration,
    /// Turns that have ended.
    pub turns: u64,
    /// Time spent in runs that have ended, by sampling: the milliseconds that began while it ran.
    pub busy: Duration,
    /// Stable name of the behaviour that runs now.
    pub current: Option<&'static str>,
    /// How many are held back on account of it (T5): actors that are muted, and offers that wait until it has recovered.
    pub mutes: usize,
    /// Whether its mailbox has a bound, and what becomes of a message that finds it full.
    pub mailbox: Mailbox,
    /// How many messages that bound has cost (T5): rejected or dropped, and counted as dead letters.
    pub lost: u64,
    /// Why it is alive.
    pub because: AliveBecause,
}

/// Why an actor is alive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AliveBecause {
    /// Stable name of the behaviour that runs now.
    pub current: Option<&'static str>,
    /// Addresses: in states, messages, timers, promises, and outside; and those dropped a moment ago, by a run that has not
    /// ended or a worker that has not counted them back.
    pub addresses: usize,
    /// Waiting messages.
    pub messages: usize,
    /// Whether [`System::keep`](crate::System::keep) was called for it.
    pub kept: bool,
}

impl fmt::Display for AliveBecause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(current) = self.current {
            write!(f, "{current} is running, ")?;
        }
        if self.kept {
            f.write_str("it is kept, ")?;
        }
        write!(
            f,
            "{} addresses, {} messages",
            self.addresses, self.messages
        )
    }
}

impl ActorFacts {
    pub(crate) fn of(cell: &CellRef) -> ActorFacts {
        let depth = cell.ring().map_or_else(|| cell.depth(), Ring::depth);
        let deferred = cell.facts.deferred();
        let current = cell.facts.current().map(|kind| kind.name);
        let waited_ms = cell.facts.waits_for(cell.system.oracle.coarse_ms());
        ActorFacts {
            actor: cell.path(),
            type_name: cell.class.name,
            depth,
            deferred,
            age: if depth > 0 {
                Duration::from_millis(waited_ms.into())
            } else {
                Duration::ZERO
            },
            turns: cell.facts.turns(),
            busy: Duration::from_millis(cell.facts.busy_ms().into()),
            current,
            mutes: 0,
            mailbox: cell.class.mailbox,
            lost: cell.ring().map_or(0, Ring::lost),
            because: AliveBecause {
                current,
                addresses: cell.addresses() as usize,
                messages: depth + deferred,
                kept: cell.system.is_kept(cell.id),
            },
        }
    }

    pub(crate) fn into_survivor(self) -> Survivor {
        Survivor {
            actor: self.actor,
            because: self.because,
        }
    }
}

impl Inspection {
    pub(crate) fn of(system: &Arc<Shared>) -> Inspection {
        let mutes = system.mutes.counts();
        let facts = |cell: &CellRef| {
            let mutes = mutes.get(&cell.id).copied().unwrap_or(0);
            ActorFacts {
                mutes,
                ..ActorFacts::of(cell)
            }
        };
        Inspection {
            actors: system.registry.all().iter().map(facts).collect(),
            dead_letters: system.dead_letters.counts(),
            reports: system.reports.latest(),
            panics: system.reports.panics(),
            timers: system.timers.len(),
            workers: system
                .threads()
                .map_or(1, crate::scheduler::Threads::workers),
            surplus_workers: system
                .threads()
                .map_or(0, crate::scheduler::Threads::surplus),
            bytes: system.bytes_held(),
        }
    }

    /// The actor with this path.
    pub fn actor(&self, path: &str) -> Option<&ActorFacts> {
        self.actors.iter().find(|facts| facts.actor == path)
    }
}

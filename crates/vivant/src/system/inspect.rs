//! Inspection: a snapshot of a system, read from published statistics, without the actors' help.

use super::open_request::{OpenRequest, OpenRequests};
use super::shutdown::RemainingActor;
use crate::actor::{Answer, Answered, BoundedQueue, CellRef, Mailbox, MutedSender, Shared};
use crate::failures::DeadLetterCount;
use crate::failures::{Report, WaitEdge};
use crate::gc_state::DetachedHeaps;
use crate::interned::{Name, Place};
use crate::patterns::Names;
use crate::sched::Threads;
use crate::statistics::NameFacts;
use crate::statistics::WorkerFacts;
use crate::statistics::{HeapCounts, HeapFacts, PauseDistributions};
use crate::supervision::Restarts;
use crate::sync::Arc;
use crate::wait_for::{WaitFacts, WaitForGraph};
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// A snapshot of a system. The numbers of an actor are read one after the other while it runs: each
/// is right, together they may be a message apart.
#[derive(Clone, Debug)]
pub struct Inspection {
    /// Name of the system.
    pub name: String,
    /// Time since the system began; in a simulation, virtual.
    pub now: Duration,
    /// Number of messages taken up since then by workers or the simulation, including those
    /// deferred by their guards then. Messages of actors that are declared to block are in
    /// [`ActorFacts::turns`] only.
    pub turns: u64,
    /// Every actor that exists, in the order of creation.
    pub actors: Vec<ActorFacts>,
    /// The exclusive waits that are open, in the order in which they began.
    pub waits: Vec<OpenWait>,
    /// The asks that wait for their answers, the oldest first; at most 10,000 of them.
    pub requests: Vec<OpenRequest>,
    /// Number of further open requests, all younger than those in `requests`.
    pub more_requests: usize,
    /// Messages that were not processed.
    pub dead_letters: Vec<DeadLetterCount>,
    /// The latest reports, oldest first.
    pub reports: Vec<Report>,
    /// Number of turns, hooks and drops that have panicked.
    pub panics: u64,
    /// Number of timers that are set.
    pub timers: usize,
    /// Registered names, in their order.
    pub names: Vec<NameFacts>,
    /// Number of workers, without surplus workers.
    pub workers: usize,
    /// Each of these workers; none in a simulation.
    pub worker_facts: Vec<WorkerFacts>,
    /// Workers added because turns block others.
    pub surplus_workers: usize,
    /// Bytes of cells and waiting messages that the runtime holds.
    pub bytes: i64,
    /// Number of pages of 4 KiB that the heaps of actors have.
    pub heap_pages: usize,
    /// How long their heaps kept actors from running, since the system began or
    /// [`System::forget_pauses`](crate::System::forget_pauses).
    pub pauses: PauseDistributions,
    /// Detached heaps: graphs of ended actors that are still referenced in part.
    pub detached_heaps: usize,
}

/// An actor that takes no message before a promise has settled:
/// [`Promise::exclusive`](crate::Promise::exclusive), or the promise of its start function or stop
/// hook.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OpenWait {
    /// Path of the actor.
    pub actor: String,
    /// Where in the source the wait began.
    pub waits_at: Place,
    /// How long it has lasted, to a millisecond.
    pub lasts: Duration,
    /// The requests for which it waits, and that other actors defer because they wait too.
    pub needs: Vec<WaitEdge>,
}

/// Statistics of one actor.
#[derive(Clone, Debug)]
pub struct ActorFacts {
    /// Its path.
    pub actor: String,
    /// Stable name of its type.
    pub type_name: Name,
    /// Number of messages that wait and could be processed.
    pub depth: usize,
    /// Number of messages that wait for their guard.
    pub deferred: usize,
    /// How long the oldest of them has waited, to a millisecond; zero when none waits.
    pub deferred_age: Duration,
    /// How long the oldest waiting message has waited, to a millisecond or one message; zero when
    /// none waits.
    pub age: Duration,
    /// Number of turns that have ended.
    pub turns: u64,
    /// Time spent in runs that have ended, by sampling: the milliseconds that began while it ran.
    pub busy: Duration,
    /// Stable name of the behaviour that runs now.
    pub current: Option<Name>,
    /// Number of restarts by its supervisor.
    pub restarts: u32,
    /// Time since that turn began, to a millisecond. `None` also in a simulation, and for an actor
    /// that is declared to block.
    pub current_for: Option<Duration>,
    /// Number of senders that wait for it: muted actors, and offers that wait until it has
    /// recovered.
    pub mutes: usize,
    /// Path of the overloaded actor that mutes this one: this one takes no messages until that
    /// actor has recovered.
    pub muted_by: Option<String>,
    /// Whether its mailbox has a bound, and the policy for a message that finds it full.
    pub mailbox: Mailbox,
    /// Number of messages lost to that bound: rejected or dropped, and counted as dead
    /// letters.
    pub lost: u64,
    /// Statistics of its heap, if its state is a graph.
    pub heap: Option<HeapFacts>,
    /// Why it is alive.
    pub because: AliveBecause,
}

/// Why an actor is alive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AliveBecause {
    /// Stable name of the behaviour that runs now.
    pub current: Option<Name>,
    /// Number of addresses: in states, messages, timers, promises, and outside; including those
    /// dropped a moment ago, by a run that has not ended or a worker that has not counted them
    /// back.
    pub addresses: usize,
    /// Number of waiting messages.
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
        let depth = cell
            .bounded_queue()
            .map_or_else(|| cell.depth(), BoundedQueue::depth);
        let deferred = cell.facts.deferred();
        let current = cell.facts.current().map(|kind| kind.name);
        let now_ms = cell.system.oracle.coarse_ms();
        let waited_ms = cell.facts.waiting_ms(now_ms);
        ActorFacts {
            actor: cell.path(),
            type_name: Name::new(cell.class.name),
            depth,
            deferred,
            deferred_age: if deferred > 0 {
                Duration::from_millis(cell.deferred_for(now_ms).into())
            } else {
                Duration::ZERO
            },
            age: if depth > 0 {
                Duration::from_millis(waited_ms.into())
            } else {
                Duration::ZERO
            },
            turns: cell.facts.turns(),
            heap: cell.heap_counts().map(HeapCounts::read),
            busy: Duration::from_millis(cell.facts.busy_ms().into()),
            current,
            restarts: Restarts::of(&cell.system).number_of(cell.id),
            current_for: None,
            mutes: 0,
            muted_by: None,
            mailbox: cell.class.mailbox,
            lost: cell.bounded_queue().map_or(0, BoundedQueue::lost),
            because: AliveBecause {
                current,
                addresses: cell.addresses() as usize,
                messages: depth + deferred,
                kept: cell.system.is_kept(cell.id),
            },
        }
    }

    pub(crate) fn into_remaining(self) -> RemainingActor {
        RemainingActor {
            actor: self.actor,
            because: self.because,
        }
    }
}

impl Answer for Inspection {
    fn data(&self) -> Answered {
        Answered::Count(self.actors.len() as u64)
    }
}

impl Inspection {
    pub(crate) fn of(system: &Arc<Shared>) -> Inspection {
        let threads = Threads::of(system);
        let (now_ms, now_ns) = (system.oracle.coarse_ms(), system.oracle.now_ns());
        let (mut mutes, mut muted) = (BTreeMap::<_, usize>::new(), BTreeMap::new());
        for (by, sender) in system.mutes.pairs(MutedSender::actor) {
            *mutes.entry(by).or_default() += 1;
            if let Some(sender) = sender {
                muted.insert(sender, by);
            }
        }
        let running = threads.map_or_else(BTreeMap::new, |threads| threads.running(now_ms));
        let cells = system.actors();
        let path_of = |id: &u64| {
            // They are in the order of their numbers.
            let at = cells.binary_search_by_key(id, |cell| cell.id).ok()?;
            Some(cells[at].path())
        };
        let facts = |cell: &CellRef| {
            let facts = ActorFacts::of(cell);
            let current_for = running.get(&cell.id).filter(|_| facts.current.is_some());
            ActorFacts {
                current_for: current_for.map(|ms| Duration::from_millis(*ms)),
                mutes: mutes.get(&cell.id).copied().unwrap_or(0),
                muted_by: muted.get(&cell.id).and_then(path_of),
                ..facts
            }
        };
        let requests = OpenRequests::of(system, &cells, now_ms);
        Inspection {
            name: system.config.name.clone(),
            now: Duration::from_nanos(now_ns),
            turns: match system.stage() {
                Some(stage) => stage.turns(),
                None => threads.map_or(0, Threads::turns),
            },
            actors: cells.iter().map(facts).collect(),
            waits: waits(system, now_ms),
            requests: requests.oldest,
            more_requests: requests.more,
            dead_letters: system.dead_letters.lines(),
            reports: system.reports.latest(),
            panics: system.reports.panics(),
            timers: system.timers.len(),
            workers: threads.map_or(1, Threads::workers),
            worker_facts: threads.map_or_else(Vec::new, |threads| threads.facts(now_ns)),
            surplus_workers: threads.map_or(0, Threads::surplus),
            names: Names::of(system).facts(),
            bytes: system.bytes.shared() + threads.map_or(0, Threads::bytes_counted),
            heap_pages: system.heaps.stats().pages,
            pauses: system.pauses.read(),
            detached_heaps: DetachedHeaps::of(system).len(),
        }
    }

    /// The actor with this path.
    pub fn actor(&self, path: &str) -> Option<&ActorFacts> {
        self.actors.iter().find(|facts| facts.actor == path)
    }

    /// The exclusive waits of the actor with this path.
    pub fn waits_of<'a>(&'a self, path: &'a str) -> impl Iterator<Item = &'a OpenWait> {
        self.waits.iter().filter(move |wait| wait.actor == path)
    }

    /// The listed requests that the actor with this path has made, the oldest first.
    pub fn requests_by<'a>(&'a self, path: &'a str) -> impl Iterator<Item = &'a OpenRequest> {
        let requests = self.requests.iter();
        requests.filter(move |request| request.asker.actor() == Some(path))
    }

    /// The listed requests that the actor with this path has to answer, the oldest first.
    pub fn requests_to<'a>(&'a self, path: &'a str) -> impl Iterator<Item = &'a OpenRequest> {
        let requests = self.requests.iter();
        requests.filter(move |request| request.answerer.as_deref() == Some(path))
    }
}

fn waits(system: &Shared, now_ms: u64) -> Vec<OpenWait> {
    let waits = WaitForGraph::of(system).waits().into_iter();
    let wait = |(facts, needs): (WaitFacts, Vec<WaitEdge>)| OpenWait {
        actor: facts.actor.path(),
        waits_at: facts.place,
        lasts: Duration::from_millis(now_ms.saturating_sub(facts.since_ms)),
        needs,
    };
    waits.map(wait).collect()
}

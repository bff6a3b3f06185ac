//! Reports: unsolicited notices of the runtime. Slow turns, panics, threads that it could not
//! start.

use super::catch::catch;
use super::panic::Panic;
use super::stop::GaveUp;
use crate::observe;
use crate::sync::{Arc, AtomicU64, Mutex, Ordering, lock};
use std::collections::VecDeque;
use std::{fmt, io};
use vivant_heap::Marking;

/// Number of latest reports kept for inspection.
const KEPT_MAX: usize = 64;

/// A notice for the operator.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Report {
    /// A turn has held its worker for longer than the system's limit, and is still running (T6).
    SlowTurn {
        /// Path of the actor.
        actor: String,
        /// Stable name of the behaviour.
        behaviour: &'static str,
        /// How long it had been running when it was noticed, in milliseconds.
        for_ms: u64,
    },
    /// A turn, or a step of one, has allocated more in its actor's heap than the system's limit:
    /// nothing can be collected meanwhile.
    LargeTurn {
        /// Path of the actor.
        actor: String,
        /// Stable name of the behaviour.
        behaviour: &'static str,
        /// Bytes allocated, including those that were young before it.
        bytes: u64,
    },
    /// A turn, a stop hook or the drop of a state panicked.
    Panicked(Panic),
    /// A supervisor gave up, and has no supervisor above it: its tree ends.
    GaveUp {
        /// Path of the supervisor.
        supervisor: String,
        /// Why.
        why: Arc<GaveUp>,
    },
    /// A supervised actor has not started, stopped or ended in its time limit; its tree continues
    /// without it.
    Overdue {
        /// Path of the actor.
        actor: String,
    },
    /// A configuration text sets how the heaps of some type's actors are marked, and no actor with
    /// a heap of this type was started until the system was shut down: the name may be mistyped
    /// ([`SystemBuilder::collectors`](crate::SystemBuilder::collectors)).
    UnusedCollector {
        /// Where the text was: `VIVANT_COLLECTOR` or `SystemBuilder::collectors`.
        place: &'static str,
        /// The name in it.
        name: String,
        /// The marking mode that the text sets.
        marking: Marking,
    },
    /// The operating system refused a thread.
    ThreadFailed {
        /// Its message.
        error: String,
    },
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Report::SlowTurn {
                actor,
                behaviour,
                for_ms,
            } => {
                write!(
                    f,
                    "{behaviour} of {actor} has been holding its worker for {for_ms} ms"
                )
            }
            Report::LargeTurn {
                actor,
                behaviour,
                bytes,
            } => write!(
                f,
                "{behaviour} of {actor} has allocated {bytes} bytes in one turn, in which nothing can be collected: write it in steps"
            ),
            Report::Panicked(panic) => write!(f, "a turn panicked: {panic}"),
            Report::GaveUp { supervisor, why } => write!(
                f,
                "{supervisor} gave up after {} failures, the last of {}: {}",
                why.failures, why.child, why.reason
            ),
            Report::Overdue { actor } => {
                write!(
                    f,
                    "{actor} has not done in time what its supervisor told it"
                )
            }
            Report::UnusedCollector {
                place,
                name,
                marking,
            } => write!(
                f,
                "{place} says {name}={marking}, but no actor with a heap has begun whose type is {name}: compare it with the types in `System::inspect`"
            ),
            Report::ThreadFailed { error } => {
                write!(f, "a worker thread could not be started: {error}")
            }
        }
    }
}

/// Called with each report, on the thread that makes it.
pub(crate) type Listener = Box<dyn Fn(&Report) + Send + Sync>;

#[derive(Default)]
pub(crate) struct Reports {
    latest: Mutex<VecDeque<Report>>,
    panics: AtomicU64,
    listener: Option<Listener>,
}

impl Reports {
    pub(crate) fn new(listener: Option<Listener>) -> Reports {
        Reports {
            listener,
            ..Reports::default()
        }
    }

    pub(crate) fn panicked(&self, panic: &Panic) {
        self.panics.fetch_add(1, Ordering::Relaxed);
        self.say(Report::Panicked(panic.clone()));
    }

    pub(crate) fn large_turn(&self, actor: String, behaviour: &'static str, bytes: u64) {
        self.say(Report::LargeTurn {
            actor,
            behaviour,
            bytes,
        });
    }

    pub(crate) fn slow_turn(&self, actor: String, behaviour: &'static str, for_ms: u64) {
        self.say(Report::SlowTurn {
            actor,
            behaviour,
            for_ms,
        });
    }

    pub(crate) fn gave_up(&self, supervisor: String, why: &Arc<GaveUp>) {
        let why = why.clone();
        self.say(Report::GaveUp { supervisor, why });
    }

    pub(crate) fn overdue(&self, actor: String) {
        self.say(Report::Overdue { actor });
    }

    pub(crate) fn unused_collector(&self, place: &'static str, name: String, marking: Marking) {
        self.say(Report::UnusedCollector {
            place,
            name,
            marking,
        });
    }

    pub(crate) fn thread_failed(&self, error: &io::Error) {
        self.say(Report::ThreadFailed {
            error: error.to_string(),
        });
    }

    pub(crate) fn panics(&self) -> u64 {
        self.panics.load(Ordering::Relaxed)
    }

    pub(crate) fn latest(&self) -> Vec<Report> {
        lock(&self.latest).iter().cloned().collect()
    }

    fn say(&self, report: Report) {
        observe::report(&report);
        if let Some(listener) = &self.listener {
            // On a worker's or the clock's thread: a panic of the listener must not end that
            // thread.
            let _heard = catch(|| listener(&report));
        }
        let mut latest = lock(&self.latest);
        if latest.len() == KEPT_MAX {
            latest.pop_front();
        }
        latest.push_back(report);
    }
}

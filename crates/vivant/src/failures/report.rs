//! [`Report`]: an unsolicited notice of the runtime. Slow turns, panics, threads that it could not
//! start.

use super::panic::Panic;
use super::stop::{Failed, GaveUp};
use crate::interned::Name;
use crate::sync::Arc;
use std::fmt;
use vivant_heap::Marking;

/// A notice for the operator.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Report {
    /// A turn has held its worker for longer than the system's limit, and is still running.
    SlowTurn {
        /// Path of the actor.
        actor: String,
        /// Stable name of the behaviour.
        behaviour: Name,
        /// How long it had been running when it was noticed, in milliseconds.
        for_ms: u64,
    },
    /// A turn, or a step of one, has allocated more in its actor's heap than the system's limit:
    /// nothing can be collected meanwhile.
    LargeTurn {
        /// Path of the actor.
        actor: String,
        /// Stable name of the behaviour.
        behaviour: Name,
        /// Bytes allocated, including those that were young before it.
        bytes: u64,
    },
    /// A container of `std` in an actor's state, or in an object that it writes, has so many
    /// references that it makes collections slow: each minor collection visits all of them, some
    /// 1.5 ns each, and the first write of such an object during a mark waits until all of them
    /// are scanned, some 2 to 9 ns each. Use a collection in chunks in its place:
    /// [`gc::Vec`](crate::gc::Vec), [`gc::HashMap`](crate::gc::HashMap). Reported once for each
    /// heap.
    LargeContainer {
        /// Path of the actor.
        actor: String,
        /// Number of elements.
        elements: usize,
    },
    /// A turn, a stop hook or the drop of a state panicked.
    Panicked(Panic),
    /// An actor has declared that it failed, by [`Turn::fail`](crate::Turn::fail).
    Failed {
        /// Path of the actor.
        actor: String,
        /// Why.
        why: Arc<Failed>,
    },
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
    /// An actor that is restored after a failure ([`OnPanic::RestoreLast`]) has begun by its start
    /// function: no snapshot of this system has a state of it that can be loaded.
    ///
    /// [`OnPanic::RestoreLast`]: crate::OnPanic::RestoreLast
    StateNotRestored {
        /// Path of the actor.
        actor: String,
        /// Why.
        why: String,
    },
    /// A configuration text sets how the heaps of some type's actors are marked, and no actor with
    /// a heap of this type was started until the system was shut down: the name may be mistyped
    /// ([`SystemBuilder::collectors`](crate::SystemBuilder::collectors)).
    UnusedCollector {
        /// Where the text was: `VIVANT_COLLECTOR` or `SystemBuilder::collectors`.
        place: Name,
        /// The name in it.
        name: String,
        /// The marking mode that the text sets.
        marking: Marking,
    },
    /// The system has ended, and shared objects of ended actors are left that no holder outside can
    /// release. This is a defect of the runtime: please report it.
    Leaked {
        /// Number of objects that other heaps refer to.
        objects: usize,
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
            Report::LargeContainer { actor, elements } => write!(
                f,
                "a std container of {actor} has {elements} elements with references, and each minor collection visits all of them: use gc::Vec, gc::HashMap or another collection in chunks"
            ),
            Report::Panicked(panic) => write!(f, "a turn panicked: {panic}"),
            Report::Failed { actor, why } => {
                write!(f, "{} of {actor} failed: {}", why.behaviour, why.message)
            }
            Report::GaveUp { supervisor, why } => write!(
                f,
                "{supervisor} gave up after {} failures, the last of {}: {}",
                why.failures, why.child, why.reason
            ),
            Report::Leaked { objects } => write!(
                f,
                "{objects} shared objects of ended actors are left that nothing can release: this is a defect of vivant"
            ),
            Report::Overdue { actor } => {
                write!(
                    f,
                    "{actor} has not carried out its supervisor's order in time"
                )
            }
            Report::StateNotRestored { actor, why } => {
                write!(f, "{actor} begins anew, and not with its last state: {why}")
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

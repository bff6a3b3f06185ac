//! What can go wrong between actors. Domain errors are not here: they are the behaviour's own reply type.

use crate::behaviour::Message;
use crate::call::Call;
use crate::cell::{self, CellRef, Header};
use crate::dead_letter::Cause;
use crate::stop::StopReason;
use crate::sync::Arc;
use std::error::Error;
use std::fmt;
use std::panic::Location;
use std::time::Duration;

/// Why no answer came. Names the actor, the behaviour and the place, so that the error alone says where to look.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AskError {
    /// The actor had ended, or ended before the message was processed.
    Stopped(Arc<Undelivered>),
    /// The actor was started afresh before the message was processed, and does not keep its messages then; see
    /// [`Messages::Returned`](crate::Messages::Returned).
    Restarted(Arc<Undelivered>),
    /// The turn that should have answered panicked.
    Panicked(Panic),
    /// The time limit passed first; the message may have been processed, or may still be.
    TimedOut {
        /// The limit that was set.
        after: Duration,
    },
    /// `.ask()` or `.ask_blocking()` within a turn: waiting there would hold up the worker.
    InsideTurn(Arc<Inside>),
    /// Whoever had to answer gave the resolver up without answering.
    Broken(Arc<Inside>),
    /// The message was withdrawn by [`Asked::cancel`](crate::Asked::cancel) before it began.
    Cancelled,
    /// In a simulation: nothing is left that could run, so the answer can never come.
    Stalled,
}

/// A message that was not delivered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undelivered {
    /// Path of the actor it was sent to.
    pub actor: String,
    /// Stable name of the behaviour.
    pub behaviour: &'static str,
    /// Where in the source the message was made.
    pub place: &'static Location<'static>,
    /// Why the actor, or that incarnation of it, ended.
    pub reason: StopReason,
}

/// The turn in which something went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inside {
    /// Path of the actor, or `outside` when no turn was running.
    pub actor: String,
    /// Stable name of the behaviour that was running, or `-`.
    pub behaviour: &'static str,
}

/// A panic that was caught at the edge of a turn.
#[derive(Clone, PartialEq, Eq)]
pub struct Panic(Arc<PanicFacts>);

#[derive(PartialEq, Eq)]
struct PanicFacts {
    actor: String,
    behaviour: &'static str,
    message: String,
    place: Option<String>,
}

impl Panic {
    pub(crate) fn new(header: &Header, behaviour: &'static str, caught: cell::Caught) -> Panic {
        Panic::of(
            Inside {
                actor: header.path(),
                behaviour,
            },
            caught,
        )
    }

    pub(crate) fn of(Inside { actor, behaviour }: Inside, caught: cell::Caught) -> Panic {
        Panic(Arc::new(PanicFacts {
            actor,
            behaviour,
            message: caught.message,
            place: caught.place,
        }))
    }

    /// Path of the actor whose turn panicked.
    pub fn actor(&self) -> &str {
        &self.0.actor
    }

    /// Stable name of the behaviour that panicked.
    pub fn behaviour(&self) -> &'static str {
        self.0.behaviour
    }

    /// The panic's message.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Where it happened, `file:line:column`; `None` when the program replaced the panic hook after the system began.
    pub fn place(&self) -> Option<&str> {
        self.0.place.as_deref()
    }
}

impl fmt::Debug for Panic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Panic({self})")
    }
}

impl fmt::Display for Panic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.place().unwrap_or("an unknown place");
        write!(
            f,
            "\"{}\" at {place}, in {} of {}",
            self.message(),
            self.behaviour(),
            self.actor()
        )
    }
}

impl fmt::Display for AskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AskError::Stopped(it) => write!(
                f,
                "{} (asked at {}) was not processed: {} has ended: {}",
                it.behaviour, it.place, it.actor, it.reason
            ),
            AskError::Restarted(it) => write!(
                f,
                "{} (asked at {}) was not processed: {} was started afresh: {}",
                it.behaviour, it.place, it.actor, it.reason
            ),
            AskError::Panicked(panic) => {
                write!(f, "the turn that should have answered panicked: {panic}")
            }
            AskError::TimedOut { after } => write!(f, "no answer came within {after:?}"),
            AskError::InsideTurn(it) => write!(
                f,
                "{} of {} waited for an answer inside its turn, which would hold up a worker: \
                 use `t.ask(…).then(…)`, or return the promise",
                it.behaviour, it.actor
            ),
            AskError::Broken(it) => {
                write!(
                    f,
                    "the answer was given up: its resolver was dropped in {} of {}",
                    it.behaviour, it.actor
                )
            }
            AskError::Cancelled => f.write_str("the message was cancelled before it began"),
            AskError::Stalled => {
                f.write_str("no answer can come: nothing is left to run in the simulation")
            }
        }
    }
}

impl Error for AskError {}

/// A message that could not be sent, with the message in it.
pub struct SendError<M: Message> {
    /// The message, to send elsewhere or take apart.
    pub call: Call<'static, M>,
    /// Path of the actor it was for.
    pub actor: String,
}

impl<M: Message> fmt::Debug for SendError<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SendError")
            .field("behaviour", &M::NAME)
            .field("actor", &self.actor)
            .finish_non_exhaustive()
    }
}

impl<M: Message> fmt::Display for SendError<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} was not sent: {} has ended", M::NAME, self.actor)
    }
}

impl<M: Message> Error for SendError<M> {}

/// Why messages of an actor are refused.
pub(crate) struct Refusal {
    pub(crate) cell: CellRef,
    pub(crate) cause: Cause,
    pub(crate) reason: StopReason,
}

impl Refusal {
    /// What whoever asked is told.
    pub(crate) fn error(
        &self,
        behaviour: &'static str,
        place: &'static Location<'static>,
    ) -> AskError {
        let (actor, reason) = (self.cell.path(), self.reason.clone());
        let undelivered = Arc::new(Undelivered {
            actor,
            behaviour,
            place,
            reason,
        });
        match self.cause {
            Cause::Restarted => AskError::Restarted(undelivered),
            _ => AskError::Stopped(undelivered),
        }
    }
}

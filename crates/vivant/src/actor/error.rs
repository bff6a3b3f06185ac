//! Errors between actors. Domain errors are not here: they are the behaviour's own reply type.

use super::dead_letter::Cause;
use super::header::Header;
use super::next::for_others;
use super::options::Mailbox;
use super::reference::CellRef;
use super::stop::StopReason;
use crate::api::{Call, Message};
use crate::sync::Arc;
use std::cell::Cell;
use std::error::Error;
use std::fmt;
use std::panic::Location;
use std::time::Duration;

/// Why no reply came. Names the actor, the behaviour and the place, so that the error alone says
/// where to look.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AskError {
    /// The actor had ended, or ended before the message was processed.
    Stopped(Arc<Undelivered>),
    /// The actor was restarted before the message was processed, and does not keep its messages
    /// then; see [`Messages::Returned`](crate::Messages::Returned).
    Restarted(Arc<Undelivered>),
    /// The message found the actor's mailbox full, or lost its place in it to a newer one.
    Overloaded(Arc<Overloaded>),
    /// The turn that should have replied panicked.
    Panicked(Panic),
    /// The time limit passed first; the message may have been processed, or may still be.
    TimedOut {
        /// The limit that was set.
        after: Duration,
    },
    /// `.ask()` or `.ask_blocking()` within a turn: waiting there would block the worker.
    InsideTurn(Arc<Inside>),
    /// The resolver was dropped without a reply.
    Broken(Arc<Inside>),
    /// [`AskFuture::cancel`](crate::AskFuture::cancel) withdrew the message before it began.
    Cancelled,
    /// In a simulation: nothing is left that could run, so the reply can never come.
    Stalled,
}

/// A message that was not delivered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undelivered {
    /// Path of the receiver.
    pub actor: String,
    /// Stable name of the behaviour.
    pub behaviour: &'static str,
    /// Where in the source the message was made.
    pub place: &'static Location<'static>,
    /// Why the actor, or that incarnation of it, ended.
    pub reason: StopReason,
}

/// A message for which a mailbox with a bound had no place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overloaded {
    /// Path of the receiver.
    pub actor: String,
    /// Stable name of the behaviour.
    pub behaviour: &'static str,
    /// Where in the source the message was made.
    pub place: &'static Location<'static>,
    /// The mailbox's bound, and the policy by which the message was lost.
    pub mailbox: Mailbox,
}

/// The turn in which the error arose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inside {
    /// Path of the actor, or `outside` when no turn was running.
    pub actor: String,
    /// Stable name of the behaviour that was running, or `-`.
    pub behaviour: &'static str,
}

/// A panic that was caught at the boundary of a turn.
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
    pub(crate) fn new(
        header: &Header,
        behaviour: &'static str,
        caught: crate::actor::catch::Caught,
    ) -> Panic {
        Panic::of(
            Inside {
                actor: header.path(),
                behaviour,
            },
            caught,
        )
    }

    pub(crate) fn of(
        Inside { actor, behaviour }: Inside,
        caught: crate::actor::catch::Caught,
    ) -> Panic {
        Panic(Arc::new(PanicFacts {
            actor,
            behaviour,
            message: caught.message,
            place: caught.place,
        }))
    }

    /// Path of the actor that panicked.
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

    /// Where it happened, `file:line:column`; `None` when the program replaced the panic hook after
    /// the system began.
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
            AskError::Overloaded(it) => write!(
                f,
                "{} (asked at {}) was not processed: the mailbox of {} was full: {}",
                it.behaviour, it.place, it.actor, it.mailbox
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

/// A message that could not be sent, together with that message.
pub struct SendError<M: Message> {
    /// The message, to send elsewhere or take apart.
    pub call: Call<'static, M>,
    /// Path of the receiver.
    pub actor: String,
    /// Why it was not sent.
    pub why: NotSent,
}

/// Why a message was not sent.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotSent {
    /// The actor has ended.
    Ended,
    /// The actor's mailbox is full.
    Full(Mailbox),
    /// [`Call::offer`] within a turn: waiting there would block the worker.
    InsideTurn(Arc<Inside>),
}

impl<M: Message> fmt::Debug for SendError<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SendError")
            .field("behaviour", &M::NAME)
            .field("actor", &self.actor)
            .field("why", &self.why)
            .finish_non_exhaustive()
    }
}

impl<M: Message> fmt::Display for SendError<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (message, actor) = (M::NAME, &self.actor);
        match &self.why {
            NotSent::Ended => write!(f, "{message} was not sent: {actor} has ended"),
            NotSent::Full(mailbox) => {
                write!(
                    f,
                    "{message} was not sent: the mailbox of {actor} is full: {mailbox}"
                )
            }
            NotSent::InsideTurn(it) => write!(
                f,
                "{message} was not sent to {actor}: {} of {} waited for a place inside its turn, which would hold up a \
                 worker: use `t.send(…)` or `.try_send()`",
                it.behaviour, it.actor
            ),
        }
    }
}

impl<M: Message> Error for SendError<M> {}

/// Why a message is refused.
pub(crate) struct Refusal {
    pub(crate) cell: CellRef,
    why: Why,
}

enum Why {
    /// Its actor has ended.
    Ended(StopReason),
    /// Its actor is being restarted, and does not keep its messages then.
    Restarted(StopReason),
    /// There was no place for it in the mailbox.
    Full(Mailbox),
}

/// Limit of nested drops: a message's drop may send another message, to a mailbox that is full as
/// well, and so on. Beyond this depth the content of such a message is leaked instead of dropped.
const DROPS_DEEP_MAX: u32 = 32;

thread_local! {
    /// Number of nested drops of refused messages on this thread.
    static DROPS_DEEP: Cell<u32> = const { Cell::new(0) };
}

impl Refusal {
    /// The actor has ended.
    pub(crate) fn ended(cell: CellRef) -> Refusal {
        let why = Why::Ended(cell.ended().cloned().unwrap_or(StopReason::Stopped));
        Refusal { cell, why }
    }

    /// Its actor is being restarted.
    pub(crate) fn restarted(cell: CellRef, reason: StopReason) -> Refusal {
        let why = Why::Restarted(reason);
        Refusal { cell, why }
    }

    /// The cause under which it is counted.
    pub(crate) fn cause(&self) -> Cause {
        match &self.why {
            Why::Ended(_) => Cause::Ended,
            Why::Restarted(_) => Cause::Restarted,
            Why::Full(Mailbox::DropOldest(_)) => Cause::DroppedOldest,
            Why::Full(Mailbox::DropNewest(_)) => Cause::DroppedNewest,
            Why::Full(Mailbox::Reject(_) | Mailbox::BackPressure) => Cause::Rejected,
        }
    }

    /// The actor's mailbox was full.
    pub(crate) fn full(cell: CellRef) -> Refusal {
        let why = Why::Full(cell.class.mailbox);
        Refusal { cell, why }
    }

    /// The error of its ask.
    pub(crate) fn error(
        &self,
        behaviour: &'static str,
        place: &'static Location<'static>,
    ) -> AskError {
        let actor = self.cell.path();
        let undelivered = |reason: &StopReason| {
            Arc::new(Undelivered {
                actor: actor.clone(),
                behaviour,
                place,
                reason: reason.clone(),
            })
        };
        match &self.why {
            Why::Ended(reason) => AskError::Stopped(undelivered(reason)),
            Why::Restarted(reason) => AskError::Restarted(undelivered(reason)),
            Why::Full(mailbox) => AskError::Overloaded(Arc::new(Overloaded {
                actor,
                behaviour,
                place,
                mailbox: *mailbox,
            })),
        }
    }

    /// Why its actor, or that incarnation of it, ended. A full mailbox is no reason for that.
    pub(crate) fn reason(&self) -> StopReason {
        match &self.why {
            Why::Ended(reason) | Why::Restarted(reason) => reason.clone(),
            Why::Full(_) => StopReason::Stopped,
        }
    }

    /// Drops the message's content: user code.
    pub(crate) fn drop_content<C>(&self, content: C) {
        if !matches!(self.why, Why::Full(_)) {
            return for_others("the drop of a refused message", || drop(content));
        }
        let deep = DROPS_DEEP.get();
        DROPS_DEEP.set(deep + 1);
        for_others("the drop of a message to a full mailbox", || {
            if deep < DROPS_DEEP_MAX {
                return drop(content);
            }
            std::mem::forget(content);
            panic!(
                "the drops of {DROPS_DEEP_MAX} messages to full mailboxes each sent another one: the last is not dropped"
            );
        });
        DROPS_DEEP.set(deep);
    }
}

vivant_heap::leaf!([] AskError);
vivant_heap::leaf!([] Panic);

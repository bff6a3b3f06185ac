//! [`RunState`]: the part of a header that only the holder accesses, and the cold fields of the few
//! actors that need them.

use super::child_news::ChildNews;
use super::class::StateRef;
use super::constraint;
use super::deferred_messages::DeferredMessages;
use super::envelope::{Envelope, Head, KindTable, LinkedPeer};
use super::exclusive_wait::{ExclusiveWait, StopWait};
use super::header::{Ended, Header};
use super::once::SetOnce;
use super::options::Pool;
use super::reference::CellRef;
use super::restored_mark::WaitsAs;
use super::supervised_by::Terms;
use super::worker::Worker;
use crate::failures::StopReason;
use crate::interned::Name;
use crate::message::{Chain, Inbox};
use crate::mute::Pressure;
use crate::phase::PassMark;
use crate::sync::Arc;
use std::ptr;
use vivant_codec::{Encoder, Shape};

/// The owner part: fields that only the holder accesses.
#[repr(C)]
pub(crate) struct RunState {
    /// Cold fields. For the many actors that need none of them they cost one word. They come first,
    /// because a run writes the others (see [`Header`]).
    pub(crate) cold: Option<Box<ColdFields>>,
    /// Messages taken out of the inbox and not yet begun.
    pub(crate) backlog: Chain<Head>,
    /// Number of messages begun or deferred that the pressure still counts.
    pub(crate) uncounted: u32,
    /// Number of counted addresses that were given to the actor itself (C6).
    pub(crate) cached: u32,
    pub(crate) life: Lifecycle,
    pub(crate) mute: Mute,
    /// Whether the guards in `waiting` have to be evaluated.
    pub(crate) guards: Guards,
    /// Whether the next message of the backlog found the inbox empty.
    pub(crate) batch: Batch,
    pub(crate) steps: StepProgress,
    pub(crate) worker_class: WorkerClass,
    /// The pass that the actor has entered last (L2).
    pub(crate) pass: PassMark,
}

/// Worker class: the threads that run the actor (T6).
#[derive(PartialEq, Eq, Clone, Copy, Debug)]
pub(crate) enum WorkerClass {
    Workers,
    /// The actor's type declares that its turns block.
    Blocking,
    /// As `Workers`, but the last run had a turn over the limit, so the next run is measured.
    Candidate,
    /// The actor computed for longer than the limit in its last run.
    Slow,
}

impl WorkerClass {
    #[inline]
    pub(crate) fn is_for_workers(self) -> bool {
        matches!(self, WorkerClass::Workers | WorkerClass::Candidate)
    }

    pub(crate) fn of(pool: Pool) -> WorkerClass {
        match pool {
            Pool::Workers => WorkerClass::Workers,
            Pool::Blocking => WorkerClass::Blocking,
        }
    }
}

impl RunState {
    pub(super) fn new(
        cold: Option<Box<ColdFields>>,
        life: Lifecycle,
        pool: Pool,
        pass: PassMark,
    ) -> RunState {
        RunState {
            cold,
            backlog: Chain::new(),
            uncounted: 0,
            cached: 0,
            life,
            mute: Mute::Free,
            guards: Guards::None,
            batch: Batch::Begun,
            steps: StepProgress::None,
            worker_class: WorkerClass::of(pool),
            pass,
        }
    }

    pub(crate) fn cold(&mut self) -> &mut ColdFields {
        self.cold.get_or_insert_default()
    }

    pub(crate) fn child(&self) -> Option<&SupervisedBy> {
        self.cold.as_ref()?.child.as_ref()
    }

    /// Whether its last state is to be loaded.
    pub(crate) fn awaits_last_state(&self) -> bool {
        let cold = self.cold.as_ref();
        cold.is_some_and(|cold| matches!(cold.next_state, NextState::Last(_)))
    }

    /// Why an actor ends that has got the signal `STOP`.
    pub(crate) fn stopped_by(&self) -> StopReason {
        let of_tree = self.child().and_then(|child| child.end.get());
        of_tree.map_or(StopReason::Stopped, |end| end.reason.clone())
    }

    /// Returns true if messages are deferred by their guards.
    pub(crate) fn has_deferred(&self) -> bool {
        let cold = self.cold.as_ref();
        cold.is_some_and(|cold| cold.deferred.count() > 0)
    }

    /// Returns true if synchronizers constrain its messages.
    #[inline]
    pub(crate) fn is_constrained(&self) -> bool {
        let cold = self.cold.as_ref();
        cold.is_some_and(|cold| cold.constrained.is_some())
    }

    /// The ranks that its messages have from an image.
    pub(crate) fn restored_ranks(&self) -> Arc<[u64]> {
        let constrained = self.cold.as_ref().and_then(|it| it.constrained.as_ref());
        constrained.map_or_else(Arc::default, |it| it.restored.ranks.clone())
    }

    /// What a message waits as that synchronizers have not looked at in this life of the system.
    pub(crate) fn restored_as(&self, message: &Envelope) -> WaitsAs {
        message.restored_mark().waits_as(&self.restored_ranks())
    }

    /// These patterns constrain its messages, from here on.
    pub(crate) fn constrain(&mut self, patterns: Vec<Pattern>) {
        let cold = self.cold();
        let constrained = cold.constrained.get_or_insert_default();
        constrained.patterns.extend(patterns);
        let kinds = constrained.patterns.iter().map(|pattern| pattern.is_of);
        cold.deferred.constrain(kinds.collect());
        if self.guards == Guards::None {
            self.guards = Guards::Closed;
        }
    }

    /// No message is deferred.
    #[inline]
    pub(crate) fn nothing_deferred(&mut self) {
        self.guards = match self.is_constrained() {
            true => Guards::Closed,
            false => Guards::None,
        };
    }

    /// A deferred message is to be looked at before the next message of the mailbox.
    pub(crate) fn look_at_deferred(&mut self) {
        if matches!(self.guards, Guards::None | Guards::Closed) {
            self.guards = Guards::Partly;
        }
    }

    /// Moves the messages of the inbox behind the backlog.
    #[inline]
    pub(crate) fn refill(&mut self, inbox: &Inbox<Head>, pressure: &Pressure) {
        let taken = inbox.take();
        if !taken.is_empty() {
            self.expect_batch(pressure);
            self.backlog.append(taken);
        }
    }

    /// Called before messages are appended to the backlog. The first of them found the inbox empty,
    /// so it was not counted when it was sent.
    pub(crate) fn expect_batch(&mut self, pressure: &Pressure) {
        if self.backlog.is_empty() {
            self.batch = Batch::Fresh;
        } else {
            // This message waits behind others, so it counts.
            pressure.add();
        }
    }
}

#[derive(PartialEq, Eq, Clone, Copy)]
pub(crate) enum Lifecycle {
    Running,
    /// Its stop hook has run, and the actor waits for the hook's promise. Processes continuations.
    Stopping,
    /// Supervised, and without a state until the supervisor starts it. Processes no messages.
    Down,
    Ended,
}

#[derive(PartialEq, Eq, Clone, Copy)]
pub(crate) enum Mute {
    Free,
    /// The actor has sent to an overloaded actor. It processes no messages until the unmute signal.
    Muted,
    /// A transaction of a synchronizer has its hold. It processes no messages until that has
    /// committed or is aborted (`constraints/README.md`).
    Held,
}

/// What the next incarnation of a supervised actor begins with, while it is down.
#[derive(Default)]
pub(crate) enum NextState {
    /// What its start function makes.
    #[default]
    Start,
    /// Its last state, which is to be loaded. Then its run ends, and what loads the state holds it.
    /// The name is that of the behaviour in which it has failed.
    Last(
        #[cfg_attr(
            not(feature = "snapshots"),
            allow(dead_code, reason = "without snapshots there is no image")
        )]
        Option<Name>,
    ),
    /// Its last state, which is in the cell. The promises that it had open are to be broken when
    /// the incarnation begins.
    Loaded(Box<dyn FnOnce() + Send>),
}

/// Whether a behaviour has a next step.
#[derive(PartialEq, Eq, Clone, Copy)]
pub(crate) enum StepProgress {
    None,
    Pending,
}

/// See `mute::Pressure`: the first message of a batch was not counted when it was sent.
#[derive(PartialEq, Eq, Clone, Copy)]
pub(crate) enum Batch {
    Fresh,
    Begun,
}

/// Whether messages are deferred, and whether their guards have to be evaluated.
#[derive(PartialEq, Eq, Clone, Copy)]
pub(crate) enum Guards {
    /// No message is deferred, and no synchronizer constrains any.
    None,
    /// All guards were evaluated since the state last changed, and all are false.
    Closed,
    /// Some guards were evaluated since the state last changed.
    Partly,
    /// The state may have changed since the last evaluation.
    Stale,
    /// Guards are being evaluated. If this is the value after a panic, a guard has panicked.
    Evaluating,
    /// An exclusive wait is open: every message counts as one with a false guard (E1).
    Held,
}

impl Guards {
    /// Returns true if a guard may not have been evaluated since the state last changed.
    #[inline]
    pub(crate) fn need_evaluation(self) -> bool {
        !matches!(self, Guards::None | Guards::Closed | Guards::Held)
    }

    /// Returns the state after a turn, which may have changed what guards read.
    #[inline]
    pub(crate) fn after_turn(self) -> Guards {
        match self {
            Guards::None => Guards::None,
            Guards::Held => Guards::Held,
            _ => Guards::Stale,
        }
    }
}

/// What an actor knows of the synchronizers that constrain it.
pub(crate) type Constrained = constraint::Constrained<Envelope, KindTable>;

/// A pattern of a synchronizer.
pub(crate) type Pattern = constraint::Pattern<Envelope, KindTable>;

/// Accessed by the holder alone.
#[derive(Default)]
pub(crate) struct ColdFields {
    /// Messages deferred by their guards, by an exclusive wait, or by a synchronizer.
    pub(crate) deferred: DeferredMessages,
    /// The open exclusive waits. While there are any, `guards` is `Held` (E1).
    pub(crate) waits: Vec<ExclusiveWait>,
    /// The numbers of deferred requests that are to be examined for wait cycles again (W3).
    pub(crate) open_requests: Vec<u64>,
    /// What follows the wait for the stop hook.
    pub(crate) stop: Option<StopWait>,
    /// What synchronizers constrain. While it is set, `guards` is never `None`.
    pub(crate) constrained: Option<Box<Constrained>>,
    /// The next step of a behaviour.
    pub(crate) step: Option<Envelope>,
    /// The supervisor that starts it again.
    pub(crate) child: Option<SupervisedBy>,
    /// What its next incarnation begins with.
    pub(crate) next_state: NextState,
    /// Requests of a watch. The end of the actor resolves their promises.
    pub(crate) watches: Vec<Envelope>,
    /// Its role as owner of the counted objects that it made. Taken out while a worker holds the
    /// actor: that worker is then the owner.
    pub(crate) counts: Option<vivant_brc::Owner>,
    /// Linked actors, which fail when it fails.
    pub(crate) linked: Vec<LinkedPeer>,
    /// Number of turns that had ended when a group mark last visited the heap between two runs.
    pub(crate) visited_at: Option<u64>,
}

impl ColdFields {
    pub(crate) fn of_child(child: SupervisedBy) -> Box<ColdFields> {
        Box::new(ColdFields {
            child: Some(child),
            ..ColdFields::default()
        })
    }

    pub(crate) fn unlink(&mut self, peer: &Header) {
        self.linked
            .retain(|link| !ptr::eq(&raw const *link.peer, peer));
    }

    /// Takes out this link, if it is not gone.
    pub(crate) fn take_link(&mut self, gone: &LinkedPeer) -> Option<LinkedPeer> {
        let mut linked = self.linked.iter();
        // The number is that of one of two systems.
        let is_gone = |link: &LinkedPeer| {
            link.number == gone.number && ptr::eq(&raw const *link.peer, &raw const *gone.peer)
        };
        let at = linked.position(is_gone)?;
        Some(self.linked.swap_remove(at))
    }
}

/// Why a tree ends: set by the supervisor before its child gets the signal `STOP`. It is not set if
/// the end was ordered. The phase is that of the supervisor.
pub(crate) type TreeEnd = Arc<SetOnce<Ended>>;

/// What an actor knows of its supervisor.
pub(crate) struct SupervisedBy {
    /// A weak reference: the supervisor holds its children.
    pub(crate) supervisor: CellRef,
    /// Makes the message with the news of the child of this number.
    pub(crate) news: fn(u64, ChildNews) -> Envelope,
    pub(crate) begin: Box<dyn Begin>,
    pub(crate) terms: Terms,
    pub(crate) end: TreeEnd,
}

/// Makes a state, any number of times.
pub(crate) trait Begin: Send {
    fn begin(&self, state: &mut StateRef<'_>, worker: &Worker);

    /// The start as data. `None`: a closure, or arguments that are not saved.
    fn saved(&self) -> Option<&dyn NamedStart>;
}

/// A start that a supervisor keeps, as data: its name and its arguments.
pub trait NamedStart {
    /// Stable name.
    fn name(&self) -> &str;

    /// The shape of the arguments.
    fn shape(&self) -> &'static Shape;

    /// Appends the arguments.
    fn save_args(&self, out: &mut Encoder<'_>);
}

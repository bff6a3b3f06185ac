//! The public messages of a supervisor, and the type that its address derefs to.

use super::Supervision;
use super::child::Child;
use super::child::{Beginner, LifecycleSpec, Start};
use super::child_plan::{ChildId, ChildState};
use super::plan::{Plan, StateTimer};
use super::supervisor::{ChildKind, SupervisedChild, Supervisor};
use crate::actor::ChildNews;
use crate::actor::{
    AddressRef, Begin as BeginState, CellRef, Delivery, Envelope, Signals, SupervisedBy,
};
use crate::actor::{SetOnce, Terms, TreeEnd};
use crate::api::{
    Actor, Address, Behaviour, Call, Handle, Link, Message, Resolver, Target, Turn, own,
};
use crate::api::{birth, birth_of_child};
use crate::failures::StopReason;
use crate::saving::{Codec, SavedState};
use crate::services::SUPERVISOR;
use crate::sync::Arc;
use std::fmt;
use std::marker::PhantomData;

/// The type that an address of a [`Supervisor`] derefs to.
pub struct SupervisorHandle(Link<Supervisor>);

/// The error of a tree that is not up, and will not be: its supervisor gave up, or is ending.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TreeFailed {
    /// Path of the supervisor.
    pub supervisor: String,
    /// The reason; [`StopReason::Stopped`] if it was ordered to end.
    pub reason: StopReason,
}

impl fmt::Display for TreeFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TreeFailed { supervisor, reason } = self;
        write!(f, "the tree of {supervisor} is not up: {reason}")
    }
}

impl std::error::Error for TreeFailed {}

/// What a supervisor knows of a child.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChildFacts {
    /// Path of the child.
    pub actor: String,
    /// Its state.
    pub state: ChildState,
    /// Number of times that it was restarted.
    pub restarts: u32,
    /// Why it last went down.
    pub last_failure: Option<StopReason>,
}

/// What can be added to a supervisor: a [`Child`], or the rules of another supervisor.
pub trait Supervised: sealed::Sealed {
    /// The actor type of the address that [`add`](SupervisorHandle::add) returns.
    type Actor: Actor;

    #[doc(hidden)]
    fn spawn_below(self, parent: &Link<Supervisor>) -> Address<Self::Actor>;
}

mod sealed {
    pub trait Sealed {}
}

impl<A: Actor, S: Start<A>> sealed::Sealed for Child<A, S> {}
impl sealed::Sealed for Supervision {}

impl<A: Actor, S: Start<A>> Supervised for Child<A, S> {
    type Actor = A;

    fn spawn_below(self, parent: &Link<Supervisor>) -> Address<A> {
        let (terms, lifecycle) = (self.terms, self.lifecycle);
        let end = Arc::new(SetOnce::new());
        let begin = Box::new(Beginner(self.start, PhantomData));
        let record = supervised_by(parent.to.cell(), begin, terms, end.clone());
        let address = birth_of_child::<A>(&parent.to.system, record);
        NewChild::new(
            address.clone(),
            ChildKind::Leaf(lifecycle.ending),
            end,
            terms,
            lifecycle,
        )
        .send_to(&parent.to);
        Address::to_actor(address)
    }
}

/// What a child knows of its supervisor.
pub(crate) fn supervised_by(
    supervisor: CellRef,
    begin: Box<dyn BeginState>,
    terms: Terms,
    end: TreeEnd,
) -> SupervisedBy {
    SupervisedBy {
        supervisor,
        news: news_of,
        begin,
        terms,
        end,
    }
}

/// The message with news of a child for its supervisor.
pub(crate) fn news_of(child: u64, news: ChildNews) -> Envelope {
    own::<ReportNews>((child, news))
}

impl Supervised for Supervision {
    type Actor = Supervisor;

    fn spawn_below(self, parent: &Link<Supervisor>) -> Address<Supervisor> {
        let (rules, terms, lifecycle) = self.into_parts();
        let end = Arc::new(SetOnce::new());
        let branch = Supervisor::new(rules, Some((parent.to.cell(), end.clone())));
        let address = birth::<Supervisor>(&parent.to.system, Some(branch));
        NewChild::new(address.clone(), ChildKind::Branch, end, terms, lifecycle)
            .send_to(&parent.to);
        Address::to_actor(address)
    }
}

impl SupervisorHandle {
    /// Adds a child, behind all others, and returns its address at once: messages to it wait until
    /// it is up. If the supervisor has ended, the child ends too.
    ///
    /// Within a turn the child's path is below that turn's actor; elsewhere it begins anew.
    pub fn add<C: Supervised>(&self, child: C) -> Address<C::Actor> {
        child.spawn_below(&self.0)
    }

    /// Returns its children and their states, in the order in which they were added.
    #[track_caller]
    pub fn children(&self) -> Call<'_, Children> {
        Call::new(&self.0, ())
    }

    /// Answers when every child is up, or with an error if that will not happen. It waits for a
    /// child that is overdue, and that child's turn may never end: set a limit,
    /// `settled().ask().within(…)`.
    #[track_caller]
    pub fn settled(&self) -> Call<'_, AreSettled> {
        Call::new(&self.0, ())
    }

    /// Ends the children, the last first, each when the one after it has ended or its time has
    /// passed, and then the supervisor. Answers when that is done.
    #[track_caller]
    pub fn shut_down(&self) -> Call<'_, ShutDown> {
        Call::new(&self.0, ())
    }
}

impl Target for Supervisor {
    type Handle = SupervisorHandle;
    type Table = ();
    const NAME: &'static str = SUPERVISOR;
}

impl Handle for SupervisorHandle {
    type Target = Supervisor;
    fn from_link(link: Link<Supervisor>) -> Self {
        SupervisorHandle(link)
    }
    fn link(&self) -> &Link<Supervisor> {
        &self.0
    }
}

impl fmt::Debug for SupervisorHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A child on its way to its supervisor. If it never gets there it ends.
pub(super) struct NewChild(pub(super) Option<(SupervisedChild, Terms, LifecycleSpec)>);

impl NewChild {
    fn new(
        address: AddressRef,
        kind: ChildKind,
        end: TreeEnd,
        terms: Terms,
        lifecycle: LifecycleSpec,
    ) -> NewChild {
        let member = SupervisedChild {
            address,
            kind,
            end,
            starts: 0,
            last_failure: None,
            timer: None,
        };
        NewChild(Some((member, terms, lifecycle)))
    }

    fn send_to(self, parent: &AddressRef) {
        Delivery {
            to: parent.clone(),
            envelope: own::<Adopt>((self,)),
        }
        .deliver();
    }
}

impl Drop for NewChild {
    fn drop(&mut self) {
        if let Some((member, ..)) = &self.0 {
            member.address.cell().signal(Signals::STOP);
        }
    }
}

/// Defines a message of supervisors.
macro_rules! message {
    ($(#[$doc:meta])* $vis:vis $name:ident($($arg:ident: $type:ty),*) -> $reply:ty = $text:literal,
     |$state:ident, $turn:ident, $resolver:ident| $body:expr) => {
        $(#[$doc])*
        #[derive(Debug)]
        $vis struct $name(());

        impl Message for $name {
            type Args = ($($type,)*);
            type Reply = $reply;
            const NAME: &'static str = concat!("vivant::Supervisor::", $text);
        }

        impl Behaviour for $name {
            type Actor = Supervisor;
            const CODEC: Option<Codec<Self::Args>> = Codec::of::<SavedState>();
            const REPLY_CODEC: Option<Codec<$reply>> = Codec::of::<SavedState>();
            fn run(
                $state: &mut Supervisor,
                $turn: &Turn<'_, Supervisor>,
                ($($arg,)*): Self::Args,
                $resolver: Resolver<$reply>,
            ) {
                $body;
            }
        }
    };
}

message! {
    /// The message of [`SupervisorHandle::children`].
    pub Children() -> Vec<ChildFacts> = "children", |state, _turn, resolver| {
        let facts = |(member, is): (&SupervisedChild, ChildState)| ChildFacts {
            actor: member.address.path(),
            state: is,
            restarts: member.starts.saturating_sub(1),
            last_failure: member.last_failure.clone(),
        };
        resolver.resolve(state.facts().map(facts).collect())
    }
}
message! {
    /// The message of [`SupervisorHandle::settled`].
    pub AreSettled() -> Result<(), TreeFailed> = "settled", |state, _turn, resolver| {
        state.wait_until_settled(resolver)
    }
}
message! {
    /// The message of [`SupervisorHandle::shut_down`].
    pub ShutDown() -> () = "shut_down", |state, turn, resolver| {
        state.wait_until_ended(resolver);
        state.apply(turn, Plan::shut_down)
    }
}
message! {
    /// The news of a child.
    pub(super) ReportNews(child: ChildId, news: ChildNews) -> () = "hear", |state, turn, _resolver| {
        state.handle_news(turn, child, news)
    }
}
message! {
    /// Adds a child.
    pub(super) Adopt(new_child: NewChild) -> () = "adopt", |state, turn, _resolver| {
        let mut new_child = new_child;
        if let Some((member, terms, lifecycle)) = new_child.0.take() {
            state.adopt(turn, member, (terms, lifecycle));
        }
    }
}
message! {
    /// The supervisor of this branch starts it.
    pub(super) Begin() -> () = "begin", |state, turn, _resolver| state.begin(turn)
}
message! {
    /// The supervisor of this branch takes it down.
    pub(super) Retire() -> () = "retire", |state, turn, _resolver| {
        state.apply(turn, Plan::retire)
    }
}
message! {
    /// A delay is over, or a child is late.
    pub(super) TimerFired(timer: StateTimer) -> () = "ring", |state, turn, _resolver| state.timer_fired(turn, timer)
}

//! The actor of a probe, by hand: it has a behaviour for each message type of the program.

use super::inbox::Inbox;
use super::received::Received;
use crate::api::{
    Actor, Behaviour, Continuation, Entry, Handle, InlineState, Link, Message, Resolver, Target,
    Turn,
};
use crate::saving::NotSaved;
use crate::services::PROBE;
use crate::sync::Arc;
use std::fmt;
use std::marker::PhantomData;

/// The actor behind a [`Probe`](crate::Probe). `#[interface]` makes it an implementor of each
/// interface.
pub struct ProbeActor {
    inbox: Arc<Inbox>,
}

impl ProbeActor {
    pub(super) fn new(inbox: Arc<Inbox>) -> ProbeActor {
        ProbeActor { inbox }
    }
}

impl fmt::Debug for ProbeActor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ProbeActor")
    }
}

impl Actor for ProbeActor {
    type State<'gc> = ProbeActor;
    type Storage = InlineState;
    type SaveKind = NotSaved;
}

impl Target for ProbeActor {
    type Handle = ProbeHandle;
    type Table = ();
    const NAME: &'static str = PROBE;
}

/// The handle of a [`ProbeActor`]. It has no messages of its own.
#[derive(Clone, Debug)]
pub struct ProbeHandle(Link<ProbeActor>);

impl Handle for ProbeHandle {
    type Target = ProbeActor;
    fn from_link(link: Link<ProbeActor>) -> ProbeHandle {
        ProbeHandle(link)
    }
    fn link(&self) -> &Link<ProbeActor> {
        &self.0
    }
}

/// The message `M` of an interface, as a probe takes it.
struct Probed<M>(PhantomData<M>);

impl<M: Message> Message for Probed<M> {
    type Args = M::Args;
    type Reply = M::Reply;
    const NAME: &'static str = M::NAME;

    fn fmt_args(args: &M::Args, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        M::fmt_args(args, f)
    }
}

impl<M: Message> Behaviour for Probed<M> {
    type Actor = ProbeActor;

    fn run(
        probe: &mut ProbeActor,
        _: &Turn<'_, ProbeActor>,
        args: M::Args,
        resolver: Resolver<M::Reply>,
    ) {
        let received = Received::<M>::new(args, resolver);
        probe.inbox.push(received.erased());
    }
}

/// For `#[interface]`: the row of a probe's table.
pub const fn probed<M: Message>() -> Entry<M> {
    Entry::of::<Probed<M>>()
}

/// A value for a probe, as a message and as a continuation: see
/// [`Probe::expect_value`](crate::Probe::expect_value).
#[derive(Debug)]
pub struct ProbeValue<T>(PhantomData<T>);

impl<T: fmt::Debug + Send + 'static> Message for ProbeValue<T> {
    type Args = (T,);
    type Reply = ();
    const NAME: &'static str = "a value";

    fn fmt_args((value,): &(T,), f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, ": {value:?}")
    }
}

impl<T: fmt::Debug + Send + 'static> Behaviour for ProbeValue<T> {
    type Actor = ProbeActor;

    fn run(probe: &mut ProbeActor, _: &Turn<'_, ProbeActor>, args: (T,), resolver: Resolver<()>) {
        let received = Received::<ProbeValue<T>>::new(args, resolver);
        probe.inbox.push(received.erased());
    }
}

impl<T: fmt::Debug + Send + 'static> Continuation for ProbeValue<T> {
    type Hole = T;
    type Rest = ();

    fn fill(hole: T, (): ()) -> (T,) {
        (hole,)
    }
}

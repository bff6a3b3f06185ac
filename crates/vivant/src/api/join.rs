//! Joins: behaviours that take several messages together.

use super::actor::Actor;
use super::behaviour::Behaviour;
use super::call::Sent;
use super::promise::{Resolver, Withdrawal};
use super::turn::Turn;
use crate::actor::{
    Combination, Envelope, GuardOutcome, JOIN_MAX, JoinGuard, JoinTable, JoinedMessage, KindTable,
    MessageKind, Next, Processed, Refusal, StateRef, Worker,
};
use crate::interned::Place;
use crate::message::MessageRole;
use std::any::TypeId;
use std::fmt;
use std::marker::PhantomData;

/// A behaviour that takes one message of each of several kinds together, as soon as one of each
/// waits. `#[behaviours]` writes it for a method with `#[join(…)]`.
///
/// Its messages have no turns of their own: each names the joins that take it in
/// [`Behaviour::JOINS`].
///
/// By hand:
///
/// ```
/// use vivant::prelude::*;
/// use vivant::{Behaviour, Call, Handle, Join, JoinTable, JoinedMessage, Matched, Message};
///
/// #[derive(Actor)]
/// pub struct Buffer { passed: u64 }
///
/// pub struct Put;                     // `#[behaviours]` names it `buffer::Put<Buffer>`
/// pub struct Get;
/// pub struct HandOver;
///
/// impl Message for Put { type Args = (u64,); type Reply = (); const NAME: &'static str = "put"; }
/// impl Message for Get { type Args = (); type Reply = u64; const NAME: &'static str = "get"; }
/// impl Behaviour for Put {
///     type Actor = Buffer;
///     const JOINS: &'static [&'static JoinTable] = &[&<HandOver as Join>::TABLE];
///     fn run(_: &mut Buffer, _: &Turn<'_, Buffer>, _: (u64,), resolver: Resolver<()>) {
///         drop(resolver);             // never called: its joins take it
///     }
/// }
/// impl Behaviour for Get {
///     type Actor = Buffer;
///     const JOINS: &'static [&'static JoinTable] = &[&<HandOver as Join>::TABLE];
///     fn run(_: &mut Buffer, _: &Turn<'_, Buffer>, _: (), resolver: Resolver<u64>) {
///         drop(resolver);
///     }
/// }
/// impl Join for HandOver {
///     type Actor = Buffer;
///     const NAME: &'static str = "hand_over";
///     const MESSAGES: &'static [JoinedMessage] =
///         &[JoinedMessage::of::<Put>(), JoinedMessage::of::<Get>()];
///     fn run(state: &mut Buffer, _: &Turn<'_, Buffer>, mut matched: Matched) {
///         let ((item,), put) = matched.take::<Put>(0);
///         let ((), get) = matched.take::<Get>(1);
///         state.passed += 1;
///         put.resolve(());
///         get.resolve(item);
///     }
/// }
/// impl BufferHandle {
///     pub fn put(&self, item: u64) -> Call<'_, Put> { Call::new(self.link(), (item,)) }
///     pub fn get(&self) -> Call<'_, Get> { Call::new(self.link(), ()) }
/// }
///
/// # fn main() -> Result<(), AskError> {
/// let system = System::new();
/// let buffer = system.spawn(Buffer { passed: 0 });
/// buffer.put(7).send();
/// assert_eq!(buffer.get().ask_blocking()?, 7);
/// # Ok(()) }
/// ```
pub trait Join: Sized + 'static {
    /// The actor type that processes it.
    type Actor: Actor;

    /// Stable name, such as `shop::Buffer::hand_over`: it appears in errors, reports and traces.
    const NAME: &'static str;

    /// The messages that it takes, two to eight of different kinds.
    const MESSAGES: &'static [JoinedMessage];

    /// What [`ready`](Join::ready) reads.
    const GUARD: JoinGuard = JoinGuard::None;

    /// Its position among the joins of its actor. If one message makes combinations of two joins
    /// complete, that with the lower position runs.
    const POSITION: usize = 0;

    /// The table that its messages name.
    const TABLE: JoinTable = JoinTable {
        kind: &<Joined<Self> as MessageKind>::KIND,
        messages: {
            assert!(
                Self::MESSAGES.len() > 1 && Self::MESSAGES.len() <= JOIN_MAX,
                "a join takes two to eight messages"
            );
            Self::MESSAGES
        },
        order: Self::POSITION,
        guard: Self::GUARD,
        ready: ready::<Self>,
        turn: |combination| Envelope::new::<Joined<Self>>(combination, Place::caller()),
    };

    /// The guard (T8): a combination of messages with a false guard waits. It may read the state
    /// and the arguments, nothing else.
    fn ready(state: &<Self::Actor as Actor>::State<'_>, waiting: &Waiting<'_>) -> bool {
        let _ = (state, waiting);
        true
    }

    /// The turn. Replies to each message through its resolver, now or later.
    fn run<'gc>(
        state: &mut <Self::Actor as Actor>::State<'gc>,
        turn: &Turn<'gc, Self::Actor>,
        matched: Matched,
    );
}

fn ready<J: Join>(messages: &[&Envelope], state: &mut StateRef<'_>) -> bool {
    let waiting = Waiting(messages);
    state
        .look::<J::Actor, _>(|state| J::ready(state, &waiting))
        .unwrap_or(true)
}

impl JoinedMessage {
    /// The message `B`.
    pub const fn of<B: Behaviour>() -> JoinedMessage {
        JoinedMessage {
            id: TypeId::of::<Sent<B>>,
            is_withdrawn: |envelope| {
                let content = envelope.content::<Sent<B>>();
                content.is_some_and(|(_, resolver)| resolver.is_withdrawn())
            },
            begin: |envelope| {
                let content = envelope.content::<Sent<B>>();
                content.is_some_and(|(_, resolver)| resolver.begin() == Withdrawal::Yes)
            },
        }
    }
}

/// The messages of a combination, as the guard of a join sees them.
pub struct Waiting<'m>(&'m [&'m Envelope]);

impl<'m> Waiting<'m> {
    /// The arguments of the message at this position of the join.
    ///
    /// # Panics
    ///
    /// If the message there is not `B`.
    pub fn args<B: Behaviour>(&self, position: usize) -> &'m B::Args {
        let message = self.0.get(position);
        match message.and_then(|message| message.content::<Sent<B>>()) {
            Some((args, _)) => args,
            None => no_such_message::<B>(position),
        }
    }
}

impl fmt::Debug for Waiting<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.0.iter().map(|message| message.kind().name);
        f.debug_list().entries(names).finish()
    }
}

/// The messages that a join takes. Dropping one breaks the promise of its reply.
pub struct Matched(Combination);

impl Matched {
    /// Takes out the message at this position of the join: its arguments, and the right to reply.
    ///
    /// # Panics
    ///
    /// If the message there is not `B`, or was taken already.
    pub fn take<B: Behaviour>(&mut self, position: usize) -> (B::Args, Resolver<B::Reply>) {
        let message = self.0.messages.get_mut(position).and_then(Option::take);
        match message.map(Envelope::open::<Sent<B>>) {
            Some(Ok(content)) => {
                #[cfg(test)]
                if position == 0 {
                    again::<B>(&content.0);
                }
                content
            }
            Some(Err(_)) | None => no_such_message::<B>(position),
        }
    }
}

impl fmt::Debug for Matched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Matched({})", self.0.join.kind.name)
    }
}

/// An injected fault: sends the message once more.
#[cfg(test)]
fn again<B: Behaviour>(args: &B::Args) {
    use crate::actor::To;
    use crate::injected_fault::{InjectedFault, is_planted};
    use std::any::Any;
    if !is_planted(InjectedFault::JoinedTwice) {
        return;
    }
    let args = (args as &dyn Any).downcast_ref::<(usize, u64)>();
    let copy = args.map(|args| Box::new(*args) as Box<dyn Any>);
    let copy = copy.and_then(|copy| copy.downcast::<B::Args>().ok());
    if let (Some(args), Some(me)) = (copy, Worker::with_current(Worker::me_if_any).flatten()) {
        let envelope = super::call::envelope::<B>(*args, Resolver::discarding(), Place::caller());
        crate::actor::post_or_bury(To::Owned(me), envelope);
    }
}

#[cold]
fn no_such_message<B: Behaviour>(position: usize) -> ! {
    panic!("the message {position} of this join is not `{}`", B::NAME)
}

/// The turn of a join.
struct Joined<J>(PhantomData<J>);

impl<J: Join> MessageKind for Joined<J> {
    type Content = Combination;
    const KIND: KindTable = KindTable::new::<Self>(J::NAME, MessageRole::Turn);

    /// The guard was evaluated when the messages were taken. If it panicked, it is evaluated here
    /// for the same panic in a turn.
    fn ready(combination: &Combination, state: &mut StateRef<'_>) -> bool {
        if combination.guard == GuardOutcome::Panicked {
            let mut messages = combination.messages.iter().flatten();
            if let Some(first) = messages.next() {
                let mut all = [first; JOIN_MAX];
                for (place, message) in all.iter_mut().skip(1).zip(messages) {
                    *place = message;
                }
                let _value = ready::<J>(&all[..combination.join.messages.len()], state);
            }
        }
        true
    }

    fn run(combination: Combination, state: &mut StateRef<'_>, worker: &Worker) -> Processed {
        let _none = state.turn::<J::Actor, _>(worker, |state, turn| {
            J::run(state, turn, Matched(combination));
        });
        Processed::Done
    }

    /// A turn is made when it begins, so none is ever refused. The messages are dropped, which
    /// breaks their promises.
    fn refuse(combination: Combination, _: &Refusal, _: Place) -> Next {
        drop(combination);
        Next::Nothing
    }
}

//! Promise pipelining: messages to the address that a promise will bring.

use super::receiver::Receiver;
use super::sink::{Continue, SinkLink};
use super::sink_data::{SinkData, SinkKind};
use super::token::made;
use super::{Promise, Resolver, given_up};
use crate::actor::{
    AskError, CellRef, Next, Observation, Source, Table, note_unresolved, observed,
};
use crate::api::actor::Actor;
use crate::api::address::Address;
use crate::api::behaviour::Message;
use crate::api::call::Call;
use crate::api::link::Target;
use crate::api::turn::Turn;
use crate::interned::{Name, Place};
use crate::sync::{Arc, Mutex, lock};
use std::fmt;
use vivant_heap::__private::drop_by_trampoline;

/// An actor that a promise will bring ([`Turn::pipeline`]). Messages may be sent to it already:
/// they travel, in the order of sending, when the address is here.
///
/// May be kept in a state and used in later turns. If the promise is broken, the asks fail with its
/// error, and the messages are dead letters ([`Cause::Unresolved`](crate::Cause::Unresolved)); so
/// are those that are sent afterwards. Messages that wait are in memory of this actor, without a
/// bound.
///
/// ```
/// use vivant::prelude::*;
///
/// #[derive(Actor)] struct Room { said: Vec<String> }
/// #[behaviours] impl Room {
///     fn say(&mut self, text: String) { self.said.push(text); }
///     fn said(&self) -> Vec<String> { self.said.clone() }
/// }
///
/// #[derive(Actor)] struct House;
/// #[behaviours] impl House {
///     fn open(&self, t: &Turn<Self>) -> Address<Room> { t.spawn_actor(Room { said: vec![] }) }
/// }
///
/// #[derive(Actor)] struct Guest { house: Address<House> }
/// #[behaviours] impl Guest {
///     fn visit(&self, t: &Turn<Self>) -> Promise<Vec<String>> {
///         let room = t.pipeline(t.ask(self.house.open()));
///         room.send(|room| room.say("hello".into()));      // the room does not exist yet
///         room.ask(t, |room| room.said())
///     }
/// }
///
/// # fn main() -> Result<(), AskError> {
/// let system = System::new();
/// let guest = system.spawn(Guest { house: system.spawn(House) });
/// assert_eq!(guest.visit().ask_blocking()?, ["hello"]);
/// # Ok(()) }
/// ```
pub struct Pipeline<B: ?Sized + Target> {
    messages: Arc<Mutex<Messages<B>>>,
}

enum Messages<B: ?Sized + Target> {
    /// For the address, in the order of sending.
    Wait(Vec<Box<dyn Waiting<B>>>),
    /// The address is here.
    Go(Address<B>),
    /// It will not come. With the actor that had the promise.
    Break(AskError, CellRef),
}

/// A message of any type that waits.
trait Waiting<B: ?Sized + Target>: Send {
    /// It gets the address, or what says why there is none.
    fn send(self: Box<Self>, address: Result<&Address<B>, (&AskError, &CellRef)>) -> Next;

    /// Its behaviour, and what gets its reply.
    fn data(&self) -> (Name, Receiver);
}

/// A message that waits: the user's closure makes it, of the address.
struct WaitingMessage<M: Message, F> {
    call: F,
    resolver: Resolver<M::Reply>,
    place: Place,
}

impl<B, M, F> Waiting<B> for WaitingMessage<M, F>
where
    B: ?Sized + Target<Handle: Send>,
    M: Message,
    F: for<'h> FnOnce(&'h B::Handle) -> Call<'h, M> + Send,
{
    fn send(self: Box<Self>, address: Result<&Address<B>, (&AskError, &CellRef)>) -> Next {
        let WaitingMessage {
            call,
            resolver,
            place,
        } = *self;
        match address {
            Ok(address) => made(|| call(address), resolver),
            Err((error, owner)) => {
                note_unresolved(owner, Name::new(M::NAME), place);
                resolver.settled_by(Err(error.clone()))
            }
        }
    }

    fn data(&self) -> (Name, Receiver) {
        (Name::new(M::NAME), self.resolver.receiver())
    }
}

impl<B: ?Sized + Target<Handle: Send>> Pipeline<B> {
    pub(crate) fn of<A: Actor>(turn: &Turn<'_, A>, promise: Promise<Address<B>>) -> Pipeline<B> {
        let messages = Arc::new(Mutex::new(Messages::Wait(Vec::new())));
        let owner = turn.owner();
        let sink = PipelineSink {
            messages: messages.clone(),
            owner: owner.cell(),
        };
        promise.sink_into(&owner, sink);
        Pipeline { messages }
    }

    /// Sends the message that `call` makes, without a reply, as soon as the address is here.
    #[track_caller]
    pub fn send<M, F>(&self, call: F)
    where
        M: Message,
        F: for<'h> FnOnce(&'h B::Handle) -> Call<'h, M> + Send + 'static,
    {
        self.push(call, Resolver::discarding());
    }

    /// As [`Pipeline::send`], and returns a promise of the reply.
    #[track_caller]
    #[must_use = "continue it with `.then(…)`, return it, or use `send` when no answer is wanted"]
    pub fn ask<A, M, F>(&self, turn: &Turn<'_, A>, call: F) -> Promise<M::Reply>
    where
        A: Actor,
        M: Message,
        F: for<'h> FnOnce(&'h B::Handle) -> Call<'h, M> + Send + 'static,
    {
        let (promise, resolver) = Promise::open(turn.owner());
        self.push(call, resolver);
        promise
    }

    /// The address, if it is here.
    pub fn address(&self) -> Option<Address<B>> {
        let address = match &*lock(&self.messages) {
            Messages::Go(address) => Some(address.clone()),
            Messages::Wait(_) | Messages::Break(..) => None,
        };
        observed(
            Observation::Pipeline,
            Source::Table(Table::Promises),
            address,
        )
    }

    #[track_caller]
    fn push<M, F>(&self, call: F, resolver: Resolver<M::Reply>)
    where
        M: Message,
        F: for<'h> FnOnce(&'h B::Handle) -> Call<'h, M> + Send + 'static,
    {
        let message: Box<dyn Waiting<B>> = Box::new(WaitingMessage {
            call,
            resolver,
            place: Place::caller(),
        });
        let mut messages = lock(&self.messages);
        match &mut *messages {
            Messages::Wait(waiting) => waiting.push(message),
            Messages::Go(address) => {
                let address = address.clone();
                // User code, and what follows from the message.
                drop(messages);
                message.send(Ok(&address)).follow();
            }
            Messages::Break(error, owner) => {
                let (error, owner) = (error.clone(), owner.clone());
                drop(messages);
                message.send(Err((&error, &owner))).follow();
            }
        }
    }
}

struct PipelineSink<B: ?Sized + Target<Handle: Send>> {
    messages: Arc<Mutex<Messages<B>>>,
    owner: CellRef,
}

impl<B: ?Sized + Target<Handle: Send>> Continue<Address<B>> for PipelineSink<B> {
    fn fill(self, value: Result<Address<B>, AskError>) -> Next {
        self.release(value);
        Next::Nothing
    }
}

impl<B: ?Sized + Target<Handle: Send>> SinkLink for PipelineSink<B> {
    fn data(&self) -> SinkData {
        let waiting = match &*lock(&self.messages) {
            Messages::Wait(waiting) => waiting.iter().map(|message| message.data()).collect(),
            Messages::Go(_) | Messages::Break(..) => Vec::new(),
        };
        SinkKind::Pipeline { waiting }.to(Receiver::Nothing)
    }
}

/// The value will not come, and no error either: its slot is dropped.
impl<B: ?Sized + Target<Handle: Send>> Drop for PipelineSink<B> {
    fn drop(&mut self) {
        if matches!(*lock(&self.messages), Messages::Wait(_)) {
            self.release(Err(given_up()));
        }
    }
}

impl<B: ?Sized + Target<Handle: Send>> PipelineSink<B> {
    fn release(&self, value: Result<Address<B>, AskError>) {
        let (messages, owner) = (self.messages.clone(), self.owner.clone());
        // Each message may lead to another pipeline, as deep as the user's data (H12).
        drop_by_trampoline(move || release(&messages, owner, value));
    }
}

/// Sends what waits, in order, and then lets later messages pass.
fn release<B: ?Sized + Target>(
    messages: &Mutex<Messages<B>>,
    owner: CellRef,
    value: Result<Address<B>, AskError>,
) {
    loop {
        let waiting = match &mut *lock(messages) {
            Messages::Wait(waiting) => std::mem::take(waiting),
            // The first value counts.
            Messages::Go(_) | Messages::Break(..) => return,
        };
        if waiting.is_empty() {
            break;
        }
        for message in waiting {
            let value = value.as_ref().map_err(|error| (error, &owner));
            // Outside the lock: user code makes the message.
            message.send(value).follow();
        }
    }
    *lock(messages) = match value {
        Ok(address) => Messages::Go(address),
        Err(error) => Messages::Break(error, owner),
    };
}

impl<B: ?Sized + Target> fmt::Debug for Pipeline<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*lock(&self.messages) {
            Messages::Wait(waiting) => write!(f, "Pipeline({} wait)", waiting.len()),
            Messages::Go(address) => write!(f, "Pipeline(to {})", Address::path(address)),
            Messages::Break(error, _) => write!(f, "Pipeline(broken: {error})"),
        }
    }
}

vivant_heap::leaf!([B: ?Sized + Target] Pipeline<B>);

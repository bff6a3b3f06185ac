//! Resolvers: the right, and the duty, to give a promise its value.

use super::arrival::sent;
use super::receiver::{ActorName, Receiver, SlotName};
use super::relay::Relay;
use super::saved::PromiseName;
use super::shown::{Awaits, PromiseLink, RequestChange, Shown};
use super::slot::Answering;
use crate::actor::{
    AddressRef, AskError, Delivery, Envelope, Next, OutgoingReference, OutgoingReferences,
    SavedClass, Worker, drop_foreign, run_foreign_code,
};
use crate::api::ask_future::Oneshot;
use crate::failures::{Caught, take_last};
use crate::failures::{Inside, Panic};
use crate::interned::Name;
use crate::services::{Asked, RequestProgress};
use crate::sync::{Ordering, fence};
use std::fmt;
use vivant_brc::Brc;

/// The right to give a promise its value, once. May be kept in an actor's state and sent in
/// messages.
///
/// Dropped without a value it breaks the promise: the waiting side gets [`AskError::Broken`], or
/// [`AskError::Panicked`] if a panicking turn drops it. So no request waits for ever.
#[must_use = "dropping a resolver breaks its promise"]
pub struct Resolver<T: Send + 'static> {
    to: Destination<T>,
}

enum Destination<T: Send + 'static> {
    /// No answer is wanted: the message was sent, not asked.
    Discard,
    /// A promise of an actor.
    Slot(Answering<T>),
    /// A future or thread outside.
    Outside(Brc<Oneshot<T>>),
    /// Another resolver. A thin pointer: each request has a resolver, and few have a relay.
    Relay(Box<Box<dyn Relay<T>>>),
}

const _: () = assert!(size_of::<Resolver<u64>>() == 2 * size_of::<usize>());

/// Limit of relays within relays through which a change of the request is written, and which are
/// named as data. The request then names the actor that had it before the last of them.
pub(super) const RELAYS_MAX: usize = 32;

/// Whether the asker has withdrawn a message that is about to be processed.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Withdrawal {
    No,
    Yes,
}

impl<T: Send + 'static> Resolver<T> {
    pub(crate) fn discarding() -> Resolver<T> {
        Resolver {
            to: Destination::Discard,
        }
    }

    pub(super) fn of_slot(slot: Answering<T>) -> Resolver<T> {
        Resolver {
            to: Destination::Slot(slot),
        }
    }

    pub(crate) fn outside(oneshot: Brc<Oneshot<T>>) -> Resolver<T> {
        Resolver {
            to: Destination::Outside(oneshot),
        }
    }

    pub(super) fn of_relay(relay: impl Relay<T> + 'static) -> Resolver<T> {
        Resolver {
            to: Destination::Relay(Box::new(Box::new(relay))),
        }
    }

    /// Gives the promise its value.
    #[inline]
    pub fn resolve(self, value: T) {
        self.complete(Ok(value));
    }

    /// Returns true if the message was sent, not asked.
    pub(crate) fn is_discarding(&self) -> bool {
        matches!(self.to, Destination::Discard)
    }

    /// What a file names it by. Through relays that many times at most: each is a call.
    pub(super) fn promise_name(&self, relays_max: usize) -> PromiseName {
        match &self.to {
            Destination::Discard | Destination::Outside(_) => PromiseName::Nothing,
            Destination::Slot(slot) => match (slot.owner(), slot.number()) {
                (None, _) => PromiseName::Nothing,
                (Some(_), 0) => PromiseName::Unsaved("a promise of no turn of its actor"),
                (Some(owner), number) => PromiseName::Of {
                    system: owner.system.number,
                    owner: owner.id,
                    number,
                    is_saved: matches!(owner.class.saved, SavedClass::State(_)),
                },
            },
            Destination::Relay(relay) => match relays_max.checked_sub(1) {
                Some(fewer) => relay.promise_name(fewer),
                None => PromiseName::too_far(),
            },
        }
    }

    /// The message that brings the value to the owner of the promise, if an actor has it.
    pub(super) fn into_arrival(
        mut self,
        value: Result<T, AskError>,
    ) -> Option<(AddressRef, Envelope)> {
        let to = std::mem::replace(&mut self.to, Destination::Discard);
        let Destination::Slot(mut slot) = to else {
            return None;
        };
        slot.put_value(value);
        let Delivery { to, envelope } = sent(slot).delivery()?;
        Some((to, envelope))
    }

    /// Returns true if a value would be received: the owner of the promise has not ended, or the
    /// future was not dropped.
    pub(crate) fn has_listener(&self) -> bool {
        match &self.to {
            Destination::Slot(slot) => slot.owner().is_some_and(|owner| owner.ended().is_none()),
            Destination::Discard => false,
            Destination::Outside(oneshot) => oneshot.is_wanted(),
            Destination::Relay(_) => self.is_wanted(),
        }
    }

    pub(crate) fn fail(self, error: AskError) {
        self.complete(Err(error));
    }

    /// Returns true if the asker has withdrawn the message, which has not begun.
    pub(crate) fn is_withdrawn(&self) -> bool {
        match &self.to {
            Destination::Outside(oneshot) => oneshot.is_withdrawn(),
            _ => false,
        }
    }

    /// The asker cannot withdraw the message until `begin`, or until it is released.
    pub(crate) fn hold(&self) -> Withdrawal {
        match &self.to {
            Destination::Outside(oneshot) => oneshot.hold(),
            _ => Withdrawal::No,
        }
    }

    pub(crate) fn release(&self) {
        if let Destination::Outside(oneshot) = &self.to {
            oneshot.release();
        }
    }

    #[inline(always)]
    pub(crate) fn begin(&self) -> Withdrawal {
        if let Destination::Outside(oneshot) = &self.to {
            return oneshot.begin();
        }
        self.set_progress(RequestProgress::Begun);
        Withdrawal::No
    }

    /// The message that has it is deferred.
    #[inline]
    pub(crate) fn set_deferred(&self) {
        if !self.is_discarding() {
            self.record_deferred();
        }
    }

    #[inline(never)]
    fn record_deferred(&self) {
        self.set_progress(RequestProgress::Deferred);
    }

    /// The message that has it is deferred, or its turn has begun.
    #[inline(always)]
    pub(crate) fn set_progress(&self, progress: RequestProgress) {
        match &self.to {
            Destination::Discard => {}
            Destination::Slot(slot) => slot.set_progress(progress),
            Destination::Outside(_) | Destination::Relay(_) => {
                self.changes_beyond(RequestChange::Progress(progress));
            }
        }
    }

    #[inline(never)]
    fn changes_beyond(&self, change: RequestChange) {
        self.request_changes(change, RELAYS_MAX);
    }

    /// It travels with this request now: another actor has to answer.
    pub(crate) fn pass_on(&self, asked: Asked) {
        self.request_changes(RequestChange::PassedOn(asked), RELAYS_MAX);
    }

    #[inline(always)]
    pub(crate) fn complete(mut self, value: Result<T, AskError>) {
        if matches!(self.to, Destination::Discard) && !std::mem::needs_drop::<T>() {
            // There is no promise to settle.
            std::mem::forget(self);
            return;
        }
        match std::mem::replace(&mut self.to, Destination::Discard) {
            Destination::Slot(mut slot) if !slot.is_here() => {
                // Written directly into the slot: the value need not be copied to the stack.
                slot.put_value(value);
                sent(slot).follow();
            }
            to => settle(to, value).follow(),
        }
    }

    /// As `complete`, but deferred: for a sink, which is itself called while a promise is settled.
    pub(super) fn settled_by(mut self, value: Result<T, AskError>) -> Next {
        Next::Settle(Box::new(move || self.settle(value)))
    }

    /// As `complete`, for a caller that follows the next steps in a loop of its own.
    pub(crate) fn settle(&mut self, value: Result<T, AskError>) -> Next {
        settle(std::mem::replace(&mut self.to, Destination::Discard), value)
    }
}

/// Brings `value` to its destination. For a promise of the actor that runs here, its sink takes the
/// value at once; a chain of answers is followed in a loop.
fn settle<T: Send + 'static>(mut to: Destination<T>, mut value: Result<T, AskError>) -> Next {
    loop {
        match to {
            Destination::Discard => {
                drop_foreign("the drop of an answer", value);
                return Next::Nothing;
            }
            Destination::Outside(oneshot) => {
                run_foreign_code("a waker", || oneshot.complete(value));
                return Next::Nothing;
            }
            Destination::Relay(relay) => return relay.relay(value),
            Destination::Slot(mut slot) => {
                if !slot.is_here() || !slot.is_wanted() || slot.ends_wait() {
                    slot.put_value(value);
                    return sent(slot);
                }
                slot.put_value(value);
                let owner = slot.take_owner();
                let arrived = match &owner {
                    Some(owner) => Worker::with_slots(owner, |slots| slot.arrives(slots)),
                    None => slot.arrives(None),
                };
                drop(owner);
                let Some((sink, given)) = arrived else {
                    return Next::Nothing;
                };
                match sink.into_resolver() {
                    Ok(mut resolver) => {
                        to = std::mem::replace(&mut resolver.to, Destination::Discard);
                        value = given;
                    }
                    Err(sink) => return sink.fill(given),
                }
            }
        }
    }
}

impl<T: Send + 'static> Answering<T> {
    /// Returns true if an exclusive wait ends with this value. Then it is sent also to the actor of
    /// this turn: the continuation has to run as soon as the wait has ended (E3).
    fn ends_wait(&self) -> bool {
        self.shown_by_sink().is_some_and(|sink| sink.wait.is_some())
    }

    /// Returns true in a turn of the owner. Then the value need not be sent, once that turn has set
    /// the sink (Q2).
    fn is_here(&self) -> bool {
        let is_current = |owner| Worker::with_current(|worker| worker.current.is(owner));
        self.owner().and_then(is_current) == Some(true)
    }
}

impl<T: Send + 'static> Drop for Resolver<T> {
    fn drop(&mut self) {
        if !matches!(self.to, Destination::Discard) {
            self.settle(Err(given_up())).follow();
        }
    }
}

/// Returns the error of a resolver that is dropped here without a value.
pub(crate) fn given_up() -> AskError {
    if std::thread::panicking()
        && let Some(inside) = Worker::inside()
    {
        // A panic that was resumed passed no hook, so nothing is known of it.
        let unknown = || Caught {
            message: "a panic of which nothing is known".to_owned(),
            place: None,
        };
        return AskError::Panicked(Panic::of(inside, take_last().unwrap_or_else(unknown)));
    }
    let outside = || Inside {
        actor: "outside".to_owned(),
        behaviour: Name::new("-"),
    };
    AskError::Broken(Worker::inside().unwrap_or_else(outside).into())
}

impl<T: Send + 'static> PromiseLink for Resolver<T> {
    fn owner(&self) -> Option<&AddressRef> {
        match &self.to {
            Destination::Slot(slot) => slot.owner(),
            Destination::Relay(relay) => relay.link().and_then(PromiseLink::owner),
            Destination::Discard | Destination::Outside(_) => None,
        }
    }

    fn shown_by_sink(&self) -> Option<Shown<'_>> {
        match &self.to {
            Destination::Slot(slot) => slot.shown_by_sink(),
            Destination::Relay(relay) => match relay.link() {
                Some(link) => link.shown_by_sink(),
                None => Some(Shown::default()),
            },
            Destination::Discard | Destination::Outside(_) => Some(Shown::default()),
        }
    }

    fn request_changes(&self, change: RequestChange, relays_max: usize) {
        match (&self.to, change) {
            (Destination::Discard, _) => {}
            (Destination::Slot(slot), RequestChange::Progress(to)) => slot.set_progress(to),
            (Destination::Slot(slot), RequestChange::PassedOn(asked)) => slot.pass_on(asked),
            (Destination::Outside(at), RequestChange::Progress(to)) => at.set_progress(to),
            (Destination::Outside(at), RequestChange::PassedOn(asked)) => at.pass_on(asked),
            (Destination::Relay(relay), change) => {
                if let Some(fewer) = relays_max.checked_sub(1) {
                    relay.with_next(&mut |next| next.request_changes(change, fewer));
                }
            }
        }
    }

    fn awaits(&self) -> Awaits<'_> {
        match &self.to {
            Destination::Discard => Awaits::Nothing,
            Destination::Outside(oneshot) => match oneshot.awaited_until_ns() {
                Some(until_ns) => Awaits::Until(until_ns),
                None => Awaits::Nothing,
            },
            Destination::Relay(relay) => relay.awaits(),
            // An owner that has ended takes no value: what it would do with it gets an error.
            Destination::Slot(slot) => match slot.owner() {
                Some(owner) if owner.ended().is_some() => Awaits::Nothing,
                _ => slot
                    .shown_by_sink()
                    .map_or(Awaits::Taken, |sink| sink.awaits),
            },
        }
    }
}

impl<T: Send + 'static> Resolver<T> {
    /// Shows the owner of its promise, the actor that continues with the value, and the promises
    /// further down the chain. Not shown: arguments of continuations, joined promises, and promises
    /// with a time limit.
    pub(crate) fn show(&self, seen: &mut OutgoingReferences<'_>) {
        let mut next: Option<&dyn PromiseLink> = Some(self);
        // A chain may be as long as the user's recursion (H12).
        while let Some(resolver) = next {
            let sink = settled_sink(resolver, seen);
            for address in [resolver.owner(), sink.target].into_iter().flatten() {
                seen.take(OutgoingReference::of(address));
            }
            next = sink.answer;
        }
    }
}

impl<T: Send + 'static> Resolver<T> {
    /// What gets the value. Waits for the lock of each time limit that it passes through.
    pub(super) fn receiver(&self) -> Receiver {
        self.receiver_through(RELAYS_MAX)
    }

    /// Through relays that many times at most: each is a call.
    pub(super) fn receiver_through(&self, relays_max: usize) -> Receiver {
        match &self.to {
            Destination::Discard => Receiver::Nothing,
            Destination::Outside(_) => Receiver::Outside,
            Destination::Slot(slot) => slot.owner().map_or(Receiver::Nothing, |owner| {
                Receiver::Slot(SlotName {
                    owner: ActorName::of(owner),
                    number: slot.number(),
                })
            }),
            Destination::Relay(relay) => match relays_max.checked_sub(1) {
                Some(fewer) => relay.receiver(fewer),
                None => Receiver::Further,
            },
        }
    }
}

/// What the sink of a resolver's promise shows. The turn that asked may set it later, and by that
/// show addresses which count as outside now: then the pass is no consistent cut (U5).
fn settled_sink<'r>(resolver: &'r dyn PromiseLink, seen: &mut OutgoingReferences<'_>) -> Shown<'r> {
    if let Some(sink) = resolver.shown_by_sink() {
        return sink;
    }
    if resolver
        .owner()
        .is_some_and(|owner| owner.inbox.is_active())
    {
        seen.are_unsettled();
        return Shown::default();
    }
    // Acquire: pairs with the Release of the park that `is_active` has seen. That turn set the sink
    // before, unless it has forgotten the promise for good.
    fence(Ordering::Acquire);
    resolver.shown_by_sink().unwrap_or_default()
}

impl<T: Send + 'static> fmt::Debug for Resolver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.to {
            Destination::Discard => f.write_str("Resolver(discards)"),
            Destination::Slot(slot) => match slot.owner() {
                Some(owner) => write!(f, "Resolver(for {})", owner.path()),
                None => f.write_str("Resolver(on its way)"),
            },
            Destination::Outside(_) => f.write_str("Resolver(for a future outside)"),
            Destination::Relay(_) => f.write_str("Resolver(for the asker of a delegated message)"),
        }
    }
}

vivant_heap::leaf!([T: Send + 'static] Resolver<T>);

//! Streams into actors: each item becomes a message (T10).
//!
//! A stream is polled as a future is, by an actor of the runtime's own (`future.rs`): on the
//! workers, in a simulation under the seed.
//!
//! - [`Attachment`], [`Attached`]: the types that users hold.
//! - [`feed`]: polls the stream.
//! - [`gate`]: counts the items in flight, and stops the stream when it is cancelled or the actor
//!   has ended.
//! - [`item`], [`item_message`]: an item or the end, and the message that brings it.
//! - [`saved`]: what an image has of a stream.
//!
//! An image has no stream. The capture of the actor that polls it records a last message for the
//! reader, which waits behind all items that were sent before the line (`snapshot/README.md`).

mod feed;
mod gate;
mod item;
mod item_message;
mod saved;

pub use item::StreamItem;
pub use item_message::{MaybeStreamed, NotStreamed};

use super::future::start;
use crate::actor::{Observation, Shared, Source, observed};
use crate::api::{Continuation, Then};
use crate::failures::Inside;
use crate::interned::Place;
use crate::services::ExitAction;
use crate::sync::Arc;
use feed::Feed;
use futures_core::Stream;
use gate::Gate;
use std::fmt;
use std::sync::Weak;

/// Limit of items in flight, unless [`Attachment::in_flight`] sets another.
const IN_FLIGHT_DEFAULT: usize = 16;

/// A stream that is being attached to an actor; made by [`Turn::attach`](crate::Turn::attach)
/// and [`System::attach`](crate::System::attach).
#[must_use = "no item is taken from it before it has a continuation: `.then_each(…)`"]
pub struct Attachment<S> {
    stream: S,
    limit: usize,
    system: Arc<Shared>,
    origin: Inside,
    place: Place,
}

/// An attached stream. Dropping this drops the stream: the actor keeps it in its state.
///
/// A snapshot has no stream, because that is code and not data. It has the items that wait. In a
/// restored system one [`StreamItem::Failed`] follows them, with the error by which a promise of
/// [`Turn::spawn`](crate::Turn::spawn) breaks there. There is none if the stream had sent its end
/// or was stopped before the snapshot, nor for a reader that starts again
/// (`#[actor(saved(restart))]`): its start attaches the stream anew. The handle in a saved state
/// loads as that of a stream that has ended.
#[must_use = "dropping it stops the stream; `.forever()` lets it run to its end or its actor's"]
pub struct Attached(Option<Arc<Gate>>);

impl<S: Stream + Send + 'static> Attachment<S> {
    pub(crate) fn new(
        stream: S,
        system: &Arc<Shared>,
        origin: Inside,
        place: Place,
    ) -> Attachment<S> {
        Attachment {
            stream,
            limit: IN_FLIGHT_DEFAULT,
            system: system.clone(),
            origin,
            place,
        }
    }

    /// Back-pressure: while this many items are sent and not processed, the stream is not polled.
    /// The default is 16.
    ///
    /// # Panics
    ///
    /// If `limit` is zero.
    pub fn in_flight(mut self, limit: usize) -> Self {
        assert!(
            limit > 0,
            "a stream that may have no item in flight would give none"
        );
        self.limit = limit;
        self
    }

    /// Continues with `then` for each item, in order, and once for the stream's end. It runs until
    /// then, or until the returned value is dropped, or the continuation's actor has ended. That
    /// actor is kept alive meanwhile.
    ///
    /// An actor of the runtime's own polls the stream, as for the futures of
    /// [`Turn::spawn`](crate::Turn::spawn). Costs, for each item, a message, a clone of the
    /// continuation's arguments and three short locks.
    pub fn then_each<K>(self, then: Then<'_, K>) -> Attached
    where
        S::Item: Send,
        K: Continuation<Hole = StreamItem<S::Item>>,
        K::Rest: Clone,
    {
        let receiver = then.target().cell();
        let systems = (self.system.number, receiver.system.number);
        let gate = Gate::new(self.limit, systems);
        let watched: Weak<Gate> = Arc::downgrade(&gate);
        // The number is not used: a gate has one receiver.
        let stopped = ExitAction::Leave(watched, 0);
        let registered = receiver.system.when_ended(&receiver, stopped);
        let registered = observed(Observation::Attach, Source::Actor(&receiver), registered);
        let Some(exit_hook) = registered else {
            // The actor that would take the items has ended.
            return Attached(None);
        };
        let feed = Feed {
            stream: Box::pin(self.stream),
            then: Some(then.into_owned()),
            system: receiver.system.clone(),
            gate: gate.clone(),
            exit_hook,
        };
        let feed = start(&self.system, Box::new(feed), self.origin, self.place);
        gate.started(feed, &receiver);
        Attached(Some(gate))
    }
}

impl Attached {
    /// Stops the stream. Items that were sent before are still delivered.
    pub fn cancel(self) {}

    /// Lets the stream run to its end, or to that of the actor. Not for a start function, which may
    /// run again and would attach a second one.
    pub fn forever(mut self) {
        self.0 = None;
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        if let Some(gate) = self.0.take() {
            gate.stop();
        }
    }
}

impl fmt::Debug for Attached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(gate) => {
                let (in_flight, limit) = (gate.in_flight(), gate.limit);
                write!(f, "Attached({in_flight} of {limit} in flight)")
            }
            None => f.write_str("Attached(it has ended)"),
        }
    }
}

impl<S> fmt::Debug for Attachment<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Attachment(made at {})", self.place)
    }
}

vivant_heap::leaf!([] Attached);

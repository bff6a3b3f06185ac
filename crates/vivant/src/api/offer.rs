//! Sending from outside of turns that waits until the receiver has room for the message (T5).

use super::behaviour::Message;
use super::call::Call;
use super::promise::Resolver;
use super::send_error::SendError;
use crate::actor::{
    Admission, MutedSender, NotSent, Observation, Reservation, Source, WaitingSender, Worker,
    observed,
};
use crate::mute::Wait;
use crate::sync::Arc;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

/// A send when there is room: the message is sent as soon as its receiver can take it; made by
/// [`Call::offer`]. A future for any executor.
///
/// Nothing is sent before the first poll. Dropped while it waits, it takes the message back, and
/// the senders behind it move up. A woken offer has a place in the mailbox, and keeps it until it
/// is polled or dropped.
#[must_use = "an offer is made when it is awaited"]
pub struct Offer<M: Message> {
    state: OfferState<M>,
    /// Gets the reply, if one is wanted.
    resolver: Option<Resolver<M::Reply>>,
}

enum OfferState<M: Message> {
    New(Call<'static, M>),
    Waits {
        call: Call<'static, M>,
        waiting_sender: Arc<WaitingSender>,
        then: Reservation,
    },
    Done,
}

impl<M: Message> Call<'_, M> {
    /// Sends the message from outside any turn as soon as the actor has room for it: a mailbox that
    /// rejects must have a free place, an actor without a bound must not be overloaded. Waiting
    /// senders are served in the order in which their offers were first polled. Other mailboxes
    /// take every message at once.
    ///
    /// The future gives the message back if the actor has ended, or within a turn, where waiting is
    /// forbidden; a future of [`Turn::spawn`](crate::Turn::spawn) may wait.
    ///
    /// ```
    /// # use vivant::prelude::*;
    /// #[derive(Actor)]
    /// #[actor(mailbox = reject(1))]
    /// struct Writer { lines: Vec<String> }
    ///
    /// #[behaviours]
    /// impl Writer {
    ///     fn write(&mut self, line: String) { self.lines.push(line); }
    ///     fn lines(&mut self) -> usize { self.lines.len() }
    /// }
    ///
    /// # fn main() -> Result<(), AskError> {
    /// let system = System::new();
    /// let writer = system.spawn(Writer { lines: Vec::new() });
    /// system.block_on(async {
    ///     for number in 0..100 {
    ///         writer.write(number.to_string()).offer().await.expect("it lives");
    ///     }
    /// });
    /// // A question may find the last line still waiting.
    /// while writer.lines().ask_blocking().is_err() {}
    /// assert_eq!(writer.lines().ask_blocking()?, 100);
    /// # Ok(()) }
    /// ```
    pub fn offer(self) -> Offer<M> {
        Offer {
            state: OfferState::New(self.into_owned()),
            resolver: None,
        }
    }
}

impl<M: Message> Offer<M> {
    /// The reply goes to `resolver`.
    pub(super) fn asking(call: Call<'static, M>, resolver: Resolver<M::Reply>) -> Offer<M> {
        Offer {
            state: OfferState::New(call),
            resolver: Some(resolver),
        }
    }

    /// Sends a message that was given back.
    pub(super) fn send_anyway(&mut self, call: Call<'static, M>) {
        call.post(taken(&mut self.resolver));
    }
}

/// The state of an offer at its first poll.
fn begin<M: Message>(
    call: Call<'static, M>,
    resolver: &mut Option<Resolver<M::Reply>>,
) -> Result<OfferState<M>, SendError<M>> {
    if let Some(inside) = Worker::forbids_waiting() {
        return Err(call.not_sent(NotSent::InsideTurn(inside.into())));
    }
    let call = call.unless_ended()?;
    let waiting_sender = WaitingSender::new();
    let to = call.to();
    let then = match to.bounded_queue() {
        Some(queue) => {
            let reserved = queue.reserve_or_wait(&waiting_sender);
            match observed(Observation::Room, Source::Actor(to), reserved) {
                Some(reservation) => {
                    call.post_by(reservation, taken(resolver));
                    return Ok(OfferState::Done);
                }
                None => Reservation::Place,
            }
        }
        None => {
            let system = &to.system;
            let token = MutedSender::Offer(waiting_sender.clone());
            let has_room = to.pressure.first() < system.config.marks.overloaded
                || system
                    .mutes
                    .wait(token, (to.id, &to.pressure), system.config.marks)
                    == Wait::Continues;
            if observed(Observation::Room, Source::Actor(to), has_room) {
                call.post(taken(resolver));
                return Ok(OfferState::Done);
            }
            Reservation::None
        }
    };
    Ok(OfferState::Waits {
        call,
        waiting_sender,
        then,
    })
}

fn taken<T: Send + 'static>(resolver: &mut Option<Resolver<T>>) -> Resolver<T> {
    resolver.take().unwrap_or_else(Resolver::discarding)
}

// It contains nothing pinned: a call is data.
impl<M: Message> Unpin for Offer<M> {}

impl<M: Message> Future for Offer<M> {
    type Output = Result<(), SendError<M>>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if let OfferState::New(_) = self.state
            && let OfferState::New(call) = std::mem::replace(&mut self.state, OfferState::Done)
        {
            self.state = begin(call, &mut self.resolver)?;
        }
        if let OfferState::Waits {
            call,
            waiting_sender,
            ..
        } = &self.state
        {
            let has_room = waiting_sender.poll(context).is_ready();
            if !observed(Observation::Room, Source::Actor(call.to()), has_room) {
                return Poll::Pending;
            }
        }
        if let OfferState::Waits { call, then, .. } =
            std::mem::replace(&mut self.state, OfferState::Done)
        {
            // If the actor has ended, its reserved place has gone too.
            let call = call.unless_ended()?;
            call.post_by(then, taken(&mut self.resolver));
        }
        Poll::Ready(Ok(()))
    }
}

impl<M: Message> Drop for Offer<M> {
    fn drop(&mut self) {
        let OfferState::Waits {
            call,
            waiting_sender,
            then,
        } = &self.state
        else {
            return;
        };
        let admission = waiting_sender.leave();
        match (call.to().bounded_queue(), admission) {
            (Some(queue), Admission::Admitted) if *then == Reservation::Place => queue.free(),
            (Some(queue), _) => queue.withdraw(waiting_sender),
            (None, Admission::Gone) => {
                let is_mine = |held_back: &MutedSender| held_back.is(waiting_sender);
                call.to().system.mutes.remove_offer(call.to().id, is_mine);
            }
            (None, Admission::Admitted) => {}
        }
    }
}

impl<M: Message> fmt::Debug for Offer<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.state {
            OfferState::New(call) => write!(f, "Offer(not begun: {call:?})"),
            OfferState::Waits { call, .. } => write!(f, "Offer(waits: {call:?})"),
            OfferState::Done => f.write_str("Offer(done)"),
        }
    }
}

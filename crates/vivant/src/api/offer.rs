//! Sending from outside of turns that waits until the receiver has room for the message (T5).

use super::behaviour::Message;
use super::call::Call;
use super::promise::Resolver;
use super::send_error::SendError;
use crate::actor::{Admission, MutedSender, NotSent, Reservation, WaitingSender, Worker};
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

impl<M: Message> Offer<M> {
    pub(crate) fn new(call: Call<'static, M>) -> Offer<M> {
        Offer {
            state: OfferState::New(call),
        }
    }
}

/// The state of an offer at its first poll.
fn begin<M: Message>(call: Call<'static, M>) -> Result<OfferState<M>, SendError<M>> {
    if let Some(inside) = Worker::inside() {
        return Err(call.not_sent(NotSent::InsideTurn(inside.into())));
    }
    let call = call.unless_ended()?;
    let waiting_sender = WaitingSender::new();
    let to = call.to();
    let then = match to.bounded_queue() {
        Some(queue) => match queue.reserve_or_wait(&waiting_sender) {
            Some(reservation) => {
                call.post_by(reservation, Resolver::nobody());
                return Ok(OfferState::Done);
            }
            None => Reservation::Place,
        },
        None => {
            let system = &to.system;
            let token = MutedSender::Offer(waiting_sender.clone());
            if to.pressure.first() < system.config.marks.overloaded
                || system
                    .mutes
                    .wait(token, (to.id, &to.pressure), system.config.marks)
                    == Wait::Continues
            {
                call.post(Resolver::nobody());
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

// It contains nothing pinned: a call is data.
impl<M: Message> Unpin for Offer<M> {}

impl<M: Message> Future for Offer<M> {
    type Output = Result<(), SendError<M>>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if let OfferState::New(_) = self.state
            && let OfferState::New(call) = std::mem::replace(&mut self.state, OfferState::Done)
        {
            self.state = begin(call)?;
        }
        match &self.state {
            OfferState::Waits { waiting_sender, .. }
                if waiting_sender.poll(context).is_pending() =>
            {
                return Poll::Pending;
            }
            _ => {}
        }
        if let OfferState::Waits { call, then, .. } =
            std::mem::replace(&mut self.state, OfferState::Done)
        {
            // If the actor has ended, its reserved place has gone too.
            call.unless_ended()?.post_by(then, Resolver::nobody());
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

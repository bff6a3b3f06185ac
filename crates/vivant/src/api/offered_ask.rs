//! Requests from outside of turns that wait until the receiver has room for the message (T5).

use super::ask_future::AskFuture;
use super::behaviour::Message;
use super::call::Call;
use super::offer::Offer;
use crate::actor::{AskError, NotSent};
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

/// An [`Offer`] with a reply; made by [`Call::offer_ask`]. A future for any executor.
///
/// Dropping it takes the message back, as long as it waits for room; after that it gives up the
/// reply, and the message is processed all the same.
#[must_use = "an offer is made when it is awaited"]
pub struct OfferedAsk<M: Message> {
    /// Dropped before the offer, which has the resolver.
    reply: AskFuture<M::Reply>,
    /// As long as the message is not sent.
    offer: Option<Offer<M>>,
}

impl<M: Message> Call<'_, M> {
    /// As [`Call::offer`], and the reply is the future's result: a request that waits until the
    /// actor has room for it.
    ///
    /// ```
    /// # use vivant::prelude::*;
    /// #[derive(Actor)]
    /// #[actor(mailbox = reject(1))]
    /// struct Counter { count: u64 }
    ///
    /// #[behaviours]
    /// impl Counter {
    ///     fn add(&mut self, n: u64) -> u64 { self.count += n; self.count }
    /// }
    ///
    /// # fn main() -> Result<(), AskError> {
    /// let system = System::new();
    /// let counter = system.spawn(Counter { count: 0 });
    /// for _ in 0..100 {
    ///     counter.add(1).send();      // rejected, if there is no room
    ///     let count = system.block_on(counter.add(1).offer_ask())?;
    ///     assert!(count >= 1);
    /// }
    /// # Ok(()) }
    /// ```
    pub fn offer_ask(self) -> OfferedAsk<M> {
        let call = self.into_owned();
        let (reply, resolver) = AskFuture::asking(&call.to().system, call.asked());
        OfferedAsk {
            reply,
            offer: Some(Offer::asking(call, resolver)),
        }
    }
}

impl<M: Message> OfferedAsk<M> {
    /// Gives up waiting after `limit` with [`AskError::TimedOut`]: for room, or for the reply. It
    /// counts from now.
    pub fn within(self, limit: Duration) -> OfferedAsk<M> {
        OfferedAsk {
            reply: self.reply.within(limit),
            ..self
        }
    }
}

// It contains nothing pinned: a call is data.
impl<M: Message> Unpin for OfferedAsk<M> {}

impl<M: Message> Future for OfferedAsk<M> {
    type Output = Result<M::Reply, AskError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let OfferedAsk { reply, offer } = &mut *self;
        if let Some(offered) = offer {
            // Without a message there is no reply: its time limit has passed.
            if let Poll::Ready(late) = Pin::new(&mut *reply).poll(context) {
                *offer = None;
                return Poll::Ready(late);
            }
            match Pin::new(&mut *offered).poll(context) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Ok(())) => {}
                Poll::Ready(Err(error)) => match error.why {
                    NotSent::InsideTurn(inside) => {
                        *offer = None;
                        return Poll::Ready(Err(AskError::InsideTurn(inside)));
                    }
                    // The message finds that the actor has ended, and its reply says why.
                    NotSent::Ended | NotSent::Full(_) => offered.send_anyway(error.call),
                },
            }
            *offer = None;
        }
        Pin::new(reply).poll(context)
    }
}

impl<M: Message> fmt::Debug for OfferedAsk<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OfferedAsk")
            .field(&self.offer)
            .field(&self.reply)
            .finish()
    }
}

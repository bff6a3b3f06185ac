//! The task of the actor that polls a stream.

use super::gate::{EndCause, Gate};
use super::item::StreamItem;
use super::item_message::message;
use crate::actor::{AddressRef, AskError, Delivery, Shared};
use crate::api::{Continuation, Then, given_up};
use crate::edge::future::Task;
use crate::services::ExitHookId;
use crate::sync::Arc;
use futures_core::Stream;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Limit of items in one poll, for fairness to other actors.
const ITEMS_PER_POLL: usize = 32;

/// A stream, and the continuation for its items.
pub(super) struct Feed<S, K>
where
    S: Stream + Send,
    K: Continuation<Hole = StreamItem<S::Item>>,
    K::Rest: Clone,
{
    pub(super) stream: Pin<Box<S>>,
    /// The end of the stream takes it: that message needs no clone, so none can fail.
    pub(super) then: Option<Then<'static, K>>,
    pub(super) system: Arc<Shared>,
    pub(super) gate: Arc<Gate>,
    pub(super) exit_hook: ExitHookId,
}

impl<S, K> Task for Feed<S, K>
where
    S: Stream + Send,
    K: Continuation<Hole = StreamItem<S::Item>>,
    K::Rest: Clone,
{
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
        for _ in 0..ITEMS_PER_POLL {
            let Some(then) = &self.then else {
                return Poll::Ready(());
            };
            if !self.gate.is_open(context.waker()) {
                return Poll::Pending;
            }
            match self.stream.as_mut().poll_next(context) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Some(item)) => {
                    let (item, token) = (StreamItem::Item(item), self.gate.admit());
                    message(then.again(), item, Some(token)).deliver();
                }
                Poll::Ready(None) => {
                    self.send_last(StreamItem::Ended);
                    return Poll::Ready(());
                }
            }
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }

    fn fail(&mut self, error: AskError) {
        self.send_last(StreamItem::Failed(error));
    }

    fn reader(&self) -> Option<&AddressRef> {
        self.then.as_ref().map(Then::target)
    }

    fn lost(&self, error: AskError) -> Option<Delivery> {
        let then = self.then.as_ref()?;
        Some(message(then.again(), StreamItem::Failed(error), None))
    }
}

impl<S, K> Feed<S, K>
where
    S: Stream + Send,
    K: Continuation<Hole = StreamItem<S::Item>>,
    K::Rest: Clone,
{
    fn send_last(&mut self, last: StreamItem<S::Item>) {
        if let Some(then) = self.then.take() {
            message(then, last, None).deliver();
        }
    }
}

impl<S, K> Drop for Feed<S, K>
where
    S: Stream + Send,
    K: Continuation<Hole = StreamItem<S::Item>>,
    K::Rest: Clone,
{
    fn drop(&mut self) {
        self.system.exit_hooks.remove(self.exit_hook);
        if self.gate.close() == EndCause::Early && !self.system.is_closing() {
            self.send_last(StreamItem::Failed(given_up()));
        }
    }
}

//! The messages of a probe that wait for the test.

use crate::sync::{Mutex, lock};
use std::any::Any;
use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::mem;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// A message of any type.
pub(super) struct AnyMessage {
    /// A `Received<M>`.
    pub(super) content: Box<dyn Any + Send>,
    /// Its name and arguments.
    pub(super) text: String,
}

/// Written by the probe's actor, read by the threads of the test.
#[derive(Default)]
pub(super) struct Inbox(Mutex<Waiting>);

#[derive(Default)]
struct Waiting {
    messages: VecDeque<AnyMessage>,
    readers: Vec<Waker>,
}

impl Inbox {
    pub(super) fn push(&self, message: AnyMessage) {
        let readers = {
            let mut waiting = lock(&self.0);
            waiting.messages.push_back(message);
            mem::take(&mut waiting.readers)
        };
        // Outside the lock: a waker is user code.
        readers.into_iter().for_each(Waker::wake);
    }

    pub(super) fn len(&self) -> usize {
        lock(&self.0).messages.len()
    }

    /// The oldest message; `None` if `limit` is over before there is one.
    pub(super) async fn next(&self, limit: impl Future<Output = ()>) -> Option<AnyMessage> {
        let mut limit = pin!(limit);
        poll_fn(|context| match self.poll_next(context) {
            Poll::Ready(message) => Poll::Ready(Some(message)),
            Poll::Pending => limit.as_mut().poll(context).map(|()| None),
        })
        .await
    }

    fn poll_next(&self, context: &mut Context<'_>) -> Poll<AnyMessage> {
        // Cloned and dropped outside the lock: both are user code.
        let reader = context.waker().clone();
        let mut waiting = lock(&self.0);
        if let Some(message) = waiting.messages.pop_front() {
            drop(waiting);
            return Poll::Ready(message);
        }
        if !waiting.readers.iter().any(|known| known.will_wake(&reader)) {
            waiting.readers.push(reader);
        }
        Poll::Pending
    }
}

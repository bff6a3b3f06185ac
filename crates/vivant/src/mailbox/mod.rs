//! Mailboxes: multi-producer, single-consumer queues that carry messages from any thread to the
//! worker that holds the actor. The protocol is in `README.md`.
//!
//! - [`Inbox`] and [`Chain`]: many senders, one receiver, lock-free; an idle actor's inbox is one
//!   word.
//! - [`Envelope`], [`Kind`], [`MessageKind`]: a message with its type erased.
//! - [`pool`]: the recycled memory of messages.
//! - [`post`]: the one entry into a mailbox.
//! - [`BoundedQueue`]: the bounded queue of a mailbox with a bound.
//! - [`WaitingSender`]: a sender outside the actors that waits for room in a mailbox.

mod bounded_queue;
mod envelope;
mod inbox;
#[cfg(test)]
mod injected_fault;
#[cfg(test)]
mod model;
#[cfg(test)]
mod model_tests;
pub(crate) mod pool;
mod post;
mod waiting_sender;

pub(crate) use bounded_queue::{BoundedQueue, Entry};
pub(crate) use envelope::{Envelope, Head, Kind, MessageKind, MessageRole, Route, Step};
pub(crate) use inbox::{Chain, Grasped, Inbox, Notified, Parked};
pub(crate) use pool::{Depot, Pool};
pub(crate) use post::{Returned, To, post, post_by};
pub(crate) use waiting_sender::{Told, WaitingSender};

//! The queue of a mailbox and the memory of messages, for nodes of any type: multi-producer,
//! single-consumer, lock-free. The protocol is in `README.md`.
//!
//! - [`Inbox`] and [`Chain`]: many senders, one receiver; an idle actor's inbox is one word.
//! - [`MessageRole`]: what a message is for its receiver.
//! - [`pool`]: the recycled memory of messages.
//! - [`slab`]: the memory of promises, which may be scanned.

#[allow(
    unsafe_code,
    reason = "nodes are linked by pointers: see the README and docs/ARCHITECTURE.md"
)]
mod inbox;
mod message_role;
#[allow(
    unsafe_code,
    reason = "recycled memory: see the README and docs/ARCHITECTURE.md"
)]
pub(crate) mod pool;
#[allow(
    unsafe_code,
    reason = "memory of promises: see the README and docs/ARCHITECTURE.md"
)]
mod slab;

pub(crate) use inbox::{Chain, Inbox, Linked, Notified, Parked, Pushed, TryHold};
pub(crate) use message_role::{MessageRole, Route};
pub(crate) use pool::{Depot, Pool};
pub(crate) use slab::scan;

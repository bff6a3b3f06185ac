//! Mailboxes: how a message gets from any thread to the one that holds the actor. The protocol is in `README.md`.
//!
//! - [`Inbox`] and [`Chain`]: many senders, one receiver, lock-free; nothing is kept by an idle actor.
//! - [`Envelope`], [`Kind`], [`Letter`]: a message whose type only its maker knows.
//! - [`pool`]: the memory of messages, recycled.
//! - [`post`]: the one way in.
//! - [`Ring`]: what a mailbox with a bound has besides.

mod envelope;
mod inbox;
pub(crate) mod pool;
mod post;
mod ring;

pub(crate) use envelope::{Envelope, Head, Kind, Letter, Role, Step, Way};
pub(crate) use inbox::{Chain, Inbox, Nudged, Parked};
pub(crate) use pool::{Depot, Pool};
pub(crate) use post::{Returned, To, post, post_promised};
pub(crate) use ring::{Reserved, Ring};

//! Mailboxes: how a message gets from any thread to the one that holds the actor. The protocol is
//! in `README.md`.
//!
//! - [`Inbox`] and [`Chain`]: many senders, one receiver, lock-free; nothing is kept by an idle
//!   actor.
//! - [`Envelope`], [`Kind`], [`Letter`]: a message whose type only its maker knows.
//! - [`pool`]: the memory of messages, recycled.
//! - [`post`]: the one way in.
//! - [`Ring`]: what a mailbox with a bound has besides.
//! - [`Applicant`]: who waits outside for room in a mailbox.

mod applicant;
mod envelope;
mod inbox;
#[cfg(test)]
mod model;
#[cfg(test)]
mod model_tests;
#[cfg(test)]
mod planted;
pub(crate) mod pool;
mod post;
mod ring;

pub(crate) use applicant::{Applicant, Told};
pub(crate) use envelope::{Envelope, Head, Kind, Letter, Role, Step, Way};
pub(crate) use inbox::{Chain, Grasped, Inbox, Nudged, Parked};
pub(crate) use pool::{Depot, Pool};
pub(crate) use post::{Returned, To, post, post_by};
pub(crate) use ring::{Entry, Ring};

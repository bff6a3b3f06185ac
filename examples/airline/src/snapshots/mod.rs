//! Snapshots: after `kill -9` the airline goes on from its last image.
//!
//! - [`open`]: an airline that goes on from the newest image of a folder, or a new one;
//!   [`Restored`]: which image that was.
//! - [`Snapshotter`]: takes a snapshot every so many requests, on a thread of its own.
//! - [`RequestCount`]: counts the requests for it.
//! - [`Attempt`]: one snapshot that was requested; [`Figures`]: all of a run.
//!
//! What an image has, and what a booking may rely on:
//!
//! - N1 A booking that was confirmed before a snapshot was requested is in it.
//! - N2 A booking that is in progress at the cut is in the image with its messages and promises. It
//!   goes on after a restore, and its client, which is gone, gets no answer.
//! - N3 A snapshot that was printed as complete survives `kill -9` and a loss of power.

mod attempt;
mod figures;
mod open;
mod request_count;
mod snapshotter;

pub use attempt::Attempt;
pub use figures::Figures;
pub use open::{IMAGES_KEPT, Opened, Restored, open};
pub use request_count::RequestCount;
pub use snapshotter::Snapshotter;

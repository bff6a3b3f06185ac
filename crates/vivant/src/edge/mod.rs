//! Where actors meet `async` code: futures that send to an actor, and streams.

mod future;
mod stream;
mod tracked;
mod turn;

pub use stream::{Attached, Attachment, StreamItem};

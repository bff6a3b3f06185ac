//! Where actors meet `async` code: futures that send to an actor, and streams.

mod counted;
pub(crate) mod future;
mod stream;

pub use stream::{Attached, Attachment, StreamItem};

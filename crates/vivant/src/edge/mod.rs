//! Where actors meet `async` code: futures that send to an actor, and streams.

mod counted;
mod future;
mod stream;
mod turn;

pub use stream::{Attached, Attachment, StreamItem};

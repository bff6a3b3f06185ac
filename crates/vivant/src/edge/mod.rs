//! Where actors meet `async` code: futures that send to an actor, and streams.

mod future;
mod open_futures;
mod stream;
mod turn;

pub(crate) use future::{lost_stream, stream_reader};
pub(crate) use open_futures::OpenFutures;
pub use stream::{Attached, Attachment, MaybeStreamed, NotStreamed, StreamItem};

//! One message that a probe has received.

use super::inbox::AnyMessage;
use crate::api::{Message, Resolver};
use std::fmt;

/// A message that a [`Probe`](crate::Probe) has received: its arguments, and the right to reply.
///
/// Dropped without a reply it breaks the promise of an ask.
pub struct Received<M: Message> {
    args: M::Args,
    resolver: Resolver<M::Reply>,
}

impl<M: Message> Received<M> {
    pub(super) fn new(args: M::Args, resolver: Resolver<M::Reply>) -> Received<M> {
        Received { args, resolver }
    }

    /// The arguments: a tuple.
    pub fn args(&self) -> &M::Args {
        &self.args
    }

    /// Replies, and returns the arguments. If the message was sent, not asked, the reply is
    /// dropped.
    pub fn reply(self, value: M::Reply) -> M::Args {
        self.resolver.resolve(value);
        self.args
    }

    /// The arguments and the resolver, for a later reply.
    pub fn into_parts(self) -> (M::Args, Resolver<M::Reply>) {
        (self.args, self.resolver)
    }

    /// As a message of any type.
    pub(super) fn erased(self) -> AnyMessage {
        AnyMessage {
            text: format!("{self:?}"),
            content: Box::new(self),
        }
    }
}

/// The name of the message, and its arguments.
impl<M: Message> fmt::Debug for Received<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(M::NAME)?;
        M::fmt_args(&self.args, f)
    }
}

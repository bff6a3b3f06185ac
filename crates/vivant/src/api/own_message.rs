//! Messages between the runtime's own actors.

use super::behaviour::Behaviour;
use super::promise::Resolver;
use crate::actor::{Envelope, KindTable, MessageKind, Next, Processed, Refusal, StateRef, Worker};
use crate::interned::Place;
use crate::message::MessageRole;
use crate::saving::Codec;
use std::fmt;
use std::marker::PhantomData;

/// The envelope of a message between the runtime's own actors: it is no user's turn, so it is
/// exempt from back-pressure and faults, and is no dead letter when it comes too late.
pub(crate) fn own<B: Behaviour<Reply = ()>>(args: B::Args) -> Envelope {
    Envelope::new::<Own<B>>(args, Place::caller())
}

pub(super) struct Own<B>(PhantomData<B>);

impl<B: Behaviour<Reply = ()>> MessageKind for Own<B> {
    type Content = B::Args;
    const KIND: KindTable = KindTable::new::<Self>(B::NAME, MessageRole::Own);
    const CODEC: Option<Codec<B::Args>> = B::CODEC;

    fn fmt_args(args: &B::Args, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        B::fmt_args(args, f)
    }

    fn run(args: B::Args, state: &mut StateRef<'_>, worker: &Worker) -> Processed {
        let _none = state.turn::<B::Actor, _>(worker, |state, turn| {
            B::run(state, turn, args, Resolver::discarding());
        });
        Processed::Done
    }

    fn refuse(args: B::Args, _: &Refusal, _: Place) -> Next {
        drop(args);
        Next::Nothing
    }
}

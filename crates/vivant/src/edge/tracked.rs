//! Tracked messages: each carries a token that lives until its turn has ended. The values of a
//! topic, the items of a stream.
//!
//! Their senders have bounds of their own for messages in flight, so back-pressure does not count
//! them (T5).

use crate::actor::Refusal;
use crate::actor::{
    Delivery, Envelope, Guard, KindTable, MessageKind, Next, Processed, StateRef, Steps, Worker,
    drop_foreign,
};
use crate::api::{Behaviour, Continuation, Message, Resolver, Then, outcome};
use crate::interned::Place;
use crate::message::MessageRole;
use std::fmt;
use std::marker::PhantomData;

impl<K: Continuation> Then<'_, K> {
    /// The message with its hole filled, without a reply. `token` is dropped when its turn has
    /// ended, or with the message if it has no turn.
    pub(crate) fn fill_tracked<G: Send + 'static>(self, hole: K::Hole, token: G) -> Delivery {
        let (to, rest, place) = self.into_parts();
        let content = (K::fill(hole, rest), token);
        Delivery {
            to,
            envelope: Envelope::new::<TrackedMessage<K, G>>(content, place),
        }
    }
}

struct TrackedMessage<B, G>(PhantomData<(B, G)>);

impl<B: Behaviour, G: Send + 'static> MessageKind for TrackedMessage<B, G> {
    type Content = (B::Args, G);
    const KIND: KindTable = KindTable::new::<Self>(B::NAME, MessageRole::Bounded);
    const GUARD: Guard = B::GUARD;
    const STEPS: Steps = B::STEPS;

    fn ready((args, _): &Self::Content, state: &mut StateRef<'_>) -> bool {
        state
            .look::<B::Actor, _>(|state| B::ready(state, args))
            .unwrap_or(true)
    }

    fn fmt_args((args, _): &Self::Content, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        B::fmt_args(args, f)
    }

    fn run((args, token): Self::Content, state: &mut StateRef<'_>, worker: &Worker) -> Processed {
        let _none = state.turn::<B::Actor, _>(worker, |state, turn| {
            let no_reply = Resolver::<<B as Message>::Reply>::discarding();
            B::run(state, turn, args, no_reply);
        });
        drop(token);
        outcome::<B>(worker)
    }

    fn refuse((args, token): Self::Content, _: &Refusal, _: Place) -> Next {
        drop_foreign("the drop of a refused message", args);
        drop(token);
        Next::Nothing
    }
}

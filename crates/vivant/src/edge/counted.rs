//! Tracked messages: each carries a token that lives until its turn has ended. The values of a
//! topic, the items of a stream.
//!
//! Their senders have bounds of their own for messages in flight, so back-pressure does not count
//! them (T5).

use crate::actor::Refusal;
use crate::actor::{
    Delivery, Envelope, Guard, Kind, MessageKind, MessageRole, Next, StateRef, Step, Steps, Worker,
    for_others,
};
use crate::api::{Behaviour, Continuation, Message, Resolver, Then, outcome};
use std::marker::PhantomData;
use std::panic::Location;

impl<K: Continuation> Then<'_, K> {
    /// The message with its hole filled, without a reply. `token` is dropped when its turn has
    /// ended, or with the message if it has no turn.
    pub(crate) fn fill_counted<G: Send + 'static>(self, hole: K::Hole, token: G) -> Delivery {
        let (to, rest, place) = self.into_parts();
        let content = (K::fill(hole, rest), token);
        Delivery {
            to,
            envelope: Envelope::new::<Counted<K, G>>(content, place),
        }
    }
}

struct Counted<B, G>(PhantomData<(B, G)>);

impl<B: Behaviour, G: Send + 'static> MessageKind for Counted<B, G> {
    type Content = (B::Args, G);
    const KIND: Kind = Kind::new::<Self>(B::NAME, MessageRole::Bounded);
    const GUARD: Guard = B::GUARD;
    const STEPS: Steps = B::STEPS;

    fn ready((args, _): &Self::Content, state: &mut StateRef<'_>) -> bool {
        state
            .look::<B::Actor, _>(|state| B::ready(state, args))
            .unwrap_or(true)
    }

    fn run((args, token): Self::Content, state: &mut StateRef<'_>, worker: &Worker) -> Step {
        let _none = state.turn::<B::Actor, _>(worker, |state, turn| {
            let nobody = Resolver::<<B as Message>::Reply>::nobody();
            B::run(state, turn, args, nobody);
        });
        drop(token);
        outcome::<B>(worker)
    }

    fn refuse((args, token): Self::Content, _: &Refusal, _: &'static Location<'static>) -> Next {
        for_others("the drop of a refused message", || drop(args));
        drop(token);
        Next::Nothing
    }
}

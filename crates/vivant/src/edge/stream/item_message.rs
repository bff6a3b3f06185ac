//! [`ItemMessage`]: the message that brings what a stream gives to its reader. The continuations
//! that may read a stream list it, so that an image can contain those that wait.

use super::gate::InFlight;
use super::item::StreamItem;
use crate::actor::{
    Delivery, Envelope, Guard, KindTable, MessageKind, Next, Processed, Refusal, StateRef, Steps,
    Worker, drop_foreign,
};
use crate::api::{
    ArgsOf, Behaviour, Coded, Continuation, Message, Resolver, SavedList, Then, outcome,
};
use crate::interned::Place;
use crate::message::MessageRole;
use crate::saving::{Codec, shape};
use std::fmt;
use std::marker::PhantomData;
use vivant_codec::{Decoder, Encoder, Field, LoadError, Shape, shape_of};

/// A message of a stream. An image has its arguments alone: a restored stream has ended, so nothing
/// counts what is in flight.
struct ItemMessage<K>(PhantomData<K>);

/// The message with what the stream gives. `token` is dropped when its turn has ended, or with the
/// message if it has no turn.
pub(super) fn message<K: Continuation>(
    then: Then<'_, K>,
    given: K::Hole,
    token: Option<InFlight>,
) -> Delivery {
    let (to, rest, place) = then.into_parts();
    let content = (K::fill(given, rest), token);
    Delivery {
        to,
        envelope: Envelope::new::<ItemMessage<K>>(content, place),
    }
}

impl<K: Continuation> MessageKind for ItemMessage<K> {
    type Content = (K::Args, Option<InFlight>);
    // The stream bounds its items in flight, so back-pressure does not count them (T5).
    const KIND: KindTable = KindTable::new::<Self>(K::NAME, MessageRole::Bounded);
    const GUARD: Guard = K::GUARD;
    const STEPS: Steps = K::STEPS;
    const CODEC: Option<Codec<Self::Content>> = codec::<K>();

    fn ready((args, _): &Self::Content, state: &mut StateRef<'_>) -> bool {
        state
            .look::<K::Actor, _>(|state| <K as Behaviour>::ready(state, args))
            .unwrap_or(true)
    }

    fn fmt_args((args, _): &Self::Content, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        K::fmt_args(args, f)
    }

    fn run((args, token): Self::Content, state: &mut StateRef<'_>, worker: &Worker) -> Processed {
        let _none = state.turn::<K::Actor, _>(worker, |state, turn| {
            let no_reply = Resolver::<<K as Message>::Reply>::discarding();
            K::run(state, turn, args, no_reply);
        });
        drop(token);
        outcome::<K>(worker)
    }

    fn refuse((args, token): Self::Content, _: &Refusal, _: Place) -> Next {
        drop_foreign("the drop of a refused message", args);
        drop(token);
        Next::Nothing
    }
}

/// Its codec, if the actor is saved.
const fn codec<K: Continuation>() -> Option<Codec<(K::Args, Option<InFlight>)>> {
    match K::CODEC {
        None => None,
        Some(_) => Some(Codec::new(
            const {
                &Shape::structure(
                    "vivant::StreamMessage",
                    const { &[Field::new("arguments", shape_of::<Coded<ArgsOf<K>>>())] },
                )
            },
            save::<K>,
            load::<K>,
        )),
    }
}

fn save<K: Continuation>((args, _): &(K::Args, Option<InFlight>), out: &mut Encoder<'_>) {
    Coded::<ArgsOf<K>>::save_value(args, out);
}

fn load<K: Continuation>(
    input: &mut Decoder<'_, '_>,
) -> Result<(K::Args, Option<InFlight>), LoadError> {
    let mut fields = input.structure(const { shape(codec::<K>()) })?;
    let Coded(args) = fields.field::<Coded<ArgsOf<K>>>(0)?;
    fields.end()?;
    Ok((args, None))
}

/// A continuation, which may be that of a stream. For the macros.
#[derive(Debug)]
pub struct MaybeStreamed<K>(PhantomData<K>);

impl<T, K> MaybeStreamed<K>
where
    K: Continuation<Hole = StreamItem<T>>,
    K::Rest: Clone,
{
    /// Lists the messages of the continuation. It takes precedence over that of [`NotStreamed`].
    pub fn list(list: &mut SavedList) {
        list.streamed::<K>(const { &ItemMessage::<K>::KIND });
    }
}

/// A continuation of something else than a stream.
pub trait NotStreamed {
    /// Nothing is listed.
    fn list(_: &mut SavedList) {}
}

impl<K> NotStreamed for MaybeStreamed<K> {}

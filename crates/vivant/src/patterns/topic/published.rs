//! [`Published`]: the message that brings a value of a topic to a subscriber, or the notice of a
//! gap. In an image it names its subscription, so a restore counts the bound again from the
//! mailboxes.

use super::intake::{Gap, InFlightValue};
use super::lagged::Lagged;
use super::missed_values::GapEnd;
use super::named_intake::NamedIntake;
use crate::actor::{
    Guard, KindTable, MessageKind, Next, Processed, Refusal, SeenActors, StateRef, Steps, Worker,
    drop_foreign,
};
use crate::api::{ArgsOf, Behaviour, Coded, Continuation, Message, Resolver, RestOf, outcome};
use crate::interned::Place;
use crate::message::MessageRole;
use crate::saving::{Codec, shape};
use std::fmt;
use std::marker::PhantomData;
use vivant_codec::{Decoder, Encoder, Field, LoadError, Saved, Shape, Variant, shape_of};

pub(super) struct Published<K>(PhantomData<K>);

pub(super) enum Content<K: Continuation> {
    /// In flight until its turn has ended.
    Value(K::Args, InFlightValue),
    /// The hole is filled when the turn begins.
    Missed(Gap, K::Rest),
}

impl<T, K> MessageKind for Published<K>
where
    T: Send + 'static,
    K: Continuation<Hole = Result<T, Lagged>>,
    K::Rest: Clone,
{
    type Content = Content<K>;
    const KIND: KindTable = KindTable::new::<Self>(K::NAME, MessageRole::Bounded);
    const GUARD: Guard = K::GUARD;
    const STEPS: Steps = K::STEPS;
    const CODEC: Option<Codec<Content<K>>> = codec::<K>();

    fn ready(content: &Content<K>, state: &mut StateRef<'_>) -> bool {
        let ready = state.look::<K::Actor, _>(|state| match content {
            Content::Value(args, _) => <K as Behaviour>::ready(state, args),
            Content::Missed(gap, rest) => {
                <K as Behaviour>::ready(state, &notice::<T, K>(gap.missed(), rest.clone()))
            }
        });
        ready.unwrap_or(true)
    }

    fn fmt_args(content: &Content<K>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match content {
            Content::Value(args, _) => K::fmt_args(args, f),
            Content::Missed(gap, rest) => {
                K::fmt_args(&notice::<T, K>(gap.missed(), rest.clone()), f)
            }
        }
    }

    fn run(content: Content<K>, state: &mut StateRef<'_>, worker: &Worker) -> Processed {
        let mut in_flight = None;
        let _none = state.turn::<K::Actor, _>(worker, |state, turn| {
            let no_reply = Resolver::<<K as Message>::Reply>::discarding();
            let args = match content {
                Content::Value(args, value) => {
                    in_flight = Some(value);
                    args
                }
                Content::Missed(gap, rest) => notice::<T, K>(gap.close(), rest),
            };
            K::run(state, turn, args, no_reply);
        });
        drop(in_flight);
        outcome::<K>(worker)
    }

    fn refuse(content: Content<K>, _: &Refusal, _: Place) -> Next {
        match content {
            Content::Value(args, value) => {
                drop_foreign("the drop of a refused message", args);
                drop(value);
            }
            Content::Missed(gap, rest) => {
                drop_foreign("the drop of a refused message", rest);
                drop(gap);
            }
        }
        Next::Nothing
    }
}

fn notice<T, K: Continuation<Hole = Result<T, Lagged>>>(missed: u64, rest: K::Rest) -> K::Args {
    K::fill(Err(Lagged { missed }), rest)
}

/// Its codec, if the actor is saved.
const fn codec<K: Continuation>() -> Option<Codec<Content<K>>> {
    match (K::CODEC, K::REST_CODEC) {
        (Some(_), Some(_)) => Some(Codec::new(
            const {
                &Shape::variants(
                    "vivant::Published",
                    const {
                        &[
                            Variant::new(
                                "Value",
                                const {
                                    &[
                                        Field::new("arguments", shape_of::<Coded<ArgsOf<K>>>()),
                                        Field::new("subscription", shape_of::<NamedIntake>()),
                                    ]
                                },
                            ),
                            Variant::new(
                                "Missed",
                                const {
                                    &[
                                        Field::new("subscription", shape_of::<NamedIntake>()),
                                        Field::new("missed", shape_of::<u64>()),
                                        Field::new("is_open", shape_of::<bool>()),
                                        Field::new("arguments", shape_of::<Coded<RestOf<K>>>()),
                                    ]
                                },
                            ),
                        ]
                    },
                )
            },
            save::<K>,
            load::<K>,
        )),
        _ => None,
    }
}

fn save<K: Continuation>(content: &Content<K>, out: &mut Encoder<'_>) {
    match content {
        Content::Value(args, value) => {
            out.variant(0);
            Coded::<ArgsOf<K>>::save_value(args, out);
            NamedIntake::save(value.intake(), out);
        }
        Content::Missed(gap, rest) => {
            out.variant(1);
            NamedIntake::save(gap.intake(), out);
            let Some(line) = SeenActors::line(out) else {
                return out.error("the notice of a gap, which only a snapshot can save");
            };
            let Some((missed, end)) = gap.at_line(line) else {
                return out.error("the notice of a gap that is closed");
            };
            missed.save(out);
            (end == GapEnd::Open).save(out);
            Coded::<RestOf<K>>::save_value(rest, out);
        }
    }
}

fn load<K: Continuation>(input: &mut Decoder<'_, '_>) -> Result<Content<K>, LoadError> {
    let (variant, mut fields) = input.variant(const { shape(codec::<K>()) })?;
    let loaded = match variant {
        0 => {
            let Coded(args) = fields.field::<Coded<ArgsOf<K>>>(0)?;
            let NamedIntake(intake) = fields.field(1)?;
            Content::Value(args, InFlightValue::restored(intake))
        }
        1 => {
            let NamedIntake(intake) = fields.field(0)?;
            let missed: u64 = fields.field(1)?;
            let end = match fields.field(2)? {
                true => GapEnd::Open,
                false => GapEnd::Closed,
            };
            let Coded(rest) = fields.field::<Coded<RestOf<K>>>(3)?;
            if missed == 0 {
                return Err(fields.input().error("the notice of a gap without values"));
            }
            Content::Missed(Gap::restored(intake, missed, end), rest)
        }
        _ => return Err(fields.no_variant()),
    };
    fields.end()?;
    Ok(loaded)
}

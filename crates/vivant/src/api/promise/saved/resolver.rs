//! How a resolver is saved: as its promise's actor and the number that the promise has there.

use super::super::Resolver;
use super::super::limit::InTime;
use super::super::resolver::RELAYS_MAX;
use crate::api::loaded_actors::LoadedActors;
use std::time::Duration;
use vivant_codec::{Decoder, Encoder, Field, LoadError, Saved, Shape, Variant, shape_of};

/// What a resolver gives its value to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in super::super) enum PromiseName {
    /// Nothing waits in a saved actor: the message was sent, or is awaited outside of the system.
    Nothing,
    /// The promise with this number, among those that the actor has open.
    Of { owner: u64, number: u64 },
    /// As the other name, if the value comes before this time has passed; `limit` is the whole time
    /// limit.
    InTime {
        left: Duration,
        limit: Duration,
        then: Box<PromiseName>,
    },
    /// It cannot be saved.
    Unsaved(&'static str),
}

impl<'gc> Saved<'gc> for PromiseName {
    const SHAPE: &'static Shape = &Shape::variants(
        "vivant::PromiseName",
        const {
            &[
                Variant::new("Nothing", &[]),
                Variant::new(
                    "Of",
                    const {
                        &[
                            Field::new("owner", shape_of::<'gc, u64>()),
                            Field::new("number", shape_of::<'gc, u64>()),
                        ]
                    },
                ),
                Variant::new(
                    "InTime",
                    const {
                        &[
                            Field::new("left", shape_of::<'gc, Duration>()),
                            Field::new("limit", shape_of::<'gc, Duration>()),
                            Field::new("then", shape_of::<'gc, Box<PromiseName>>()),
                        ]
                    },
                ),
            ]
        },
    );

    fn save(&self, out: &mut Encoder<'_>) {
        match self {
            PromiseName::Nothing => out.variant(0),
            PromiseName::Of { owner, number } => {
                out.variant(1);
                owner.save(out);
                number.save(out);
            }
            PromiseName::InTime { left, limit, then } => {
                out.variant(2);
                left.save(out);
                limit.save(out);
                then.save(out);
            }
            PromiseName::Unsaved(why) => out.error(*why),
        }
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        let (variant, mut fields) = input.variant(Self::SHAPE)?;
        let name = match variant {
            0 => PromiseName::Nothing,
            1 => PromiseName::Of {
                owner: fields.field(0)?,
                number: fields.field(1)?,
            },
            2 => PromiseName::InTime {
                left: fields.field(0)?,
                limit: fields.field(1)?,
                then: fields.field(2)?,
            },
            _ => return Err(fields.no_variant()),
        };
        fields.end()?;
        Ok(name)
    }
}

impl<T: Send + 'static> Resolver<T> {
    /// Whether an actor of the system waits for the value, by a promise that has a name.
    pub(in crate::api) fn has_name(&self) -> bool {
        self.promise_name(RELAYS_MAX) != PromiseName::Nothing
    }
}

impl<'gc, T: Send + 'static> Saved<'gc> for Resolver<T> {
    const SHAPE: &'static Shape =
        &Shape::reference("vivant::Resolver", shape_of::<'gc, PromiseName>());

    fn save(&self, out: &mut Encoder<'_>) {
        self.promise_name(RELAYS_MAX).save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        let name: PromiseName = input.reference(Self::SHAPE)?;
        resolver(name, input)
    }
}

/// The resolver of this name. The decoder has the actors.
pub(super) fn resolver<T: Send + 'static>(
    name: PromiseName,
    input: &Decoder<'_, '_>,
) -> Result<Resolver<T>, LoadError> {
    match name {
        PromiseName::Nothing | PromiseName::Unsaved(_) => Ok(Resolver::discarding()),
        PromiseName::Of { owner, number } => {
            let Some(actors) = input.context::<LoadedActors>() else {
                return Err(input.error("a promise of an actor, which only a restore can find"));
            };
            let resolver = actors.resolver(owner, number);
            resolver.map_err(|error| input.error(error.to_string()))
        }
        PromiseName::InTime { left, limit, then } => {
            // Not deeper than the decoder has read.
            let then = resolver(*then, input)?;
            Ok(InTime::relayed(left, limit, then))
        }
    }
}

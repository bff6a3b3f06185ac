//! How messages of behaviours are saved: arguments, resolver, and the locals of a next step.

use super::behaviour::Behaviour;
use super::call::Sent;
use super::promise::Resolver;
use super::stepped::Stepped;
use crate::actor::MessageKind;
use crate::saving::{Codec, shape};
use std::marker::PhantomData;
use vivant_codec::{Decoder, Encoder, Field, LoadError, Saved, Shape, shape_of};

/// The content of a behaviour's message.
type Content<B> = <Sent<B> as MessageKind>::Content;

/// The codec of a behaviour's message, if its arguments have one.
pub(super) const fn sent<B: Behaviour>() -> Option<Codec<Content<B>>> {
    match B::CODEC {
        None => None,
        Some(_) => Some(Codec::new(
            const {
                &Shape::structure(
                    "vivant::Message",
                    const {
                        &[
                            Field::new("arguments", shape_of::<Coded<ArgsOf<B>>>()),
                            Field::new("resolver", shape_of::<Resolver<B::Reply>>()),
                        ]
                    },
                )
            },
            save_sent::<B>,
            |input| {
                let mut fields = input.structure(const { shape(sent::<B>()) })?;
                let args = fields.field::<Coded<ArgsOf<B>>>(0)?.0;
                let resolver = fields.field(1)?;
                fields.end()?;
                Ok((args, resolver))
            },
        )),
    }
}

fn save_sent<B: Behaviour>((args, resolver): &Content<B>, out: &mut Encoder<'_>) {
    Coded::<ArgsOf<B>>::save_value(args, out);
    resolver.save(out);
}

/// The codec of the message of a next step, if its behaviour is saved with its locals.
pub(super) const fn next_step<B: Stepped>() -> Option<Codec<(Content<B>, B::Locals)>> {
    match (B::CODEC, B::LOCALS_CODEC) {
        (Some(_), Some(_)) => Some(Codec::new(
            const {
                &Shape::structure(
                    "vivant::NextStep",
                    const {
                        &[
                            Field::new("arguments", shape_of::<Coded<ArgsOf<B>>>()),
                            Field::new("resolver", shape_of::<Resolver<B::Reply>>()),
                            Field::new("locals", shape_of::<Coded<LocalsOf<B>>>()),
                        ]
                    },
                )
            },
            |(sent, locals), out| {
                save_sent::<B>(sent, out);
                Coded::<LocalsOf<B>>::save_value(locals, out);
            },
            |input| {
                let mut fields = input.structure(const { shape(next_step::<B>()) })?;
                let args = fields.field::<Coded<ArgsOf<B>>>(0)?.0;
                let resolver = fields.field(1)?;
                let locals = fields.field::<Coded<LocalsOf<B>>>(2)?.0;
                fields.end()?;
                Ok(((args, resolver), locals))
            },
        )),
        _ => None,
    }
}

/// A type of values, and their codec.
trait HasCodec {
    type Value;
    const CODEC: Option<Codec<Self::Value>>;
}

struct ArgsOf<B>(PhantomData<B>);

impl<B: Behaviour> HasCodec for ArgsOf<B> {
    type Value = B::Args;
    const CODEC: Option<Codec<B::Args>> = B::CODEC;
}

struct LocalsOf<B>(PhantomData<B>);

impl<B: Stepped> HasCodec for LocalsOf<B> {
    type Value = B::Locals;
    const CODEC: Option<Codec<B::Locals>> = B::LOCALS_CODEC;
}

/// A value with a codec as a type that is saved.
struct Coded<C: HasCodec>(C::Value);

impl<C: HasCodec> Coded<C> {
    fn save_value(value: &C::Value, out: &mut Encoder<'_>) {
        if let Some(codec) = const { C::CODEC } {
            (codec.save)(value, out);
        }
    }
}

impl<'gc, C: HasCodec> Saved<'gc> for Coded<C> {
    const SHAPE: &'static Shape = shape(C::CODEC);

    fn save(&self, out: &mut Encoder<'_>) {
        Self::save_value(&self.0, out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        match const { C::CODEC } {
            Some(codec) => (codec.load)(input).map(Coded),
            None => Err(input.error("a value without a codec")),
        }
    }
}

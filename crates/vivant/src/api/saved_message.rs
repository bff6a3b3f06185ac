//! How messages of behaviours are saved: arguments and resolver.

use super::behaviour::{Behaviour, Continuation, Message};
use super::promise::Resolver;
use crate::saving::{Codec, shape};
use std::marker::PhantomData;
use vivant_codec::{Decoder, Encoder, Field, LoadError, Saved, Shape, shape_of};

/// The content of a behaviour's message.
pub(super) type Content<B> = (<B as Message>::Args, Resolver<<B as Message>::Reply>);

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

pub(super) fn save_sent<B: Behaviour>((args, resolver): &Content<B>, out: &mut Encoder<'_>) {
    Coded::<ArgsOf<B>>::save_value(args, out);
    resolver.save(out);
}

/// A type of values, and their codec.
pub(crate) trait HasCodec {
    type Value;
    const CODEC: Option<Codec<Self::Value>>;
}

/// The arguments of a behaviour.
pub(crate) struct ArgsOf<B>(PhantomData<B>);

impl<B: Behaviour> HasCodec for ArgsOf<B> {
    type Value = B::Args;
    const CODEC: Option<Codec<B::Args>> = B::CODEC;
}

/// The rest of a continuation's arguments.
pub(crate) struct RestOf<K>(PhantomData<K>);

impl<K: Continuation> HasCodec for RestOf<K> {
    type Value = K::Rest;
    const CODEC: Option<Codec<K::Rest>> = K::REST_CODEC;
}

/// A value with a codec as a type that is saved.
pub(crate) struct Coded<C: HasCodec>(pub(crate) C::Value);

impl<C: HasCodec> Coded<C> {
    pub(crate) fn save_value(value: &C::Value, out: &mut Encoder<'_>) {
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

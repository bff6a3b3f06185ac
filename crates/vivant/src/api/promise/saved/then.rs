//! How a continuation is saved while a promise holds it.

use super::super::sink::Sink;
use super::super::{Resolver, ThenSink};
use super::stored::Stored;
use crate::actor::AskError;
use crate::api::address::Address;
use crate::api::behaviour::Continuation;
use crate::api::call::Then;
use crate::api::saved_message::{Coded, RestOf};
use crate::interned::Place;
use std::any::Any;
use vivant_codec::{Decoder, Encoder, Field, LoadError, Saved, Shape, shape_of};

impl<'gc, K: Continuation> Saved<'gc> for ThenSink<K> {
    const SHAPE: &'static Shape = &Shape::structure(
        "vivant::Then",
        const {
            &[
                Field::new("actor", shape_of::<'gc, Address<K::Actor>>()),
                Field::new("made", shape_of::<'gc, Place>()),
                Field::new("arguments", shape_of::<'gc, Coded<RestOf<K>>>()),
                Field::new("resolver", shape_of::<'gc, Resolver<K::Reply>>()),
            ]
        },
    );

    fn save(&self, out: &mut Encoder<'_>) {
        self.then.target().id.save(out);
        self.then.place().save(out);
        Coded::<RestOf<K>>::save_value(self.then.rest(), out);
        self.resolver.save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        let mut fields = input.structure(Self::SHAPE)?;
        let actor: Address<K::Actor> = fields.field(0)?;
        let place = fields.field(1)?;
        let Coded(rest) = fields.field::<Coded<RestOf<K>>>(2)?;
        let resolver = fields.field(3)?;
        fields.end()?;
        let then = Then::from_parts(Address::counted(&actor), rest, place);
        Ok(ThenSink { then, resolver })
    }
}

/// The shape of what a continuation is saved as.
pub(crate) fn then_shape<K: Continuation>() -> &'static Shape {
    <ThenSink<K> as Saved<'static>>::SHAPE
}

pub(crate) fn load_then<T, K>(content: &Stored<'_>) -> Result<Box<dyn Any>, LoadError>
where
    T: Send + 'static,
    K: Continuation<Hole = Result<T, AskError>>,
{
    let sink: ThenSink<K> = content.load()?;
    Ok(Box::new(Sink::<T>::new(sink)))
}

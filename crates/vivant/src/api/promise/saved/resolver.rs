//! How a resolver is saved: as its promise's actor and the number that the promise has there.

use super::super::limit::InTime;
use super::super::resolver::{RELAYS_MAX, Resolver};
use super::data::PromiseName;
use crate::actor::AskError;
use std::any::Any;
use vivant_codec::{Decoder, Encoder, LoadError, Saved, Shape, shape_of};

/// The resolver of a promise of any type: a `Resolver<T>`.
pub(crate) trait OpenResolver: Any {
    /// Breaks the promise with this error.
    fn fail(self: Box<Self>, error: AskError);
}

impl<T: Send + 'static> OpenResolver for Resolver<T> {
    fn fail(self: Box<Self>, error: AskError) {
        Resolver::fail(*self, error);
    }
}

/// Takes the resolver of a promise out, by the number of its actor and its own: there is one. The
/// context of a decoder.
pub(crate) struct LoadedPromises(pub(crate) Box<dyn Fn(u64, u64) -> Option<Box<dyn OpenResolver>>>);

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
        PromiseName::Of { owner, number, .. } => {
            let Some(LoadedPromises(promises)) = input.context() else {
                return Err(input.error("a promise of an actor, which only a restore can find"));
            };
            // If the promise is closed, or its owner was not saved, nothing waits for the value.
            let Some(resolver) = promises(owner, number) else {
                return Ok(Resolver::discarding());
            };
            let resolver: Box<dyn Any> = resolver;
            match resolver.downcast() {
                Ok(resolver) => Ok(*resolver),
                Err(_) => Err(input.error(format!(
                    "a resolver for the promise {number} of the actor {owner}, which has a value of another type"
                ))),
            }
        }
        PromiseName::InTime {
            timer,
            left,
            limit,
            then,
        } => {
            // Not deeper than the decoder has read.
            let then = resolver(*then, input)?;
            Ok(InTime::relayed(timer, (left, limit), then))
        }
    }
}

//! How a resolver is saved: as its promise's actor and the number that the promise has there.

use super::Resolver;
use crate::api::loaded_actors::LoadedActors;
use vivant_codec::{Decoder, Encoder, LoadError, Saved, Shape, shape_of};

/// An actor and the number of a promise among those that it has open; `None` if nothing waits in a
/// saved actor: the message was sent, or is awaited outside of the system.
type PromiseName = Option<(u64, u64)>;

impl<T: Send + 'static> Resolver<T> {
    /// Whether an actor of the system waits for the value, by a promise that has a name.
    pub(in crate::api) fn has_name(&self) -> bool {
        self.promise_name().is_some()
    }
}

impl<'gc, T: Send + 'static> Saved<'gc> for Resolver<T> {
    const SHAPE: &'static Shape =
        &Shape::reference("vivant::Resolver", shape_of::<'gc, PromiseName>());

    fn save(&self, out: &mut Encoder<'_>) {
        self.promise_name().save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        let name: PromiseName = input.reference(Self::SHAPE)?;
        let Some((owner, number)) = name else {
            return Ok(Resolver::discarding());
        };
        let Some(actors) = input.context::<LoadedActors>() else {
            return Err(input.error("a promise of an actor, which only a restore can find"));
        };
        let resolver = actors.resolver(owner, number);
        resolver.map_err(|error| input.error(error.to_string()))
    }
}

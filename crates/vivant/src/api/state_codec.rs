//! [`StateCodec`]: how the state of a saved actor is written and read.

use super::actor::Actor;
use super::inline_state::InlineActor;
use crate::actor::StoredShape;
use std::fmt;
use vivant_codec::{Decoder, Encoder, LoadError, Saved, Shape};

/// How the state of a saved actor is written and read. `#[actor(saved)]` gives one to the actor.
pub struct StateCodec<A: Actor> {
    pub(super) shape: &'static Shape,
    pub(super) save: for<'gc> fn(&A::State<'gc>, &mut Encoder<'_>),
    load: for<'gc> fn(&mut Decoder<'gc, '_>) -> Result<A::State<'gc>, LoadError>,
}

impl<A: InlineActor + for<'gc> Saved<'gc>> StateCodec<A> {
    /// The codec of a plain state: that of its type.
    pub const OF_VALUE: Option<StateCodec<A>> = Some(StateCodec {
        shape: <A as Saved<'static>>::SHAPE,
        save: |state, out| state.save(out),
        load: |input| A::load(input),
    });
}

impl<A: InlineActor> StateCodec<A> {
    /// Reads a state: with the shape that it has in a file, or with the program's.
    pub(super) fn load<'a>(
        input: &mut Decoder<'_, 'a>,
        stored: Option<StoredShape<'a>>,
    ) -> Result<A, LoadError> {
        let Loaded(state) = match stored {
            Some((comparison, shape)) => input.stored::<Loaded<A>>(comparison, shape)?,
            None => Loaded::load(input)?,
        };
        Ok(state)
    }
}

/// A state as a type that is saved.
struct Loaded<A>(A);

impl<'gc, A: InlineActor> Saved<'gc> for Loaded<A> {
    const SHAPE: &'static Shape = match A::STATE_CODEC {
        Some(codec) => codec.shape,
        None => <() as Saved<'gc>>::SHAPE,
    };

    fn save(&self, out: &mut Encoder<'_>) {
        if let Some(codec) = const { A::STATE_CODEC } {
            (codec.save)(&self.0, out);
        }
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        match const { A::STATE_CODEC } {
            Some(codec) => (codec.load)(input).map(Loaded),
            None => Err(input.error("a state that is not saved")),
        }
    }
}

impl<A: Actor> Clone for StateCodec<A> {
    fn clone(&self) -> StateCodec<A> {
        *self
    }
}

impl<A: Actor> Copy for StateCodec<A> {}

impl<A: Actor> fmt::Debug for StateCodec<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StateCodec({})", self.shape.name())
    }
}

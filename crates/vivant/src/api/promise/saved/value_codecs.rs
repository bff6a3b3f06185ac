//! The types that values of promises may have, with their codecs: replies and holes of behaviours.

use super::data::{PromiseUnsaved, ShapedBytes};
use super::stored::Stored;
use crate::actor::AskError;
use crate::api::behaviour::{Behaviour, Continuation};
use crate::api::saved_message::{Coded, HasCodec};
use crate::saving::Codec;
use std::any::Any;
use std::marker::PhantomData;
use vivant_codec::{Decoder, Encoder, LoadError, Saved, Shape};

/// A type of values of promises, and how their outcomes are encoded.
pub(crate) trait SavedValue: 'static {
    type Value: Send + 'static;
    const CODEC: Option<OutcomeCodec<Self::Value>>;
}

/// How outcomes are encoded: as a `Result<T, AskError>`. Its code exists once for each type of
/// values, and not for each behaviour.
pub(crate) struct OutcomeCodec<T> {
    pub(super) shape: &'static Shape,
    by: By<T>,
}

/// What is known of the type.
enum By<T> {
    Value(Codec<T>),
    Outcome(Codec<Result<T, AskError>>),
}

impl<T: Send + 'static> OutcomeCodec<T> {
    fn save(&self, outcome: &Result<T, AskError>, out: &mut Encoder<'_>) {
        match (&self.by, outcome) {
            (By::Outcome(codec), outcome) => (codec.save)(outcome, out),
            (By::Value(codec), Ok(value)) => {
                out.variant(0);
                (codec.save)(value, out);
            }
            (By::Value(_), Err(error)) => {
                out.variant(1);
                error.save(out);
            }
        }
    }

    fn load(&self, input: &mut Decoder<'_, '_>) -> Result<Result<T, AskError>, LoadError> {
        let codec = match &self.by {
            By::Outcome(codec) => return (codec.load)(input),
            By::Value(codec) => codec,
        };
        let (variant, mut fields) = input.variant(self.shape)?;
        let outcome = match variant {
            0 => Ok(fields.part(0, codec.shape, codec.load)?),
            _ => Err(fields.field(0)?),
        };
        fields.end()?;
        Ok(outcome)
    }

    /// The outcome that a file has.
    pub(super) fn stored(&self, stored: &Stored<'_>) -> Result<Result<T, AskError>, LoadError> {
        stored.load_by(self.shape, |input| self.load(input))
    }

    pub(super) fn encoded(
        &self,
        outcome: &Result<T, AskError>,
        contexts: &[&dyn Any],
    ) -> Result<ShapedBytes, PromiseUnsaved> {
        ShapedBytes::by(self.shape, contexts, |out| self.save(outcome, out))
    }
}

/// The reply of a behaviour.
pub(crate) struct ReplyOf<B>(PhantomData<B>);

impl<B: Behaviour> HasCodec for ReplyOf<B> {
    type Value = B::Reply;
    const CODEC: Option<Codec<B::Reply>> = B::REPLY_CODEC;
}

impl<B: Behaviour> SavedValue for ReplyOf<B> {
    type Value = B::Reply;
    const CODEC: Option<OutcomeCodec<B::Reply>> = match B::REPLY_CODEC {
        None => None,
        Some(codec) => Some(OutcomeCodec {
            shape: <Result<Coded<ReplyOf<B>>, AskError> as Saved<'static>>::SHAPE,
            by: By::Value(codec),
        }),
    };
}

/// What fills the hole of a continuation.
pub(crate) struct HoleOf<K>(PhantomData<K>);

impl<T: Send + 'static, K: Continuation<Hole = Result<T, AskError>>> SavedValue for HoleOf<K> {
    type Value = T;
    const CODEC: Option<OutcomeCodec<T>> = match K::HOLE_CODEC {
        None => None,
        Some(codec) => Some(OutcomeCodec {
            shape: codec.shape,
            by: By::Outcome(codec),
        }),
    };
}

/// The stable name of a type of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ValueName<S = &'static str> {
    pub(crate) of: ValueOf,
    /// The stable name of the behaviour.
    pub(crate) behaviour: S,
}

/// What of a behaviour has the type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ValueOf {
    Reply,
    /// What fills the hole of the continuation.
    Hole,
}

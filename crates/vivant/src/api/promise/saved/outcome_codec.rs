//! [`OutcomeCodec`]: how outcomes of promises are encoded.

use super::data::{PromiseUnsaved, ShapedBytes};
use crate::actor::AskError;
use crate::saving::Codec;
use std::any::Any;
use vivant_codec::{Decoder, Encoder, LoadError, Saved, Shape};

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

impl<T> OutcomeCodec<T> {
    /// `shape` is that of the outcome.
    pub(super) const fn of_value(codec: Codec<T>, shape: &'static Shape) -> OutcomeCodec<T> {
        let by = By::Value(codec);
        OutcomeCodec { shape, by }
    }

    pub(super) const fn of_outcome(codec: Codec<Result<T, AskError>>) -> OutcomeCodec<T> {
        let shape = codec.shape;
        let by = By::Outcome(codec);
        OutcomeCodec { shape, by }
    }

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

    pub(super) fn load(
        &self,
        input: &mut Decoder<'_, '_>,
    ) -> Result<Result<T, AskError>, LoadError> {
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

    pub(in super::super) fn encoded(
        &self,
        outcome: &Result<T, AskError>,
        contexts: &[&dyn Any],
    ) -> Result<ShapedBytes, PromiseUnsaved> {
        ShapedBytes::by(self.shape, contexts, |out| self.save(outcome, out))
    }
}

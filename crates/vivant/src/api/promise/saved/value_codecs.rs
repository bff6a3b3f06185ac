//! The types that values of promises may have, with their codecs: replies and holes of behaviours,
//! and the outcome of each.

use super::stored::Stored;
use crate::actor::AskError;
use crate::api::behaviour::{Behaviour, Continuation};
use crate::api::saved_message::{Coded, HasCodec};
use crate::saving::Codec;
use std::marker::PhantomData;
use vivant_codec::{LoadError, Saved};

/// A type of values of promises, and their codec.
pub(crate) trait SavedValue: 'static {
    type Value: Send + 'static;
    const CODEC: Option<Codec<Result<Self::Value, AskError>>>;
}

/// The reply of a behaviour.
pub(crate) struct ReplyOf<B>(PhantomData<B>);

impl<B: Behaviour> HasCodec for ReplyOf<B> {
    type Value = B::Reply;
    const CODEC: Option<Codec<B::Reply>> = B::REPLY_CODEC;
}

impl<B: Behaviour> SavedValue for ReplyOf<B> {
    type Value = B::Reply;
    const CODEC: Option<Codec<Result<B::Reply, AskError>>> = outcome::<ReplyOf<B>>();
}

/// What fills the hole of a continuation.
pub(crate) struct HoleOf<K>(PhantomData<K>);

impl<T: Send + 'static, K: Continuation<Hole = Result<T, AskError>>> SavedValue for HoleOf<K> {
    type Value = T;
    const CODEC: Option<Codec<Result<T, AskError>>> = K::HOLE_CODEC;
}

/// The outcome of a promise: a value or an error.
pub(crate) struct OutcomeOf<V>(PhantomData<V>);

impl<V: SavedValue> HasCodec for OutcomeOf<V> {
    type Value = Result<V::Value, AskError>;
    const CODEC: Option<Codec<Self::Value>> = V::CODEC;
}

/// The value of a promise by `all_settled`.
impl<V: SavedValue> SavedValue for OutcomeOf<V> {
    type Value = Result<V::Value, AskError>;
    const CODEC: Option<Codec<Result<Self::Value, AskError>>> = outcome::<OutcomeOf<V>>();
}

/// The codec of a value or an error: the bytes and the shape of a `Result`.
const fn outcome<C: HasCodec>() -> Option<Codec<Result<C::Value, AskError>>> {
    match C::CODEC {
        None => None,
        Some(_) => Some(Codec::new(
            <Result<Coded<C>, AskError> as Saved<'static>>::SHAPE,
            |value, out| match value {
                Ok(value) => {
                    out.variant(0);
                    Coded::<C>::save_value(value, out);
                }
                Err(error) => {
                    out.variant(1);
                    error.save(out);
                }
            },
            |input| Ok(Result::<Coded<C>, AskError>::load(input)?.map(|coded| coded.0)),
        )),
    }
}

/// The outcome that a file has.
pub(super) fn settled<V: SavedValue>(
    value: &Stored<'_>,
) -> Result<Result<V::Value, AskError>, LoadError> {
    let Coded(outcome) = value.load::<Coded<OutcomeOf<V>>>()?;
    Ok(outcome)
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
    /// The outcome of a promise of the reply.
    ReplyOutcome,
    HoleOutcome,
}

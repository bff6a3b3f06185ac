//! The types that values of promises may have, with their codecs: replies and holes of behaviours.

use super::outcome_codec::OutcomeCodec;
use crate::actor::AskError;
use crate::api::behaviour::{Behaviour, Continuation};
use crate::api::saved_message::{Coded, HasCodec};
use crate::saving::Codec;
use std::marker::PhantomData;
use vivant_codec::Saved;

/// A type of values of promises, and how their outcomes are encoded.
pub(crate) trait SavedValue: 'static {
    type Value: Send + 'static;
    const CODEC: Option<OutcomeCodec<Self::Value>>;
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
        Some(codec) => {
            let shape = <Result<Coded<ReplyOf<B>>, AskError> as Saved<'static>>::SHAPE;
            Some(OutcomeCodec::of_value(codec, shape))
        }
    };
}

/// What fills the hole of a continuation.
pub(crate) struct HoleOf<K>(PhantomData<K>);

impl<T: Send + 'static, K: Continuation<Hole = Result<T, AskError>>> SavedValue for HoleOf<K> {
    type Value = T;
    const CODEC: Option<OutcomeCodec<T>> = match K::HOLE_CODEC {
        None => None,
        Some(codec) => Some(OutcomeCodec::of_outcome(codec)),
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

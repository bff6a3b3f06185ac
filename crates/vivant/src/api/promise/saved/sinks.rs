//! What a sink is saved as, and what it is loaded from.

use super::super::sink::Sink;
use super::super::{Resolver, ThenSink};
use super::opened::LoadedJoins;
use super::resolver::{PromiseName, resolver};
use super::values::{OutcomeOf, SavedValue, ValueTypes};
use crate::actor::{AddressRef, AskError, ExclusiveWait};
use crate::api::behaviour::Continuation;
use crate::api::saved_message::Coded;
use crate::interned::Name;
use crate::saving::{Codec, StoredShape};
use std::any::Any;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt;
use vivant_codec::{Decoder, Encoder, LoadError, SaveError, Saved, Shape};

/// A value that was encoded.
#[derive(Clone, Debug)]
pub(crate) struct ShapedBytes {
    pub(crate) shape: &'static Shape,
    pub(crate) bytes: Vec<u8>,
}

/// Why a promise cannot be saved.
#[derive(Debug)]
pub(crate) enum PromiseUnsaved {
    /// It was carried out of its turn, so what will be done with its value is open.
    NotFinal,
    /// It is in no list of its owner: it was opened while that was not held.
    Unlisted,
    /// What is done with its value is not saved, such as a closure: the name of the sink.
    Sink(Name),
    /// No saved actor has a message with such a reply, or a continuation with such a hole.
    UnknownValue,
    /// A value could not be encoded.
    Value(SaveError),
}

/// What the sinks of one actor are saved with.
pub(in super::super) struct SinkSaver<'k> {
    pub(in super::super) types: &'k ValueTypes,
    contexts: &'k [&'k dyn Any],
    /// The joins that have been saved, by the number of their promise.
    pub(in super::super) joins: BTreeSet<u64>,
    /// Values that the present sink has, with their positions.
    pub(super) values: Vec<(u64, ShapedBytes)>,
}

impl<'k> SinkSaver<'k> {
    pub(super) fn new(types: &'k ValueTypes, contexts: &'k [&'k dyn Any]) -> SinkSaver<'k> {
        SinkSaver {
            types,
            contexts,
            joins: BTreeSet::new(),
            values: Vec::new(),
        }
    }

    /// The content of a sink.
    pub(in super::super) fn content<T: Saved<'static>>(
        &self,
        value: &T,
    ) -> Result<ShapedBytes, PromiseUnsaved> {
        ShapedBytes::by(T::SHAPE, self.contexts, |out| value.save(out))
    }

    /// A value that has arrived at this position of a join.
    pub(in super::super) fn value<T>(
        &mut self,
        at: usize,
        value: &T,
        codec: &Codec<T>,
    ) -> Result<(), PromiseUnsaved> {
        let value = ShapedBytes::by(codec.shape, self.contexts, |out| (codec.save)(value, out))?;
        self.values.push((at as u64, value));
        Ok(())
    }
}

impl ShapedBytes {
    pub(super) fn by(
        shape: &'static Shape,
        contexts: &[&dyn Any],
        save: impl FnOnce(&mut Encoder<'_>),
    ) -> Result<ShapedBytes, PromiseUnsaved> {
        let mut out = Encoder::new().with_contexts(contexts);
        save(&mut out);
        match out.finish() {
            Ok(bytes) => Ok(ShapedBytes { shape, bytes }),
            Err(error) => Err(PromiseUnsaved::Value(error)),
        }
    }
}

/// An encoded value of a file.
#[derive(Clone, Copy)]
pub(crate) struct Stored<'a> {
    pub(crate) bytes: &'a [u8],
    /// Its shape in the file.
    pub(crate) shape: StoredShape<'a>,
    pub(crate) contexts: &'a [&'a dyn Any],
}

impl Stored<'_> {
    pub(in super::super) fn load<T: Saved<'static>>(&self) -> Result<T, LoadError> {
        let mut input = self.decoder();
        let (comparison, shape) = self.shape;
        let loaded = input.stored::<T>(comparison, shape)?;
        input.finish()?;
        Ok(loaded)
    }

    /// The value of a promise.
    pub(in super::super) fn settled<V: SavedValue>(
        &self,
    ) -> Result<Result<V::Value, AskError>, LoadError> {
        let Coded(value) = self.load::<Coded<OutcomeOf<V>>>()?;
        Ok(value)
    }

    /// The resolver of this name.
    pub(in super::super) fn resolver<T: Send + 'static>(
        &self,
        name: PromiseName,
    ) -> Result<Resolver<T>, LoadError> {
        resolver(name, &self.decoder())
    }

    pub(in super::super) fn error(&self, why: &'static str) -> LoadError {
        self.decoder().error(why)
    }

    fn decoder(&self) -> Decoder<'static, '_> {
        Decoder::new(self.bytes).with_contexts(self.contexts)
    }
}

/// The sink of a promise in a file.
pub(crate) struct StoredSink<'a> {
    /// The name of its kind.
    pub(crate) kind: &'a str,
    /// The stable name of the message with the reply, or of the continuation.
    pub(crate) name: &'a str,
    pub(crate) content: Stored<'a>,
    pub(crate) values: Vec<(u64, Stored<'a>)>,
    pub(crate) owner: &'a AddressRef,
    pub(crate) types: &'a ValueTypes,
    /// The joins of the owner that have been loaded.
    pub(crate) joins: &'a LoadedJoins,
    /// Gets the exclusive wait that ends with the promise.
    pub(crate) waits: &'a RefCell<Vec<ExclusiveWait>>,
}

/// Loads the sink of a continuation, a `Sink<T>`.
pub(crate) type LoadThen = fn(&Stored<'_>) -> Result<Box<dyn Any>, LoadError>;

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

impl fmt::Display for PromiseUnsaved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PromiseUnsaved::NotFinal => f.write_str("it was carried out of its turn"),
            PromiseUnsaved::Unlisted => f.write_str("it was opened outside of its owner's turns"),
            PromiseUnsaved::Sink(kind) => write!(
                f,
                "its value goes to `{kind}`, which is not saved: `.then(t.me().method(…))` is"
            ),
            PromiseUnsaved::UnknownValue => f.write_str(
                "no saved actor has a message with such a reply, or a continuation of it: the \
                 actor that was asked is to be saved, too",
            ),
            PromiseUnsaved::Value(error) => write!(f, "{error}"),
        }
    }
}

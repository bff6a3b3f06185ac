//! A sink in a file, and the values that it has.

use super::super::Resolver;
use super::super::any_resolver::AnyResolver;
use super::data::PromiseName;
use super::outcome_codec::OutcomeCodec;
use super::resolver::{any_resolver_of, resolver_of};
use crate::actor::{AddressRef, AskError, ExclusiveWait};
use crate::saving::StoredShape;
use std::any::{Any, TypeId};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use vivant_codec::{Decoder, LoadError, Saved, Shape};
use vivant_heap::ValueDecoder;

/// An encoded value of a file.
#[derive(Clone, Copy)]
pub(crate) struct Stored<'a> {
    pub(crate) bytes: &'a [u8],
    /// Its shape in the file.
    pub(crate) shape: StoredShape<'a>,
    pub(crate) values: &'a ValueDecoder<'a>,
}

impl<'a> Stored<'a> {
    pub(crate) fn load<T: for<'gc> Saved<'gc>>(&self) -> Result<T, LoadError> {
        self.load_by(<T as Saved<'static>>::SHAPE, |input| T::load(input))
    }

    /// The value of a type with this shape, by its codec.
    fn load_by<T>(
        &self,
        current: &'static Shape,
        load: impl for<'gc> FnOnce(&mut Decoder<'gc, '_>) -> Result<T, LoadError>,
    ) -> Result<T, LoadError> {
        let mut input = self.decoder();
        let (comparison, shape) = self.shape;
        let loaded = input.stored_by(comparison, shape, current, load)?;
        input.finish()?;
        Ok(loaded)
    }

    /// The outcome of this codec.
    pub(super) fn outcome<T>(
        &self,
        codec: &OutcomeCodec<T>,
    ) -> Result<Result<T, AskError>, LoadError> {
        self.load_by(codec.shape, |input| codec.load(input))
    }

    /// The resolver of this name, of values of this type.
    pub(super) fn resolver_of<T: Send + 'static>(
        &self,
        name: PromiseName,
    ) -> Result<Resolver<T>, LoadError> {
        resolver_of(name, &self.decoder())
    }

    /// As `resolver_of`, for a caller that has an outcome of the type, but no code for resolvers.
    pub(super) fn any_resolver_of<T: 'static>(
        &self,
        name: PromiseName,
    ) -> Result<Box<dyn AnyResolver>, LoadError> {
        any_resolver_of(TypeId::of::<T>(), name, &self.decoder())
    }

    pub(crate) fn context<C: 'static>(&self) -> Option<&'a C> {
        self.decoder().context()
    }

    pub(super) fn error(&self, why: &'static str) -> LoadError {
        self.decoder().error(why)
    }

    fn decoder(&self) -> Decoder<'a, 'a> {
        self.values.of(self.bytes)
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
    /// Number of promises that the owner has open or that have brought something to a join, as far
    /// as no join has counted them.
    pub(crate) promises: &'a Cell<u64>,
    /// How the continuation of this name is loaded.
    pub(crate) continuation: &'a dyn Fn(&str) -> Option<LoadThen>,
    /// The joins of the owner that have been loaded.
    pub(crate) joins: &'a LoadedJoins,
    /// Gets the exclusive wait that ends with the promise.
    pub(crate) waits: &'a RefCell<Vec<ExclusiveWait>>,
}

/// Loads the sink of a continuation, a `Sink<T>`.
pub(crate) type LoadThen = fn(&Stored<'_>) -> Result<Box<dyn Any>, LoadError>;

/// The joins of an actor that have been loaded, by the numbers of their promises.
pub(crate) type LoadedJoins = RefCell<BTreeMap<u64, Box<dyn Any>>>;

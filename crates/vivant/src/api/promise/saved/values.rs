//! [`ValueTypes`]: the types that values of promises may have in a program. Sinks, arrivals and
//! resolvers are generic over the type, and know nothing of codecs: a codec is found here by the
//! type, and the type by a name.

use super::super::arrival::arriving;
use super::super::arrival_type::arrival_type;
use super::super::exclusive::WaitContent;
use super::super::join::JoinContent;
use super::super::resolver::Resolver;
use super::super::slot::slot_of_held;
use super::data::{ListedResults, PromiseName, PromiseUnsaved, ShapedBytes};
use super::opened::{OpenPromise, Opened};
use super::outcome_codec::OutcomeCodec;
use super::resolver::{OpenResolver, ResultTypes};
use super::stored::{LoadThen, Stored};
use super::value_codecs::{SavedValue, ValueName, ValueOf};
use crate::actor::{AddressRef, Envelope, StateRef};
use crate::services::Asked;
use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use vivant_codec::{LoadError, Saved, Shape};

/// A type of values.
pub(crate) trait ValueType: Sync {
    /// An `OutcomeCodec<T>`.
    fn codec(&self) -> &dyn Any;

    /// The shape of outcomes.
    fn shape(&self) -> &'static Shape;

    /// The number of the promise and the outcome of an arrival of this type.
    fn arrival(
        &self,
        message: &Envelope,
        contexts: &[&dyn Any],
    ) -> Result<(u64, ShapedBytes), PromiseUnsaved>;

    /// The message that brings an outcome to the promise of this resolver, which is of this type.
    fn load_arrival(
        &self,
        resolver: OpenResolver,
        outcome: &Stored<'_>,
    ) -> Result<Option<(AddressRef, Envelope)>, LoadError>;

    /// Opens a promise of an actor that the caller holds. `number` is higher than those of its open
    /// promises.
    fn open(
        &'static self,
        owner: &AddressRef,
        held: &StateRef<'_>,
        number: u64,
        asked: Option<Asked>,
    ) -> (Box<dyn OpenPromise>, OpenResolver);
}

impl<T: Send + 'static> ValueType for OutcomeCodec<T> {
    fn codec(&self) -> &dyn Any {
        self
    }

    fn shape(&self) -> &'static Shape {
        self.shape
    }

    fn arrival(
        &self,
        message: &Envelope,
        contexts: &[&dyn Any],
    ) -> Result<(u64, ShapedBytes), PromiseUnsaved> {
        match arriving::<T>(message) {
            None => Err(PromiseUnsaved::UnknownValue),
            Some((0, _)) => Err(PromiseUnsaved::Unlisted),
            Some((number, outcome)) => Ok((number, self.encoded(outcome, contexts)?)),
        }
    }

    fn load_arrival(
        &self,
        resolver: OpenResolver,
        outcome: &Stored<'_>,
    ) -> Result<Option<(AddressRef, Envelope)>, LoadError> {
        match resolver.of::<T>() {
            Some(resolver) => Ok(resolver.into_arrival(outcome.outcome(self)?)),
            None => Err(outcome.error("the promise has a value of another type")),
        }
    }

    fn open(
        &'static self,
        owner: &AddressRef,
        held: &StateRef<'_>,
        number: u64,
        asked: Option<Asked>,
    ) -> (Box<dyn OpenPromise>, OpenResolver) {
        let (promise, answering) = slot_of_held(owner.clone(), held, number, asked);
        let opened = Opened {
            promise,
            codec: self,
        };
        let resolver = Resolver::of_slot(answering);
        (Box::new(opened), OpenResolver::new(resolver))
    }
}

/// The types of values of a program.
#[derive(Default)]
pub(crate) struct ValueTypes {
    /// By the type of the message that brings a value: the name of the type is that of the first
    /// message with such a reply, or of a continuation with such a hole.
    by_type: BTreeMap<TypeId, ValueName>,
    by_name: BTreeMap<ValueName, &'static dyn ValueType>,
    continuations: BTreeMap<&'static str, (LoadThen, &'static Shape)>,
    results: ResultTypes,
    listed_results: ListedResults,
}

impl ValueTypes {
    /// Adds the type of a behaviour's reply or hole.
    pub(crate) fn add<V: SavedValue>(&mut self, of: ValueOf, behaviour: &'static str) {
        let Some(codec) = (const { &V::CODEC }) else {
            return;
        };
        let name = ValueName { of, behaviour };
        self.by_name.insert(name, codec);
        let first = self.by_type.entry(arrival_type::<V::Value>());
        let first = first.or_insert(name);
        *first = name.min(*first);
    }

    pub(crate) fn add_continuation(
        &mut self,
        name: &'static str,
        load: LoadThen,
        shape: &'static Shape,
    ) {
        self.continuations.insert(name, (load, shape));
    }

    /// The types that are results.
    pub(crate) fn results(&self) -> &ResultTypes {
        &self.results
    }

    /// Adds a type of results.
    pub(crate) fn add_result<T: Send + 'static, E: Send + 'static>(&mut self) {
        self.results.add::<T, E>();
        self.listed_results.0.insert(TypeId::of::<Result<T, E>>());
    }

    /// The same types, for encoders.
    pub(crate) fn listed_results(&self) -> &ListedResults {
        &self.listed_results
    }

    /// The shapes of all that promises are saved as, by the names.
    pub(crate) fn shapes(&self) -> impl Iterator<Item = &'static Shape> + '_ {
        let values = self.by_name.values().map(|value| value.shape());
        let continuations = self.continuations.values().map(|(_, shape)| *shape);
        values.chain(continuations).chain(sink_shapes())
    }

    /// The type of this name.
    pub(crate) fn named(&self, name: ValueName<&str>) -> Option<&'static dyn ValueType> {
        // A name of any lifetime is compared with those of the map.
        let from = self.by_name.range::<ValueName<&str>, _>(name..);
        let (found, value) = { from }.next()?;
        (*found == name).then_some(*value)
    }

    /// The type of the value that a message brings, and its name.
    pub(crate) fn of_arrival(&self, message: &Envelope) -> Option<(ValueName, &dyn ValueType)> {
        let name = *self.by_type.get(&message.kind().type_id())?;
        Some((name, *self.by_name.get(&name)?))
    }

    /// The name of the type of which arrivals have this type.
    pub(super) fn name_of(&self, arrival: TypeId) -> Option<ValueName> {
        self.by_type.get(&arrival).copied()
    }

    /// The codec of the outcomes that messages of a type bring, an `OutcomeCodec<T>`.
    pub(super) fn codec(&self, arrival: TypeId) -> Option<&dyn Any> {
        let name = self.by_type.get(&arrival)?;
        Some(self.by_name.get(name)?.codec())
    }

    pub(crate) fn continuation(&self, name: &str) -> Option<LoadThen> {
        Some(self.continuations.get(name)?.0)
    }
}

/// The shapes of sinks that are the same for all types of values.
fn sink_shapes() -> [&'static Shape; 5] {
    [
        <() as Saved<'static>>::SHAPE,
        <Resolver<()> as Saved<'static>>::SHAPE,
        PromiseName::SHAPE,
        JoinContent::SHAPE,
        WaitContent::SHAPE,
    ]
}

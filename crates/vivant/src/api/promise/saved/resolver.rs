//! How a resolver is saved: as its promise's actor and the number that the promise has there. If it
//! gives the `Ok` of a result alone, the type of the error is found by the type of that promise.

use super::super::limit::InTime;
use super::super::relay::OkRelay;
use super::super::resolver::{RELAYS_MAX, Resolver};
use super::data::PromiseName;
use crate::actor::AskError;
use std::any::{Any, TypeId};
use std::collections::BTreeMap;
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

/// The resolvers of promises, by the numbers of their actors and their own: there is one of each.
/// The context of a decoder.
pub(crate) struct LoadedPromises {
    /// Takes it out.
    pub(crate) take: Box<dyn Fn(u64, u64) -> Option<Box<dyn OpenResolver>>>,
    pub(crate) type_of: Box<dyn Fn(u64, u64) -> Option<TypeId>>,
    pub(crate) results: ResultTypes,
}

impl<T: Send + 'static> Resolver<T> {
    /// Whether an actor of the system waits for the value, by a promise that has a name.
    pub(in crate::api) fn has_name(&self) -> bool {
        self.promise_name(RELAYS_MAX) != PromiseName::Nothing
    }
}

impl<T: Send + 'static, E: Send + 'static> Resolver<Result<T, E>> {
    /// What a file names the resolver of the `Ok` by.
    pub(in super::super) fn name_of_ok(&self, relays_max: usize) -> PromiseName {
        match self.promise_name(relays_max) {
            PromiseName::Nothing => PromiseName::Nothing,
            of_result => PromiseName::Ok {
                of: Box::new(of_result),
                result: Some(TypeId::of::<Self>()),
            },
        }
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
            let Some(promises) = input.context::<LoadedPromises>() else {
                return Err(input.error("a promise of an actor, which only a restore can find"));
            };
            // If the promise is closed, or its owner was not saved, nothing waits for the value.
            let Some(resolver) = (promises.take)(owner, number) else {
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
        PromiseName::Ok { of, .. } => ok_resolver(*of, input),
    }
}

/// A type of results, as the type of its resolvers: how a resolver of the `Ok` is loaded.
#[derive(Clone, Copy)]
pub(super) struct ResultType {
    /// Loads a `Resolver<T>`: the name is that of a promise of the result.
    load: fn(PromiseName, &Decoder<'_, '_>) -> Result<Box<dyn Any>, LoadError>,
    /// The type of that resolver.
    gives: TypeId,
}

/// The types of results in a program, by the types of their resolvers.
#[derive(Clone, Default)]
pub(crate) struct ResultTypes(BTreeMap<TypeId, ResultType>);

impl ResultTypes {
    pub(crate) fn add<T: Send + 'static, E: Send + 'static>(&mut self) {
        let of_result = ResultType {
            load: |name, input| {
                let of_result: Resolver<Result<T, E>> = resolver(name, input)?;
                Ok(Box::new(ok_of(of_result)))
            },
            gives: TypeId::of::<Resolver<T>>(),
        };
        let key = TypeId::of::<Resolver<Result<T, E>>>();
        self.0.insert(key, of_result);
    }

    /// The type of the resolver of this name.
    fn type_of(&self, name: &PromiseName, promises: &LoadedPromises) -> TypeOfName {
        match name {
            PromiseName::Nothing | PromiseName::Unsaved(_) => TypeOfName::Unawaited,
            PromiseName::Of { owner, number, .. } => match (promises.type_of)(*owner, *number) {
                Some(found) => TypeOfName::Is(found),
                None => TypeOfName::Unawaited,
            },
            PromiseName::InTime { then, .. } => self.type_of(then, promises),
            PromiseName::Ok { of, .. } => match self.type_of(of, promises) {
                TypeOfName::Is(result) => match self.0.get(&result) {
                    Some(of_result) => TypeOfName::Is(of_result.gives),
                    None => TypeOfName::Unknown,
                },
                other => other,
            },
        }
    }
}

/// The type of a resolver that a file names.
enum TypeOfName {
    Is(TypeId),
    /// The promise is closed, or its owner was not saved: nothing waits for the value.
    Unawaited,
    /// The `Ok` of what is no result, or of a result that the program does not list.
    Unknown,
}

/// A resolver of the `Ok` of the promise of this name.
pub(super) fn ok_resolver<T: Send + 'static>(
    then: PromiseName,
    input: &Decoder<'_, '_>,
) -> Result<Resolver<T>, LoadError> {
    let Some(promises) = input.context::<LoadedPromises>() else {
        return Err(input.error("a promise of an actor, which only a restore can find"));
    };
    let types = &promises.results;
    let of_result = match types.type_of(&then, promises) {
        TypeOfName::Unawaited => return Ok(Resolver::discarding()),
        TypeOfName::Is(result) => types.0.get(&result),
        TypeOfName::Unknown => None,
    };
    let loaded = match of_result {
        Some(of_result) => (of_result.load)(then, input)?.downcast().ok(),
        None => None,
    };
    let resolver: Option<Box<Resolver<T>>> = loaded;
    let resolver = resolver.ok_or_else(|| {
        input.error("a resolver for the `Ok` of a promise that has a value of another type")
    });
    resolver.map(|it| *it)
}

/// A resolver of the `Ok` alone.
fn ok_of<T: Send + 'static, E: Send + 'static>(of_result: Resolver<Result<T, E>>) -> Resolver<T> {
    match of_result.is_discarding() {
        true => Resolver::discarding(),
        false => Resolver::of_relay(OkRelay(of_result)),
    }
}

//! How a resolver is saved: as its promise's actor and the number that the promise has there. If it
//! gives the `Ok` of a result alone, the type of the error is found by the type of that promise.

use super::super::any_resolver::{AnyRelay, AnyResolver};
use super::super::limit::InTime;
use super::super::relay::AnyOkRelay;
use super::super::resolver::{RELAYS_MAX, Resolver};
use super::data::PromiseName;
use crate::actor::{AskError, SeenActors};
use crate::api::RestoredSystem;
use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::time::Duration;
use vivant_codec::{Decoder, Encoder, LoadError, Saved, Shape, shape_of};

/// The resolver of a promise, of which the type of the value is known at run time.
pub(crate) struct OpenResolver {
    /// The type of the value.
    value: TypeId,
    resolver: Box<dyn AnyResolver>,
}

impl OpenResolver {
    pub(crate) fn new<T: Send + 'static>(resolver: Resolver<T>) -> OpenResolver {
        OpenResolver {
            value: TypeId::of::<T>(),
            resolver: Box::new(resolver),
        }
    }

    /// The resolver of a `T`; `None` if the value is of another type.
    pub(super) fn of<T: Send + 'static>(self) -> Option<Resolver<T>> {
        (self.value == TypeId::of::<T>()).then(|| typed(self.resolver))
    }

    /// Breaks the promise with this error.
    pub(crate) fn fail(self, error: AskError) {
        self.resolver.failed_by(error).follow();
    }
}

/// The resolvers of promises, by the numbers of their actors and their own: there is one of each.
/// The context of a decoder.
pub(crate) struct LoadedPromises {
    /// Takes it out.
    pub(crate) take: Box<dyn Fn(u64, u64) -> Option<OpenResolver>>,
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
        self.promise_name(relays_max)
            .ok(TypeId::of::<Result<T, E>>())
    }
}

impl<'gc, T: Send + 'static> Saved<'gc> for Resolver<T> {
    const SHAPE: &'static Shape =
        &Shape::reference("vivant::Resolver", shape_of::<'gc, PromiseName>());

    fn save(&self, out: &mut Encoder<'_>) {
        let name = self.promise_name(RELAYS_MAX);
        // An object of a heap is encoded some time after it was captured.
        let late = Duration::from_nanos(SeenActors::late_ns(out));
        name.earlier_by(late).save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        let name: PromiseName = input.reference(Self::SHAPE)?;
        resolver_of(name, input)
    }
}

/// The resolver of this name, of values of this type. The decoder has the actors.
pub(super) fn resolver_of<T: Send + 'static>(
    name: PromiseName,
    input: &Decoder<'_, '_>,
) -> Result<Resolver<T>, LoadError> {
    let found = found_of(TypeId::of::<T>(), name, input)?;
    Ok(found.map_or_else(Resolver::discarding, typed))
}

/// As `resolver_of`, by the type of the values.
pub(super) fn any_resolver_of(
    value: TypeId,
    name: PromiseName,
    input: &Decoder<'_, '_>,
) -> Result<Box<dyn AnyResolver>, LoadError> {
    let found = found_of(value, name, input)?;
    Ok(found.unwrap_or_else(|| Box::new(Resolver::<()>::discarding())))
}

/// A resolver of a `T`.
fn typed<T: Send + 'static>(resolver: Box<dyn AnyResolver>) -> Resolver<T> {
    let any: Box<dyn Any> = match (&*resolver as &dyn Any).is::<Resolver<T>>() {
        true => resolver,
        false => Box::new(Resolver::<T>::of_relay(AnyRelay(resolver))),
    };
    any.downcast()
        .map_or_else(|_| Resolver::discarding(), |resolver| *resolver)
}

fn found_of(
    value: TypeId,
    name: PromiseName,
    input: &Decoder<'_, '_>,
) -> Result<Option<Box<dyn AnyResolver>>, LoadError> {
    let promise = name.promise();
    match resolver(name, input)? {
        None => Ok(None),
        Some(found) if found.value == value => Ok(Some(found.resolver)),
        Some(_) => Err(another_type(promise, input)),
    }
}

fn another_type(promise: Option<(u64, u64)>, input: &Decoder<'_, '_>) -> LoadError {
    let (owner, number) = promise.unwrap_or_default();
    input.error(format!(
        "a resolver for the promise {number} of the actor {owner}, which has a value of another type"
    ))
}

/// The resolver of this name; `None` if the promise is closed, or its owner was not saved: then
/// nothing waits for the value. The decoder has the actors.
fn resolver(name: PromiseName, input: &Decoder<'_, '_>) -> Result<Option<OpenResolver>, LoadError> {
    // A call for each part of the name: not deeper than the decoder has read.
    match name {
        PromiseName::Nothing | PromiseName::Unsaved(_) => Ok(None),
        PromiseName::Of { owner, number, .. } => {
            let promises: &LoadedPromises = restored(input)?;
            Ok((promises.take)(owner, number))
        }
        PromiseName::InTime {
            timer,
            left,
            limit,
            then,
        } => {
            let RestoredSystem(system) = restored(input)?;
            let then = resolver(*then, input)?;
            Ok(then.map(|OpenResolver { value, resolver }| {
                let in_time = InTime::restored(system, timer, (left, limit), resolver);
                OpenResolver {
                    value,
                    resolver: Box::new(in_time),
                }
            }))
        }
        PromiseName::Ok { of, .. } => {
            let promise = of.promise();
            let Some(of) = resolver(*of, input)? else {
                return Ok(None);
            };
            let promises: &LoadedPromises = restored(input)?;
            match promises.results.0.get(&of.value) {
                Some(result) => Ok(Some(result.ok_of(of))),
                None => Err(another_type(promise, input)),
            }
        }
    }
}

/// What the decoder of a restore has.
fn restored<'a, C: 'static>(input: &Decoder<'_, 'a>) -> Result<&'a C, LoadError> {
    let context = input.context();
    context.ok_or_else(|| input.error("a promise of an actor, which only a restore can find"))
}

/// A type of results.
#[derive(Clone, Copy)]
struct ResultType {
    /// The type of the `Ok`.
    ok: TypeId,
    /// Makes an outcome of the result from one of the `Ok`. Returns another value as it is.
    of_ok: fn(Box<dyn Any + Send>) -> Box<dyn Any + Send>,
}

impl ResultType {
    /// The resolver of the `Ok` alone.
    fn ok_of(self, of: OpenResolver) -> OpenResolver {
        let relay = AnyOkRelay {
            to: of.resolver,
            result: of.value,
            of_ok: self.of_ok,
        };
        OpenResolver {
            value: self.ok,
            resolver: Box::new(relay),
        }
    }
}

/// The types of results in a program.
#[derive(Clone, Default)]
pub(crate) struct ResultTypes(BTreeMap<TypeId, ResultType>);

impl ResultTypes {
    pub(super) fn add<T: Send + 'static, E: Send + 'static>(&mut self) {
        let result = ResultType {
            ok: TypeId::of::<T>(),
            of_ok: |outcome| match outcome.downcast::<Result<T, AskError>>() {
                Ok(outcome) => Box::new((*outcome).map(Ok::<T, E>)),
                Err(outcome) => outcome,
            },
        };
        self.0.insert(TypeId::of::<Result<T, E>>(), result);
    }
}

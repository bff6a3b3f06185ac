//! All of several promises, or any of them.

use super::slot::{Continue, Sink};
use super::{Kind, Promise, Resolver};
use crate::call::Delivery;
use crate::cell::AddressRef;
use crate::error::AskError;
use crate::sync::{Arc, Mutex, lock};

impl<T: Send + 'static> Promise<T> {
    /// Sends the value to a sink of this actor's own.
    fn into_sink(self, owner: &AddressRef, sink: impl Continue<T> + 'static) {
        match self.kind {
            Kind::Slot { slot, .. } => slot.set(Sink::Then(Box::new(sink))),
            Kind::Ready(value) => {
                if let Some(delivery) = Box::new(sink).fill(value) {
                    delivery.deliver();
                }
            }
            Kind::Delegated { send, .. } => {
                Promise::asked(owner.clone(), send).into_sink(owner, sink)
            }
        }
    }

    /// Hands the value on to `resolver` after `look` has seen it.
    pub(super) fn watched(
        self,
        owner: &AddressRef,
        resolver: Resolver<T>,
        look: impl FnOnce() + Send + 'static,
    ) {
        self.into_sink(owner, Watched { resolver, look });
    }
}

struct Watched<T: Send + 'static, F> {
    resolver: Resolver<T>,
    look: F,
}

impl<T: Send + 'static, F: FnOnce() + Send> Continue<T> for Watched<T, F> {
    fn fill(self: Box<Self>, value: Result<T, AskError>) -> Option<Delivery> {
        (self.look)();
        self.resolver.complete(value);
        None
    }
}

/// The values of all, in the order of the promises; or the first error that comes.
pub(crate) fn all<T: Send + 'static>(
    owner: AddressRef,
    promises: Vec<Promise<T>>,
) -> Promise<Vec<T>> {
    if promises.is_empty() {
        return Promise::ready(Vec::new());
    }
    let (promise, resolver) = Promise::open(owner.clone());
    let values = promises.iter().map(|_| None).collect();
    let gathering = Arc::new(Mutex::new(All {
        missing: promises.len(),
        values,
        resolver: Some(resolver),
    }));
    for (at, one) in promises.into_iter().enumerate() {
        one.into_sink(
            &owner,
            AllSink {
                at,
                gathering: gathering.clone(),
            },
        );
    }
    promise
}

struct All<T: Send + 'static> {
    missing: usize,
    values: Vec<Option<T>>,
    resolver: Option<Resolver<Vec<T>>>,
}

struct AllSink<T: Send + 'static> {
    at: usize,
    gathering: Arc<Mutex<All<T>>>,
}

impl<T: Send + 'static> Continue<T> for AllSink<T> {
    fn fill(self: Box<Self>, value: Result<T, AskError>) -> Option<Delivery> {
        let mut all = lock(&self.gathering);
        let outcome = match value {
            Err(error) => Err(error),
            Ok(value) => {
                all.values[self.at] = Some(value);
                all.missing -= 1;
                if all.missing > 0 {
                    return None;
                }
                Ok(std::mem::take(&mut all.values)
                    .into_iter()
                    .flatten()
                    .collect())
            }
        };
        let resolver = all.resolver.take();
        drop(all);
        if let Some(resolver) = resolver {
            resolver.complete(outcome);
        }
        None
    }
}

/// The first value that comes; if none comes, the last error.
pub(crate) fn any<T: Send + 'static>(owner: AddressRef, promises: Vec<Promise<T>>) -> Promise<T> {
    let (promise, resolver) = Promise::open(owner.clone());
    // With no promise at all the resolver is dropped here, which breaks the promise.
    let gathering = Arc::new(Mutex::new(Any {
        missing: promises.len(),
        resolver: Some(resolver),
    }));
    for one in promises {
        one.into_sink(
            &owner,
            AnySink {
                gathering: gathering.clone(),
            },
        );
    }
    promise
}

struct Any<T: Send + 'static> {
    missing: usize,
    resolver: Option<Resolver<T>>,
}

struct AnySink<T: Send + 'static> {
    gathering: Arc<Mutex<Any<T>>>,
}

impl<T: Send + 'static> Continue<T> for AnySink<T> {
    fn fill(self: Box<Self>, value: Result<T, AskError>) -> Option<Delivery> {
        let mut any = lock(&self.gathering);
        any.missing -= 1;
        if value.is_err() && any.missing > 0 {
            return None;
        }
        let resolver = any.resolver.take();
        drop(any);
        if let Some(resolver) = resolver {
            resolver.complete(value);
        }
        None
    }
}

//! Joins of promises: all of several, or any of them.

use super::slot::Continue;
use super::{Promise, Resolver};
use crate::actor::{AddressRef, AskError, Next};
use crate::sync::{Arc, Mutex, lock};

/// Returns a promise of all values, in the order of the promises, or of the first error that
/// arrives.
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
        one.sink_into(
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
    fn fill(self, value: Result<T, AskError>) -> Next {
        let mut all = lock(&self.gathering);
        let outcome = match value {
            Err(error) => Err(error),
            Ok(value) => {
                all.values[self.at] = Some(value);
                all.missing -= 1;
                if all.missing > 0 {
                    return Next::Nothing;
                }
                Ok(std::mem::take(&mut all.values)
                    .into_iter()
                    .flatten()
                    .collect())
            }
        };
        let resolver = all.resolver.take();
        drop(all);
        resolver.map_or(Next::Nothing, |resolver| resolver.settled_by(outcome))
    }
}

/// Returns a promise of the first value that arrives; if none arrives, of the last error.
pub(crate) fn any<T: Send + 'static>(owner: AddressRef, promises: Vec<Promise<T>>) -> Promise<T> {
    let (promise, resolver) = Promise::open(owner.clone());
    // With no promise at all the resolver is dropped here, which breaks the promise.
    let gathering = Arc::new(Mutex::new(Any {
        missing: promises.len(),
        resolver: Some(resolver),
    }));
    for one in promises {
        one.sink_into(
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
    fn fill(self, value: Result<T, AskError>) -> Next {
        let mut any = lock(&self.gathering);
        any.missing -= 1;
        if value.is_err() && any.missing > 0 {
            return Next::Nothing;
        }
        let resolver = any.resolver.take();
        drop(any);
        resolver.map_or(Next::Nothing, |resolver| resolver.settled_by(value))
    }
}

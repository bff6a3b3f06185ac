//! The exclusive waits that depend on a resolver's value, up the chain of promises.

use super::Resolver;
use super::shown::PromiseLink;
use crate::actor::{ChainEnd, Dependents};

/// Limit of joins within joins that are followed: a walk through a join is a call. What lies
/// further up is not seen.
const JOINS_MAX: usize = 32;

impl<T: Send + 'static> Resolver<T> {
    /// Returns the exclusive waits that cannot end before this resolver gives its value. A promise
    /// with a time limit needs no value, and neither does one of which others may take the place.
    pub(crate) fn dependents(&self) -> Dependents {
        let mut dependents = Dependents::default();
        walk(self, &mut dependents, JOINS_MAX);
        dependents
    }
}

fn walk(resolver: &dyn PromiseLink, dependents: &mut Dependents, joins_max: usize) {
    let mut next: Option<&dyn PromiseLink> = Some(resolver);
    // A chain may be as long as the user's recursion (H12).
    while let Some(resolver) = next {
        let Some(sink) = resolver.shown_by_sink() else {
            dependents.chain = ChainEnd::Open;
            return;
        };
        dependents.waits.extend(sink.wait);
        if let (Some(join), Some(fewer)) = (sink.join, joins_max.checked_sub(1)) {
            join.with_answer(&mut |resolver| walk(resolver, dependents, fewer));
        }
        next = sink.answer;
    }
}

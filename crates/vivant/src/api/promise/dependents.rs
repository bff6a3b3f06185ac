//! The exclusive waits that depend on a resolver's value, up the chain of promises.
//!
//! A walk has the locks of the joins that it comes through, because it uses their resolvers. So it
//! passes a join once, also if a promise that outlived its turn has made the chain a ring; and one
//! thread at a time walks through joins, because two such walks in one ring could each wait for a
//! lock of the other. Other code has one of these locks at a time, or does not wait for the second.

use super::Resolver;
use super::shown::PromiseLink;
use crate::actor::{ChainEnd, Dependents};
use crate::sync::{Mutex, lock};

/// Limit of joins within joins that are followed: a walk through a join is a call. What lies
/// further up is not seen.
const JOINS_MAX: usize = 32;

/// The walk through joins. A chain of promises may lead through several systems.
static WALK: Mutex<()> = Mutex::new(());

impl<T: Send + 'static> Resolver<T> {
    /// Returns the exclusive waits that cannot end before this resolver gives its value. A promise
    /// with a time limit needs no value, and neither does one of which others may take the place.
    pub(crate) fn dependents(&self) -> Dependents {
        let mut dependents = Dependents::default();
        walk(self, &mut dependents, &mut Vec::new());
        dependents
    }
}

/// Continues a walk that has come through the joins with these ids.
fn walk(resolver: &dyn PromiseLink, dependents: &mut Dependents, passed: &mut Vec<*const ()>) {
    let mut next: Option<&dyn PromiseLink> = Some(resolver);
    // A chain may be as long as the user's recursion (H12).
    while let Some(resolver) = next {
        let Some(sink) = resolver.shown_by_sink() else {
            dependents.chain = ChainEnd::Open;
            return;
        };
        dependents.waits.extend(sink.wait);
        if let Some(join) = sink.join
            && passed.len() < JOINS_MAX
            && !passed.contains(&join.id())
        {
            let _first = passed.is_empty().then(|| lock(&WALK));
            passed.push(join.id());
            join.with_answer(&mut |resolver| walk(resolver, dependents, passed));
            passed.pop();
        }
        next = sink.answer;
    }
}

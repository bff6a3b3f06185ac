//! The store in an actor's heap: a map of boxes, all of which are collected.

use super::completions::Completions;
use super::operations::{Entries, Operation, key};
use super::store::{Client, Plan, Store, messages};
use crate::prelude::*;
use std::sync::Arc;
use vivant::SystemBuilder;
use vivant::heap::{Leaf, Mutator};
use vivant::prelude::*;
use vivant_heap::{Heap, Pacing, PageSource};

/// A value by itself.
type Boxed<'gc> = Gc<'gc, u64>;

type Map<'gc> = gc::HashMap<'gc, u64, Boxed<'gc>>;

/// A map within a turn.
struct Open<'a, 'gc> {
    map: &'a mut Map<'gc>,
    m: &'a Mutator<'gc>,
}

impl Entries for Open<'_, '_> {
    fn put(&mut self, index: u64, value: u64) {
        let value = self.m.alloc(value);
        self.map.insert(self.m, key(index), value);
    }

    fn take(&mut self, index: u64) {
        self.map.remove(self.m, &key(index));
    }

    fn look(&self, index: u64) -> Option<u64> {
        self.map.get(&key(index)).map(|value| **value)
    }
}

#[derive(Actor)]
#[actor(saved, id = "kv_store::Collected")]
pub(super) struct CollectedState<'gc> {
    map: Map<'gc>,
    plan: Plan,
    completions: Leaf<Completions>,
}

#[behaviours(id = "kv_store::Collected")]
impl<'gc> CollectedState<'gc> {
    #[start]
    fn new(plan: Plan) -> Self {
        CollectedState {
            map: gc::HashMap::new(),
            plan,
            completions: Leaf(plan.completions()),
        }
    }

    fn load(&mut self, t: &Turn<'gc, Collected>, #[locals] from: u64) -> Step<u64, ()> {
        let Plan {
            entries, a_step, ..
        } = self.plan;
        let until = entries.min(from + a_step);
        let map = &mut self.map;
        Open { map, m: t }.load(from..until);
        if until < entries {
            return Step::Again(until);
        }
        self.completions.0.begin();
        Step::Done(())
    }

    fn chunk(
        &mut self,
        t: &Turn<'gc, Collected>,
        from: u64,
        until: u64,
        #[locals] sum: u64,
    ) -> Step<(u64, u64, u64), u64> {
        let Plan {
            requests,
            entries,
            a_step,
            ..
        } = self.plan;
        let next = until.min(from + a_step);
        let map = &mut self.map;
        let mut open = Open { map, m: t };
        let operate = |number| open.operate(requests.operation(number, entries));
        let sum = sum + (from..next).map(operate).sum::<u64>();
        if next < until {
            return Step::Again((next, until, sum));
        }
        self.completions.0.one();
        Step::Done(sum)
    }

    fn request(
        &mut self,
        t: &Turn<'gc, Collected>,
        operation: Operation,
        client: Address<Client<Collected>>,
    ) {
        let map = &mut self.map;
        let found = Open { map, m: t }.operate(operation);
        t.send(client.answered(found));
        self.completions.0.one();
    }

    fn end(&mut self) -> (Latencies, u64) {
        let sum = self.map.values().map(|value| **value).sum();
        (self.completions.0.end(), sum)
    }
}

impl Store for Collected {
    fn spawn(system: &System, plan: Plan) -> Address<Self> {
        Collected::spawn(system, plan)
    }

    fn list(builder: SystemBuilder) -> SystemBuilder {
        builder.saved::<(Collected,)>()
    }

    messages!();
}

root!(Rooted = Map<'gc>);

/// Entries of a small store, at most.
const SMALL: u64 = 1 << 16;

/// Approximate number of bytes of old objects for a number of entries: a store has the same shape
/// when it is twice as large.
pub(super) fn bytes(entries: u64) -> f64 {
    let mut small = entries;
    while small > SMALL {
        small /= 2;
    }
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<Rooted>::new(&source, Pacing::default(), |_| gc::HashMap::new());
    heap.turn(|m, map| Open { map, m }.load(0..small));
    heap.collect_young();
    heap.collect();
    heap.sweep();
    heap.stats().live as f64 / small as f64 * entries as f64
}

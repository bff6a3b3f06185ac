//! The store of `std` in an actor without a heap: the service times without a collector.

use super::completions::Completions;
use super::operations::{Entries, Operation, key};
use super::store::{Client, Plan, Store, messages};
use crate::prelude::*;
use std::collections::HashMap;
use vivant::prelude::*;

/// The hasher is the collected map's.
type Map = HashMap<u64, Box<u64>, gc::FixedState>;

impl Entries for Map {
    fn put(&mut self, index: u64, value: u64) {
        self.insert(key(index), Box::new(value));
    }

    fn take(&mut self, index: u64) {
        self.remove(&key(index));
    }

    fn look(&self, index: u64) -> Option<u64> {
        self.get(&key(index)).map(|value| **value)
    }
}

#[derive(Actor)]
pub(super) struct Control {
    map: Map,
    plan: Plan,
    completions: Completions,
}

#[behaviours]
impl Control {
    fn load(&mut self, #[locals] from: u64) -> Step<u64, ()> {
        let Plan {
            entries, a_step, ..
        } = self.plan;
        let until = entries.min(from + a_step);
        Entries::load(&mut self.map, from..until);
        if until < entries {
            return Step::Again(until);
        }
        self.completions.begin();
        Step::Done(())
    }

    fn chunk(&mut self, from: u64, until: u64, #[locals] sum: u64) -> Step<(u64, u64, u64), u64> {
        let Plan {
            requests,
            entries,
            a_step,
            ..
        } = self.plan;
        let next = until.min(from + a_step);
        let operate = |number| self.map.operate(requests.operation(number, entries));
        let sum = sum + (from..next).map(operate).sum::<u64>();
        if next < until {
            return Step::Again((next, until, sum));
        }
        self.completions.one();
        Step::Done(sum)
    }

    fn request(&mut self, t: &Turn<Self>, operation: Operation, client: Address<Client<Control>>) {
        let found = self.map.operate(operation);
        t.send(client.answered(found));
        self.completions.one();
    }

    fn end(&mut self) -> (Latencies, u64) {
        let sum = self.map.values().map(|value| **value).sum();
        (self.completions.end(), sum)
    }
}

impl Store for Control {
    /// It has room for all that comes: it never moves to a larger table while it is timed.
    fn spawn(system: &System, plan: Plan) -> Address<Self> {
        let room = (plan.entries + plan.entries / 4) as usize;
        system.spawn(Control {
            map: HashMap::with_capacity_and_hasher(room, gc::FixedState),
            plan,
            completions: plan.completions(),
        })
    }

    messages!();
}

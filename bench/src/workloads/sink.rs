//! The receiver of numbers of many actors.

use vivant::prelude::*;

#[derive(Actor)]
#[actor(saved)]
pub(super) struct Sink {
    missing: u64,
    sum: u64,
    done: Option<Resolver<u64>>,
}

impl Sink {
    /// A sink for this many numbers.
    pub(super) fn new(numbers: u64) -> Sink {
        Sink {
            missing: numbers,
            sum: 0,
            done: None,
        }
    }
}

#[behaviours]
impl Sink {
    /// Answers with the sum of all numbers when the last one is there.
    pub(super) fn sum(&mut self, t: &Turn<Self>) -> Promise<u64> {
        let (promise, done) = t.promise();
        self.done = Some(done);
        promise
    }

    pub(super) fn add(&mut self, number: u64) {
        self.sum += number;
        self.missing -= 1;
        if self.missing == 0
            && let Some(done) = self.done.take()
        {
            done.resolve(self.sum);
        }
    }
}

//! A long chain of actors, each of which reorders a stream: a deep pipeline.
//!
//! Protocol: radix sort of Savina, with its sizes. A source sends 100,000 numbers to the first of
//! 60 actors, one for each bit, from the lowest. An actor passes on the numbers without its bit at
//! once, and those with it after the last number has come. A validator at the end looks at the
//! order. The generator's numbers have 16 bits, so most actors pass on everything.
//!
//! Timed: from the source's start to the validator's last number. An operation is a number that one
//! actor passes on.

use super::{Random, snapshot_point};
use crate::prelude::*;
use std::mem;
use vivant::prelude::*;

pub(in super::super) const RADIXSORT: Bench = Bench::new(
    Group::Savina,
    "radixsort",
    "a long chain of actors sorts a stream",
    &[
        Param::count("numbers", 100_000, 60, "numbers"),
        Param::count("bits", 60, 18, "sorting actors, one for each bit").at_least(16),
        Param::count("seed", 2_048, 2_048, "seed of the generator").at_least(0),
    ],
    run,
)
.saved::<(Source, Sorter, Validator)>();

/// The receiver of a stream of numbers.
#[interface]
trait Stage {
    fn take(&mut self, number: u64);
}

#[derive(Actor)]
#[actor(saved, blocks(dyn Stage))]
struct Sorter {
    bit: u32,
    /// Numbers to come.
    left: u64,
    /// With the bit.
    kept: Vec<u64>,
    next: Address<dyn Stage>,
}

#[behaviours]
impl Stage for Sorter {
    fn take(&mut self, t: &Turn<Self>, number: u64) {
        match number.checked_shr(self.bit).unwrap_or(0) & 1 {
            0 => t.send(self.next.take(number)),
            _ => self.kept.push(number),
        }
        self.left -= 1;
        if self.left == 0 {
            for number in mem::take(&mut self.kept) {
                t.send(self.next.take(number));
            }
        }
    }
}

#[derive(Actor)]
#[actor(saved, blocks(dyn Stage))]
struct Validator {
    /// Numbers to come.
    left: u64,
    last: u64,
    misplaced: u64,
    sum: u64,
    done: Option<Resolver<(u64, u64)>>,
}

#[behaviours]
impl Validator {
    /// Answers, after the last number, with the number of those that are smaller than the one
    /// before, and the sum.
    fn validate(&mut self, t: &Turn<Self>) -> Promise<(u64, u64)> {
        let (promise, done) = t.promise();
        self.done = Some(done);
        promise
    }
}

#[behaviours]
impl Stage for Validator {
    fn take(&mut self, number: u64) {
        self.misplaced += u64::from(number < self.last);
        self.last = number;
        self.sum += number;
        self.left -= 1;
        if self.left == 0
            && let Some(done) = self.done.take()
        {
            done.resolve((self.misplaced, self.sum));
        }
    }
}

#[derive(Actor)]
#[actor(saved)]
struct Source {
    next: Address<dyn Stage>,
}

#[behaviours]
impl Source {
    fn emit(&mut self, t: &Turn<Self>, count: u64, seed: u64) {
        for number in numbers(count, seed) {
            t.send(self.next.take(number));
        }
    }
}

fn numbers(count: u64, seed: u64) -> impl Iterator<Item = u64> {
    let mut random = Random::seeded(seed);
    (0..count).map(move |_| random.draw())
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let (count, bits, seed) = (run.count("numbers"), run.count("bits"), run.count("seed"));
    let system = run.system();
    let validator = system.spawn(Validator {
        left: count,
        last: 0,
        misplaced: 0,
        sum: 0,
        done: None,
    });
    let sorter = |next: Address<dyn Stage>, bit| {
        let (left, kept) = (count, Vec::new());
        Address::upcast(&system.spawn(Sorter {
            bit,
            left,
            kept,
            next,
        }))
    };
    // From the end to the beginning, which has the lowest bit.
    let first = (0..bits as u32)
        .rev()
        .fold(Address::upcast(&validator), sorter);
    let source = system.spawn(Source { next: first });
    let validated = validator.validate().ask();
    let meter = Meter::start();
    source.emit(count, seed).send();
    snapshot_point(&system);
    let (misplaced, sum) = system.block_on(validated)?;
    let spent = meter.stop();
    run.check("misplaced numbers", 0, misplaced)?;
    let expected = numbers(count, seed).sum();
    run.row(
        spent,
        count * (bits + 1),
        ("sum of the sorted numbers", expected, sum),
    )
}

#[cfg(test)]
mod tests {
    use super::numbers;

    #[test]
    fn the_sum_is_savinas() {
        assert_eq!(numbers(100_000, 2_048).sum::<u64>(), 3_275_789_328);
    }
}

//! Many actors read and write one dictionary: requests to one server, and their answers.
//!
//! Protocol: concurrent dictionary of Savina, with its sizes. Each of 20 workers makes 10,000
//! requests to a dictionary of 524,287 entries, one after the other: one in ten, drawn by the
//! worker's own generator, writes, the others read.
//!
//! Timed: from the first worker's start to the last one's last answer. The dictionary is filled
//! before. An operation is a request and its answer.

use super::{Random, snapshot_point};
use crate::prelude::*;
use std::collections::HashMap;
use vivant::Saved;
use vivant::prelude::*;

pub(in super::super) const CONCDICT: Bench = Bench::new(
    Group::Savina,
    "concdict",
    "many actors read and write one dictionary",
    &[
        Param::count("workers", 20, 4, "workers"),
        Param::count("requests", 10_000, 60, "requests of each worker"),
        Param::count("writes", 10, 10, "writes among 100 requests").at_least(0),
        Param::count("entries", (1 << 31) / 4_096 - 1, 500, "entries"),
    ],
    run,
)
.saved::<(Dictionary, Worker)>();

#[derive(Actor)]
#[actor(saved)]
struct Dictionary {
    #[saved(any_order)]
    entries: HashMap<u64, u64>,
    writes: u64,
}

#[behaviours]
impl Dictionary {
    /// Answers with the value before.
    fn write(&mut self, key: u64, value: u64) -> Option<u64> {
        self.writes += 1;
        self.entries.insert(key, value)
    }

    fn read(&mut self, key: u64) -> Option<u64> {
        self.entries.get(&key).copied()
    }

    /// The number of writes, and the number of entries.
    fn facts(&mut self) -> (u64, u64) {
        (self.writes, self.entries.len() as u64)
    }
}

/// A request to the dictionary.
enum Operation {
    Write { key: u64, value: u64 },
    Read { key: u64 },
}

/// The requests of a worker.
#[derive(Saved)]
struct Operations {
    random: Random,
    left: u64,
    /// In percent.
    writes: u64,
    entries: u64,
}

impl Operations {
    fn of(worker: u64, run: &Run) -> Operations {
        let (left, writes) = (run.count("requests"), run.count("writes"));
        Operations {
            random: Random::seeded(worker + left + writes),
            left,
            writes,
            entries: run.count("entries"),
        }
    }
}

impl Iterator for Operations {
    type Item = Operation;

    fn next(&mut self) -> Option<Operation> {
        self.left = self.left.checked_sub(1)?;
        let writes = self.random.below(100) < self.writes;
        let key = self.random.below(self.entries);
        Some(match writes {
            true => Operation::Write {
                key,
                value: self.random.draw(),
            },
            false => Operation::Read { key },
        })
    }
}

#[derive(Actor)]
#[actor(saved)]
struct Worker {
    dictionary: Address<Dictionary>,
    operations: Operations,
    /// Requests that met an entry.
    found: u64,
    done: Option<Resolver<u64>>,
}

#[behaviours]
impl Worker {
    /// Makes all requests; answers with the number of those that met an entry.
    fn work(&mut self, t: &Turn<Self>) -> Promise<u64> {
        let (promise, done) = t.promise();
        self.done = Some(done);
        self.next(t);
        promise
    }

    #[local]
    fn next(&mut self, t: &Turn<Self>) {
        let dictionary = &self.dictionary;
        let answer = match self.operations.next() {
            Some(Operation::Write { key, value }) => t.ask(dictionary.write(key, value)),
            Some(Operation::Read { key }) => t.ask(dictionary.read(key)),
            None => {
                if let Some(done) = self.done.take() {
                    done.resolve(self.found);
                }
                return;
            }
        };
        answer.then_send(t.me().answered());
    }

    #[then]
    fn answered(&mut self, t: &Turn<Self>, value: Result<Option<u64>, AskError>) {
        // The check sees what is missing.
        self.found += u64::from(matches!(value, Ok(Some(_))));
        self.next(t);
    }
}

/// The number of writes of all workers.
fn writes(run: &Run) -> u64 {
    let is_write = |operation: &Operation| matches!(operation, Operation::Write { .. });
    let of = |worker| Operations::of(worker, run).filter(is_write).count() as u64;
    (0..run.count("workers")).map(of).sum()
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let (workers, entries) = (run.count("workers"), run.count("entries"));
    let system = run.system();
    let dictionary = system.spawn(Dictionary {
        entries: (0..entries).map(|key| (key, key)).collect(),
        writes: 0,
    });
    let worker = |id| {
        system.spawn(Worker {
            dictionary: dictionary.clone(),
            operations: Operations::of(id, run),
            found: 0,
            done: None,
        })
    };
    let workers: Vec<_> = (0..workers).map(worker).collect();
    let meter = Meter::start();
    let asked = workers.iter().map(|worker| worker.work().ask()).collect();
    snapshot_point(&system);
    let found = super::super::sum(&system, asked)?;
    let spent = meter.stop();
    let requests = workers.len() as u64 * run.count("requests");
    let (written, size) = dictionary.facts().ask_blocking()?;
    run.check("requests that met an entry", requests, found)?;
    run.check("entries", entries, size)?;
    run.row(spent, requests, ("writes", writes(run), written))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workloads::savina::defaults;

    #[test]
    fn the_number_of_writes_is_savinas() {
        assert_eq!(writes(&defaults(&CONCDICT)), 19_981);
    }
}

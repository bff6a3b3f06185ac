//! Many actors use one sorted linked list: one server with long turns.
//!
//! Protocol: concurrent sorted linked list of Savina, with its sizes. Each of 20 workers makes
//! 8,000 requests, one after the other: by its own generator, 1 in 100 is for the size, 10 insert a
//! number, the others look for one. Both walk the list from its beginning.
//!
//! Timed: from the first worker's start to the last one's last answer. An operation is a request
//! and its answer.

use super::{Random, snapshot_point};
use crate::prelude::*;
use vivant::Saved;
use vivant::prelude::*;

pub(in super::super) const CONCSLL: Bench = Bench::new(
    Group::Savina,
    "concsll",
    "many actors use one sorted linked list",
    &[
        Param::count("workers", 20, 4, "workers"),
        Param::count("requests", 8_000, 60, "requests of each worker"),
        Param::count("inserts", 10, 10, "inserts among 100 requests").at_least(0),
        Param::count("sizes", 1, 1, "requests for the size among 100").at_least(0),
    ],
    run,
)
.saved::<(SortedList, Worker)>();

/// A link, by the position of its node.
type Link = Option<u32>;

/// A node of the list.
#[derive(Saved)]
struct Node {
    number: u64,
    next: Link,
}

/// The list, in ascending order. Its nodes lie in one vector, in the order of their insertion, so
/// its drop does not recurse.
#[derive(Saved, Default)]
struct List {
    nodes: Vec<Node>,
    first: Link,
}

impl List {
    fn node(&self, link: Link) -> Option<&Node> {
        link.map(|at| &self.nodes[at as usize])
    }

    /// The last node with a smaller number, and the link behind it.
    fn position_of(&self, number: u64) -> (Link, Link) {
        let (mut before, mut at) = (None, self.first);
        while let Some(node) = self.node(at).filter(|node| node.number < number) {
            (before, at) = (at, node.next);
        }
        (before, at)
    }

    fn insert(&mut self, number: u64) {
        let (before, next) = self.position_of(number);
        let new = Some(self.nodes.len() as u32);
        self.nodes.push(Node { number, next });
        match before {
            Some(before) => self.nodes[before as usize].next = new,
            None => self.first = new,
        }
    }

    fn contains(&self, number: u64) -> bool {
        let (_, at) = self.position_of(number);
        self.node(at).is_some_and(|node| node.number == number)
    }

    fn iter(&self) -> impl Iterator<Item = u64> {
        let mut at = self.first;
        std::iter::from_fn(move || {
            let node = self.node(at)?;
            at = node.next;
            Some(node.number)
        })
    }
}

#[derive(Actor)]
#[actor(saved)]
struct SortedList {
    list: List,
}

#[behaviours]
impl SortedList {
    fn insert(&mut self, number: u64) -> u64 {
        self.list.insert(number);
        self.size()
    }

    fn contains(&mut self, number: u64) -> bool {
        self.list.contains(number)
    }

    fn size(&mut self) -> u64 {
        self.list.nodes.len() as u64
    }

    /// The size, if all nodes are linked in their order.
    fn sorted_size(&mut self) -> Option<u64> {
        let linked = self.list.iter().count() as u64;
        (self.list.iter().is_sorted() && linked == self.size()).then_some(linked)
    }
}

/// A request to the list.
enum Operation {
    Size,
    Insert(u64),
    Contains(u64),
}

/// The requests of a worker.
#[derive(Saved)]
struct Operations {
    random: Random,
    left: u64,
    /// In percent.
    inserts: u64,
    /// In percent.
    sizes: u64,
}

impl Operations {
    fn of(worker: u64, run: &Run) -> Operations {
        let left = run.count("requests");
        let (inserts, sizes) = (run.count("inserts"), run.count("sizes"));
        Operations {
            random: Random::seeded(worker + left + inserts + sizes),
            left,
            inserts,
            sizes,
        }
    }
}

impl Iterator for Operations {
    type Item = Operation;

    fn next(&mut self) -> Option<Operation> {
        self.left = self.left.checked_sub(1)?;
        Some(match self.random.below(100) {
            die if die < self.sizes => Operation::Size,
            die if die < self.sizes + self.inserts => Operation::Insert(self.random.draw()),
            _ => Operation::Contains(self.random.draw()),
        })
    }
}

#[derive(Actor)]
#[actor(saved)]
struct Worker {
    list: Address<SortedList>,
    operations: Operations,
    answers: u64,
    done: Option<Resolver<u64>>,
}

#[behaviours]
impl Worker {
    /// Makes all requests; answers with the number of answers.
    fn work(&mut self, t: &Turn<Self>) -> Promise<u64> {
        let (promise, done) = t.promise();
        self.done = Some(done);
        self.next(t);
        promise
    }

    #[local]
    fn next(&mut self, t: &Turn<Self>) {
        let me = t.me();
        match self.operations.next() {
            Some(Operation::Size) => t.ask(self.list.size()).then_send(me.counted()),
            Some(Operation::Insert(number)) => {
                t.ask(self.list.insert(number)).then_send(me.counted());
            }
            Some(Operation::Contains(number)) => {
                t.ask(self.list.contains(number)).then_send(me.looked());
            }
            None => {
                if let Some(done) = self.done.take() {
                    done.resolve(self.answers);
                }
            }
        }
    }

    #[then]
    fn counted(&mut self, t: &Turn<Self>, size: Result<u64, AskError>) {
        self.answers += u64::from(size.is_ok());
        self.next(t);
    }

    #[then]
    fn looked(&mut self, t: &Turn<Self>, is_there: Result<bool, AskError>) {
        self.answers += u64::from(is_there.is_ok());
        self.next(t);
    }
}

/// The number of inserts of all workers.
fn inserts(run: &Run) -> u64 {
    let is_insert = |operation: &Operation| matches!(operation, Operation::Insert(_));
    let of = |worker| Operations::of(worker, run).filter(is_insert).count() as u64;
    (0..run.count("workers")).map(of).sum()
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let system = run.system();
    let list = system.spawn(SortedList {
        list: List::default(),
    });
    let worker = |id| {
        system.spawn(Worker {
            list: list.clone(),
            operations: Operations::of(id, run),
            answers: 0,
            done: None,
        })
    };
    let workers: Vec<_> = (0..run.count("workers")).map(worker).collect();
    let meter = Meter::start();
    let asked = workers.iter().map(|worker| worker.work().ask()).collect();
    snapshot_point(&system);
    let answers = super::super::sum(&system, asked)?;
    let spent = meter.stop();
    let requests = workers.len() as u64 * run.count("requests");
    run.check("answers", requests, answers)?;
    // Zero for a list that is not sorted.
    let size = list.sorted_size().ask_blocking()?.unwrap_or(0);
    run.row(spent, requests, ("size of the list", inserts(run), size))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workloads::savina::{defaults, with};

    #[test]
    fn the_size_is_savinas() {
        assert_eq!(inserts(&defaults(&CONCSLL)), 16_126);
    }

    /// Workers have the numbers 1 to 10 there.
    #[test]
    fn the_size_is_that_of_other_sizes_too() {
        let run = with(&CONCSLL, &[("workers", 11), ("requests", 1_000)]);
        let first = with(&CONCSLL, &[("workers", 1), ("requests", 1_000)]);
        assert_eq!(inserts(&run) - inserts(&first), 992);
    }

    #[test]
    fn a_list_is_sorted_and_has_duplicates() {
        let mut list = List::default();
        for number in [5, 1, 9, 5, 0] {
            list.insert(number);
        }
        assert!(list.iter().eq([0, 1, 5, 5, 9]));
        assert!(list.contains(9) && list.contains(0) && !list.contains(4) && !list.contains(10));
    }
}

//! Producers and consumers on the two sides of a buffer that is soon full or empty: messages that
//! must wait for a state.
//!
//! Protocol: producer-consumer with a bounded buffer of Savina, with its sizes: 50 places, 40
//! producers of 1,000 items, 40 consumers. There a manager keeps lists of the waiting ones; here
//! two guards decide when the buffer takes an item and when it gives one. A producer makes its next
//! item when the buffer has the last, and a consumer requests its next when it has consumed the
//! last; each has an equal share. Making or consuming an item adds up 100 logarithms for each unit
//! of cost. At cost 25, Savina's, nearly all the time is arithmetic; at 0 one logarithm is left,
//! and the messages dominate.
//!
//! Timed: from the making of the first actor to the last consumer's answer. An operation is an
//! item: a request and an answer on each side.

use super::savina::{Random, snapshot_point};
use crate::prelude::*;
use std::collections::VecDeque;
use std::hint::black_box;
use vivant::prelude::*;

pub(super) const BNDBUFFER: Bench = Bench::new(
    Group::Messages,
    "bndbuffer",
    "producers and consumers wait for a bounded buffer",
    &[
        Param::count("places", 50, 3, "places of the buffer"),
        Param::count("producers", 40, 5, "producers"),
        Param::count("consumers", 40, 4, "consumers"),
        Param::count("items", 1_000, 20, "items of each producer"),
        Param::count("producer_cost", 25, 1, "work for an item before").at_least(0),
        Param::count("consumer_cost", 25, 1, "work for an item after").at_least(0),
    ],
    run,
)
.saved::<(Buffer, Producer, Consumer)>();

#[derive(Actor)]
#[actor(saved)]
struct Buffer {
    items: VecDeque<f64>,
    places: usize,
}

#[behaviours]
impl Buffer {
    #[when(self.items.len() < self.places)]
    fn put(&mut self, item: f64) {
        self.items.push_back(item);
    }

    #[when(!self.items.is_empty())]
    fn take(&mut self) -> f64 {
        self.items.pop_front().expect("the guard has looked")
    }
}

#[derive(Actor)]
#[actor(saved)]
struct Producer {
    buffer: Address<Buffer>,
    item: f64,
    left: u64,
    cost: u64,
}

#[behaviours]
impl Producer {
    fn produce(&mut self, t: &Turn<Self>) {
        if self.left > 0 {
            self.left -= 1;
            self.item = worked(self.item, self.cost);
            t.ask(self.buffer.put(self.item)).then_send(t.me().stored());
        }
    }

    #[then]
    fn stored(&mut self, t: &Turn<Self>, stored: Result<(), AskError>) {
        // If an item is lost, a consumer waits for it, and gets the error.
        if stored.is_ok() {
            self.produce(t);
        }
    }
}

#[derive(Actor)]
#[actor(saved)]
struct Consumer {
    buffer: Address<Buffer>,
    /// What its work has come to.
    result: f64,
    /// Of the items that it took.
    sum: u64,
    left: u64,
    cost: u64,
    done: Option<Resolver<u64>>,
}

#[behaviours]
impl Consumer {
    /// Takes its share; answers with the sum of the items, in [`thousandths`].
    fn consume(&mut self, t: &Turn<Self>) -> Promise<u64> {
        let (promise, done) = t.promise();
        self.done = Some(done);
        self.next(t);
        promise
    }

    #[local]
    fn next(&mut self, t: &Turn<Self>) {
        if self.left > 0 {
            self.left -= 1;
            t.ask(self.buffer.take()).then_send(t.me().taken());
        } else {
            self.answer();
        }
    }

    #[then]
    fn taken(&mut self, t: &Turn<Self>, item: Result<f64, AskError>) {
        match item {
            Ok(item) => {
                self.sum += thousandths(item);
                self.result = worked(self.result + item, self.cost);
                self.next(t);
            }
            // The check sees a sum that is too small.
            Err(_) => self.answer(),
        }
    }

    #[local]
    fn answer(&mut self) {
        black_box(self.result);
        if let Some(done) = self.done.take() {
            done.resolve(self.sum);
        }
    }
}

/// The work: logarithms of the numbers of Savina's generator, which begins anew each time.
fn worked(term: f64, cost: u64) -> f64 {
    let mut random = Random::seeded(cost);
    let terms = (0..(cost * 100).max(1)).map(|_| (1.0 / (random.draw() + 1) as f64 + 0.01).ln());
    term + terms.sum::<f64>()
}

/// An item, which is negative, as a number that adds up to the same in any order.
fn thousandths(item: f64) -> u64 {
    (item * -1_000.0).round() as u64
}

/// The sum of a producer's items.
fn sum_of_items(items: u64, cost: u64) -> u64 {
    let mut item = 0.0;
    let items = (0..items).map(|_| {
        item = worked(item, cost);
        thousandths(item)
    });
    items.sum()
}

/// The number of items that each consumer takes.
fn shares(items: u64, consumers: u64) -> impl Iterator<Item = u64> {
    (0..consumers).map(move |at| items / consumers + u64::from(at < items % consumers))
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let (producers, items) = (run.count("producers"), run.count("items"));
    let (producer_cost, consumer_cost) = (run.count("producer_cost"), run.count("consumer_cost"));
    let system = run.system();
    let meter = Meter::start();
    let buffer = system.spawn(Buffer {
        items: VecDeque::new(),
        places: run.count("places") as usize,
    });
    let consumers = shares(producers * items, run.count("consumers"));
    let consumed = consumers.map(|share| {
        let consumer = system.spawn(Consumer {
            buffer: buffer.clone(),
            result: 0.0,
            sum: 0,
            left: share,
            cost: consumer_cost,
            done: None,
        });
        consumer.consume().ask()
    });
    let consumed: Vec<_> = consumed.collect();
    for _ in 0..producers {
        let producer = system.spawn(Producer {
            buffer: buffer.clone(),
            item: 0.0,
            left: items,
            cost: producer_cost,
        });
        producer.produce().send();
    }
    snapshot_point(&system);
    let sum = super::sum(&system, consumed)?;
    let spent = meter.stop();
    let expected = producers * sum_of_items(items, producer_cost);
    run.row(
        spent,
        producers * items,
        ("sum of the items, in -1/1000", expected, sum),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_is_savinas() {
        let sum = 40 * sum_of_items(1_000, 25);
        // Rounded item by item, and each may be 1/2000 off.
        assert!(sum.abs_diff(229_877_224_063_750) <= 20_000, "{sum}");
    }

    #[test]
    fn shares_are_nearly_equal_and_all() {
        assert!(shares(11, 4).eq([3, 3, 3, 2]));
        assert!(shares(1, 2).eq([1, 0]));
    }
}

//! One actor sends to many, again and again: the cost of a send, its receipt, and the counts of the
//! sent objects together.
//!
//! Protocol: `fanout` of the peers. A herald makes an array of 16 numbers each round and sends it
//! to 1,000 readers, which keep the last one; after the 1,000 sends it sends itself a message for
//! the next round. 1,000 rounds. `val`: the array is shared. `number`: the round's number is sent
//! instead; the difference is the cost of sharing, counts and collections included.
//!
//! Timed: from the first round to the last reader's last message. An operation is a message to a
//! reader. The counts are read when all actors are idle.

use super::collector_messages::CollectorMessages;
use crate::prelude::*;
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::Duration;
use vivant::heap::Leaf;
use vivant::prelude::*;

pub(in crate::workloads) const FANOUT: Bench = Bench::new(
    Group::Sharing,
    "fanout",
    "one actor sends to many, shared data or a number",
    &[
        Param::count("readers", 1_000, 10, "readers"),
        Param::count("rounds", 1_000, 300, "messages to each"),
        Param::count("settle", 2_500, 1, "milliseconds before counts are read"),
    ],
    run,
);

/// Numbers of an array.
const NUMBERS: usize = 16;

#[derive(Actor)]
struct ReaderState<'gc> {
    last: Option<Val<'gc, [u64]>>,
    left: u64,
    sum: u64,
    done: Leaf<Sender<u64>>,
}

#[behaviours]
impl<'gc> ReaderState<'gc> {
    #[start]
    fn new(left: u64, done: Sender<u64>) -> Self {
        ReaderState {
            last: None,
            left,
            sum: 0,
            done: Leaf(done),
        }
    }

    fn array(&mut self, numbers: Val<'gc, [u64]>) {
        self.last = Some(numbers);
        self.count(numbers[0]);
    }

    fn number(&mut self, number: u64) {
        self.count(number);
    }

    fn nothing(&mut self) {}
}

impl ReaderState<'_> {
    fn count(&mut self, number: u64) {
        self.sum += number;
        self.left -= 1;
        if self.left == 0 {
            // The receiver is gone only after the bench has failed.
            let _sent = self.done.0.send(self.sum);
        }
    }
}

#[derive(Actor)]
struct HeraldState<'gc> {
    readers: Vec<Address<Reader>>,
    brand: std::marker::PhantomData<Gc<'gc, u64>>,
}

#[behaviours]
impl<'gc> HeraldState<'gc> {
    #[start]
    fn new(readers: Vec<Address<Reader>>) -> Self {
        HeraldState {
            readers,
            brand: std::marker::PhantomData,
        }
    }

    fn arrays(&mut self, t: &Turn<'gc, Herald>, left: u64) {
        let numbers = t.val_slice(vec![left; NUMBERS]);
        for reader in &self.readers {
            t.send(reader.array(numbers));
        }
        if left > 1 {
            t.send(t.me().arrays(left - 1));
        }
    }

    fn numbers(&mut self, t: &Turn<'gc, Herald>, left: u64) {
        for reader in &self.readers {
            t.send(reader.number(left));
        }
        if left > 1 {
            t.send(t.me().numbers(left - 1));
        }
    }
}

fn tell(run: &Run, message: &'static str) -> Result<Figures, Failure> {
    let (count, rounds) = (run.count("readers"), run.count("rounds"));
    let system = run.system();
    let (done, ended) = mpsc::channel();
    let readers: Vec<_> = (0..count)
        .map(|_| Reader::spawn(&system, rounds, done.clone()))
        .collect();
    drop(done);
    for reader in &readers {
        reader.nothing().ask_blocking()?;
    }
    let herald = Herald::spawn(&system, readers.clone());
    let meter = Meter::start();
    match message {
        "val" => herald.arrays(rounds).send(),
        _ => herald.numbers(rounds).send(),
    }
    let sum: u64 = (0..count).map_while(|_| ended.recv().ok()).sum();
    let spent = meter.stop();
    let expected = count * (rounds * (rounds + 1) / 2);
    let check = run.check("sum of all first numbers", expected, sum)?;
    let mut figures = Figures::new(spent, count * rounds, check);
    thread::sleep(Duration::from_millis(run.count("settle")));
    CollectorMessages::in_system(&system).add_to(&mut figures);
    figures.params = vec![("message", Value::Choice(message))];
    Ok(figures)
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    Ok(vec![tell(run, "number")?, tell(run, "val")?])
}

//! A count inbox (lane) alone: two senders of count deltas, and one receiver.

use super::count_inbox::{Batches, CountDelta, CountInbox, InboxWas};
use crate::pointer::while_watching;
use crate::sync::{Arc, AtomicU32, Ordering};
use loom::thread::{self, JoinHandle};
use std::ptr::NonNull;

/// The `by` of a change is its name here.
fn delta(by: i64) -> CountDelta {
    let object = NonNull::dangling();
    CountDelta { object, by }
}

fn names(mut batches: Batches) -> Vec<i64> {
    let deltas = std::iter::from_fn(|| batches.next()).flatten();
    deltas.map(|delta| delta.by).collect()
}

/// By batches: each sender numbers its batches with tens of its own.
type Named = &'static [&'static [i64]];

/// A thread that sends batches. Returns the first delta of each, with the result of the send.
fn writer(inbox: &Arc<CountInbox>, batches: Named) -> JoinHandle<Vec<(i64, InboxWas)>> {
    let inbox = inbox.clone();
    let leave = move |batch: &&[i64]| {
        let deltas = batch.iter().copied().map(delta).collect();
        (batch[0], inbox.send(deltas))
    };
    thread::spawn(move || batches.iter().map(leave).collect())
}

/// A thread that takes this number of times.
fn reader(inbox: &Arc<CountInbox>, times: usize) -> JoinHandle<Vec<Vec<i64>>> {
    let inbox = inbox.clone();
    thread::spawn(move || (0..times).map(|_| names(inbox.take())).collect())
}

fn left_and_taken(left: [Named; 2], times: usize) {
    let inbox = Arc::new(while_watching(CountInbox::new));
    let writers = left.map(|batches| writer(&inbox, batches));
    let reader = reader(&inbox, times);
    let previous = writers.map(|writer| writer.join().unwrap()).concat();
    let mut takes = reader.join().unwrap();
    takes.push(names(inbox.take()));
    assert!(inbox.is_empty());
    each_once_and_in_order(left, &takes.concat());
    one_finds_it_empty(&previous, &takes);
}

fn each_once_and_in_order(left: [Named; 2], taken: &[i64]) {
    for batches in left {
        let expected = batches.concat();
        let of_one: Vec<i64> = taken
            .iter()
            .copied()
            .filter(|name| name / 10 == expected[0] / 10)
            .collect();
        assert_eq!(of_one, expected, "lost, doubled or overtaken");
    }
}

/// The sender of the first batch of a take, and no other, finds the inbox empty.
fn one_finds_it_empty(previous: &[(i64, InboxWas)], takes: &[Vec<i64>]) {
    for take in takes {
        let before = |name: &i64| previous.iter().find(|(first, _)| first == name);
        let before: Vec<InboxWas> = take.iter().filter_map(before).map(|sent| sent.1).collect();
        let found_empty = before.iter().map(|it| *it == InboxWas::Empty);
        let expected = (0..before.len()).map(|at| at == 0);
        assert!(
            found_empty.eq(expected),
            "not one is told that there was nothing: {before:?}"
        );
    }
}

/// Three batches, one of them with two changes; two takes meanwhile.
pub(in super::super) fn two_writers() {
    left_and_taken([&[&[10, 11], &[12]], &[&[20]]], 2);
}

/// Four batches, three takes.
pub(in super::super) fn two_busy_writers() {
    left_and_taken([&[&[10, 11], &[12]], &[&[20], &[21]]], 3);
}

/// An INC; then the reference that it counts is handed over to another holder, which sends a DEC.
pub(in super::super) fn a_hand_over() {
    let inbox = Arc::new(while_watching(CountInbox::new));
    let handed = Arc::new(AtomicU32::new(0));
    let first = thread::spawn({
        let (inbox, handed) = (inbox.clone(), handed.clone());
        move || {
            inbox.send(vec![delta(1)]);
            handed.store(1, Ordering::Release);
        }
    });
    let second = thread::spawn({
        let inbox = inbox.clone();
        move || {
            if handed.load(Ordering::Acquire) == 1 {
                inbox.send(vec![delta(-1)]);
            }
        }
    });
    let reader = reader(&inbox, 2);
    first.join().unwrap();
    second.join().unwrap();
    let mut takes = reader.join().unwrap();
    takes.push(names(inbox.take()));
    let mut count = 0;
    for by in takes.concat() {
        count += by;
        assert!(count >= 0, "O6: a DEC before its INC: {takes:?}");
    }
}

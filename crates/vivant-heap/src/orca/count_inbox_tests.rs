//! Many writers and one reader of an inbox.

use super::count_inbox::{CountDelta, CountInbox};
use std::ptr::NonNull;
use std::thread;

/// Miri has found a batch that was linked to a freed one, with some seeds and immediate reuse of
/// addresses. The flags are `-Zmiri-many-seeds=0..100`, `-Zmiri-address-reuse-rate=1.0`,
/// `-Zmiri-address-reuse-cross-thread-rate=1.0` and `-Zmiri-preemption-rate=0.3`.
#[test]
fn each_batch_is_taken_once_in_the_order_of_the_sends() {
    let (inbox, writers, each) = (CountInbox::new(), 3, if cfg!(miri) { 8 } else { 10_000 });
    let leave = |writer: i64, inbox: &CountInbox| {
        let object = NonNull::dangling();
        for number in 0..each {
            let by = writer * each + number;
            inbox.send(vec![CountDelta { object, by }]);
        }
    };
    let mut taken = Vec::new();
    thread::scope(|scope| {
        for writer in 0..writers {
            let inbox = &inbox;
            scope.spawn(move || leave(writer, inbox));
        }
        while (taken.len() as i64) < writers * each {
            let mut batches = inbox.take();
            while let Some(batch) = batches.next() {
                taken.extend(batch.into_iter().map(|change| change.by));
            }
            thread::yield_now();
        }
    });
    assert!(inbox.is_empty());
    for writer in 0..writers {
        let own = taken.iter().filter(|by| *by / each == writer);
        assert!(own.copied().eq(writer * each..(writer + 1) * each));
    }
}

#[test]
fn batches_are_reversed_in_pieces() {
    let (inbox, object) = (CountInbox::new(), NonNull::dangling());
    for by in 0..10 {
        inbox.send(vec![CountDelta { object, by }]);
    }
    let mut taken = inbox.take();
    assert_eq!((taken.reverse(4), taken.reverse(4)), (4, 4));
    inbox.send(vec![CountDelta { object, by: 10 }]);
    assert_eq!((taken.reverse(4), taken.reverse(4)), (2, 0));
    let first = taken.next().expect("ten are left");
    assert_eq!(first, [CountDelta { object, by: 0 }]);
    let rest = std::iter::from_fn(|| taken.next()).flatten();
    assert!(rest.map(|change| change.by).eq(1..10));
    assert!(taken.is_empty() && !inbox.is_empty());
    // Undrained batches are freed, reversed or not.
    let mut taken = inbox.take();
    taken.reverse(0);
    drop(taken);
}

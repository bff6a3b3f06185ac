//! A list that grows, and stays.
//!
//! Protocol: list-alloc of the Alligator paper: n links are made, all of which stay, and the list
//! is traversed twice. The heap makes 1,000 links in a turn. Every object survives its first
//! collection: this measures the cost of evacuation into the old generation.
//!
//! Timed: everything but the deallocation of the list. An operation is a link.

use super::sides::{self, BOX, BOX_MIMALLOC, HEAP, Outcome, ROUNDS, SIDE, Work};
use crate::prelude::*;
use std::iter;
use std::mem;
use vivant_heap::{Gc, Heap, Object, Pacing, PageSource};

pub(in crate::workloads) const HEAP_LIST: Bench = Bench::new(
    Group::Heaps,
    "heap_list",
    "a list that grows, in a heap and with `Box`",
    &[
        Param::count("links", 10_000_000, 20_000, "links of the list").at_least(TURN),
        ROUNDS,
        SIDE,
    ],
    |run| {
        let links = run.count("links") / TURN * TURN;
        let sum = links * (links - 1);
        sides::compare(run, &HEAP_LIST, WORKS, ("twice the sum", sum), links)
    },
)
.child(|run| sides::print(run, WORKS));

const WORKS: &[(&str, Work)] = &[(HEAP, heap), (BOX, boxed), (BOX_MIMALLOC, boxed)];

/// Links of a turn.
const TURN: u64 = 1_000;

#[derive(Object)]
struct Link<'gc> {
    value: u64,
    next: Option<Gc<'gc, Link<'gc>>>,
}

// A heap with a list.
root!(List = Option<Gc<'gc, Link<'gc>>>);

fn heap(run: &Run) -> Outcome {
    let mut heap = Heap::<List>::new(&PageSource::new().into(), Pacing::default(), |_| None);
    let turns = run.count("links") / TURN;
    sides::timed(|pauses| {
        for turn in 0..turns {
            heap.turn(|m, list| {
                for value in turn * TURN..(turn + 1) * TURN {
                    let next = *list;
                    *list = Some(m.alloc(Link { value, next }));
                }
            });
            pauses.pace(&mut heap);
        }
        let walk = |heap: &mut Heap<List>| {
            heap.turn(|_, list| {
                let links =
                    iter::successors(list.map(Gc::as_ref), |link| link.next.map(Gc::as_ref));
                links.map(|link| link.value).sum::<u64>()
            })
        };
        walk(&mut heap) + walk(&mut heap)
    })
}

struct BoxedLink {
    value: u64,
    next: Option<Box<BoxedLink>>,
}

fn boxed(run: &Run) -> Outcome {
    let links = run.count("links") / TURN * TURN;
    sides::timed(|_| {
        let mut list = None;
        for value in 0..links {
            let next = list;
            list = Some(Box::new(BoxedLink { value, next }));
        }
        let walk = || {
            let links = iter::successors(list.as_deref(), |link| link.next.as_deref());
            links.map(|link| link.value).sum::<u64>()
        };
        let sum = walk() + walk();
        // Its deallocation would recurse, and is not measured.
        mem::forget(list);
        sum
    })
}

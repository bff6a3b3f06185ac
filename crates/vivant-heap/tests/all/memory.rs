//! Allocation failure: an error of the turn where that is possible, and a clear end of the process
//! where it is not.

use crate::drop_counter::DropCounter;
use crate::heaps::Collect;
use crate::heaps::panics;
use crate::heaps::verified;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use vivant_heap::{Gc, Heap, Leaf, Mut, Mutator, Object, PageSource, Weak};

#[derive(Object)]
struct Node<'gc> {
    number: u64,
    next: Option<Gc<'gc, Mut<Node<'gc>>>>,
}

root!(List = Option<Gc<'gc, Mut<Node<'gc>>>>);

fn list(source: &Arc<PageSource>) -> Heap<List> {
    Heap::new(source, verified(), |m| push(m, 1, push(m, 0, None)))
}

fn push<'gc>(
    m: &Mutator<'gc>,
    number: u64,
    next: Option<Gc<'gc, Mut<Node<'gc>>>>,
) -> Option<Gc<'gc, Mut<Node<'gc>>>> {
    Some(m.alloc(Mut::new(Node { number, next })))
}

fn numbers(heap: &mut Heap<List>) -> Vec<u64> {
    heap.turn(|_, state| {
        let nodes = std::iter::successors(*state, |node| node.borrow().next);
        nodes.map(|node| node.borrow().number).collect()
    })
}

/// Runs a turn that allocates until there is no memory. The heap is unchanged, and remains usable.
fn fails(
    says: &str,
    allocate: impl for<'gc> Fn(&Mutator<'gc>, Option<Gc<'gc, Mut<Node<'gc>>>>, &Arc<AtomicUsize>),
) {
    let ended = Arc::new(AtomicUsize::new(0));
    let source = Arc::new(PageSource::bounded(if cfg!(miri) { 8 } else { 24 }));
    let mut heap = list(&source);
    for round in 0..if cfg!(miri) { 1 } else { 3 } {
        let made = AtomicUsize::new(0);
        ended.store(0, Ordering::Relaxed);
        let turn = catch_unwind(AssertUnwindSafe(|| {
            heap.turn(|m, state| {
                push(m, 7, *state);
                loop {
                    made.fetch_add(1, Ordering::Relaxed);
                    allocate(m, *state, &ended);
                }
            })
        }));
        let panic = turn.map(|()| "").unwrap_err().downcast::<String>().unwrap();
        assert!(
            panic.starts_with(says) && panic.contains("has none left"),
            "{panic}"
        );
        heap.verify().unwrap();
        assert_eq!(numbers(&mut heap), [1, 0], "{round}");
        match round {
            0 => heap.collect_young(),
            _ => heap.collect(),
        }
        heap.collect_and_sweep();
        // Each allocated value was dropped once, or none was.
        let ended = ended.load(Ordering::Relaxed);
        assert!(ended == 0 || ended == made.into_inner(), "{ended}");
        assert_eq!(numbers(&mut heap), [1, 0]);
        // There is memory again.
        heap.turn(|m, _| assert_eq!(m.alloc([5_u64; 1000])[999], 5));
    }
    drop(heap);
    assert_eq!(source.stats().pages, 0);
}

#[test]
fn a_turn_without_memory_panics_and_the_heap_is_unchanged() {
    fails("no memory for an object of 8000 bytes", |m, _, _| {
        m.alloc([0_u64; 1000]);
    });
    fails("no memory for an object of ", |m, _, ended| {
        m.alloc((Leaf(DropCounter(ended.clone())), [0_u64; 500]));
    });
    fails("no memory for an object of ", |m, _, ended| {
        m.alloc_slice([(Leaf(DropCounter(ended.clone())), [0_u8; 1000])]);
    });
    fails("no memory for an object of ", |m, _, _| {
        m.alloc_str(&" ".repeat(3000));
    });
}

#[test]
fn many_small_objects_run_out_of_memory_too() {
    if cfg!(miri) {
        // Thousands of objects, which test nothing new.
        return;
    }
    fails("no memory for an object of 32 bytes", |m, state, _| {
        push(m, 0, state);
    });
    fails("no memory for an object of 16 bytes", |m, _, ended| {
        m.alloc(Leaf(DropCounter(ended.clone())));
    });
    fails("no memory for an object of ", |m, state, _| {
        if let Some(state) = state {
            Weak::new(m, state);
        }
    });
    fails("no memory for an object of ", |m, state, _| {
        m.watch_death(push(m, 0, state).unwrap(), 1);
    });
}

#[test]
fn pages_of_a_dropped_heap_are_used_by_another() {
    let source = Arc::new(PageSource::bounded(24));
    let (mut one, mut other) = (list(&source), list(&source));
    let fill = |heap: &mut Heap<List>| {
        assert!(panics(|| {
            heap.turn(|m, _| {
                loop {
                    m.alloc([0_u64; 100]);
                }
            })
        }));
    };
    fill(&mut one);
    assert!(panics(|| {
        other.turn(|m, _| m.alloc_slice(vec![1_u64; 5000])[0])
    }));
    // Nothing of it survives: it takes no memory to find that out.
    drop(one);
    assert_eq!(other.turn(|m, _| m.alloc_slice(vec![1_u64; 5000])[0]), 1);
    assert_eq!(numbers(&mut other), [1, 0]);
}

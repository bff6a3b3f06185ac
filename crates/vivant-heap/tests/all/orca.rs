//! Sharing between heaps: a shared object lives as long as any heap or parcel refers to it, and no
//! longer.

use crate::heaps::Collect;
use crate::heaps::balanced;
use std::sync::Arc;
use vivant_heap::{Gc, Heap, Held, Mut, Object, Pacing, PageSource, Val};

/// A list of texts, shared.
#[derive(Object)]
struct Page<'gc> {
    text: String,
    next: Option<Val<'gc, Page<'gc>>>,
}

#[derive(Object)]
struct Shelf<'gc> {
    pages: Gc<'gc, Mut<Vec<Val<'gc, Page<'gc>>>>>,
}

root!(Reader = Vec<Val<'gc, Page<'gc>>>);

type One = Val<'static, Page<'static>>;

fn reader(source: &Arc<PageSource>) -> Heap<Reader> {
    Heap::new(source, Pacing::default(), |_| Vec::new())
}

fn book<'gc>(m: &vivant_heap::Mutator<'gc>, pages: u64) -> Val<'gc, Page<'gc>> {
    let mut first = None;
    for number in (0..pages).rev() {
        let text = format!("page {number}");
        first = Some(m.val(Page { text, next: first }));
    }
    first.unwrap()
}

#[test]
fn imported_objects_live() {
    let source = Arc::new(PageSource::new());
    let (mut a, mut b) = (reader(&source), reader(&source));
    let parcel = a.turn(|m, _| m.pack::<One>(book(m, 3)));
    a.collect();
    b.turn(|m, state| state.push(m.unpack(parcel)));
    balanced(&mut [&mut a, &mut b]);
    a.collect_and_sweep();
    b.collect();
    b.turn(|_, state| {
        let last = state[0].next.unwrap().next.unwrap();
        assert_eq!(last.text, "page 2");
        assert!(last.next.is_none());
        state.clear();
    });
    b.collect();
    balanced(&mut [&mut a, &mut b]);
    a.collect_and_sweep();
    assert_eq!(a.stats().live, 0);
}

#[test]
fn a_component_outlives_its_container() {
    let source = Arc::new(PageSource::new());
    let (mut a, mut b) = (reader(&source), reader(&source));
    let parcel = a.turn(|m, _| m.pack::<One>(book(m, 3)));
    b.turn(|m, state| state.push(m.unpack(parcel)));
    b.turn(|_, state| {
        let part = state[0].next.unwrap().next.unwrap();
        state[0] = part;
    });
    b.collect();
    balanced(&mut [&mut a, &mut b]);
    a.collect_and_sweep();
    b.turn(|_, state| assert_eq!(state[0].text, "page 2"));
    assert_eq!(a.stats().alive, 1);
}

#[test]
fn a_detached_heap_keeps_its_exports() {
    let source = Arc::new(PageSource::new());
    let (mut a, mut b) = (reader(&source), reader(&source));
    let parcel = a.turn(|m, _| m.pack::<One>(book(m, 3)));
    let detached = a.end().expect("the parcel has it");
    b.turn(|m, state| state.push(m.unpack(parcel)));
    let detached = detached.drain_all().expect("the other heap has it");
    b.turn(|_, state| assert_eq!(state[0].text, "page 0"));
    assert!(b.end().is_none());
    assert!(detached.drain_all().is_none());
    assert_eq!(source.stats().pages, 0);
}

#[test]
fn a_dropped_parcel_returns_its_count() {
    let source = Arc::new(PageSource::new());
    let mut a = reader(&source);
    let parcel = a.turn(|m, _| m.pack::<One>(book(m, 3)));
    drop(parcel);
    assert!(a.is_unshared());
    a.collect_and_sweep();
    assert_eq!(a.stats().live, 0);
}

#[test]
fn held_objects_live_and_are_read_by_threads() {
    let source = Arc::new(PageSource::new());
    let mut a = reader(&source);
    let held: Held<str> = a.turn(|m, _| m.hold(m.val_str("rain")));
    let others: Vec<_> = (0..4)
        .map(|_| {
            let held = held.clone();
            std::thread::spawn(move || assert_eq!(held.to_string(), "rain"))
        })
        .collect();
    for _ in 0..10 {
        a.collect();
    }
    others.into_iter().for_each(|other| other.join().unwrap());
    assert!(!a.is_unshared());
    a.turn(|m, _| assert_eq!(&*m.take(held), "rain"));
    assert!(a.is_unshared());
}

#[test]
fn graphs_may_hold_shared_objects() {
    root!(Library = Shelf<'gc>);
    let source = Arc::new(PageSource::new());
    let mut a = reader(&source);
    let mut b = Heap::<Library>::new(&source, Pacing::default(), |m| Shelf {
        pages: m.alloc(Mut::new(Vec::new())),
    });
    for _ in 0..10 {
        let parcel = a.turn(|m, _| m.pack::<One>(book(m, 2)));
        b.turn(|m, shelf| {
            let page = m.unpack(parcel);
            shelf.pages.borrow_mut(m).push(page);
        });
        b.collect();
        a.collect();
    }
    b.turn(|_, shelf| {
        let pages = shelf.pages.borrow();
        assert!(pages.iter().all(|page| page.next.unwrap().text == "page 1"));
    });
    balanced(&mut [&mut a, &mut b]);
    drop(b);
    a.collect_and_sweep();
    assert_eq!(a.stats().live, 0);
}

/// Messages between heaps are counted: an INC when a heap has no weight left to send, a batch of
/// DECs for each owner.
#[test]
fn sent_count_deltas_are_counted() {
    let source = Arc::new(PageSource::new());
    let (mut a, mut b, mut c) = (reader(&source), reader(&source), reader(&source));
    for _ in 0..3 {
        let parcel = a.turn(|m, _| m.pack::<One>(book(m, 1)));
        b.turn(|m, state| state.push(m.unpack(parcel)));
    }
    assert_eq!((b.stats().incs, b.stats().decs), (0, 0));
    // Of two of the three, the first one twice: 255 of its weight are left.
    for number in [0, 1, 0] {
        let parcel = b.turn(|m, state| m.pack::<One>(state[number]));
        c.turn(|m, state| state.push(m.unpack(parcel)));
    }
    let told = b.turn(|m, _| m.stats());
    assert_eq!((told.incs, told.decs, told.changes), (2, 0, 2));
    balanced(&mut [&mut a, &mut b, &mut c]);
    b.turn(|_, state| state.clear());
    b.collect();
    assert_eq!((b.stats().incs, b.stats().decs), (2, 1));
    assert_eq!(b.stats().changes, 2 + 3);
    // Three references to two objects.
    assert_eq!(c.stats().imports, 2);
    c.collect();
    assert_eq!(c.stats().imports, 2);
    balanced(&mut [&mut a, &mut b, &mut c]);
}

/// An object that arrives repeatedly is imported once.
#[test]
fn an_object_received_repeatedly_is_imported_once() {
    let source = Arc::new(PageSource::new());
    let (mut a, mut b) = (reader(&source), reader(&source));
    a.turn(|m, state| state.extend([book(m, 1), book(m, 1)]));
    for number in 0..if cfg!(miri) { 30 } else { 1000 } {
        let parcel = a.turn(|m, state| m.pack::<One>(state[number % 2]));
        b.turn(|m, state| *state = vec![m.unpack(parcel)]);
        assert!(!b.has_gc_work(), "it has two objects");
    }
    b.collect();
    assert_eq!((b.stats().imports, b.stats().changes), (1, 1));
    balanced(&mut [&mut a, &mut b]);
    b.turn(|_, state| state.clear());
    b.collect();
    assert_eq!((b.stats().imports, b.stats().changes), (0, 2));
    a.drain_all();
    a.turn(|_, state| state.clear());
    a.collect_and_sweep();
    assert_eq!(a.stats().live, 0);
}

/// A heap that receives more than it records before it adds up, and keeps some of it.
#[test]
fn dropped_imports_are_released_by_the_next_mark() {
    let source = Arc::new(PageSource::new());
    let (mut a, mut b) = (reader(&source), reader(&source));
    let objects = if cfg!(miri) { 30 } else { 3000 };
    for number in 0..objects {
        let parcel = a.turn(|m, _| m.pack::<One>(book(m, 1)));
        b.turn(|m, state| {
            let page = m.unpack(parcel);
            if number % 10 == 0 {
                state.push(page);
            }
        });
    }
    balanced(&mut [&mut a, &mut b]);
    b.collect();
    assert_eq!(b.stats().imports, objects / 10);
    assert_eq!(b.stats().changes as usize, objects - objects / 10);
    balanced(&mut [&mut a, &mut b]);
    a.collect();
    assert_eq!(a.stats().alive as usize, objects / 10);
    b.turn(|_, state| assert!(state.iter().all(|page| page.text == "page 0")));
}

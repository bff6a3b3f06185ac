//! Leaves, heaps and turns that share, drop and panic when they end.

use super::{DropCounter, KEPT, One, Page, Reader, balanced, collected, emptied, reader, verified};
use crate::heaps::panics;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use vivant_heap::{DetachedHeap, Heap, Held, PageSource, Parcel};

/// Shares and drops when it is dropped, and then panics.
struct Late {
    held: Held<String>,
    parcel: Option<Parcel<One>>,
    other: Mutex<Option<Heap<Reader>>>,
    _ends: DropCounter,
}

impl Drop for Late {
    fn drop(&mut self) {
        let copies = vec![self.held.clone(); 3];
        assert_eq!(*copies[2], "long enough to lie elsewhere");
        if let Some(parcel) = self.parcel.take() {
            let copy = parcel.clone();
            drop(parcel);
            // Into a heap that is collected, and ends, while the leaf's own heap is swept.
            if let Some(mut other) = self.other.lock().unwrap().take() {
                other.turn(|m, state| state.push(m.unpack(copy)));
                other.collect();
                other.turn(|_, state| assert_eq!(state[0].text, "rain"));
            }
        }
        drop(copies);
        panic!("at the end");
    }
}

/// Leaves in shared objects hold objects of the same heap and of another one. They are dropped in a
/// sweep, in the sweep within a turn, and with the heap.
#[test]
fn leaves_share_when_they_are_dropped() {
    let source = Arc::new(PageSource::new());
    for way in 0..3 {
        let ends = Arc::new(AtomicUsize::new(0));
        let (mut a, mut b) = (reader(&source), reader(&source));
        for own in [true, false] {
            let (held, parcel) = if own { &mut a } else { &mut b }.turn(|m, _| {
                let held = m.hold(m.val(String::from("long enough to lie elsewhere")));
                (held, Some(m.pack::<One>(Page::new(m, "rain", Vec::new()))))
            });
            let late = Late {
                held,
                parcel,
                other: Mutex::new(Some(reader(&source))),
                _ends: DropCounter(ends.clone()),
            };
            a.turn(|m, state| {
                state.push(Page::ending(m, "ends", Vec::new(), Some(Box::new(late))))
            });
        }
        collected(&mut [&mut a, &mut b]);
        assert_eq!(ends.load(Ordering::Relaxed), 0);
        match way {
            0 => {
                a.turn(|_, state| state.clear());
                collected(&mut [&mut a]);
                assert_eq!((ends.load(Ordering::Relaxed), a.stats().panics), (2, 2));
                emptied(&mut [&mut a, &mut b]);
            }
            1 => {
                a.turn(|_, state| state.clear());
                a.collect();
                // The blocks of dead objects are needed: these are dropped in this turn, which
                // shares meanwhile.
                let parcels = a.turn(|m, _| {
                    let pages = (0..500).map(|_| Page::new(m, "new", Vec::new()));
                    pages.map(|page| m.pack::<One>(page)).collect::<Vec<_>>()
                });
                assert_eq!(ends.load(Ordering::Relaxed), 2);
                balanced(&mut [&mut a, &mut b], &parcels.iter().collect::<Vec<_>>());
                drop(parcels);
                emptied(&mut [&mut a, &mut b]);
            }
            _ => {
                // Only the heap itself has what it holds.
                assert!(a.end().is_none());
                assert_eq!(ends.load(Ordering::Relaxed), 2);
                emptied(&mut [&mut b]);
            }
        }
    }
}

/// The first turn panics, after its objects were sent to other heaps.
#[test]
fn objects_shared_by_a_failing_first_turn_stay() {
    let source = Arc::new(PageSource::new());
    let mut b = reader(&source);
    let mut lost = None;
    assert!(panics(|| {
        Heap::<Reader>::new(&source, verified(), |m| {
            let part = Page::new(m, "part", Vec::new());
            lost = Some(m.pack::<One>(Page::new(m, "whole", vec![part])));
            panic!("in the first turn");
        })
    }));
    let pages = source.stats().pages;
    b.turn(|m, state| state.push(m.unpack(lost.unwrap()).parts[0]));
    collected(&mut [&mut b]);
    b.turn(|_, state| assert_eq!(state[0].text, "part"));
    drop(b);
    assert!(source.stats().pages <= pages, "they stay, for good");
    KEPT.lock().unwrap().push(source);
}

/// Threads clone, read and drop held and packed objects, while their owner is collected, ends, and
/// is drained as a detached heap.
#[test]
fn threads_use_exports_of_a_heap_that_ends() {
    let rounds = if cfg!(miri) { 3 } else { 200 };
    let source = Arc::new(PageSource::new());
    for round in 0..rounds {
        let ends = Arc::new(AtomicUsize::new(0));
        let mut a = reader(&source);
        let (held, parcel) = a.turn(|m, state| {
            let part = Page::ending(
                m,
                "part",
                Vec::new(),
                Some(Box::new(DropCounter(ends.clone()))),
            );
            let whole = Page::new(m, "whole", vec![part]);
            state.push(whole);
            let held = m.hold(m.val(String::from("long enough to lie elsewhere")));
            (held, m.pack::<One>(whole))
        });
        thread::scope(|scope| {
            for number in 0..3 {
                let (held, parcel) = (held.clone(), parcel.clone());
                let source = &source;
                scope.spawn(move || {
                    for _ in 0..3 {
                        let copies = (held.clone(), parcel.clone());
                        drop(parcel.look(|whole| whole.parts[0].text.clone()));
                        drop(copies);
                    }
                    if number == round % 3 {
                        drop(parcel);
                        return;
                    }
                    let mut own = reader(source);
                    own.turn(|m, state| state.push(m.unpack(parcel).parts[0]));
                    own.collect();
                    own.turn(|_, state| assert_eq!(state[0].text, "part"));
                    assert_eq!(held.len(), 28);
                });
            }
            drop((held, parcel));
            if round % 2 == 0 {
                a.collect();
            }
            let mut detached = a.end();
            while let Some(left) = detached {
                thread::yield_now();
                detached = left.drain_all();
            }
        });
        assert_eq!(ends.load(Ordering::Relaxed), 1);
    }
    assert_eq!(source.stats().pages, 0);
}

/// Heaps lie in leaves of each other's objects, and have references to objects in them.
#[test]
fn heaps_lie_in_what_they_share() {
    let source = Arc::new(PageSource::new());
    let mut outer = reader(&source);
    let parcel = outer.turn(|m, _| m.pack::<One>(Page::new(m, "rain", Vec::new())));
    let mut inner = reader(&source);
    inner.turn(|m, state| state.push(m.unpack(parcel)));
    let theirs = inner.turn(|m, state| m.pack::<One>(Page::new(m, "theirs", state.clone())));
    outer.turn(|m, state| {
        let theirs = m.unpack(theirs);
        let leaf: Box<dyn Send + Sync> = Box::new(Mutex::new(inner));
        state.push(Page::ending(m, "mine", vec![theirs], Some(leaf)));
    });
    collected(&mut [&mut outer]);
    outer.turn(|_, state| assert_eq!(state[0].parts[0].parts[0].text, "rain"));
    // The leaf's heap ends with foreign references or without, depending on sweep and mark.
    outer.turn(|_, state| state.clear());
    collected(&mut [&mut outer]);
    assert!(
        outer
            .end()
            .is_none_or(|detached| detached.drain_all().is_some())
    );
    KEPT.lock().unwrap().push(source);
}

/// A detached heap is drained too early, without effect, and goes from thread to thread.
#[test]
fn detached_heaps_wait_for_the_last_holder() {
    let source = Arc::new(PageSource::new());
    let mut a = reader(&source);
    let parcels: Vec<_> = (0..5)
        .map(|_| a.turn(|m, _| m.pack::<One>(Page::new(m, "rain", Vec::new()))))
        .collect();
    let mut detached = a.end();
    for parcel in parcels {
        detached = detached.and_then(DetachedHeap::drain_all);
        let left = detached.take().unwrap();
        let drained = thread::spawn(move || {
            drop(parcel);
            left.drain_all()
        });
        detached = drained.join().unwrap();
    }
    assert!(detached.is_none());
    assert_eq!(source.stats().pages, 0);
}

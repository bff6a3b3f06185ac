//! Wakers: foreign code, called by each thread that sends counts to a heap.

use super::{KEPT, One, Page, balanced, emptied, reader};
use crate::heaps::Collect;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Wake, Waker};
use vivant_heap::{DetachedHeap, Heap, Held, PageSource, Parcel};

/// Panics, and counts its panics.
struct Panics(AtomicUsize);

impl Wake for Panics {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
        panic!("woken");
    }
}

/// In all places where a waker is called: in a turn, in a collection, in a destructor, when a heap
/// ends, and while a thread unwinds.
#[test]
fn a_waker_may_panic() {
    let source = Arc::new(PageSource::new());
    let (mut a, mut b) = (reader(&source), reader(&source));
    let waker = Arc::new(Panics(AtomicUsize::new(0)));
    let woken = || waker.0.swap(0, Ordering::Relaxed);
    a.wake_by(Waker::from(waker.clone()));
    let pack = |a: &mut Heap<_>| a.turn(|m, _| m.pack::<One>(Page::new(m, "rain", Vec::new())));

    let parcel = pack(&mut a);
    let copy = parcel.clone();
    assert_eq!(woken(), 1);
    a.drain_all();
    b.turn(|m, state| state.push(m.unpack(parcel)));
    let sent = b.turn(|m, state| m.pack::<One>(state[0]));
    assert_eq!(woken(), 1);
    balanced(&mut [&mut a, &mut b], &[&copy, &sent]);

    drop(copy);
    a.drain_all();
    std::thread::scope(|scope| {
        let unwinds = move || {
            let _sent = sent;
            panic!("the waker panics too");
        };
        assert!(scope.spawn(unwinds).join().is_err());
    });
    assert_eq!(woken(), 2);
    b.turn(|_, state| state.clear());
    a.drain_all();
    b.collect();
    assert_eq!(woken(), 1, "in a collection");

    let last = pack(&mut a);
    b.turn(|m, state| state.push(m.unpack(last)));
    a.drain_all();
    drop(b);
    assert_eq!(woken(), 1, "when a heap ends");
    emptied(&mut [&mut a]);
}

/// What a waker has access to.
#[derive(Default)]
struct Place {
    heap: Option<Heap<super::Reader>>,
    detached: Option<DetachedHeap>,
    held: Vec<Held<String>>,
    parcels: Vec<Parcel<One>>,
}

/// What the waker does with it.
#[derive(Clone, Copy)]
enum Does {
    Collects,
    Ends,
    Drops,
    /// Clones and drops other values of the same heap.
    Shares,
}

struct Acts {
    place: Mutex<Place>,
    does: Does,
    woken: AtomicUsize,
}

impl Wake for Acts {
    fn wake(self: Arc<Self>) {
        self.woken.fetch_add(1, Ordering::Relaxed);
        // Not while the heap itself is in use.
        let Ok(mut place) = self.place.try_lock() else {
            return;
        };
        let place = &mut *place;
        match self.does {
            Does::Collects => {
                if let Some(heap) = &mut place.heap {
                    heap.collect_and_sweep();
                }
            }
            Does::Ends => {
                if let Some(heap) = place.heap.take() {
                    place.detached = heap.end();
                }
                place.detached = place.detached.take().and_then(DetachedHeap::drain_all);
            }
            Does::Drops => place.heap = None,
            Does::Shares => {
                let more: Vec<_> = place.held.clone();
                place.held.truncate(1);
                let copies: Vec<_> = place.parcels.to_vec();
                place.parcels.truncate(1);
                drop((more, copies));
            }
        }
    }
}

/// The woken heap is collected, ended or dropped by its waker, in the middle of packing, cloning,
/// dropping and collecting by another heap.
#[test]
fn a_waker_may_collect_end_or_drop_the_heap() {
    let source = Arc::new(PageSource::new());
    for does in [Does::Collects, Does::Ends, Does::Drops, Does::Shares] {
        let (mut a, mut b) = (reader(&source), reader(&source));
        let waker = Arc::new(Acts {
            place: Mutex::default(),
            does,
            woken: AtomicUsize::new(0),
        });
        a.wake_by(Waker::from(waker.clone()));
        let (parcel, held) = a.turn(|m, _| {
            let part = Page::new(m, "part", Vec::new());
            let whole = Page::new(m, "whole", vec![part]);
            (
                m.pack::<One>(whole),
                m.hold(m.val(String::from("long enough to lie elsewhere"))),
            )
        });
        {
            let mut place = waker.place.lock().unwrap();
            place.held = vec![held.clone(); 2];
            place.parcels = vec![parcel.clone(); 2];
            a.drain_all();
            place.heap = Some(a);
        }
        let copies = (held.clone(), parcel.clone());
        assert_eq!(*copies.0, *held);
        let sent = b.turn(|m, state| {
            let whole = m.unpack(parcel);
            let sent = m.pack::<One>(whole.parts[0]);
            state.push(whole.parts[0]);
            assert_eq!(whole.text, "whole");
            sent
        });
        drop(copies);
        b.collect();
        b.turn(|_, state| assert_eq!(state[0].text, "part"));
        assert_eq!(*held, "long enough to lie elsewhere");
        assert_eq!(sent.look(|part| part.text.clone()), "part");
        drop((b, held, sent));
        assert!(waker.woken.load(Ordering::Relaxed) > 0);
        // A cycle of the heap and its waker, which is broken here.
        let mut place = waker.place.lock().unwrap();
        place.held.clear();
        place.parcels.clear();
        place.detached = place.detached.take().and_then(DetachedHeap::drain_all);
        assert!(place.detached.is_none());
        if let Some(heap) = place.heap.take() {
            drop(place);
            assert!(heap.end().is_none());
        }
    }
    KEPT.lock().unwrap().push(source);
}

//! Attempts to break sharing, by safe programs. The outcome of each is in `README.md`.

#![forbid(unsafe_code)]

use crate::drop_counter::DropCounter;
use crate::heaps::Collect;
use crate::heaps::verified;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex};
use vivant_heap::{CountVerifier, Heap, Leaf, Mutator, Object, PageSource, Parcel, Val};

mod drops;
mod parcels;
mod sizes;
mod wakers;

/// The memory of heaps that are leaked, so that Miri finds a path to it at the end of the tests.
static KEPT: Mutex<Vec<Arc<PageSource>>> = Mutex::new(Vec::new());

/// The shared type of these tests: a text, its components, and a leaf that counts its drop.
#[derive(Object)]
struct Page<'gc> {
    text: String,
    parts: Vec<Val<'gc, Page<'gc>>>,
    #[object(leaf)]
    _ends: Option<Box<dyn Send + Sync>>,
}

impl<'gc> Page<'gc> {
    fn new(m: &Mutator<'gc>, text: &str, parts: Vec<Val<'gc, Page<'gc>>>) -> Val<'gc, Page<'gc>> {
        Page::ending(m, text, parts, None)
    }

    fn ending(
        m: &Mutator<'gc>,
        text: &str,
        parts: Vec<Val<'gc, Page<'gc>>>,
        ends: Option<Box<dyn Send + Sync>>,
    ) -> Val<'gc, Page<'gc>> {
        let text = text.to_owned();
        let _ends = ends;
        m.val(Page { text, parts, _ends })
    }
}

root!(Reader = Vec<Val<'gc, Page<'gc>>>);

type One = Val<'static, Page<'static>>;

fn reader(source: &Arc<PageSource>) -> Heap<Reader> {
    Heap::new(source, verified(), |_| Vec::new())
}

/// Collects and sweeps all of these heaps.
fn collected(heaps: &mut [&mut Heap<Reader>]) {
    for heap in heaps.iter_mut() {
        heap.collect_and_sweep();
    }
}

/// Asserts that all counts agree; these are all heaps, parcels and held references.
fn balanced(heaps: &mut [&mut Heap<Reader>], parcels: &[&Parcel<One>]) {
    let mut verifier = CountVerifier::default();
    heaps
        .iter_mut()
        .for_each(|heap| verifier.heap(heap).unwrap());
    parcels.iter().for_each(|parcel| verifier.parcel(parcel));
    verifier.check().unwrap();
}

/// Asserts that nothing is left in any heap when all states are empty.
fn emptied(heaps: &mut [&mut Heap<Reader>]) {
    for heap in heaps.iter_mut() {
        heap.turn(|_, state| state.clear());
    }
    // A component is released one mark after its container.
    for _ in 0..4 {
        collected(heaps);
    }
    balanced(heaps, &[]);
    assert!(heaps.iter_mut().all(|heap| heap.is_unshared()));
    assert!(heaps.iter().all(|heap| heap.stats().live == 0));
}

/// A leaf, so that a value that is sent can run code when it is cloned.
type Number = Leaf<Arc<AtomicUsize>>;

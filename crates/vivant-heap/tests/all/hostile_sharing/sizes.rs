//! Shared objects of size zero, without elements, and larger than chunks; at bounds.

use super::{DropCounter, One, Page, collected, reader, verified};
use crate::heaps::Collect;
use crate::heaps::panics;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use vivant_heap::{Heap, Leaf, PageSource, Parcel, Val};

/// A value of size zero, with a destructor.
struct Nothing;

static NOTHINGS: AtomicUsize = AtomicUsize::new(0);

impl Drop for Nothing {
    fn drop(&mut self) {
        NOTHINGS.fetch_add(1, Ordering::Relaxed);
    }
}

root!(Sizes = Vec<Mixed<'gc>>);

type Mixed<'gc> = (
    Val<'gc, ()>,
    Val<'gc, [u8]>,
    Val<'gc, str>,
    Val<'gc, [[Val<'gc, str>; 0]]>,
    Val<'gc, [Leaf<Nothing>]>,
    Val<'gc, [Val<'gc, str>]>,
);

const MANY: usize = 1 << 60;

/// Values behind the end of their blocks, and so in the next page, chunk, or unmapped memory, still
/// belong to their own objects.
#[test]
fn zero_sized_values_are_shared() {
    let count = if cfg!(miri) { 30 } else { 16_000 };
    let source = Arc::new(PageSource::new());
    let make = || Heap::<Sizes>::new(&source, verified(), |_| Vec::new());
    let (mut a, mut b) = (make(), make());
    let parcels: Vec<Parcel<Mixed<'static>>> = a.turn(|m, _| {
        let mixed = |_| {
            let text = m.val_str("");
            let mixed = (
                m.val(()),
                m.val_slice([]),
                text,
                m.val_slice(vec![[]; MANY]),
                m.val_slice([Leaf(Nothing), Leaf(Nothing)]),
                m.val_slice([text]),
            );
            m.pack(mixed)
        };
        (0..count).map(mixed).collect()
    });
    a.collect();
    b.turn(|m, state| state.extend(parcels.into_iter().map(|parcel| m.unpack(parcel))));
    b.collect();
    a.collect_and_sweep();
    b.turn(|m, state| {
        for (nothing, bytes, text, nothings, ending, texts) in &*state {
            let owners = [
                Val::owner(*nothing),
                Val::owner(*bytes),
                Val::owner(*text),
                Val::owner(*nothings),
                Val::owner(*ending),
            ];
            assert!(owners.iter().all(|owner| *owner == Val::owner(texts[0])));
            assert_ne!(owners[0], m.id());
            assert!(Val::ptr_eq(*text, texts[0]));
            assert!(bytes.is_empty() && text.is_empty());
            assert_eq!((nothings.len(), ending.len()), (MANY, 2));
        }
        state.truncate(1);
    });
    let before = NOTHINGS.load(Ordering::Relaxed);
    b.collect();
    a.collect_and_sweep();
    assert_eq!(NOTHINGS.load(Ordering::Relaxed) - before, 2 * (count - 1));
    b.turn(|_, state| assert_eq!(state[0].4.len(), 2));
}

root!(Bytes = Vec<(Val<'gc, [u64]>, Val<'gc, [Val<'gc, str>]>)>);

/// Sizes around the ends of blocks, pages and chunks.
#[test]
fn shared_objects_of_all_sizes_are_read() {
    let source = Arc::new(PageSource::new());
    let make = || Heap::<Bytes>::new(&source, verified(), |_| Vec::new());
    let (mut a, mut b) = (make(), make());
    let sizes: &[usize] = match cfg!(miri) {
        true => &[254, 255, 510],
        false => &[
            0, 1, 254, 255, 256, 510, 511, 1021, 1022, 1023, 120_830, 131_072, 300_000,
        ],
    };
    for &size in sizes {
        let parcel = a.turn(|m, _| {
            let words = m.val_slice((0..size as u64).collect::<Vec<_>>());
            let last = m.val_str("last");
            let texts = m.val_slice(vec![last; size]);
            m.pack::<(Val<'static, [u64]>, Val<'static, [Val<'static, str>]>)>((words, texts))
        });
        a.collect();
        b.turn(|m, state| state.push(m.unpack(parcel)));
        b.collect();
        a.collect_and_sweep();
        let theirs = a.id();
        b.turn(|_, state| {
            let (words, texts) = state.pop().unwrap();
            assert_eq!((words.len(), texts.len()), (size, size));
            assert!((0..).zip(&*words).all(|(number, word)| number == *word));
            assert!(texts.iter().all(|text| &**text == "last"));
            assert_eq!(Val::owner(texts), theirs);
        });
        b.collect();
        a.collect_and_sweep();
        assert_eq!(a.stats().live, 0);
    }
}

/// A turn that gets no more memory has lost nothing that it has shared; what it has not shared is
/// dropped.
#[test]
fn sharing_at_the_memory_limit_loses_nothing() {
    let ends = Arc::new(AtomicUsize::new(0));
    let (pages, rounds) = if cfg!(miri) { (6, 1) } else { (40, 3) };
    let source = Arc::new(PageSource::bounded(pages));
    let (mut a, mut b) = (reader(&source), reader(&source));
    for _ in 0..rounds {
        let mut parcels = Vec::new();
        assert!(panics(|| {
            a.turn(|m, _| {
                loop {
                    let ends = Box::new(DropCounter(ends.clone()));
                    let page = Page::ending(m, "page", Vec::new(), Some(ends));
                    parcels.push(m.pack::<One>(page));
                }
            });
        }));
        let count = parcels.len();
        assert_eq!(ends.swap(0, Ordering::Relaxed), 1, "the one without room");
        b.turn(|m, state| state.extend(parcels.drain(..).map(|parcel| m.unpack(parcel))));
        collected(&mut [&mut a, &mut b]);
        assert_eq!(ends.load(Ordering::Relaxed), 0);
        b.turn(|_, state| {
            assert!(state.iter().all(|page| page.text == "page"));
            state.clear();
        });
        b.collect();
        a.collect_and_sweep();
        assert_eq!(ends.swap(0, Ordering::Relaxed), count);
    }
}

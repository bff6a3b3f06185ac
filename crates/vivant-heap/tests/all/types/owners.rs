//! The owner of an object, found by nothing but a reference to it.

use std::sync::Arc;
use vivant_heap::{Gc, Heap, HeapId, Mut, Pacing, PageSource};

// Objects that are young, old, and large from birth.
root!(Sizes = (Vec<Gc<'gc, Mut<u64>>>, Vec<Gc<'gc, [u8]>>, Option<Gc<'gc, ()>>));

#[test]
fn the_owner_is_found_from_a_reference() {
    let source = Arc::new(PageSource::new());
    let sizes = if cfg!(miri) {
        [0, 3000, 9000]
    } else {
        [0, 3000, 3 << 20]
    };
    let mut heaps: Vec<Heap<Sizes>> = (0..5)
        .map(|_| Heap::new(&source, Pacing::default(), |_| Default::default()))
        .collect();
    let ids: Vec<HeapId> = heaps.iter().map(Heap::id).collect();
    assert!((1..5).all(|n| !ids[..n].contains(&ids[n])), "{ids:?}");
    for round in 0..6 {
        for (heap, &id) in heaps.iter_mut().zip(&ids) {
            heap.turn(|m, (numbers, bytes, empty)| {
                assert_eq!(m.id(), id);
                numbers.push(m.alloc(Mut::new(round)));
                let size = sizes[round as usize % 3];
                bytes.push(m.alloc_slice(vec![round as u8; size]));
                *empty = Some(m.alloc(()));
                assert!(numbers.iter().all(|number| Gc::owner(*number) == id));
                assert!(bytes.iter().all(|bytes| Gc::owner(*bytes) == id));
                assert_eq!(Gc::owner(empty.unwrap()), id);
            });
            match round {
                1 | 2 => heap.collect_young(),
                3 | 4 => heap.collect(),
                _ => {}
            }
        }
    }
    // Pages go from heap to heap.
    drop(heaps.remove(0));
    let mut next = Heap::<Sizes>::new(&source, Pacing::default(), |_| Default::default());
    let id = next.id();
    assert!(!ids.contains(&id), "{id:?}");
    next.turn(|m, _| assert_eq!(Gc::owner(m.alloc(1)), id));
}

//! Regions: graphs that move as a whole.

use crate::heaps::Collect;
use crate::heaps::balanced;
use crate::heaps::panics;
use crate::trees::{Tree, TreeIso, tree};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use vivant_heap::{
    CountVerifier, Gc, Heap, Iso, Leaf, Mut, Object, Pacing, PageSource, Stress, Val, When,
};

fn sum(tree: Tree<'_>) -> u64 {
    let node = tree.borrow();
    node.value + node.left.map_or(0, sum) + node.right.map_or(0, sum)
}

fn stressed(when: When) -> Pacing {
    Pacing::new().stressed(Stress::new(when, 3))
}

root!(Trees = Vec<Tree<'gc>>);
root!(Isos = Vec<Gc<'gc, Mut<Option<TreeIso>>>>);

#[test]
fn a_region_goes_from_thread_to_thread_as_it_is() {
    let source = Arc::new(PageSource::new());
    let mut iso = TreeIso::new(&source, |r| tree(r, 6, None));
    for hop in 1..10 {
        iso = thread::spawn(move || {
            iso.open(|r, root| {
                root.borrow_mut(r).value += 1;
                assert_eq!(sum(*root), 127 + hop);
            });
            iso
        })
        .join()
        .unwrap();
    }
    drop(iso);
    assert_eq!(source.stats().pages, 0);
}

/// A region may lie in a region of the same type.
#[derive(Object)]
struct Shell<'gc> {
    token: Leaf<Arc<()>>,
    inner: Option<Box<Iso<Shell<'static>>>>,
    deeper: Option<Gc<'gc, Shell<'gc>>>,
}

#[test]
fn regions_in_regions_end_without_a_deep_stack() {
    let (source, token) = (Arc::new(PageSource::new()), Arc::new(()));
    let shells = if cfg!(miri) { 20 } else { 20_000 };
    let mut last: Option<Iso<Shell>> = None;
    for number in 0..shells {
        let (token, inner) = (Leaf(token.clone()), last.take().map(Box::new));
        last = Some(Iso::new(&source, |r| {
            let deeper = None;
            let shell = Shell {
                token,
                inner,
                deeper,
            };
            if number % 2 == 0 {
                return shell;
            }
            // The region inside lies in an object.
            let (token, deeper) = (shell.token.clone(), Some(r.alloc(shell)));
            Shell {
                token,
                inner: None,
                deeper,
            }
        }));
    }
    assert_eq!(Arc::strong_count(&token), 1 + shells + shells / 2);
    drop(last);
    assert_eq!(Arc::strong_count(&token), 1);
    assert_eq!(source.stats().pages, 0);
}

#[test]
fn merged_regions_live() {
    for when in [When::Paced, When::Young, When::All] {
        let source = Arc::new(PageSource::new());
        let ends = Arc::new(AtomicUsize::new(0));
        let mut heap = Heap::<Trees>::new(&source, stressed(when), |_| Vec::new());
        for round in 0..6 {
            let pacing = match round {
                0..3 => stressed(when),
                _ => Pacing::new(),
            };
            let mut iso = TreeIso::paced(&source, pacing, |r| tree(r, 5, Some(&ends)));
            if round % 2 == 0 {
                iso.collect();
            }
            iso.open(|r, root: &mut Tree<'_>| root.borrow_mut(r).right = None);
            heap.turn(|m, trees| {
                trees.push(iso.merge(m));
                trees.push(tree(m, 3, None));
            });
            heap.pace();
            heap.verify().unwrap();
        }
        heap.collect();
        heap.turn(|m, trees| {
            assert!(
                trees
                    .chunks(2)
                    .all(|two| sum(two[0]) == 32 && sum(two[1]) == 15)
            );
            trees.iter().for_each(|tree| tree.borrow_mut(m).left = None);
        });
        heap.collect_and_sweep();
        assert_eq!(ends.load(Ordering::Relaxed), 6 * 62);
        drop(heap);
        assert_eq!(ends.load(Ordering::Relaxed), 6 * 63);
        assert_eq!(source.stats().pages, 0);
    }
}

#[test]
fn unreferenced_objects_end_with_their_region() {
    let source = Arc::new(PageSource::new());
    let ends = Arc::new(AtomicUsize::new(0));
    let mut heap = Heap::<Isos>::new(&source, stressed(When::Chance), |_| Vec::new());
    for _ in 0..4 {
        heap.turn(|m, isos| {
            let iso = TreeIso::new(&source, |r| tree(r, 4, Some(&ends)));
            isos.push(m.alloc(Mut::new(Some(iso))));
        });
        heap.pace();
    }
    let given = heap.turn(|m, isos| isos[0].borrow_mut(m).take());
    heap.turn(|_, isos| isos.truncate(2));
    heap.collect_and_sweep();
    assert_eq!(ends.load(Ordering::Relaxed), 2 * 31);
    drop(heap);
    assert_eq!(ends.load(Ordering::Relaxed), 3 * 31);
    drop(given);
    assert_eq!(source.stats().pages, 0);
}

root!(Titles = Vec<Val<'gc, str>>);

type Shelf = Iso<Vec<Val<'static, str>>>;

#[test]
fn a_region_counts_its_imports() {
    let source = Arc::new(PageSource::new());
    let heap = || Heap::<Titles>::new(&source, stressed(When::Paced), |_| Vec::new());
    let (mut a, mut b) = (heap(), heap());
    let mut shelf: Shelf = Iso::new(&source, |_| Vec::new());
    let parcel = a.turn(|m, _| m.pack::<Val<'static, str>>(m.val_str("taken in")));
    a.turn(|m, _| {
        shelf.open_in(m, |r, titles| {
            titles.push(r.unpack(parcel));
            titles.push(r.val_str("made inside"));
        });
    });
    balanced(&mut [&mut a, &mut b, &mut shelf]);
    a.collect_and_sweep();
    shelf.collect();
    balanced(&mut [&mut a, &mut b, &mut shelf]);
    // Another heap merges it: its imports become that heap's.
    b.turn(|m, titles| *titles = shelf.merge(m));
    balanced(&mut [&mut a, &mut b]);
    a.collect_and_sweep();
    b.collect();
    b.turn(|_, titles| assert_eq!((&*titles[0], &*titles[1]), ("taken in", "made inside")));
    drop(b);
    assert!(a.is_unshared());
    a.collect_and_sweep();
    assert_eq!(a.stats().live, 0);
}

#[test]
fn a_region_made_in_a_turn_shares_from_its_heap() {
    let source = Arc::new(PageSource::new());
    let mut a = Heap::<Titles>::new(&source, stressed(When::Paced), |_| Vec::new());
    let mut shelf: Shelf = a.turn(|m, _| m.iso(|r| vec![r.val_str("made with it")]));
    a.collect();
    shelf.open(|_, titles| assert_eq!(&*titles[0], "made with it"));
    balanced(&mut [&mut a, &mut shelf]);
}

#[test]
fn a_reference_returned_to_its_owner_is_no_import() {
    let source = Arc::new(PageSource::new());
    let mut a = Heap::<Titles>::new(&source, stressed(When::Paced), |_| Vec::new());
    let mut shelf: Shelf = Iso::new(&source, |_| Vec::new());
    a.turn(|m, _| shelf.open_in(m, |r, titles| titles.push(r.val_str("home"))));
    assert!(!a.is_unshared());
    a.turn(|m, titles| *titles = shelf.merge(m));
    assert!(a.is_unshared());
    a.collect();
    a.turn(|_, titles| assert_eq!(&*titles[0], "home"));
}

#[test]
fn a_dropped_region_releases_its_imports() {
    let source = Arc::new(PageSource::new());
    let mut a = Heap::<Titles>::new(&source, Pacing::default(), |_| Vec::new());
    let mut shelf: Shelf = Iso::new(&source, |_| Vec::new());
    a.turn(|m, _| shelf.open_in(m, |r, titles| titles.push(r.val_str("lent"))));
    thread::spawn(move || drop(shelf)).join().unwrap();
    assert!(a.is_unshared());
}

#[test]
#[should_panic(expected = "a region has no heap for a shared object")]
fn shared_objects_need_a_heap() {
    let source = Arc::new(PageSource::new());
    let mut shelf: Shelf = Iso::new(&source, |_| Vec::new());
    shelf.open(|r, titles| titles.push(r.val_str("whose?")));
}

#[test]
fn a_region_in_a_region_shares_from_the_heap() {
    let source = Arc::new(PageSource::new());
    let mut a = Heap::<Titles>::new(&source, Pacing::default(), |_| Vec::new());
    let mut outer: Iso<Shelf> = Iso::new(&source, |_| Iso::new(&source, |_| Vec::new()));
    a.turn(|m, _| {
        outer.open_in(m, |r, inner| {
            inner.open_in(r, |r, titles| titles.push(r.val_str("deep")));
        });
    });
    a.collect();
    outer.collect();
    let mut verifier = CountVerifier::default();
    verifier.heap(&mut a).unwrap();
    verifier.iso(&mut outer).unwrap();
    outer.open(|_, inner| verifier.iso(inner).unwrap());
    verifier.check().unwrap();
    outer.open(|_, inner| inner.open(|_, titles| assert_eq!(&*titles[0], "deep")));
    drop(outer);
    assert!(a.is_unshared());
}

/// The region in between has no count of the inner one's imports: it keeps them for no heap, and it
/// could access a freed object by such a count.
#[test]
fn an_intermediate_region_does_not_count_inner_imports() {
    let source = Arc::new(PageSource::new());
    // Larger than a page, so that its pages have no owner once it is dead.
    let long = "long ".repeat(2_000);
    for ends in 0..2 {
        let mut a = Heap::<Titles>::new(&source, Pacing::default(), |_| Vec::new());
        let mut outer: Iso<Shelf> = Iso::new(&source, |_| Iso::new(&source, |_| Vec::new()));
        a.turn(|m, _| {
            outer.open_in(m, |r, inner| {
                inner.open_in(r, |r, titles| titles.push(r.val_str(&long)));
            });
        });
        outer.open(|_, inner| {
            inner.open(|_, titles| titles.clear());
            inner.collect();
        });
        a.collect_and_sweep();
        assert!(a.is_unshared());
        match ends {
            0 => outer.collect(),
            _ => a.turn(|m, _| drop(outer.merge(m))),
        }
    }
    assert_eq!(source.stats().pages, 0);
}

#[test]
fn a_panic_in_an_open_region_closes_it() {
    let source = Arc::new(PageSource::new());
    let mut iso = TreeIso::new(&source, |r| tree(r, 2, None));
    assert!(panics(|| {
        iso.open(|r, root: &mut Tree<'_>| {
            root.borrow_mut(r).value = 5;
            panic!("on purpose");
        });
    }));
    iso.collect();
    iso.open(|_, root| assert_eq!(sum(*root), 11));
}

/// Shared objects allocated in an open region belong to its holder, and the holder counts their
/// components: the region may release its own counts first.
#[test]
fn shared_objects_of_a_region_keep_their_components() {
    root!(Lends = ());
    root!(Holds = Option<Iso<Vec<Val<'static, Whole<'static>>>>>);
    /// A container of one component, or of many.
    #[derive(Object)]
    struct Whole<'gc> {
        parts: Val<'gc, [Val<'gc, str>]>,
        last: Val<'gc, str>,
    }
    let source = Arc::new(PageSource::new());
    let mut lender = Heap::<Lends>::new(&source, Pacing::new(), |_| ());
    let parcels = lender.turn(|m, ()| {
        ["rain", "snow", "hail"].map(|word| m.pack::<Val<'static, str>>(m.val_str(word)))
    });
    let mut holder = Heap::<Holds>::new(&source, Pacing::new(), |m| {
        Some(m.iso::<Vec<Val<'static, Whole<'static>>>>(|_| Vec::new()))
    });
    holder.turn(|m, region| {
        let region = region.as_mut().unwrap();
        region.open_in(m, |r, containers| {
            let mut words = parcels.into_iter().map(|parcel| r.unpack(parcel));
            let last = words.next().unwrap();
            let parts = r.val_slice(words.collect::<Vec<_>>());
            containers.push(r.val(Whole { parts, last }));
        });
        region.collect();
    });
    lender.drain_all();
    lender.collect_and_sweep();
    assert_eq!(lender.stats().exports, 3, "the holder counts them");
    holder.turn(|m, region| {
        region.as_mut().unwrap().open_in(m, |_, containers| {
            assert_eq!(&*containers[0].last, "rain");
            assert_eq!(&*containers[0].parts[1], "hail");
        });
    });
    // There is no reference to it any more: all counts are released.
    holder.turn(|_, region| *region = None);
    (0..2).for_each(|_| {
        holder.drain_all();
        holder.collect_and_sweep();
        lender.drain_all();
        lender.collect();
    });
    assert_eq!(lender.stats().exports, 0);
    assert_eq!(holder.stats().exports, 0);
}

#[test]
fn a_mapped_region_keeps_only_its_new_root() {
    let source = Arc::new(PageSource::new());
    let ends = Arc::new(AtomicUsize::new(0));
    let new = || TreeIso::paced(&source, stressed(When::All), |r| tree(r, 2, Some(&ends)));
    let mut count = new().map::<u64>(|_, root| sum(root));
    count.collect();
    assert_eq!((count.open(|_, count| *count), count.stats().alive), (7, 0));
    assert!(panics(|| { new().map::<u64>(|_, _| panic!("on purpose")) }));
    drop(count);
    assert_eq!(ends.load(Ordering::Relaxed), 14);
    assert_eq!(source.stats().pages, 0);
}

/// Objects of a few bytes that have a region each: the holder marks before thousands of them are
/// garbage.
#[test]
fn a_region_counts_with_its_pages_in_the_heap_size() {
    root!(Isos = Option<Gc<'gc, Mut<Iso<Vec<Gc<'static, [u64]>>>>>>);
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<Isos>::new(&source, Pacing::new(), |_| None);
    let rounds = if cfg!(miri) { 6 } else { 200 };
    for _ in 0..rounds {
        heap.turn(|m, state| {
            let iso = m.iso::<Vec<Gc<'static, [u64]>>>(|_| Vec::new());
            let iso = m.alloc(Mut::new(iso));
            iso.borrow_mut(m)
                .open_in(m, |r, rows| rows.push(r.alloc_iter(0..8192)));
            *state = Some(iso);
        });
        heap.pace();
        let pages = source.stats().pages * vivant_heap::PAGE;
        assert!(pages < 4 << 20, "{pages} bytes of pages");
    }
    assert!(heap.stats().major as usize >= rounds / 8);
    heap.turn(|m, _| drop(m.iso::<Gc<'static, u64>>(|r| r.alloc(1))));
    assert!(heap.stats().pinned > 0);
    heap.collect();
    assert_eq!(heap.stats().pinned, 0);
}

//! The count inbox of a heap is drained in increments.

use crate::heaps::Collect;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use vivant_heap::{DetachedStep, Heap, MarkStart, Pacing, PageSource, Parcel, Val};

root!(Texts = Vec<Val<'gc, str>>);

type One = Val<'static, str>;

const MANY: usize = if cfg!(miri) { 40 } else { 3000 };
const INCREMENT: usize = MANY / 20;
/// The number of parcels of each text, so that draining takes longer than sweeping.
const ROUNDS: usize = 20;

fn heap(source: &Arc<PageSource>, pacing: Pacing) -> Heap<Texts> {
    Heap::new(source, pacing, |_| Vec::new())
}

/// A heap with `MANY` texts, each of them in a parcel too.
fn press(source: &Arc<PageSource>, pacing: Pacing) -> (Heap<Texts>, Vec<Parcel<One>>) {
    let (heap, mut parcels) = press_of(source, pacing, [MANY, 1]);
    (heap, parcels.remove(0))
}

/// A heap with `MANY` texts, each of them in a number of parcels.
fn press_of(
    source: &Arc<PageSource>,
    pacing: Pacing,
    [texts, times]: [usize; 2],
) -> (Heap<Texts>, Vec<Vec<Parcel<One>>>) {
    let mut heap = heap(source, pacing);
    let parcels = heap.turn(|m, state| {
        state.extend((0..texts).map(|number| m.val_str(&format!("{number:0100}"))));
        let each = || state.iter().map(|text| m.pack::<One>(*text)).collect();
        (0..times).map(|_| each()).collect()
    });
    (heap, parcels)
}

/// Drains the inbox until it is empty. Returns the number of increments, and whether anything was
/// released.
fn drained(heap: &mut Heap<Texts>) -> (usize, bool) {
    let (mut increments, mut less) = (0, false);
    while heap.is_notified() {
        less |= heap.drain_some(INCREMENT);
        increments += 1;
        heap.verify().unwrap();
        // Texts with counts that are not drained yet are live.
        heap.turn(|_, state| assert!(state.iter().all(|text| text.len() == 100)));
    }
    (increments, less)
}

#[test]
fn many_batches_are_drained_in_increments() {
    let source = Arc::new(PageSource::new());
    let (mut press, parcels) = press(&source, Pacing::default());
    assert!(!press.is_notified());
    drop(parcels);
    // Each has sent a count of its own, and these are merged first.
    assert_eq!(drained(&mut press), (2 * MANY / INCREMENT, true));
    assert_eq!(press.stats().drains, (2 * MANY / INCREMENT) as u64);
    assert!(press.is_unshared());
}

#[test]
fn a_large_batch_is_drained_in_increments() {
    let source = Arc::new(PageSource::new());
    let (mut press, parcels) = press(&source, Pacing::default());
    let mut reader = heap(&source, Pacing::default());
    reader.turn(|m, state| state.extend(parcels.into_iter().map(|parcel| m.unpack(parcel))));
    assert!(!press.is_notified());
    reader.turn(|_, state| state.clear());
    reader.collect();
    let (increments, less) = drained(&mut press);
    assert!(less && increments > MANY / INCREMENT, "{increments}");
    assert!(press.is_unshared());
}

/// Counts that arrive meanwhile are drained afterwards, and nothing is lost if a mark needs all of
/// them at once.
#[test]
fn a_stop_the_world_mark_drains_all() {
    let source = Arc::new(PageSource::new());
    let (mut press, mut parcels) = press(&source, Pacing::default());
    press.turn(|_, state| state.clear());
    drop(parcels.split_off(MANY / 2));
    assert!(!press.drain_some(INCREMENT), "they are turned over first");
    assert!(press.is_draining());
    drop(parcels);
    press.collect_and_sweep();
    assert!(!press.is_notified());
    assert_eq!(press.stats().live, 0);
}

#[test]
fn a_concurrent_mark_begins_after_the_inbox_is_drained() {
    let source = Arc::new(PageSource::new());
    // A mark is due at once, and is a large one.
    let (mut press, parcels) = press(&source, Pacing::new().first(1));
    press.turn(|m, state| state.extend((0..3).map(|_| m.val_str(&"long".repeat(50_000)))));
    let left = parcels.len();
    drop(parcels);
    let mut increments = 0;
    while press.stats().begun == 0 {
        press.pace();
        increments += 1;
        assert!(increments < 100, "no mark begins");
        assert_eq!(press.is_draining(), press.stats().begun == 0);
    }
    // By 1,024 count deltas.
    assert_eq!(increments, 2 * left / 1024 + 1);
}

#[test]
fn a_detached_heap_drains_in_increments() {
    let source = Arc::new(PageSource::new());
    let (mut press, parcels) = press(&source, Pacing::default());
    // Too large to be freed at once.
    let long = press.turn(|m, _| m.pack::<One>(m.val_str(&"long".repeat(100_000))));
    let mut remains = DetachedStep::HasWork(press.end().expect("parcels have it"));
    while let DetachedStep::HasWork(detached) = remains {
        remains = detached.step(&mut INCREMENT.clone());
    }
    let DetachedStep::Idle(detached) = remains else {
        panic!("parcels have it");
    };
    drop(parcels);
    let (mut steps, mut remains) = (0, detached.step(&mut INCREMENT.clone()));
    while let DetachedStep::HasWork(detached) = remains {
        steps += 1;
        remains = detached.step(&mut INCREMENT.clone());
    }
    assert!(steps >= 2 * MANY / INCREMENT, "{steps}");
    drop(long);
    match remains {
        DetachedStep::Idle(detached) => assert!(detached.drain_all().is_none()),
        _ => panic!("a parcel has it"),
    }
    assert_eq!(source.stats().pages, 0);
}

/// A mark waits, and turns go on.
#[test]
fn the_nursery_is_emptied_while_a_mark_is_delayed() {
    if cfg!(miri) {
        // A heap large enough to wait takes an interpreter hours, here and below.
        return;
    }
    let source = Arc::new(PageSource::new());
    let pacing = Pacing::new().first(1).nursery(64 << 10);
    let (mut press, parcels) = press_of(&source, pacing, [20 * MANY, 1]);
    drop(parcels);
    while press.stats().begun == 0 {
        press.turn(|m, _| (0..64).for_each(|_| _ = m.alloc([0_u64; 128])));
        press.pace();
        assert!(
            press.young_bytes() < 256 << 10,
            "{} bytes",
            press.young_bytes()
        );
    }
}

/// It does not wait for ever: the objects that make the heap grow may be those released.
#[test]
fn a_mark_is_not_delayed_for_long_while_the_heap_grows() {
    if cfg!(miri) {
        return;
    }
    let source = Arc::new(PageSource::new());
    let pacing = Pacing::new().first(1).nursery(4 << 10);
    let (mut press, mut parcels) = press_of(&source, pacing, [20 * MANY, 1]);
    let (mut parcels, mut grown) = (parcels.remove(0), 0);
    press.drain_some(1);
    let before = press.stats().live;
    while press.stats().begun == 0 {
        // More than is drained in the meantime, as long as there is any.
        parcels.truncate(parcels.len().saturating_sub(1500));
        grown += press.turn(|m, state| {
            state.extend((0..10).map(|_| m.val_str(&"long".repeat(200))));
            10 * 800
        });
        press.pace();
        assert!(grown <= before / 10, "{grown} bytes more than {before}");
    }
}

/// Counts that arrive while a full inbox is drained may fill it again.
#[test]
fn a_second_list_of_batches_is_drained_in_increments() {
    if cfg!(miri) {
        return;
    }
    let source = Arc::new(PageSource::new());
    let (mut press, mut parcels) = press_of(&source, Pacing::new().first(1), [20 * MANY, 2]);
    drop(parcels.pop());
    press.pace();
    assert!(press.is_draining());
    drop(parcels);
    let mut increments = 1;
    while press.stats().begun == 0 {
        press.pace();
        increments += 1;
    }
    assert!(increments >= 4 * 20 * MANY / 1024, "{increments}");
}

/// Some counts were released before, and are being drained; others are queued behind these.
#[test]
fn drain_all_of_a_detached_heap_drains_all() {
    let source = Arc::new(PageSource::new());
    let (press, mut parcels) = press_of(&source, Pacing::default(), [5 * MANY, 2]);
    let mut remains = DetachedStep::HasWork(press.end().expect("parcels have it"));
    while let DetachedStep::HasWork(detached) = remains {
        remains = detached.step(&mut 1000);
    }
    let DetachedStep::Idle(detached) = remains else {
        panic!("parcels have it");
    };
    drop(parcels.pop());
    let DetachedStep::HasWork(detached) = detached.step(&mut 10) else {
        panic!("there is more to drain");
    };
    drop(parcels);
    assert!(
        detached.drain_all().is_none(),
        "all references were released before"
    );
    assert_eq!(source.stats().pages, 0);
}

/// A reader has requested more weight, and has returned all the weight that its owner knew of. So
/// the owner's count is zero, while its inbox is not drained. A detached heap that becomes small by
/// a sweep then is not taken for one without foreign references.
#[test]
fn a_detached_heap_without_exports_drains_all_before_it_ends() {
    let source = Arc::new(PageSource::new());
    let (mut press, mut parcels) = press_of(&source, Pacing::default(), [MANY / 3, ROUNDS]);
    let mut reader = heap(&source, Pacing::default());
    let news = press.turn(|m, state| {
        state.clear();
        state.extend((0..50).map(|_| m.val_str(&"x".repeat(20_000))));
        m.pack::<One>(m.val_str("rain"))
    });
    press.turn(|_, state| state.clear());
    press.collect();
    assert!(press.is_unswept(), "what is long is dead");
    while parcels.pop().is_some() {}
    press.drain_some(100);
    assert!(press.is_draining());
    reader.turn(|m, state| state.push(m.unpack(news)));
    let back = reader.turn(|m, state| m.pack::<One>(state[0]));
    press.turn(|m, _| _ = m.unpack(back));
    let mut remains = DetachedStep::HasWork(press.end().expect("the reader has one"));
    while let DetachedStep::HasWork(detached) = remains {
        remains = detached.step(&mut 400);
    }
    let DetachedStep::Idle(detached) = remains else {
        panic!("it is gone, and the reader has one");
    };
    reader.turn(|_, state| assert_eq!(&*state[0], "rain"));
    drop(reader);
    assert!(detached.drain_all().is_none());
    assert_eq!(source.stats().pages, 0);
}

/// Few objects of its own, and counts of many foreign objects: these are processed step by step in
/// mark termination.
#[test]
fn counts_of_imports_are_processed_in_increments() {
    const PAPERS: usize = 20_000;
    if cfg!(miri) {
        return;
    }
    let source = Arc::new(PageSource::new());
    let (_press, mut parcels) = press_of(&source, Pacing::default(), [PAPERS, 2]);
    let mut reader = heap(&source, Pacing::default());
    let (mut more, all) = (parcels.pop().unwrap(), parcels.pop().unwrap());
    reader.turn(|m, state| state.extend(all.into_iter().map(|it| m.unpack(it))));
    reader.turn(|_, state| state.clear());
    assert_eq!(reader.begin_mark(), MarkStart::Running);
    while reader.marker().is_some() {
        let _more = reader.help_mark(1000);
        let before = reader.imports();
        reader.turn(|m, state| state.push(m.unpack(more.pop().unwrap())));
        reader.pace();
        let gone = before.saturating_sub(reader.imports());
        assert!(gone < PAPERS / 4, "{gone} of {PAPERS} at once");
    }
}

/// At the bound of its source, with garbage alone: turns are refused no longer than if all counts
/// had been drained.
#[test]
fn a_mark_is_not_delayed_in_a_page_shortage() {
    let refused = |drain_all: fn(&mut Heap<Texts>)| {
        let source = Arc::new(PageSource::bounded(2000));
        let (mut press, parcels) = press_of(&source, Pacing::new().first(1), [5 * MANY, 1]);
        press.turn(|_, state| state.clear());
        drop(parcels);
        drain_all(&mut press);
        let turn = |heap: &mut Heap<Texts>| {
            let turn = || heap.turn(|m, _| _ = m.val_str(&"x".repeat(200_000)));
            catch_unwind(AssertUnwindSafe(turn)).is_ok()
        };
        while turn(&mut press) {}
        let mut refused = 0;
        loop {
            press.pace();
            if turn(&mut press) {
                return refused;
            }
            refused += 1;
        }
    };
    assert_eq!(refused(|_| ()), refused(|heap| _ = heap.drain_all()));
}

/// Counts make the mark due, and the sweep is of large objects: the mark does not wait for ever.
#[test]
fn a_mark_due_by_counts_is_not_delayed_by_a_long_sweep() {
    const SPANS: usize = 6_000;
    if cfg!(miri) {
        return;
    }
    let source = Arc::new(PageSource::new());
    let mut press = heap(&source, Pacing::new().first(usize::MAX));
    let mut reader = heap(&source, Pacing::new());
    reader.turn(|m, state| state.extend((0..SPANS * 9).map(|_| m.val_str(&"x".repeat(400)))));
    reader.collect();
    assert!(reader.is_unswept());
    let mut turns = 0;
    while reader.stats().begun == 0 {
        let parcels: Vec<_> = press.turn(|m, _| {
            let pack = |_| m.pack::<One>(m.val_str("news"));
            (0..1_000).map(pack).collect()
        });
        reader.turn(|m, _| parcels.into_iter().for_each(|it| _ = m.unpack(it)));
        reader.pace();
        turns += 1;
        assert!(turns < 200, "it waits");
    }
}

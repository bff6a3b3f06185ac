//! A group mark that a member cannot wait for, or that its caller drops.

use super::group_mark::{GroupMark, GroupProgress, Members, Visit};
use super::member::Member;
use crate::gc::budget::Budget;
use crate::gc::heap::{Heap, Root};
use crate::gc::pacing::Pacing;
use crate::gc::phase::GcPhase;
use crate::gc::reason::{GcReason, Request, StepContext};
use crate::object::gc::Gc;
use crate::pages::page_source::PageSource;
use crate::sync::{Arc, AtomicUsize, Ordering};
use std::task::{Wake, Waker};

struct Hoard;

impl Root for Hoard {
    type Of<'gc> = Vec<Gc<'gc, [u64; 12]>>;
}

const THINGS: usize = 20_000;

fn hoard(source: &Arc<PageSource>) -> Heap<Hoard> {
    let mut heap = Heap::<Hoard>::new(source, Pacing::new(), |m| {
        (0..THINGS).map(|_| m.alloc([0; 12])).collect()
    });
    heap.collect();
    heap.sweep();
    heap
}

/// Two heaps between turns.
struct Two<'h>(&'h mut [Heap<Hoard>; 2]);

// SAFETY: no turn runs during a step of the group mark (X11). The heaps are not detached.
unsafe impl Members for Two<'_> {
    fn visit(&mut self, member: usize, visit: &mut dyn FnMut(Member<'_>)) -> Visit {
        visit(self.0[member].member());
        Visit::Done
    }
}

/// A group mark in which both heaps mark.
fn open_group(heaps: &mut [Heap<Hoard>; 2]) -> GroupMark {
    let mut group = GroupMark::new(2);
    while heaps.iter().any(|heap| heap.phase() != GcPhase::Mark) {
        assert_eq!(group.step(&mut Two(heaps)), GroupProgress::More);
    }
    group
}

#[test]
fn a_growing_heap_dissolves_its_group() {
    let source = Arc::new(PageSource::new());
    let mut heaps = [(); 2].map(|()| hoard(&source));
    let mut group = open_group(&mut heaps);
    for _ in 0..100 {
        heaps[0].turn(|m, things| things.extend((0..1_000).map(|_| m.alloc([0; 12]))));
        heaps[0].pace();
        if heaps[0].phase() != GcPhase::Mark {
            break;
        }
    }
    assert_ne!(
        heaps[0].phase(),
        GcPhase::Mark,
        "the mark waits for its group"
    );
    assert!(heaps[0].turn(|_, things| things.len()) < 3 * THINGS);
    assert_eq!(group.step(&mut Two(&mut heaps)), GroupProgress::Dissolved);
    assert_eq!(heaps[0].verify(), Ok(()));
}

/// Counts its wakes.
#[derive(Default)]
struct Wakes(AtomicUsize);

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn a_group_mark_that_is_dropped_wakes_its_members() {
    let source = Arc::new(PageSource::new());
    let mut heaps = [(); 2].map(|()| hoard(&source));
    let wakes = [(); 2].map(|()| Arc::<Wakes>::default());
    for (heap, wakes) in heaps.iter_mut().zip(&wakes) {
        heap.wake_by(Waker::from(wakes.clone()));
    }
    let count = || {
        wakes
            .each_ref()
            .map(|wakes| wakes.0.load(Ordering::Relaxed))
    };
    let group = open_group(&mut heaps);
    let before = count();
    drop(group);
    assert_eq!(count(), before.map(|wakes| wakes + 1));
}

#[test]
fn a_group_mark_waits_for_a_mark_that_ends_alone() {
    let source = Arc::new(PageSource::new());
    let mut heaps = [(); 2].map(|()| hoard(&source));
    let mark = GcReason::Requested(Request::Mark);
    let _begun = heaps[1].step(
        &StepContext::UNTIMED,
        mark,
        &mut Budget::BETWEEN_TURNS.clone(),
    );
    assert_eq!(heaps[1].phase(), GcPhase::Mark);
    let mut group = GroupMark::new(2);
    for _ in 0..900 {
        let progress = group.step(&mut Two(&mut heaps));
        assert_ne!(progress, GroupProgress::Dissolved);
    }
    heaps[1].collect();
    heaps[1].sweep();
    while group.step(&mut Two(&mut heaps)) != GroupProgress::More {}
    assert_eq!(heaps[1].phase(), GcPhase::Mark, "it has joined");
}

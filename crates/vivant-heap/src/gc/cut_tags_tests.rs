//! Tags of a detached heap, which are cut before its first mark.

use super::detached_heap::DetachedStep;
use super::heap::{Heap, Root};
use super::pacing::Pacing;
use super::reason::StepContext;
use crate::pages::page_source::PageSource;
use crate::share::parcel::Parcel;
use crate::sync::Arc;
use crate::{Mut, Tag};
use std::cell::Cell;

/// More objects than are collected at once.
const MANY: usize = 20_000;

/// The work limit of a step.
const PIECE: usize = 200;

/// Actors' objects that only tags lead to.
struct Tagged;

impl Root for Tagged {
    type Of<'gc> = ();
}

#[test]
fn the_time_that_cutting_tags_takes_delays_no_mark() {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<Tagged>::new(&source, Pacing::new(), |_| ());
    let tags: Vec<Parcel<Tag<'static, Mut<[u64; 8]>>>> = heap.turn(|m, ()| {
        let objects = (0..MANY).map(|_| m.alloc(Mut::new([0; 8])));
        objects.map(|object| m.pack(m.tag(object))).collect()
    });
    // Old objects: those of young ones are cut with the nursery.
    heap.collect();
    let mut detached = heap.end().expect("tags are kept");
    let now_ns = Cell::new(1);
    let clock = || now_ns.replace(now_ns.get() + 1_000);
    let mut steps = 0;
    loop {
        let context = StepContext {
            now_ns: clock(),
            clock: &clock,
            turns: 0,
            idle_after_ns: 1_000_000,
        };
        detached = match detached.step_at(&context, &mut { PIECE }) {
            DetachedStep::HasWork(detached) => detached,
            DetachedStep::Idle(detached) => {
                drop(tags);
                assert!(detached.drain_all().is_none());
                break;
            }
            DetachedStep::Freed => unreachable!("tags are kept"),
        };
        steps += 1;
        assert_eq!(detached.next_mark_ns(), 0, "no mark has ended");
    }
    assert!(steps > MANY / PIECE, "{steps}");
    assert_eq!(source.stats().pages, 0);
}

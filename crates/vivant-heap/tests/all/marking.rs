//! Which threads mark a heap, and when.

use crate::drop_counter::DropCounter;
use crate::heaps::Collect;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use vivant_heap::{
    Gc, Heap, Leaf, MarkStart, Marking, Pacing, PageSource, Parcel, Progress, Stress, Val, When,
};

root!(Tokens = Vec<Gc<'gc, Leaf<DropCounter>>>);

const EACH: usize = 64;

/// Small enough for a mark every few turns.
fn pacing() -> Pacing {
    Pacing::new().nursery(1024).first(4096)
}

/// A heap with a turn that allocates a number of objects, and drops those of the tenth turn before.
struct Program {
    heap: Heap<Tokens>,
    ended: Arc<AtomicUsize>,
}

impl Program {
    fn new(pacing: Pacing) -> Program {
        let source = Arc::new(PageSource::new());
        Program {
            heap: Heap::new(&source, pacing, |_| Vec::new()),
            ended: Arc::default(),
        }
    }

    /// Runs turns that drop nothing.
    fn grows(&mut self, turns: usize) {
        for _ in 0..turns {
            let ended = &self.ended;
            self.heap.turn(|m, state| {
                state.extend((0..EACH).map(|_| m.alloc(Leaf(DropCounter(ended.clone())))));
            });
            self.heap.pace();
        }
    }

    fn runs(&mut self, turns: usize) {
        for _ in 0..turns {
            let ended = &self.ended;
            self.heap.turn(|m, state| {
                state.extend((0..EACH).map(|_| m.alloc(Leaf(DropCounter(ended.clone())))));
                if state.len() > 10 * EACH {
                    state.drain(..EACH);
                }
            });
            if self.heap.has_gc_work() {
                self.heap.pace();
            }
        }
        self.heap.verify().unwrap();
    }

    fn ended(&self) -> usize {
        self.ended.load(Ordering::Relaxed)
    }
}

#[test]
fn a_heap_that_never_marks_only_empties_its_nursery() {
    let mut program = Program::new(pacing().marking(Marking::Never));
    program.runs(100);
    let stats = program.heap.stats();
    assert_eq!(program.heap.marking(), Marking::Never);
    assert_eq!(stats.major, 0);
    assert!(stats.minor > 10, "{stats:?}");
    assert!(
        stats.live > 4096 * 4,
        "far beyond the first mark: {stats:?}"
    );
    assert_eq!(program.ended(), 0, "all of them had become old");
}

#[test]
fn a_heap_that_never_marks_does_so_on_request() {
    let mut program = Program::new(pacing().marking(Marking::Never));
    program.runs(100);
    program.heap.collect();
    assert_eq!(program.heap.stats().major, 1);
    // Dead objects are swept as after any mark.
    program.runs(100);
    assert_eq!(program.heap.stats().unswept, 0);
    assert_eq!(program.ended(), 90 * EACH);
    assert_eq!(program.heap.stats().major, 1, "the next is asked for too");
    program.heap.collect_and_sweep();
    assert_eq!(program.ended(), 190 * EACH);
}

#[test]
fn other_heaps_mark_by_themselves() {
    for marking in [Marking::Concurrent, Marking::AtOnce] {
        let mut program = Program::new(pacing().marking(marking));
        program.runs(100);
        assert!(program.heap.stats().major > 0, "{marking}");
        assert!(program.ended() > 0, "{marking}");
    }
}

#[test]
fn large_heaps_are_marked_concurrently_unless_stop_the_world_is_chosen() {
    for (marking, beside) in [(Marking::Concurrent, true), (Marking::AtOnce, false)] {
        let mut program = Program::new(Pacing::new().marking(marking));
        let many = 60_000 / EACH;
        program.grows(many);
        let stats = program.heap.stats();
        assert!(stats.live > 256 * 1024, "{stats:?}");
        assert_eq!(stats.begun > 0, beside, "{marking}");
        assert_eq!(
            program.heap.begin_mark() == MarkStart::Running,
            beside,
            "{marking}"
        );
    }
    let mut program = Program::new(Pacing::new().marking(Marking::Never));
    program.grows(60_000 / EACH);
    assert_eq!(program.heap.stats().major, 0);
    assert_eq!(
        program.heap.begin_mark(),
        MarkStart::Finished,
        "it was asked for"
    );
    assert_eq!(program.heap.stats().major, 1);
}

/// However many objects are exported, no pause visits all of them.
#[test]
fn a_mark_visits_export_roots_in_increments() {
    const KNOWN: usize = 40_000;
    const AT_ONCE: usize = 4096;
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<Tokens>::new(&source, pacing().growth(50.0), |_| Vec::new());
    let mut known: Vec<Parcel<Val<'static, u64>>> =
        heap.turn(|m, _| (0..KNOWN as u64).map(|n| m.pack(m.val(n))).collect());
    heap.collect_and_sweep();
    assert_eq!(heap.begin_mark(), MarkStart::Running);
    let mut paces = 0;
    while heap.stats().ended == 0 {
        while heap.help_mark(1_000) == Progress::More {}
        let taken = (paces + 1) * AT_ONCE >= KNOWN;
        assert!(
            taken || heap.has_gc_work(),
            "without anything that became old"
        );
        heap.pace();
        paces += 1;
        // Some are released before they are visited: these live as long as this mark.
        drop(known.pop());
    }
    assert!(paces >= KNOWN / AT_ONCE, "{paces}");
    assert_eq!(heap.stats().alive as usize, KNOWN);
    heap.collect();
    assert_eq!(heap.stats().alive as usize, known.len());
    drop(known);
    let detached = heap.end().expect("it is large");
    assert!(detached.drain_all().is_none());
}

#[test]
fn stress_marks_no_heap_that_is_never_marked() {
    for when in [When::All, When::Chance, When::Concurrent] {
        let stressed = pacing().stressed(Stress::new(when, 3));
        let mut program = Program::new(stressed.marking(Marking::Never));
        program.runs(if cfg!(miri) { 3 } else { 30 });
        let stats = program.heap.stats();
        assert_eq!(stats.major, 0, "{when:?}");
        assert!(stats.minor > 1, "{when:?}");
    }
}

#[test]
fn names_of_marking_round_trip_and_others_are_refused() {
    for marking in [Marking::Concurrent, Marking::AtOnce, Marking::Never] {
        assert_eq!(marking.to_string().parse(), Ok(marking));
    }
    for name in ["", "Never", "at once", " never", "incremental"] {
        let unknown = name.parse::<Marking>().unwrap_err().to_string();
        let said = format!("{name:?} is no way of marking; write concurrent, at-once or never");
        assert_eq!(unknown, said);
    }
}

#[test]
fn a_heap_counts_its_pending_destructors() {
    let mut program = Program::new(pacing().marking(Marking::Never));
    assert!(!program.heap.has_destructors());
    program.heap.turn(|m, _| {
        m.alloc(7_u64);
    });
    assert!(!program.heap.has_destructors(), "a number has none");
    let ended = program.ended.clone();
    program.heap.turn(|m, state| {
        state.extend((0..EACH).map(|_| m.alloc(Leaf(DropCounter(ended.clone())))));
    });
    assert!(program.heap.has_destructors(), "of young objects");
    assert_eq!(program.heap.stats().destructors, 0);
    (0..2).for_each(|_| program.heap.collect_young());
    assert_eq!(program.heap.stats().destructors, EACH);
    program.heap.turn(|_, state| state.truncate(EACH / 2));
    program.heap.collect();
    assert_eq!(
        program.heap.stats().destructors,
        EACH,
        "dead, and not swept"
    );
    program.heap.sweep();
    assert_eq!(program.heap.stats().destructors, EACH / 2);
    program.heap.turn(|_, state| state.clear());
    program.heap.collect_and_sweep();
    assert!(!program.heap.has_destructors());
    assert_eq!(program.ended(), EACH);
}

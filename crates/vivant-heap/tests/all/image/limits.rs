//! What an image that is written while turns run may cost: its pieces and its memory are bounded,
//! and nothing waits for it for ever.

use super::saved::SavedHeap;
use super::sink::Sink;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use vivant_codec::{Decoder, Encoder, LoadError, Saved, Shape, from_bytes};
use vivant_heap::{
    Budget, Demand, Gc, GcPhase, GcReason, Heap, ImageError, Leaf, Mut, Next, ObjectCodecs, Pacing,
    PageSource, Progress, Root, SpanRecord, StepContext, Stress, Weak, When,
};

root!(Numbers = Vec<Gc<'gc, Mut<(u64, u64)>>>);

fn numbers(many: u64) -> Heap<Numbers> {
    Heap::new(&Arc::new(PageSource::new()), Pacing::new(), |m| {
        (0..many).map(|n| m.alloc(Mut::new((n, n)))).collect()
    })
}

/// One call with a new budget, and the pieces that follow at once.
fn call<R: Root>(heap: &mut Heap<R>, reason: GcReason) -> Next {
    let mut budget = Budget::BETWEEN_TURNS;
    loop {
        let report = heap.step(&StepContext::UNTIMED, reason, &mut budget);
        if report.next != Next::Again {
            return report.next;
        }
    }
}

/// As an actor calls: `Later` is followed, `Done` means that nothing more comes.
fn run<R: Root>(heap: &mut Heap<R>, reason: GcReason) {
    let mut reason = reason;
    while call(heap, reason) == Next::Later {
        reason = GcReason::Continue;
    }
}

/// A mark that was complete waits for the image. It goes on, however the image ends.
#[test]
fn a_mark_goes_on_when_an_image_ends_in_an_idle_check() {
    for then in [Demand::More, Demand::Nothing] {
        let mut heap = numbers(14_000);
        let (_, taken) = SavedHeap::begin(&mut heap);
        heap.turn(|_, numbers| numbers.clear());
        call(&mut heap, GcReason::Continue);
        assert!(heap.is_imaging());
        taken.demand(Demand::Wait);
        let _begun = heap.begin_mark();
        while heap.help_mark(1_000) == Progress::More {}
        run(&mut heap, GcReason::Continue);
        assert!(heap.phase() == GcPhase::Mark && heap.is_imaging());
        taken.demand(then);
        for _ in 0..1_000 {
            run(&mut heap, GcReason::IdleCheck);
        }
        assert!(!heap.is_imaging());
        assert_eq!(heap.phase(), GcPhase::Idle, "{then:?}: the mark never ends");
    }
}

root!(Weaks = (Vec<Gc<'gc, Mut<(u64, u64)>>>, Vec<Weak<'gc, Mut<(u64, u64)>>>));

/// The image begins in the termination of a mark, and its sink waits.
#[test]
fn an_actor_does_not_spin_while_its_sink_waits() {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<Weaks>::new(&source, Pacing::new(), |m| {
        let all: Vec<_> = (0..50_000).map(|n| m.alloc(Mut::new((n, n)))).collect();
        let weak = all.iter().map(|it| Weak::new(m, *it)).collect();
        (all, weak)
    });
    let _begun = heap.begin_mark();
    while heap.help_mark(1_000) == Progress::More {}
    let mut budget = Budget::BETWEEN_TURNS;
    let _report = heap.step(&StepContext::UNTIMED, GcReason::Continue, &mut budget);
    assert_eq!(heap.phase(), GcPhase::Terminate);
    let mut codecs = ObjectCodecs::new();
    codecs.add(<Gc<'_, Mut<(u64, u64)>> as Saved>::SHAPE);
    let (sink, taken) = Sink::new();
    taken.demand(Demand::Wait);
    heap.begin_image(Arc::new(codecs), Box::new(sink), |_| ());
    let mut later = 0;
    while call(&mut heap, GcReason::Continue) == Next::Later {
        later += 1;
        assert!(later < 100, "continuations, and nothing to do");
    }
    taken.demand(Demand::More);
    for _ in 0..1_000 {
        run(&mut heap, GcReason::IdleCheck);
    }
    assert_eq!(heap.phase(), GcPhase::Idle);
}

root!(Cells = Vec<Gc<'gc, Leaf<Cell<u64>>>>);
root!(MutCells = Vec<Gc<'gc, Mut<Leaf<Cell<u64>>>>>);

/// A cell changes without the write barrier.
#[test]
fn cells_are_in_the_image_as_they_were() {
    let source = Arc::new(PageSource::new());
    let stressed = Pacing::new().stressed(Stress::new(When::Paced, 1));
    for pacing in [Pacing::new(), stressed] {
        let many = 50_000;
        let mut heap = Heap::<Cells>::new(&source, pacing, |m| {
            (0..many).map(|n| m.alloc(Leaf(Cell::new(n)))).collect()
        });
        let (mut saved, taken) = SavedHeap::begin(&mut heap);
        heap.turn(|_, cells| cells.iter().for_each(|cell| cell.0.set(7)));
        heap.finish_image();
        saved.spans = taken.complete();
        let restored = saved.restored::<Cells>(&source, Pacing::new());
        restored.expect("it is restored").turn(|_, cells| {
            assert!(cells.iter().map(|cell| cell.0.get()).eq(0..many));
        });

        let mut heap = Heap::<MutCells>::new(&source, pacing, |m| {
            let cell = |n| m.alloc(Mut::new(Leaf(Cell::new(n))));
            (0..many).map(cell).collect()
        });
        let (mut saved, taken) = SavedHeap::begin(&mut heap);
        heap.turn(|_, cells| cells.iter().for_each(|cell| cell.borrow().0.set(7)));
        heap.finish_image();
        saved.spans = taken.complete();
        let restored = saved.restored::<MutCells>(&source, Pacing::new());
        restored.expect("it is restored").turn(|_, cells| {
            assert!(cells.iter().map(|cell| cell.borrow().0.get()).eq(0..many));
        });
    }
}

/// What the heap had was mostly garbage, which is swept while the image is written.
#[test]
fn growth_is_bounded_also_if_garbage_is_swept_meanwhile() {
    let mut heap = numbers(400_000);
    heap.collect_young();
    heap.collect_young();
    heap.turn(|_, numbers| {
        let mut number = 0;
        numbers.retain(|_| {
            number += 1;
            number % 8 == 0
        });
    });
    let _begun = heap.begin_mark();
    while heap.phase() == GcPhase::Mark || heap.phase() == GcPhase::Terminate {
        let _some = heap.help_mark(usize::MAX);
        call(&mut heap, GcReason::Paced);
    }
    assert_eq!(heap.phase(), GcPhase::Sweep);
    let (_, taken) = SavedHeap::begin(&mut heap);
    taken.demand(Demand::Wait);
    let live = heap.stats().live;
    while heap.is_imaging() {
        heap.turn(|m, numbers| numbers.extend((0..1_000).map(|n| m.alloc(Mut::new((n, n))))));
        if heap.needs_step(1) {
            call(&mut heap, GcReason::TurnEnd);
        }
        assert!(
            heap.stats().live < live * 2 + (2 << 20),
            "it is not given up"
        );
    }
    assert!(matches!(taken.ended(), Some(Err(ImageError::TooSlow))));
}

root!(Flags = Vec<Gc<'gc, Mut<bool>>>);

/// What is noted of small objects takes more memory than their contents.
#[test]
fn pre_images_of_small_objects_are_limited() {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<Flags>::new(&source, Pacing::new(), |m| {
        (0..300_000).map(|_| m.alloc(Mut::new(false))).collect()
    });
    let (_, taken) = SavedHeap::begin(&mut heap);
    heap.turn(|m, flags| flags.iter().for_each(|flag| flag.set(m, true)));
    assert!(matches!(
        taken.ended(),
        Some(Err(ImageError::PreImages { .. }))
    ));
}

thread_local! {
    static PANICS: Cell<bool> = const { Cell::new(false) };
}

/// Panics when it is saved, on demand.
struct Fragile;
vivant_heap::leaf!([] Fragile);

impl<'gc> Saved<'gc> for Fragile {
    const SHAPE: &'static Shape = <u64 as Saved<'gc>>::SHAPE;

    fn save(&self, out: &mut Encoder<'_>) {
        assert!(!PANICS.get(), "as asked for");
        1_u64.save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Fragile, LoadError> {
        u64::load(input).map(|_| Fragile)
    }
}

root!(Rows = (Fragile, Vec<Gc<'gc, [u64]>>));

/// An image takes the place of another one, and then its state panics.
#[test]
fn numbers_are_used_again_after_a_state_that_panics() {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<Rows>::new(&source, Pacing::new(), |m| {
        let rows = (0..100).map(|n| m.alloc_slice(vec![n; 1_000]));
        (Fragile, rows.collect())
    });
    let (_, _taken) = SavedHeap::begin(&mut heap);
    assert!(heap.is_imaging());
    PANICS.set(true);
    let again = catch_unwind(AssertUnwindSafe(|| drop(SavedHeap::begin(&mut heap))));
    PANICS.set(false);
    assert!(again.is_err() && !heap.is_imaging());
    for _ in 0..50 {
        heap.turn(|m, (_, rows)| {
            *rows = (0..100).map(|n| m.alloc_slice(vec![n; 1_000])).collect();
        });
        heap.collect();
        heap.sweep();
    }
    let saved = SavedHeap::of(&mut heap).expect("all is saved");
    let spans = saved
        .spans
        .iter()
        .map(|bytes| from_bytes(bytes).expect("a span"));
    let largest = spans.map(|span: SpanRecord| span.number()).max();
    assert!(
        largest < Some(1_000),
        "100 objects live, and {largest:?} is a number"
    );
}

root!(Large = Vec<Gc<'gc, Mut<Vec<u8>>>>);

/// The contents of small blocks may be large.
#[test]
fn a_slice_is_bounded_by_what_it_encodes() {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<Large>::new(&source, Pacing::new(), |m| {
        let one = |_| m.alloc(Mut::new(vec![0_u8; 20_000]));
        (0..8_000).map(one).collect()
    });
    let (_, taken) = SavedHeap::begin(&mut heap);
    call(&mut heap, GcReason::Continue);
    assert!(heap.is_imaging() && taken.bytes() > 0);
    assert!(taken.bytes() < 4 << 20, "{}", taken.bytes());
}

/// One large object is made, so an assist is overdue.
#[test]
fn an_assist_is_bounded() {
    let mut heap = numbers(400_000);
    let (_, taken) = SavedHeap::begin(&mut heap);
    heap.turn(|m, _| {
        let _row = m.alloc_slice(vec![0_u64; 500_000]);
    });
    call(&mut heap, GcReason::TurnEnd);
    assert!(heap.is_imaging(), "all is written in one pause");
    assert!(taken.bytes() > 0);
}

/// Turns change so many objects that small assists would not write the others in time.
#[test]
fn an_image_ends_while_turns_change_everything() {
    const ALL: usize = 200_000;
    let mut heap = numbers(ALL as u64);
    let (_, taken) = SavedHeap::begin(&mut heap);
    let mut next = 0;
    for turn in 0.. {
        heap.turn(|m, numbers| {
            for _ in 0..1_000 {
                numbers[next % ALL].borrow_mut(m).1 = 7;
                // Objects of all spans.
                next += 7_919;
            }
        });
        if heap.needs_step(turn) {
            call(&mut heap, GcReason::TurnEnd);
        }
        if !heap.is_imaging() {
            break;
        }
    }
    let ended = taken.ended();
    assert!(matches!(ended, Some(Ok(()))), "{ended:?}");
}

/// Messages always wait, and the heap does not grow.
#[test]
fn an_image_ends_while_messages_always_wait() {
    let mut heap = numbers(100_000);
    let (_, taken) = SavedHeap::begin(&mut heap);
    for turn in 0..20_000 {
        heap.turn(|m, numbers| numbers[turn % 100_000].borrow_mut(m).1 = 7);
        if heap.needs_step(turn as u64) {
            call(&mut heap, GcReason::TurnEnd);
        }
    }
    assert!(matches!(taken.ended(), Some(Ok(()))));
}

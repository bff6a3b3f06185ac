//! Images that are written while turns run.

use super::graph::Graph;
use super::programs::{any_pacing, sorted, step};
use super::saved::SavedHeap;
use crate::seeds;
use fastrand::Rng;
use std::cell::Cell;
use std::sync::Arc;
use vivant_codec::{Decoder, Encoder, LoadError, Saved, Shape};
use vivant_heap::{
    Budget, Demand, Gc, GcPhase, GcReason, Heap, ImageError, Mut, Pacing, PageSource, Root,
    StepContext, Stress, When,
};

const STEPS: usize = if cfg!(miri) { 6 } else { 100 };

/// Whatever turns and collections do, an image has what `Heap::save` would have had when it began.
#[test]
fn seeded_images_are_of_their_beginning() {
    for seed in seeds::seeds(if cfg!(miri) { 1 } else { 12 }) {
        seeds::run(seed, || program(seed));
    }
}

fn program(seed: u64) {
    let mut random = Rng::with_seed(seed);
    let source = Arc::new(PageSource::new());
    let pacing = match cfg!(miri) {
        true => Pacing::new().stressed(Stress::new(When::Paced, seed)),
        false => any_pacing(&mut random, seed),
    };
    let mut heap = Heap::<Graph>::new(&source, pacing, |_| Vec::new());
    let mut begun = None;
    let mut images = 0;
    for _ in 0..STEPS {
        heap.turn(|m, graph| step(&mut random, m, graph));
        match random.u8(..12) {
            0 => heap.collect(),
            1 => heap.sweep_some(2),
            2 => drop(heap.begin_mark()),
            3 if begun.is_some() => heap.finish_image(),
            _ => heap.pace(),
        }
        if begun.is_none() && (cfg!(miri) || random.u8(..4) == 0) {
            let before = SavedHeap::of(&mut heap).expect("all is saved");
            begun = Some((before, SavedHeap::begin(&mut heap)));
        }
        if !heap.is_imaging()
            && let Some((before, (mut saved, taken))) = begun.take()
        {
            saved.spans = taken.complete();
            assert_eq!(sorted(&saved), sorted(&before), "not as at its beginning");
            let restored = saved.restored::<Graph>(&source, pacing);
            drop(restored.expect("it is restored"));
            images += 1;
        }
    }
    drop(heap);
    if let Some((before, (mut saved, taken))) = begun {
        saved.spans = taken.complete();
        assert_eq!(sorted(&saved), sorted(&before), "not as at its beginning");
        images += 1;
    }
    assert!(images > 0, "the program has taken no image");
    assert_eq!(source.stats().pages, 0);
}

root!(Numbers = Vec<Gc<'gc, Mut<(u64, u64)>>>);

/// Numbers of more than 256 KiB.
const MANY: u64 = if cfg!(miri) { 12_000 } else { 100_000 };

fn numbers(source: &Arc<PageSource>) -> Heap<Numbers> {
    Heap::new(source, Pacing::new(), |m| {
        (0..MANY).map(|n| m.alloc(Mut::new((n, n)))).collect()
    })
}

fn call<R: Root>(heap: &mut Heap<R>, reason: GcReason) {
    let _report = heap.step(
        &StepContext::UNTIMED,
        reason,
        &mut Budget::BETWEEN_TURNS.clone(),
    );
}

/// What a restored heap has: each number as it was made.
fn are_as_made(saved: &SavedHeap, source: &Arc<PageSource>) {
    let mut restored = saved
        .restored::<Numbers>(source, Pacing::new())
        .expect("it is restored");
    restored.turn(|_, numbers| {
        assert_eq!(numbers.len() as u64, MANY);
        for (n, one) in (0..).zip(numbers) {
            assert_eq!(*one.borrow(), (n, n));
        }
    });
}

/// As the next one, small enough for an interpreter.
#[test]
fn few_objects_are_in_the_image_as_they_were() {
    let source = Arc::new(PageSource::new());
    let pacing = match cfg!(miri) {
        // An oracle takes an interpreter long. There no heap is written at once.
        true => Pacing::new(),
        false => Pacing::new().stressed(Stress::new(When::Paced, 1)),
    };
    let mut heap = Heap::<Numbers>::new(&source, pacing, |m| {
        (0..300).map(|n| m.alloc(Mut::new((n, n)))).collect()
    });
    let (mut saved, taken) = SavedHeap::begin(&mut heap);
    assert!(heap.is_imaging());
    heap.turn(|m, numbers| {
        for one in numbers.iter().rev().take(20) {
            one.borrow_mut(m).1 = 7;
        }
        numbers.truncate(290);
        numbers.extend((0..40).map(|_| m.alloc(Mut::new((8, 8)))));
    });
    while heap.is_imaging() {
        heap.collect_young();
        let mut budget = Budget::BETWEEN_TURNS;
        budget.image = 1;
        let _report = heap.step(&StepContext::UNTIMED, GcReason::Continue, &mut budget);
    }
    saved.spans = taken.complete();
    let restored = saved.restored::<Numbers>(&source, Pacing::new());
    restored.expect("it is restored").turn(|_, numbers| {
        assert_eq!(numbers.len(), 300);
        for (n, one) in (0..).zip(numbers) {
            assert_eq!(*one.borrow(), (n, n));
        }
    });
}

#[test]
#[cfg_attr(miri, ignore = "no heap is written at once there")]
fn a_small_heap_is_written_at_once() {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<Numbers>::new(&source, Pacing::new(), |m| {
        (0..1_000).map(|n| m.alloc(Mut::new((n, n)))).collect()
    });
    let (_, taken) = SavedHeap::begin(&mut heap);
    assert!(!heap.is_imaging() && taken.is_dropped());
    assert!(taken.spans() > 0 && matches!(taken.ended(), Some(Ok(()))));
}

#[test]
fn what_turns_change_is_in_the_image_as_it_was() {
    let source = Arc::new(PageSource::new());
    let mut heap = numbers(&source);
    let (mut saved, taken) = SavedHeap::begin(&mut heap);
    let mut random = Rng::with_seed(7);
    let mut slices = 0;
    while heap.is_imaging() {
        heap.turn(|m, numbers| {
            for _ in 0..20 {
                random.choice(&*numbers).expect("many").borrow_mut(m).1 = random.u64(..);
            }
            for _ in 0..20 {
                let at = random.usize(..numbers.len());
                numbers[at] = m.alloc(Mut::new((0, 0)));
            }
        });
        call(&mut heap, GcReason::Continue);
        slices += 1;
    }
    assert!(slices > 1, "the heap is not large");
    saved.spans = taken.complete();
    are_as_made(&saved, &source);
}

#[test]
fn an_image_ends_while_the_heap_grows() {
    let source = Arc::new(PageSource::new());
    let mut heap = numbers(&source);
    let (mut saved, taken) = SavedHeap::begin(&mut heap);
    let before = heap.stats().live;
    // No other call comes: a message always waits.
    while heap.is_imaging() {
        heap.turn(|m, numbers| numbers.extend((0..1_000).map(|n| m.alloc(Mut::new((n, n))))));
        if heap.needs_step(1) {
            call(&mut heap, GcReason::TurnEnd);
        }
        assert!(
            heap.stats().live < before * 13 / 10 + (2 << 20),
            "it does not end"
        );
    }
    saved.spans = taken.complete();
    are_as_made(&saved, &source);
}

#[test]
fn a_mark_ends_behind_the_image() {
    let mut heap = numbers(&Arc::new(PageSource::new()));
    let (_, taken) = SavedHeap::begin(&mut heap);
    taken.demand(Demand::Wait);
    let _begun = heap.begin_mark();
    for _ in 0..50 {
        let _some = heap.help_mark(usize::MAX);
        heap.pace();
    }
    assert_eq!(heap.phase(), GcPhase::Mark, "it waits");
    taken.demand(Demand::More);
    while heap.is_imaging() {
        assert_eq!(heap.phase(), GcPhase::Mark, "it waits");
        heap.pace();
    }
    while heap.phase() == GcPhase::Mark || heap.phase() == GcPhase::Terminate {
        heap.pace();
    }
    assert_eq!(heap.stats().major, 1);
}

#[test]
fn an_image_is_complete_when_its_heap_ends() {
    let source = Arc::new(PageSource::new());
    let mut heap = numbers(&source);
    let (mut saved, taken) = SavedHeap::begin(&mut heap);
    heap.turn(|m, numbers| numbers[17].borrow_mut(m).0 = 18);
    drop(heap.end());
    saved.spans = taken.complete();
    are_as_made(&saved, &source);

    let mut heap = numbers(&source);
    let (mut saved, taken) = SavedHeap::begin(&mut heap);
    heap.turn(|m, numbers| numbers[17].borrow_mut(m).0 = 18);
    drop(heap);
    saved.spans = taken.complete();
    are_as_made(&saved, &source);
}

#[test]
fn too_many_pre_images_end_the_image() {
    root!(Texts = Vec<Gc<'gc, Mut<String>>>);
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<Texts>::new(&source, Pacing::new(), |m| {
        let text = |_| m.alloc(Mut::new("x".repeat(500)));
        (0..MANY / 5).map(text).collect()
    });
    let (_, taken) = SavedHeap::begin(&mut heap);
    heap.turn(|m, texts| {
        for text in &*texts {
            text.borrow_mut(m).clear();
        }
    });
    heap.pace();
    let ended = taken.ended();
    let bytes = match ended {
        Some(Err(ImageError::PreImages { bytes })) => bytes,
        other => panic!("{other:?}"),
    };
    assert!(bytes > 1 << 20 && bytes < 3 << 20, "{bytes}");
    assert!(!heap.is_imaging() && taken.is_dropped());
    heap.turn(|_, texts| assert!(texts.iter().all(|text| text.borrow().is_empty())));
}

#[test]
fn an_image_that_nothing_takes_is_given_up() {
    let mut heap = numbers(&Arc::new(PageSource::new()));
    let (_, taken) = SavedHeap::begin(&mut heap);
    taken.demand(Demand::Wait);
    call(&mut heap, GcReason::Continue);
    assert_eq!(taken.spans(), 0);
    let report = heap.step(
        &StepContext::UNTIMED,
        GcReason::Continue,
        &mut Budget::BETWEEN_TURNS.clone(),
    );
    assert!(report.check_in_ns.is_some(), "it looks again");
    let mut turns = 0;
    while heap.is_imaging() {
        heap.turn(|m, numbers| numbers.extend((0..1_000).map(|n| m.alloc(Mut::new((n, n))))));
        call(&mut heap, GcReason::TurnEnd);
        turns += 1;
        assert!(turns < 10 * MANY / 1_000, "it is not given up");
    }
    assert!(matches!(taken.ended(), Some(Err(ImageError::TooSlow))));
}

#[test]
fn an_image_is_given_up_when_pages_are_short() {
    let source = Arc::new(PageSource::bounded(64 << 20));
    let mut heap = numbers(&source);
    let (_, taken) = SavedHeap::begin(&mut heap);
    let mut rows = 0;
    while heap.is_imaging() {
        let row = |m: &vivant_heap::Mutator<'_>| {
            let _row = m.alloc_slice(vec![0_u64; 1 << 17]);
        };
        let grown =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| heap.turn(|m, _| row(m))));
        rows += 1;
        assert!(rows < 100 || grown.is_err());
        call(&mut heap, GcReason::TurnEnd);
        assert!(rows < 200, "it is not given up");
    }
    // It may have been complete before.
    assert!(matches!(
        taken.ended(),
        Some(Err(ImageError::NoMemory) | Ok(()))
    ));
}

#[test]
fn a_sink_that_wants_nothing_more_is_dropped() {
    let mut heap = numbers(&Arc::new(PageSource::new()));
    let (_, taken) = SavedHeap::begin(&mut heap);
    call(&mut heap, GcReason::Continue);
    taken.demand(Demand::Nothing);
    call(&mut heap, GcReason::Continue);
    assert!(!heap.is_imaging() && taken.is_dropped());
    assert!(taken.ended().is_none());
    // Another begins, and an image that runs is replaced.
    let (_, second) = SavedHeap::begin(&mut heap);
    let (_, third) = SavedHeap::begin(&mut heap);
    assert!(second.is_dropped() && second.ended().is_none());
    heap.finish_image();
    assert!(matches!(third.ended(), Some(Ok(()))));
}

thread_local! {
    static PANICS: Cell<bool> = const { Cell::new(false) };
}

/// Panics when it is saved, on demand.
struct Fragile(u64);
vivant_heap::leaf!([] Fragile);

impl<'gc> Saved<'gc> for Fragile {
    const SHAPE: &'static Shape = <u64 as Saved<'gc>>::SHAPE;

    fn save(&self, out: &mut Encoder<'_>) {
        assert!(!PANICS.get(), "as asked for");
        match self.0 {
            u64::MAX => out.error("too large"),
            number => number.save(out),
        }
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Fragile, LoadError> {
        Ok(Fragile(u64::load(input)?))
    }
}

root!(Fragiles = Vec<Gc<'gc, Mut<Fragile>>>);

fn fragiles() -> Heap<Fragiles> {
    Heap::new(&Arc::new(PageSource::new()), Pacing::new(), |m| {
        (0..MANY).map(|n| m.alloc(Mut::new(Fragile(n)))).collect()
    })
}

#[test]
fn a_panic_in_the_barrier_fails_the_image() {
    let mut heap = fragiles();
    let (_, taken) = SavedHeap::begin(&mut heap);
    PANICS.set(true);
    let last = MANY as usize - 1;
    heap.turn(|m, all| all[last].borrow_mut(m).0 = 7);
    PANICS.set(false);
    match taken.ended() {
        Some(Err(error @ ImageError::Panicked { type_name, .. })) => {
            assert!(type_name.contains("Fragile"), "{type_name}");
            assert!(error.to_string().contains("panicked"));
        }
        other => panic!("{other:?}"),
    }
    call(&mut heap, GcReason::Continue);
    assert!(!heap.is_imaging());
    heap.turn(|_, all| assert_eq!(all[last].borrow().0, 7));
}

#[test]
fn an_object_that_cannot_be_saved_fails_the_image() {
    let mut heap = fragiles();
    heap.turn(|m, all| all[5].borrow_mut(m).0 = u64::MAX);
    let (_, taken) = SavedHeap::begin(&mut heap);
    while heap.is_imaging() {
        call(&mut heap, GcReason::Continue);
    }
    match taken.ended() {
        Some(Err(error @ ImageError::NotSaved(_))) => {
            assert!(error.to_string().contains("too large"))
        }
        other => panic!("{other:?}"),
    }
}

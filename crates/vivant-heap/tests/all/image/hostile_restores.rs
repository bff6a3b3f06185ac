//! What hostile programs can do with images of several heaps, and with restores that fail.

use super::cut::{restoring, saved, state, try_saved};
use crate::heaps::panics;
use std::any::Any;
use std::cell::Cell;
use std::sync::Arc;
use vivant_codec::{Decoder, Encoder, LoadError, Saved, Shape};
use vivant_heap::*;

#[derive(Object, Saved)]
struct Note<'gc> {
    number: u64,
    next: Option<Val<'gc, Note<'gc>>>,
}

type AnyNote = Val<'static, Note<'static>>;

root!(Notes = Vec<Val<'gc, Note<'gc>>>);

/// Two heaps, and a parcel: a note of the first one leads to a note of the second.
fn chain(source: &Arc<PageSource>) -> ([Heap<Notes>; 2], Parcel<AnyNote>) {
    let heap = || Heap::<Notes>::new(source, Pacing::new(), |_| Vec::new());
    let (mut first, mut second) = (heap(), heap());
    let parcel = second.turn(|m, _| {
        m.pack::<AnyNote>(m.val(Note {
            number: 7,
            next: None,
        }))
    });
    let out = first.turn(|m, _| {
        let next = Some(m.unpack(parcel));
        m.pack::<AnyNote>(m.val(Note { number: 1, next }))
    });
    ([first, second], out)
}

#[test]
fn a_parcel_of_a_failed_restore_keeps_what_it_leads_to() {
    let source = Arc::new(PageSource::new());
    let (mut heaps, parcel) = chain(&source);
    let named = NamedHeaps::new(&source);
    let contexts: [&dyn Any; 1] = [&named];
    let mut out = Encoder::new().with_contexts(&contexts);
    parcel.save(&mut out);
    let bytes = out.finish().expect("a parcel is saved");
    let images = heaps.each_mut().map(|heap| saved(heap, &source));
    let source = Arc::new(PageSource::new());
    let parcel: Parcel<AnyNote> = restoring::<Notes, _>(&source, &images, |heaps| {
        let values = heaps.values(&[]);
        Saved::load(&mut values.of(&bytes)).expect("it is one")
    });
    // Something else would take the pages.
    let mut other = Heap::<Notes>::new(&source, Pacing::new(), |_| Vec::new());
    other.turn(|m, notes| {
        notes.extend((0..2_000).map(|_| {
            m.val(Note {
                number: 666,
                next: None,
            })
        }));
    });
    let number = parcel.look(|note| note.next.expect("a note").number);
    assert_eq!(number, 7);
    // The memory stays for good, and Miri finds a path to it.
    static KEPT: std::sync::Mutex<Vec<Arc<PageSource>>> = std::sync::Mutex::new(Vec::new());
    KEPT.lock().expect("no panic").push(source);
}

thread_local! {
    static FAILS: Cell<Option<bool>> = const { Cell::new(None) };
}

/// Fails to load once, or panics.
struct Brittle(u64);

leaf!([] Brittle);

impl<'gc> Saved<'gc> for Brittle {
    const SHAPE: &'static Shape = <u64 as Saved<'gc>>::SHAPE;

    fn save(&self, out: &mut Encoder<'_>) {
        self.0.save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Brittle, LoadError> {
        match FAILS.take() {
            None => u64::load(input).map(Brittle),
            Some(false) => Err(input.error("it is brittle")),
            Some(true) => panic!("it is brittle"),
        }
    }
}

root!(Cells = Vec<Gc<'gc, Mut<(Brittle, Option<Gc<'gc, u64>>)>>>);

/// An error or a panic leaves objects without contents: none is ever read.
#[test]
fn a_restore_that_has_failed_goes_on_failing() {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<Cells>::new(&source, Pacing::new(), |m| {
        let cells = (0..4).map(|n| m.alloc(Mut::new((Brittle(n), None))));
        cells.collect()
    });
    let image = saved(&mut heap, &source);
    for panics_then in [false, true] {
        restoring::<Cells, _>(&source, std::slice::from_ref(&image), |heaps| {
            FAILS.set(Some(panics_then));
            let load = || state::<Cells>(&heaps, &image);
            assert_eq!(panics(|| load().expect_err("it fails")), panics_then);
            let error = load().expect_err("it has failed before").to_string();
            assert!(error.contains("failed before"), "{error}");
            heaps.finish(&[]).expect_err("it has failed before");
        });
    }
}

root!(Importer = (Vec<Gc<'gc, Mut<u64>>>, Vec<Gc<'gc, Mut<Val<'gc, Note<'gc>>>>>));

/// A mark in termination has released what dead objects refer to.
#[test]
#[cfg_attr(miri, ignore = "a heap that is marked concurrently is large")]
fn an_image_in_the_termination_of_a_mark_reads_nothing_that_is_gone() {
    const MANY: u64 = 4_000;
    let source = Arc::new(PageSource::new());
    let mut owner = Heap::<Notes>::new(&source, Pacing::new(), |_| Vec::new());
    let mut reader = Heap::<Importer>::new(&source, Pacing::new(), |m| {
        let large = (0..40_000).map(|n| m.alloc(Mut::new(n)));
        (large.collect(), Vec::new())
    });
    let parcels: Vec<_> = owner.turn(|m, _| {
        let notes = (0..MANY).map(|number| m.val(Note { number, next: None }));
        notes.map(|note| m.pack::<AnyNote>(note)).collect()
    });
    reader.turn(|m, (_, notes)| {
        let parcels = parcels.into_iter();
        notes.extend(parcels.map(|parcel| m.alloc(Mut::new(m.unpack(parcel)))));
    });
    reader.collect();
    reader.sweep();
    reader.turn(|_, (_, notes)| notes.clear());
    let budget = || Budget::BETWEEN_TURNS;
    let mut step = |reason| {
        let _report = reader.step(&StepContext::UNTIMED, reason, &mut budget());
        let _progress = reader.help_mark(100_000);
        owner.collect();
        owner.sweep();
        (reader.phase(), owner.exports())
    };
    step(GcReason::Requested(Request::Mark));
    loop {
        let (phase, left) = step(GcReason::Paced);
        assert!(matches!(phase, GcPhase::Mark | GcPhase::Terminate));
        if phase == GcPhase::Terminate && left < MANY as usize / 2 {
            break;
        }
    }
    let (_, _, spans) = saved(&mut reader, &source);
    let objects: usize = spans.iter().map(SpanRecord::objects).sum();
    assert_eq!(objects, 40_000);
}

#[derive(Object, Saved)]
struct Holder<'gc> {
    note: Val<'gc, Note<'gc>>,
}

type Weaks<'gc> = (Vec<Gc<'gc, Holder<'gc>>>, Vec<Weak<'gc, Holder<'gc>>>);

root!(Weakly = Weaks<'gc>);

struct Two<'h>(&'h mut [Heap<Weakly>; 2]);

// SAFETY: no turn of these heaps runs while they are visited (X2).
#[allow(unsafe_code, reason = "a test of group marks holds the heaps")]
unsafe impl Members for Two<'_> {
    fn visit(&mut self, member: usize, visit: &mut dyn FnMut(Member<'_>)) -> Visit {
        visit(self.0[member].member());
        Visit::Done
    }
}

/// A group mark has found an object dead to which only a weak reference leads.
#[test]
fn images_of_a_group_mark_agree() {
    let source = Arc::new(PageSource::new());
    let heap = || Heap::<Weakly>::new(&source, Pacing::new(), |_| Weaks::default());
    let mut heaps = [heap(), heap()];
    let parcel = heaps[1].turn(|m, _| {
        m.pack::<AnyNote>(m.val(Note {
            number: 7,
            next: None,
        }))
    });
    heaps[0].turn(|m, (strong, weak)| {
        let note = m.unpack(parcel);
        let holder = m.alloc(Holder { note });
        weak.push(Weak::new(m, holder));
        strong.push(holder);
    });
    for heap in &mut heaps {
        heap.collect();
        heap.sweep();
    }
    heaps[0].turn(|_, (strong, _)| strong.clear());
    let mut group = GroupMark::new(2);
    while group.step(&mut Two(&mut heaps)) != GroupProgress::Committed {}
    let first = saved(&mut heaps[0], &source);
    for _ in 0..1_000 {
        let _progress = heaps[1].help_mark(1_000);
        heaps[1].pace();
    }
    let images = [first, saved(&mut heaps[1], &source)];
    restoring::<Weakly, _>(&source, &images, |heaps| {
        for image in &images {
            state::<Weakly>(&heaps, image).expect("it has all that it names");
        }
    });
}

#[test]
fn an_object_of_another_source_is_refused() {
    let sources = [(); 2].map(|()| Arc::new(PageSource::new()));
    let [mut elsewhere, mut reader] = sources
        .each_ref()
        .map(|source| Heap::<Notes>::new(source, Pacing::new(), |_| Vec::new()));
    let parcel = elsewhere.turn(|m, _| {
        m.pack::<AnyNote>(m.val(Note {
            number: 6,
            next: None,
        }))
    });
    reader.turn(|m, notes| notes.push(m.unpack(parcel)));
    let error = try_saved(&mut reader, &sources[1]).expect_err("it is of another source");
    assert!(error.to_string().contains("of another system"), "{error}");
}

/// Heaps that name each other, and go to no holder.
#[test]
fn restored_heaps_that_are_dropped_leave_nothing() {
    let source = Arc::new(PageSource::new());
    let heap = || Heap::<Notes>::new(&source, Pacing::new(), |_| Vec::new());
    let mut pair = [heap(), heap()];
    for at in 0..2 {
        let parcel = pair[at].turn(|m, _| {
            m.pack::<AnyNote>(m.val(Note {
                number: 7,
                next: None,
            }))
        });
        pair[1 - at].turn(|m, notes| notes.push(m.unpack(parcel)));
    }
    let images = pair.each_mut().map(|heap| saved(heap, &source));
    for finishes in [false, true] {
        let source = Arc::new(PageSource::new());
        restoring::<Notes, _>(&source, &images, |heaps| {
            let load = |image| state::<Notes>(&heaps, image).expect("a state");
            let states = images.each_ref().map(load);
            match finishes {
                true => drop(heaps.finish(&[]).expect("all is loaded")),
                false => drop(heaps),
            }
            drop(states);
        });
        assert_eq!((source.stats().pages, Arc::strong_count(&source)), (0, 1));
    }
    let detached = pair.into_iter().filter_map(Heap::end).collect::<Vec<_>>();
    assert!(detached.into_iter().all(|heap| heap.drain_all().is_none()));
}

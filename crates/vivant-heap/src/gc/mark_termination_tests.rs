//! Turns that run during mark termination, and heaps in which one structure is not updated.

use super::stress::{Stress, When};
use crate::injected_fault::{self, InjectedFault};
use crate::mark::marker::MarkMode;
use crate::mark::scanner::EdgeSnapshot;
use crate::{
    CountAudit, CountVerifier, Gc, Heap, Iso, Leaf, Mut, Pacing, PageSource, Parcel, Root, Tag,
    Val, Weak,
};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Entries of each kind: more than one.
const MANY: usize = 4;

/// The step between the numbers of pieces after which something else runs: any number, or every
/// eleventh under an interpreter.
const STEP: usize = if cfg!(miri) { 11 } else { 1 };

/// Entries in a piece.
const ENTRIES: usize = if cfg!(miri) { 4 } else { 1 };

type Coat<'gc> = Gc<'gc, Mut<Leaf<String>>>;

/// Coats that are live, and references to coats that may be dead.
#[derive(Default)]
struct Cloakroom<'gc> {
    coats: Vec<Coat<'gc>>,
    weak: Vec<Weak<'gc, Mut<Leaf<String>>>>,
    tags: Vec<Tag<'gc, Mut<Leaf<String>>>>,
    papers: Vec<Val<'gc, str>>,
    bundles: Vec<Val<'gc, (Val<'gc, str>,)>>,
}

// SAFETY: the fields have all its references.
unsafe impl<'gc> crate::Object<'gc> for Cloakroom<'gc> {
    type Static = Cloakroom<'static>;
    const NEEDS_TRACE: bool = true;
    fn trace(&self, tracer: &mut crate::Tracer<'_>) {
        self.coats.trace(tracer);
        self.weak.trace(tracer);
        self.tags.trace(tracer);
        self.papers.trace(tracer);
        self.bundles.trace(tracer);
    }
    fn evacuate(&mut self, evacuator: &mut crate::Evacuator<'_>) {
        self.coats.evacuate(evacuator);
        self.weak.evacuate(evacuator);
        self.tags.evacuate(evacuator);
        self.papers.evacuate(evacuator);
        self.bundles.evacuate(evacuator);
    }
}

struct Theatre;

impl Root for Theatre {
    type Of<'gc> = Cloakroom<'gc>;
}

type Paper = Parcel<Val<'static, str>>;

/// A heap of old coats, each with a weak reference, under stress that triggers nothing by itself.
fn theatre(source: &Arc<PageSource>) -> Heap<Theatre> {
    let pacing = match cfg!(miri) {
        // Miri detects uses after free by itself, and would take minutes for the poison patterns
        // and their checks.
        true => Pacing::default(),
        false => Pacing::default().stressed(Stress::new(When::Young, 1)),
    };
    let mut heap = Heap::<Theatre>::new(source, pacing, |m| {
        let mut room = Cloakroom::default();
        for number in 0..MANY {
            let coat = m.alloc(Mut::new(Leaf(format!("coat {number}"))));
            room.coats.push(coat);
            room.weak.push(Weak::new(m, coat));
        }
        room
    });
    heap.collect();
    heap.sweep();
    heap
}

/// Begins a mark and completes it. One entry of the first kind with entries is processed.
fn all_is_met(heap: &mut Heap<Theatre>) {
    heap.sweep();
    let (core, state) = heap.parts();
    core.start_mark(state, MarkMode::Concurrent, EdgeSnapshot::Off);
    while !heap.is_terminating_mark() {
        let core = heap.parts().0;
        let _more = core.mark_objects(usize::MAX);
        let _ended = core.advance_mark(Some(1));
    }
    heap.check();
}

/// Processes `entries` entries more.
fn settles(heap: &mut Heap<Theatre>, entries: usize) {
    let _ended = heap.parts().0.advance_mark(Some(entries));
    heap.check();
}

/// Processes the rest, and frees the dead objects.
fn ends(heap: &mut Heap<Theatre>) {
    heap.parts().0.finish_mark();
    assert!(!heap.is_terminating_mark() && heap.marker().is_none());
    heap.check();
    heap.sweep();
    heap.collect_young();
    heap.check();
}

fn a_dead_one_is_asked_for() {
    let mut heap = theatre(&Arc::new(PageSource::new()));
    heap.turn(|_, room| room.coats.truncate(1));
    all_is_met(&mut heap);
    heap.turn(|m, room| {
        let got = room.weak.iter().filter_map(|weak| weak.upgrade(m));
        let got: Vec<_> = got.collect();
        room.coats.extend(&got);
        // A live coat can be reached, and gets a new weak reference.
        room.weak.push(Weak::new(m, room.coats[0]));
    });
    heap.collect_young();
    ends(&mut heap);
    heap.turn(|m, room| {
        let names = |coat: &Coat<'_>| coat.borrow().0.clone();
        assert_eq!(
            room.coats.iter().map(names).collect::<Vec<_>>(),
            ["coat 0", "coat 0"]
        );
        let weak = room.weak.iter().map(|weak| weak.upgrade(m).is_some());
        assert_eq!(
            weak.collect::<Vec<_>>(),
            [true, false, false, false, true],
            "of the dead nobody has one"
        );
    });
}

fn a_dead_tag_is_asked_for() {
    let mut heap = theatre(&Arc::new(PageSource::new()));
    heap.turn(|m, room| {
        room.weak.clear();
        let tags = room.coats.iter().map(|coat| m.tag(*coat));
        room.tags = tags.collect();
    });
    heap.collect();
    // The first tag is kept; the others have no holder.
    heap.turn(|_, room| room.tags.truncate(1));
    all_is_met(&mut heap);
    heap.turn(|m, room| {
        assert!(
            room.tags[0] == m.tag(room.coats[0]),
            "it has the tag entry that it had"
        );
        for &coat in &room.coats[1..] {
            room.tags.push(m.tag(coat));
            assert!(room.tags.last() == Some(&m.tag(coat)), "one new tag entry");
        }
    });
    settles(&mut heap, 1);
    ends(&mut heap);
    heap.turn(|m, room| {
        for (tag, coat) in room.tags.iter().zip(&room.coats) {
            assert!(Gc::ptr_eq(tag.open(m).unwrap(), *coat));
            assert!(*tag == m.tag(*coat));
        }
    });
    heap.turn(|_, room| room.tags.clear());
    heap.collect();
    assert!(heap.parts().0.tags.get_mut().is_empty());
    assert_eq!(heap.parts().0.tags.get_mut().listed.len(), 0);
}

/// All counts agree, and each object that a heap or a parcel refers to is live at its owner.
fn even(heap: &mut Heap<Theatre>, press: &mut Heap<Theatre>, sent: &[Paper]) {
    CountAudit::check().unwrap();
    let mut verifier = CountVerifier::default();
    verifier.heap(heap).unwrap();
    verifier.heap(press).unwrap();
    sent.iter().for_each(|paper| verifier.parcel(paper));
    verifier.check().unwrap();
}

/// The components of foreign containers are kept, and the containers are not.
fn parts_are_kept() {
    let source = Arc::new(PageSource::new());
    let (mut heap, mut press) = (theatre(&source), theatre(&source));
    type Bundle = Parcel<Val<'static, (Val<'static, str>,)>>;
    let sent: Vec<Bundle> = press.turn(|m, _| {
        let print = |number| m.val((m.val_str(&format!("paper {number}")),));
        (0..MANY).map(|number| m.pack(print(number))).collect()
    });
    heap.turn(|m, room| {
        room.weak.clear();
        let came = sent.into_iter().map(|bundle| m.unpack(bundle));
        room.bundles.extend(came);
    });
    heap.collect();
    heap.turn(|_, room| {
        let parts = room.bundles.drain(..).map(|bundle| bundle.0);
        room.papers.extend(parts);
    });
    all_is_met(&mut heap);
    while heap.is_terminating_mark() {
        even(&mut heap, &mut press, &[]);
        settles(&mut heap, ENTRIES);
        // A released export is freed at once.
        press.collect();
        press.sweep();
    }
    ends(&mut heap);
    even(&mut heap, &mut press, &[]);
    assert_eq!((heap.imports(), press.exports()), (MANY, MANY));
    heap.turn(|_, room| {
        for (number, paper) in room.papers.iter().enumerate() {
            assert_eq!(**paper, format!("paper {number}"));
        }
    });
    drop(heap);
}

/// Imports that the heap is releasing arrive again.
fn something_arrives() {
    let source = Arc::new(PageSource::new());
    let (mut heap, mut press) = (theatre(&source), theatre(&source));
    let prints = |press: &mut Heap<Theatre>| -> Vec<Paper> {
        press.turn(|m, room| {
            if room.papers.is_empty() {
                let print = |number| m.val_str(&format!("paper {number}"));
                room.papers.extend((0..MANY).map(print));
            }
            room.papers.iter().map(|paper| m.pack(*paper)).collect()
        })
    };
    let (first, mut second) = (prints(&mut press), prints(&mut press));
    heap.turn(|m, room| {
        room.weak.clear();
        let came = first.into_iter().map(|paper| m.unpack(paper));
        room.papers.extend(came);
    });
    heap.turn(|_, room| room.papers.clear());
    all_is_met(&mut heap);
    assert!(
        heap.is_terminating_mark(),
        "the last of the counts is given up"
    );
    even(&mut heap, &mut press, &second);
    // The last import was released, and the first one was not processed yet.
    let (last, again) = (second.pop().unwrap(), second.remove(0));
    heap.turn(|m, room| room.papers.extend([m.unpack(last), m.unpack(again)]));
    even(&mut heap, &mut press, &second);
    settles(&mut heap, 1);
    even(&mut heap, &mut press, &second);
    ends(&mut heap);
    even(&mut heap, &mut press, &second);
    assert_eq!(heap.imports(), 2);
    second.clear();
    press.turn(|_, room| room.papers.clear());
    press.collect();
    press.sweep();
    even(&mut heap, &mut press, &second);
    assert_eq!(press.exports(), 2);
    heap.turn(|_, room| {
        let papers = room.papers.iter().map(|paper| &**paper);
        assert_eq!(papers.collect::<Vec<_>>(), ["paper 3", "paper 0"]);
    });
    // The heap is dropped first: exports of a dropped heap leak for good.
    drop(heap);
}

#[test]
fn dead_objects_stay_dead_and_new_ones_stay_live() {
    a_dead_one_is_asked_for();
    a_dead_tag_is_asked_for();
    something_arrives();
    parts_are_kept();
}

#[test]
fn injected_faults_of_mark_termination_are_caught() {
    let scenes: [(InjectedFault, fn()); 4] = [
        (InjectedFault::LateResurrection, a_dead_one_is_asked_for),
        (InjectedFault::LateResurrection, a_dead_tag_is_asked_for),
        (InjectedFault::WhiteArrival, something_arrives),
        (InjectedFault::BatchedIncs, parts_are_kept),
    ];
    for (number, (bug, scene)) in scenes.into_iter().enumerate() {
        let scene = || injected_fault::with(bug, || catch_unwind(AssertUnwindSafe(scene)));
        assert!(scene().is_err(), "{number}: {bug:?}");
        injected_fault::with(InjectedFault::Nothing, || ());
        CountAudit::discard();
    }
}

/// A whole collection is requested, or the heap ends, at each point of termination.
#[test]
fn a_collection_or_the_end_of_the_heap_completes_the_termination() {
    for pieces in (0..3 * MANY).step_by(STEP) {
        let source = Arc::new(PageSource::new());
        let mut heap = theatre(&source);
        heap.turn(|m, room| {
            for (token, coat) in room.coats.iter().enumerate() {
                m.watch_death(*coat, token as u64);
                let _nobody = m.tag(*coat);
            }
            room.coats.truncate(1);
        });
        all_is_met(&mut heap);
        for _ in 0..pieces {
            let _ended = heap.parts().0.advance_mark(Some(1));
        }
        if !heap.is_terminating_mark() {
            break;
        }
        if pieces % 3 == 2 {
            drop(heap);
            assert_eq!(source.stats().pages, 0);
            continue;
        }
        // A turn in between. It makes a new tag entry for an object with a dead tag entry.
        heap.turn(|m, room| {
            let _nobody = m.tag(room.coats[0]);
        });
        heap.collect();
        assert_eq!((heap.stats().aborted, heap.stats().ended), (0, 1));
        heap.sweep();
        heap.check();
        assert_eq!(
            heap.take_deaths(),
            [1, 2, 3],
            "each once, after {pieces} pieces"
        );
        heap.turn(|m, room| {
            let weak = room.weak.iter().map(|weak| weak.upgrade(m).is_some());
            assert_eq!(weak.collect::<Vec<_>>(), [true, false, false, false]);
        });
    }
}

/// The contents of an open region: letters, each with a foreign paper.
type Letter<'gc> = (Val<'gc, str>,);
type Letters<'gc> = (Vec<Gc<'gc, Letter<'gc>>>, Vec<Weak<'gc, Letter<'gc>>>);

struct Desk;

impl Root for Desk {
    type Of<'gc> = Letters<'gc>;
}

#[test]
fn a_region_is_quiesced_before_it_is_merged() {
    let source = Arc::new(PageSource::new());
    for pieces in (1..4 * MANY).step_by(STEP) {
        let mut press = theatre(&source);
        let mut desk = Heap::<Desk>::new(&source, Pacing::default(), |_| Default::default());
        let sent: Vec<Paper> = press.turn(|m, _| {
            let print = |number| m.val_str(&format!("paper {number}"));
            (0..MANY).map(|number| m.pack(print(number))).collect()
        });
        let mut region = Iso::<Letters<'static>>::new(&source, |r| {
            let letters: Vec<_> = sent
                .into_iter()
                .map(|it| r.alloc((r.unpack(it),)))
                .collect();
            let weak = letters.iter().map(|letter| Weak::new(r, *letter)).collect();
            (letters, weak)
        });
        region.collect();
        region.heap_mut().sweep();
        region.open(|_, (letters, _)| letters.truncate(1));
        let (core, root) = region.heap_mut().parts();
        core.start_mark(root, MarkMode::Concurrent, EdgeSnapshot::Off);
        for _ in 0..pieces {
            let core = region.heap_mut().parts().0;
            let _more = core.mark_objects(usize::MAX);
            let _ended = core.advance_mark(Some(1));
        }
        desk.turn(|m, state| {
            *state = region.merge(m);
            let there = state.1.iter().map(|weak| weak.upgrade(m).is_some());
            assert_eq!(there.collect::<Vec<_>>(), [true, false, false, false]);
        });
        assert_eq!(desk.imports(), 1, "after {pieces}");
        desk.verify().unwrap();
        let mut verifier = CountVerifier::default();
        verifier.heap(&mut desk).unwrap();
        verifier.heap(&mut press).unwrap();
        verifier.check().unwrap();
        press.collect();
        press.sweep();
        desk.turn(|_, (letters, _)| assert_eq!(&*letters[0].0, "paper 0"));
        drop(desk);
        assert!(press.is_unshared());
    }
}

//! Turns that run during a concurrent mark, and marks that miss one of the turns' notifications.

use super::stress::{Stress, When};
use crate::injected_fault::{self, InjectedFault};
use crate::mark::marker::{MarkMode, Progress};
use crate::mark::scanner::EdgeSnapshot;
use crate::{CountVerifier, Gc, Heap, Mut, Pacing, PageSource, Parcel, Root, Tag, Val, Weak};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Words in each book: more than a slice scanned at once, except under an interpreter, which takes
/// minutes for them.
const WORDS: u64 = if cfg!(miri) { 8 } else { 2_000 };

/// The first book of a list, and references by which a turn can reach the books behind it.
#[derive(Default)]
struct Shelf<'gc> {
    first: Option<Gc<'gc, Mut<Book<'gc>>>>,
    kept: Vec<Gc<'gc, Mut<Book<'gc>>>>,
    weak: Option<Weak<'gc, Mut<Book<'gc>>>>,
    tag: Option<Tag<'gc, Mut<Book<'gc>>>>,
    news: Option<Val<'gc, str>>,
}

#[derive(Default)]
struct Book<'gc> {
    next: Option<Gc<'gc, Mut<Book<'gc>>>>,
    pages: Option<Gc<'gc, [Gc<'gc, u64>]>>,
}

/// The code that the derive writes. The derive itself names this crate from outside.
macro_rules! object {
    ($name:ident { $($field:ident),* }) => {
        // SAFETY: the fields have all its references.
        unsafe impl<'gc> crate::Object<'gc> for $name<'gc> {
            type Static = $name<'static>;
            const NEEDS_TRACE: bool = true;
            fn trace(&self, tracer: &mut crate::Tracer<'_>) {
                $(self.$field.trace(tracer);)*
            }
            fn evacuate(&mut self, evacuator: &mut crate::Evacuator<'_>) {
                $(self.$field.evacuate(evacuator);)*
            }
        }
    };
}
object!(Shelf {
    first,
    kept,
    weak,
    tag,
    news
});
object!(Book { next, pages });

struct Library;

impl Root for Library {
    type Of<'gc> = Shelf<'gc>;
}

type Paper = Parcel<Val<'static, str>>;

/// A heap with three old books in a list, under stress that triggers nothing by itself.
fn library(source: &Arc<PageSource>) -> Heap<Library> {
    let pacing = match cfg!(miri) {
        // Miri checks each access by itself, and would take minutes under stress.
        true => Pacing::default(),
        false => Pacing::default().stressed(Stress::new(When::Young, 1)),
    };
    let mut heap = Heap::<Library>::new(source, pacing, |m| {
        let mut shelf = Shelf::default();
        for _ in 0..3 {
            let pages = m.alloc_iter((0..WORDS).map(|n| m.alloc(n)));
            let (next, pages) = (shelf.first, Some(pages));
            shelf.first = Some(m.alloc(Mut::new(Book { next, pages })));
        }
        shelf
    });
    heap.collect();
    heap
}

fn begins(heap: &mut Heap<Library>) {
    heap.sweep();
    let (core, state) = heap.parts();
    core.start_mark(state, MarkMode::Concurrent, EdgeSnapshot::Off);
    assert!(heap.marker().is_some());
}

/// Ends the mark, verifies the heap and sweeps it.
fn ends(heap: &mut Heap<Library>) {
    heap.parts().0.finish_mark();
    assert!(heap.marker().is_none());
    heap.check();
    heap.sweep();
    heap.collect_young();
}

/// A turn moves the last book: it takes the reference out of the book before it, and keeps it.
fn a_write_hides_what_was_behind() {
    let mut heap = library(&Arc::new(PageSource::new()));
    begins(&mut heap);
    heap.turn(|m, shelf| {
        let second = shelf.first.unwrap().borrow().next.unwrap();
        let third = second.borrow_mut(m).next.take().unwrap();
        shelf.kept.push(third);
    });
    ends(&mut heap);
    heap.turn(|_, shelf| assert_eq!(shelf.kept[0].borrow().pages.unwrap().len() as u64, WORDS));
}

/// Only a weak reference leads to the last book when the mark begins.
fn a_weak_reference_brings_back() {
    let mut heap = library(&Arc::new(PageSource::new()));
    heap.turn(|m, shelf| {
        let second = shelf.first.unwrap().borrow().next.unwrap();
        let third = second.borrow_mut(m).next.take().unwrap();
        shelf.weak = Some(Weak::new(m, third));
    });
    heap.collect_young();
    begins(&mut heap);
    heap.turn(|m, shelf| shelf.kept.extend(shelf.weak.unwrap().upgrade(m)));
    ends(&mut heap);
    heap.turn(|m, shelf| {
        assert!(shelf.weak.unwrap().upgrade(m).is_some());
        assert_eq!(
            *shelf.kept[0].borrow().pages.unwrap()[WORDS as usize - 1],
            WORDS - 1
        );
    });
}

/// The tag has no holder any more when the mark begins.
fn a_tag_is_taken_again() {
    let mut heap = library(&Arc::new(PageSource::new()));
    heap.turn(|m, shelf| {
        let _nobody = m.tag(shelf.first.unwrap());
    });
    begins(&mut heap);
    heap.turn(|m, shelf| shelf.tag = Some(m.tag(shelf.first.unwrap())));
    ends(&mut heap);
    heap.turn(|m, shelf| {
        let opened = shelf.tag.unwrap().open(m).unwrap();
        assert!(Gc::ptr_eq(opened, shelf.first.unwrap()));
    });
}

/// An object is born, and promoted, while the mark runs.
fn a_birth() {
    let mut heap = library(&Arc::new(PageSource::new()));
    begins(&mut heap);
    heap.turn(|m, shelf| {
        let next = shelf.first;
        shelf.first = Some(m.alloc(Mut::new(Book { next, pages: None })));
        shelf.news = Some(m.val_str("born old"));
    });
    heap.collect_young();
    heap.collect_young();
    ends(&mut heap);
    heap.turn(|_, shelf| {
        let new = shelf.first.unwrap().borrow();
        assert!(new.pages.is_none() && new.next.unwrap().borrow().pages.is_some());
        assert_eq!(&*shelf.news.unwrap(), "born old");
    });
}

/// An import arrives from another heap while the mark runs.
fn an_import() {
    let source = Arc::new(PageSource::new());
    let (mut heap, mut press) = (library(&source), library(&source));
    let paper: Paper = press.turn(|m, _| m.pack(m.val_str("rain")));
    begins(&mut heap);
    heap.turn(|m, shelf| shelf.news = Some(m.unpack(paper)));
    ends(&mut heap);
    let mut verifier = CountVerifier::default();
    verifier.heap(&mut heap).unwrap();
    verifier.heap(&mut press).unwrap();
    verifier.check().unwrap();
    press.collect();
    press.sweep();
    heap.turn(|_, shelf| assert_eq!(&*shelf.news.unwrap(), "rain"));
    // The heap is dropped first: exports of a dropped heap leak for good.
    drop(heap);
}

/// Exported papers at the beginning of the mark: more than it takes in one step.
const PAPERS: u64 = 50;

/// The count of the oldest export is returned before the mark has taken it: no other heap refers to
/// the object from then on.
fn an_export_comes_home() {
    let mut heap = library(&Arc::new(PageSource::new()));
    let packs = |m: &crate::Mutator<'_>, n: u64| -> Paper { m.pack(m.val_str(&n.to_string())) };
    let mut papers: Vec<Paper> = heap.turn(|m, _| (0..PAPERS).map(|n| packs(m, n)).collect());
    heap.collect_young();
    let dead = papers.pop().unwrap();
    heap.turn(|m, _| {
        m.unpack(dead);
    });
    let living = heap.stats().alive;
    begins(&mut heap);
    let oldest = papers.remove(0);
    heap.turn(|m, shelf| shelf.news = Some(m.unpack(oldest)));
    ends(&mut heap);
    heap.turn(|_, shelf| assert_eq!(&*shelf.news.unwrap(), "0"));
    // The mark has found the paper that was dead at its beginning.
    assert_eq!(heap.stats().alive, living + PAPERS - 1);
    assert_eq!(heap.exports() as u64, PAPERS - 2);
    heap.turn(|m, _| {
        papers.into_iter().for_each(|paper| {
            m.unpack(paper);
        })
    });
    heap.collect();
    assert_eq!((heap.stats().alive, heap.exports()), (living + 1, 0));
}

#[test]
fn a_mark_accounts_for_what_turns_do_meanwhile() {
    a_write_hides_what_was_behind();
    a_weak_reference_brings_back();
    a_tag_is_taken_again();
    a_birth();
    an_import();
    an_export_comes_home();
}

#[test]
fn injected_faults_of_concurrent_marks_are_caught() {
    let scenes: [(InjectedFault, fn()); 6] = [
        (InjectedFault::UnclaimedWrite, a_write_hides_what_was_behind),
        (InjectedFault::SecretUpgrade, a_weak_reference_brings_back),
        (InjectedFault::SecretTag, a_tag_is_taken_again),
        (InjectedFault::WrongEpoch, a_birth),
        (InjectedFault::WhiteImport, an_import),
        (InjectedFault::LateExport, an_export_comes_home),
    ];
    for (bug, scene) in scenes {
        let scene = || injected_fault::with(bug, || catch_unwind(AssertUnwindSafe(scene)));
        assert!(scene().is_err(), "{bug:?}");
        injected_fault::with(InjectedFault::Nothing, || ());
        crate::CountAudit::discard();
    }
}

/// Objects that die while the mark runs are found by the next mark; objects dead at its beginning,
/// by this one.
#[test]
fn objects_dead_at_the_beginning_are_found_dead() {
    let mut heap = library(&Arc::new(PageSource::new()));
    heap.turn(|m, shelf| {
        shelf
            .first
            .unwrap()
            .borrow_mut(m)
            .next
            .unwrap()
            .borrow_mut(m)
            .next = None;
    });
    begins(&mut heap);
    heap.turn(|m, shelf| shelf.first.unwrap().borrow_mut(m).next = None);
    ends(&mut heap);
    assert_eq!(heap.stats().alive, 2 * (WORDS + 2));
    heap.collect();
    assert_eq!(heap.stats().alive, WORDS + 2);
}

/// A mark is aborted in the middle, and another begins at once: dead objects have two epochs.
#[test]
fn a_mark_is_aborted() {
    let mut heap = library(&Arc::new(PageSource::new()));
    begins(&mut heap);
    let _more = heap.help_mark(WORDS as usize / 3);
    heap.turn(|m, shelf| shelf.first.unwrap().borrow_mut(m).next = None);
    heap.collect();
    assert_eq!((heap.stats().begun, heap.stats().major), (1, 2));
    assert_eq!(heap.stats().alive, WORDS + 2);
    begins(&mut heap);
    let _more = heap.help_mark(WORDS as usize / 3);
    drop(heap);
}

/// The root of a heap with one slice.
struct Row;

impl Root for Row {
    type Of<'gc> = Option<Gc<'gc, [Option<Gc<'gc, u64>>]>>;
}

/// The work of one step is bounded, however long a slice is: 512 elements are scanned at once.
#[test]
fn a_long_slice_is_scanned_in_parts() {
    let elements = 4 * 512;
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<Row>::new(&source, Pacing::default(), |m| {
        Some(m.alloc_iter((0..elements).map(|_| None)))
    });
    heap.collect();
    heap.sweep();
    let (core, state) = heap.parts();
    core.start_mark(state, MarkMode::Concurrent, EdgeSnapshot::Off);
    let mut steps = 0;
    // One object, or one part, in each.
    while heap.help_mark(1) == Progress::More {
        steps += 1;
    }
    heap.parts().0.finish_mark();
    heap.check();
    assert!(steps >= 4, "{elements} elements in {steps} steps");
}

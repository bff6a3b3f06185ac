//! Weak references in images: they are restored as they were.

use super::saved::SavedHeap;
use std::sync::Arc;
use vivant_codec::Saved;
use vivant_heap::{Gc, Heap, Mut, Object, Pacing, PageSource, Stress, Weak, When};

/// Refers weakly to what may lead back to it.
#[derive(Object, Saved)]
struct Node<'gc> {
    number: u64,
    above: Option<Weak<'gc, Mut<Node<'gc>>>>,
    label: Option<Weak<'gc, Label<'gc>>>,
    below: Vec<Gc<'gc, Mut<Node<'gc>>>>,
    labels: Vec<Gc<'gc, Label<'gc>>>,
}

/// What never changes.
#[derive(Object, Saved)]
struct Label<'gc> {
    number: u64,
    of: Option<Weak<'gc, Label<'gc>>>,
}

const NODES: u64 = if cfg!(miri) { 13 } else { 200 };

root!(Tree = Gc<'gc, Mut<Node<'gc>>>);

fn node<'gc>(number: u64) -> Node<'gc> {
    Node {
        number,
        above: None,
        label: None,
        below: Vec::new(),
        labels: Vec::new(),
    }
}

fn tree(source: &Arc<PageSource>, pacing: Pacing) -> Heap<Tree> {
    let mut heap = Heap::<Tree>::new(source, pacing, |m| {
        let root = m.alloc(Mut::new(node(0)));
        for number in 1..NODES {
            let first = m.alloc(Label { number, of: None });
            let of = Some(Weak::new(m, first));
            let second = m.alloc(Label {
                number: number + 1_000,
                of,
            });
            let mut one = node(number);
            one.above = Some(Weak::new(m, root));
            one.label = Some(Weak::new(m, second));
            one.labels.extend([second, first]);
            root.borrow_mut(m).below.push(m.alloc(Mut::new(one)));
        }
        root
    });
    heap.collect();
    // Of a third of the labels nothing else knows, and no collection has found that.
    heap.turn(|m, root| {
        for one in &root.borrow().below {
            let mut one = one.borrow_mut(m);
            if one.number % 3 == 0 {
                one.labels.clear();
            }
        }
    });
    heap
}

/// For each node: whether it knows the root, the label, and the label's label.
fn known(heap: &mut Heap<Tree>) -> Vec<(u64, bool, Option<u64>, Option<u64>)> {
    heap.turn(|m, root| {
        let all = root.borrow();
        let known = all.below.iter().map(|one| {
            let one = one.borrow();
            let above = one.above.and_then(|above| above.upgrade(m));
            let label = one.label.and_then(|label| label.upgrade(m));
            let of = label
                .and_then(|label| label.of)
                .and_then(|of| of.upgrade(m));
            (
                one.number,
                above.is_some_and(|above| Gc::ptr_eq(above, *root)),
                label.map(|label| label.number),
                of.map(|of| of.number),
            )
        });
        known.collect()
    })
}

#[test]
fn weak_references_are_restored_as_they_were() {
    let source = Arc::new(PageSource::new());
    let stressed = |when| Pacing::new().stressed(Stress::new(when, 5));
    let pacings = [
        Pacing::new(),
        stressed(When::All),
        stressed(When::Concurrent),
    ];
    for pacing in pacings.into_iter().take(if cfg!(miri) { 1 } else { 3 }) {
        let mut heap = tree(&source, pacing);
        for round in 0..2 {
            let saved = SavedHeap::of(&mut heap).expect("all is saved");
            let restored = saved.restored::<Tree>(&source, pacing);
            let mut restored = restored.expect("it is restored");
            let (one, other) = (known(&mut heap), known(&mut restored));
            assert_eq!(one, other);
            assert!(one.iter().all(|(_, above, ..)| *above));
            // What only weak references lead to dies in both, at the next collection.
            let missing = one
                .iter()
                .filter(|(_, _, label, _)| label.is_none())
                .count();
            let dead = (NODES as usize - 1) / 3;
            assert_eq!(missing, if round == 0 { 0 } else { dead });
            restored.collect();
            heap.collect();
            assert_eq!(known(&mut restored), known(&mut heap));
        }
    }
    assert_eq!(source.stats().pages, 0);
}

/// A weak reference is cleared while the image is written: the image has it as it was.
#[test]
fn a_reference_that_is_cleared_meanwhile_is_as_it_was() {
    let source = Arc::new(PageSource::new());
    let pacing = Pacing::new().stressed(Stress::new(When::Paced, 5));
    let mut heap = tree(&source, pacing);
    let (mut saved, taken) = SavedHeap::begin(&mut heap);
    assert!(heap.is_imaging());
    let before = known(&mut heap);
    let _begun = heap.begin_mark();
    while heap.is_imaging() {
        let _some = heap.help_mark(usize::MAX);
        heap.pace();
    }
    heap.collect();
    assert_ne!(
        known(&mut heap),
        before,
        "the test is of references that are cleared"
    );
    saved.spans = taken.complete();
    let restored = saved.restored::<Tree>(&source, pacing);
    assert_eq!(known(&mut restored.expect("it is restored")), before);
}

/// References to slices and texts.
#[derive(Object, Saved)]
struct Row<'gc> {
    row: Gc<'gc, [u64]>,
    text: Option<Gc<'gc, str>>,
    weak_row: Weak<'gc, [u64]>,
    weak_text: Weak<'gc, str>,
    dead: Weak<'gc, str>,
}

root!(Rows = Row<'gc>);

#[test]
fn weak_references_to_slices_and_texts_are_restored() {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<Rows>::new(&source, Pacing::new(), |m| {
        let (row, text) = (m.alloc_slice(vec![1, 2, 3]), m.alloc_str("a text"));
        Row {
            row,
            text: Some(text),
            weak_row: Weak::new(m, row),
            weak_text: Weak::new(m, text),
            dead: Weak::new(m, m.alloc_str("dead")),
        }
    });
    heap.collect();
    // Nothing else knows it, and no collection has found that.
    heap.turn(|_, row| row.text = None);
    let saved = SavedHeap::of(&mut heap).expect("all is saved");
    let restored = saved.restored::<Rows>(&source, Pacing::new());
    restored.expect("it is restored").turn(|m, restored| {
        let row = restored.weak_row.upgrade(m).expect("it lives");
        assert!(Gc::ptr_eq(row, restored.row));
        assert_eq!(*row, [1, 2, 3]);
        let text = restored.weak_text.upgrade(m);
        assert_eq!(text.as_deref(), Some("a text"));
        assert!(restored.dead.is_cleared());
    });
}

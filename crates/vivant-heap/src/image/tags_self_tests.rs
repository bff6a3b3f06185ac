//! The checks of tags in images find the faults that they are for.

use super::heap_image::HeapImage;
use super::object_codec::ObjectCodecs;
use super::span_record::SpanRecord;
use crate::injected_fault::{self, InjectedFault};
use crate::{Gc, Heap, Mut, Pacing, PageSource, Root, Tag};
use std::sync::Arc;
use vivant_codec::{Comparison, Encoder, LoadError, Saved, Shapes};

type State<'gc> = (Vec<Gc<'gc, Mut<u64>>>, Vec<Tag<'gc, Mut<u64>>>);

struct Named;

impl Root for Named {
    type Of<'gc> = State<'gc>;
}

/// Two objects with tags.
fn named(source: &Arc<PageSource>) -> Heap<Named> {
    Heap::new(source, Pacing::new(), |m| {
        let numbers = vec![m.alloc(Mut::new(7)), m.alloc(Mut::new(8))];
        let tags = numbers.iter().map(|number| m.tag(*number)).collect();
        (numbers, tags)
    })
}

fn codecs() -> ObjectCodecs {
    let mut codecs = ObjectCodecs::new();
    codecs.add(<State<'static> as Saved<'static>>::SHAPE);
    codecs
}

fn saved(heap: &mut Heap<Named>) -> (Vec<u8>, Vec<SpanRecord>) {
    let (own, mut spans) = (heap.saved_heap(), Vec::new());
    let save = |state: &State<'_>| {
        let mut out = Encoder::new();
        out.in_context(&own, |out| state.save(out));
        out.finish().expect("tags are saved")
    };
    let span = &mut |span| spans.push(span);
    let state = heap.save(&codecs(), &Encoder::new(), save, span);
    (state.expect("a heap is saved"), spans)
}

fn restored(
    source: &Arc<PageSource>,
    (state, spans): (Vec<u8>, Vec<SpanRecord>),
) -> Result<Heap<Named>, LoadError> {
    let mut shapes = Shapes::default();
    let codecs = codecs();
    let objects = codecs.shapes().map(|it| shapes.add(it).expect("few"));
    let objects: Vec<_> = objects.collect();
    let image = HeapImage {
        spans,
        objects: &objects,
        comparison: &Comparison::new(&shapes),
    };
    Heap::restore(source, Pacing::new(), None, image, &[], |decoder| {
        Saved::load(&mut decoder.of(&state))
    })
}

fn restored_objects_have_their_tags() {
    let source = Arc::new(PageSource::new());
    let image = saved(&mut named(&source));
    let mut heap = restored(&source, image).expect("it is restored");
    heap.turn(|m, (numbers, tags)| {
        for (number, tag) in numbers.iter().zip(tags.iter()) {
            assert!(Gc::ptr_eq(tag.open(m).expect("its own"), *number));
            assert!(m.tag(*number) == *tag, "another tag entry");
        }
        let next = m.tag(m.alloc(Mut::new(9)));
        assert!(tags.iter().all(|tag| tag.id() != next.id()), "one number");
    });
    heap.verify().expect("a valid heap");
}

/// What is said of an image in which contents of objects are others.
fn forged(change: impl Fn(&[u8]) -> Option<Vec<u8>>) -> String {
    let source = Arc::new(PageSource::new());
    let (state, mut spans) = saved(&mut named(&source));
    let mut forged = 0;
    for span in &mut spans {
        let contents: Vec<_> = span.contents().map(|(_, it)| it.to_vec()).collect();
        let contents = span.blocks.iter_mut().zip(contents);
        let contents = contents.flat_map(|(block, content)| match change(&content) {
            Some(changed) => {
                forged += 1;
                block.bytes = changed.len() as u32;
                changed
            }
            None => content,
        });
        span.content = contents.collect();
    }
    assert_eq!(forged, 1);
    let failed = restored(&source, (state, spans)).err();
    failed.expect("it is refused").to_string()
}

/// A tag of a heap with turns could be opened, and would lead to its own entry.
fn a_tag_without_an_object_is_refused() {
    let error = forged(|content| content.starts_with(&[0, 1]).then(|| vec![0, 0]));
    assert!(error.contains("a tag of no object"), "{error}");
}

#[test]
fn numbers_of_tag_entries_that_no_heap_gives_are_refused() {
    let first = |content: &[u8]| content.starts_with(&[0, 1]);
    let error = forged(|content| first(content).then(|| [&[1], &content[1..]].concat()));
    assert!(
        error.contains("two tag entries with the number 1"),
        "{error}"
    );
    let last = [255, 255, 255, 255, 255, 255, 255, 255, 255, 1];
    let error = forged(|content| first(content).then(|| [&last, &content[1..]].concat()));
    assert!(
        error.contains("with the number 18446744073709551615"),
        "{error}"
    );
}

const CHECKS: [(InjectedFault, fn()); 3] = [
    (
        InjectedFault::RestoredTagRow,
        restored_objects_have_their_tags,
    ),
    (
        InjectedFault::RestoredTagNumber,
        restored_objects_have_their_tags,
    ),
    (
        InjectedFault::TagOfNothing,
        a_tag_without_an_object_is_refused,
    ),
];

#[test]
fn tags_of_images_are_right() {
    CHECKS.iter().for_each(|(_, check)| check());
}

#[test]
fn canary_each_fault_of_restored_tags_is_caught() {
    injected_fault::each_is_caught(&CHECKS);
}

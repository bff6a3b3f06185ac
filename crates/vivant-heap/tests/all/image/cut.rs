//! Heaps of one cut as a file would have them, for the tests of images.

use super::saved::SavedRoot;
use std::any::Any;
use std::sync::Arc;
use vivant_codec::{Comparison, Encoder, LoadError, SaveError, Saved, Shapes};
use vivant_heap::*;

/// A heap as a file has it: its number, its state and its spans.
pub(super) type Image = (u64, Vec<u8>, Vec<SpanRecord>);

pub(super) fn codecs<R: SavedRoot>() -> ObjectCodecs {
    let mut codecs = ObjectCodecs::new();
    codecs.add(<R::Of<'static> as Saved<'static>>::SHAPE);
    codecs
}

pub(super) fn try_saved<R: SavedRoot>(
    heap: &mut Heap<R>,
    source: &PageSource,
) -> Result<Image, SaveError> {
    let named = NamedHeaps::new(source);
    let codecs = codecs::<R>();
    let contexts: [&dyn Any; 2] = [&named, &codecs];
    let (own, mut spans) = (heap.saved_heap(), Vec::new());
    let encoder = Encoder::new().with_contexts(&contexts);
    let save = |state: &R::Of<'_>| {
        let mut out = Encoder::new().with_contexts(&contexts);
        out.in_context(&own, |out| state.save(out));
        out.finish()
    };
    let state = heap.save(&codecs, &encoder, save, &mut |span| spans.push(span));
    Ok((heap.number(), state.expect("all is saved")?, spans))
}

pub(super) fn saved<R: SavedRoot>(heap: &mut Heap<R>, source: &PageSource) -> Image {
    try_saved(heap, source).expect("the state is saved")
}

/// Calls `body` with heaps of these images that are being restored.
pub(super) fn restoring<R: SavedRoot, T>(
    source: &Arc<PageSource>,
    images: &[Image],
    body: impl FnOnce(RestoredHeaps<'_>) -> T,
) -> T {
    try_restoring::<R, T>(source, images, |heaps| body(heaps.expect("heaps")))
}

/// As `restoring`, of images that are not right.
pub(super) fn try_restoring<R: SavedRoot, T>(
    source: &Arc<PageSource>,
    images: &[Image],
    body: impl FnOnce(Result<RestoredHeaps<'_>, LoadError>) -> T,
) -> T {
    let mut shapes = Shapes::default();
    let objects = codecs::<R>();
    let objects = objects.shapes().map(|it| shapes.add(it).expect("few"));
    let objects: Vec<_> = objects.collect();
    let comparison = Comparison::new(&shapes);
    let heaps = images.iter().map(|(number, _, spans)| HeapSpans {
        number: *number,
        pacing: Pacing::new(),
        spans: spans.clone(),
        watches: Vec::new(),
    });
    let types = (&comparison, &objects[..]);
    let heaps = RestoredHeaps::new(source, types, HeapNumbers::New, heaps);
    body(heaps)
}

pub(super) fn state<R: SavedRoot>(
    heaps: &RestoredHeaps<'_>,
    (number, state, _): &Image,
) -> Result<RestoredState<R>, LoadError> {
    heaps.state::<R>(*number, &[], |decoder| Saved::load(&mut decoder.of(state)))
}

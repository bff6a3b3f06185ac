//! A heap as bytes, for the tests of images.

use super::sink::{Sink, Taken};
use std::sync::Arc;
use vivant_codec::{Comparison, Encoder, LoadError, Saved, ShapeId, Shapes, from_bytes, to_bytes};
use vivant_heap::{Heap, HeapImage, NotSaved, ObjectCodecs, Pacing, PageSource, Root, SpanRecord};

/// A heap as a file would have it.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct SavedHeap {
    pub(super) state: Vec<u8>,
    pub(super) spans: Vec<Vec<u8>>,
    pub(super) shapes: Shapes,
    pub(super) objects: Vec<ShapeId>,
    pub(super) root: ShapeId,
}

/// A root of which the state is saved.
pub(super) trait SavedRoot: Root + for<'gc> Root<Of<'gc>: Saved<'gc>> {}

impl<R: for<'gc> Root<Of<'gc>: Saved<'gc>>> SavedRoot for R {}

impl SavedHeap {
    /// Without state and spans, and the codecs of the objects.
    pub(super) fn empty<R: SavedRoot>() -> (SavedHeap, ObjectCodecs) {
        let root = <R::Of<'static> as Saved<'static>>::SHAPE;
        let mut codecs = ObjectCodecs::new();
        codecs.add(root);
        let mut shapes = Shapes::default();
        let root = shapes.add(root).expect("few shapes");
        let objects = codecs.shapes();
        let objects = objects.map(|shape| shapes.add(shape).expect("few shapes"));
        let objects = objects.collect();
        let (state, spans) = (Vec::new(), Vec::new());
        let saved = SavedHeap {
            state,
            spans,
            shapes,
            objects,
            root,
        };
        (saved, codecs)
    }

    pub(super) fn of<R: SavedRoot>(heap: &mut Heap<R>) -> Result<SavedHeap, NotSaved> {
        let (mut saved, codecs) = SavedHeap::empty::<R>();
        let spans = &mut saved.spans;
        let state = save_state::<R>(heap.saved_heap(), &codecs);
        let save = |span: SpanRecord| spans.push(to_bytes(&span).expect("a span is saved"));
        saved.state = heap.save(&codecs, &Encoder::new(), state, &mut { save })?;
        Ok(saved)
    }

    /// Begins an image that is written while turns run. The spans are in what is returned, and not
    /// in the saved heap.
    pub(super) fn begin<R: SavedRoot>(heap: &mut Heap<R>) -> (SavedHeap, Taken) {
        let (mut saved, codecs) = SavedHeap::empty::<R>();
        let (sink, taken) = Sink::new();
        let codecs = Arc::new(codecs);
        let state = save_state::<R>(heap.saved_heap(), &codecs);
        saved.state = heap.begin_image(codecs.clone(), Box::new(sink), state);
        (saved, taken)
    }

    pub(super) fn restored<R: SavedRoot>(
        &self,
        source: &Arc<PageSource>,
        pacing: Pacing,
    ) -> Result<Heap<R>, LoadError> {
        let spans = self.spans.iter().map(|bytes| from_bytes(bytes));
        let comparison = Comparison::new(&self.shapes);
        let image = HeapImage {
            spans: spans.collect::<Result<_, _>>()?,
            objects: &self.objects,
            comparison: &comparison,
        };
        Heap::restore(source, pacing, None, image, &[], |decoder| {
            let mut input = decoder.of(&self.state);
            let state = input.stored(&comparison, self.root)?;
            input.finish()?;
            Ok(state)
        })
    }
}

/// Saves the state of a heap.
pub(super) fn save_state<R: SavedRoot>(
    heap: vivant_heap::SavedHeap,
    codecs: &ObjectCodecs,
) -> impl for<'gc> FnOnce(&R::Of<'gc>) -> Vec<u8> {
    move |state| {
        let contexts: [&dyn std::any::Any; 1] = [codecs];
        let mut out = Encoder::new().with_contexts(&contexts);
        out.in_context(&heap, |out| state.save(out));
        out.finish().expect("the state is saved")
    }
}

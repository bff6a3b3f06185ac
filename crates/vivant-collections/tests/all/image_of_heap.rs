//! A heap as a file would have it.

use std::sync::{Arc, Mutex};
use vivant_codec::{Comparison, Encoder, LoadError, Saved, ShapeId, Shapes, from_bytes, to_bytes};
use vivant_heap::{
    Heap, HeapImage, ImageError, ImageSink, ObjectCodecs, Pacing, PageSource, Root, SpanRecord,
};

#[derive(Clone, Default)]
pub(crate) struct Sink(Arc<Mutex<Vec<SpanRecord>>>);

impl ImageSink for Sink {
    fn encoder(&mut self, encode: &mut dyn FnMut(&Encoder<'_>)) {
        encode(&Encoder::new());
    }

    fn span(&mut self, record: SpanRecord) {
        self.0.lock().expect("no panic").push(record);
    }

    fn ended(self: Box<Self>, result: Result<(), ImageError>) {
        result.expect("all is saved");
    }
}

/// A heap as a file would have it.
pub(crate) struct Image {
    pub(crate) state: Vec<u8>,
    spans: Sink,
    shapes: Shapes,
    objects: Vec<ShapeId>,
    root: ShapeId,
}

impl Image {
    pub(crate) fn begin<R>(heap: &mut Heap<R>) -> Image
    where
        R: for<'gc> Root<Of<'gc>: Saved<'gc>>,
    {
        let root = <R::Of<'static> as Saved<'static>>::SHAPE;
        let mut codecs = ObjectCodecs::new();
        codecs.add(root);
        let mut shapes = Shapes::default();
        let root = shapes.add(root).expect("few shapes");
        let objects = codecs.shapes();
        let objects = objects.map(|shape| shapes.add(shape).expect("few shapes"));
        let objects = objects.collect();
        let spans = Sink::default();
        let saved = heap.saved_heap();
        let state = heap.begin_image(Arc::new(codecs), Box::new(spans.clone()), |state| {
            let mut out = Encoder::new();
            out.in_context(&saved, |out| state.save(out));
            out.finish().expect("the state is saved")
        });
        Image {
            state,
            spans,
            shapes,
            objects,
            root,
        }
    }

    pub(crate) fn spans(&self) -> Vec<SpanRecord> {
        let spans = self.spans.0.lock().expect("no panic");
        let encoded = spans
            .iter()
            .map(|span| to_bytes(span).expect("a span is saved"));
        let decoded = encoded.map(|bytes| from_bytes(&bytes).expect("it was encoded"));
        decoded.collect()
    }

    pub(crate) fn restored<R>(
        &self,
        spans: Vec<SpanRecord>,
        state: &[u8],
        source: &Arc<PageSource>,
        pacing: Pacing,
    ) -> Result<Heap<R>, LoadError>
    where
        R: for<'gc> Root<Of<'gc>: Saved<'gc>>,
    {
        let comparison = Comparison::new(&self.shapes);
        let image = HeapImage {
            spans,
            objects: &self.objects,
            comparison: &comparison,
        };
        Heap::restore(source, pacing, None, image, &[], |decoder| {
            let mut input = decoder.of(state);
            let state = input.stored(&comparison, self.root)?;
            input.finish()?;
            Ok(state)
        })
    }
}

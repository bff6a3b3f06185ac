//! [`Heap::save`]: a heap as bytes, in one piece. [`Heap::begin_image`]: while turns run.

use super::image_sink::ImageSink;
use super::image_writer::ImageWriter;
use super::not_saved::NotSaved;
use super::object_codec::ObjectCodecs;
use super::oracle::Oracle;
use super::span_encoder::{SpanEncoder, blocks_to_save, empty_record};
use super::span_record::SpanRecord;
use crate::gc::detached_heap::DetachedHeap;
use crate::gc::heap::{Heap, Root};
use crate::object::evacuator::TenuringPolicy;
use crate::sync::Arc;
use vivant_codec::Encoder;

impl<R: Root> Heap<R> {
    /// Saves the heap as it is between two turns: `state` saves the state, and `span` gets one span
    /// after the other. An object has the name of its block in all of them.
    ///
    /// Contents are saved with the contexts of `encoder`. Young objects are promoted first. What
    /// the last mark has found dead is not saved; what died since is. Objects of types that
    /// `codecs` lacks are not saved: no saved value refers to them. Costs time in proportion to the
    /// live objects, in one piece; [`Heap::begin_image`] does the same while turns run.
    ///
    /// # Errors
    ///
    /// A part of an object cannot be saved.
    pub fn save<T>(
        &mut self,
        codecs: &ObjectCodecs,
        encoder: &Encoder<'_>,
        state: impl for<'gc> FnOnce(&R::Of<'gc>) -> T,
        span: &mut dyn FnMut(SpanRecord),
    ) -> Result<T, NotSaved> {
        let (core, roots) = self.parts();
        core.drop_image();
        core.end_decided_mark();
        core.minor(roots, TenuringPolicy::Never);
        let saved = self.turn(|_, roots| state(roots));
        self.check();
        let core = self.core();
        let mut saver = SpanEncoder::default();
        for one in core.old.spans() {
            // SAFETY: a span of this heap, between two turns (S6).
            let record = unsafe {
                let mut record = empty_record(one);
                let blocks = blocks_to_save(one, core.old.marked);
                let _leads = saver.add(codecs, encoder, one, blocks, &mut record)?;
                record
            };
            if record.objects() != 0 {
                span(record);
            }
        }
        Ok(saved)
    }

    /// Begins an image of the heap as it is now: `state` saves the state, and `sink` gets the spans
    /// while turns run. An image that is being written already is given up.
    ///
    /// A mark in [termination](Heap::is_terminating_mark) is completed, in one piece: what it has
    /// found dead is not in the image. Young objects are promoted, which takes as long as a minor
    /// collection. A heap of at most 256
    /// KiB is written at once. What is left is written by [`Heap::step`]: a piece with each
    /// [`Continue`](crate::GcReason::Continue), [`IdleCheck`](crate::GcReason::IdleCheck) or
    /// [`Paced`](crate::GcReason::Paced) call, and more if the heap grows. An object that a turn
    /// changes before it is written is encoded first, in that turn.
    ///
    /// So code that saves an object is not to look at other objects: they may have changed since,
    /// or be borrowed. References need no look. Objects with a [`Cell`](std::cell::Cell), a
    /// [`RefCell`](std::cell::RefCell) or a value of serde are encoded here, which visits all
    /// objects: these change unnoticed, and so they are in each image. A type that changes in place
    /// without a `Mut` and has a `Saved` by hand, as an atomic, needs a shape that says so
    /// ([`Shape::in_a_cell`](vivant_codec::Shape)). Without it the image has it as it is when it is
    /// encoded, or as it was in the image to which this one leaves its span
    /// ([`ImageSink::since`]).
    ///
    /// The image has what [`Heap::save`] would save now.
    ///
    /// ```
    /// use std::mem;
    /// use std::sync::{Arc, Mutex};
    /// use vivant_heap::*;
    /// use vivant_codec::{Encoder, Saved, to_bytes};
    ///
    /// struct Numbers;
    /// impl Root for Numbers {
    ///     type Of<'gc> = Vec<Gc<'gc, Mut<u64>>>;
    /// }
    ///
    /// #[derive(Clone, Default)]
    /// struct Spans(Arc<Mutex<Vec<SpanRecord>>>);
    ///
    /// impl ImageSink for Spans {
    ///     fn encoder(&mut self, encode: &mut dyn FnMut(&Encoder<'_>)) {
    ///         encode(&Encoder::new());
    ///     }
    ///     fn span(&mut self, record: SpanRecord) {
    ///         self.0.lock().unwrap().push(record);
    ///     }
    ///     fn ended(self: Box<Self>, result: Result<(), ImageError>) {
    ///         result.expect("all objects are saved");
    ///     }
    /// }
    ///
    /// let mut heap = Heap::<Numbers>::new(&Arc::new(PageSource::new()), Pacing::default(), |m| {
    ///     (0..50_000).map(|n| m.alloc(Mut::new(n))).collect()
    /// });
    /// let mut codecs = ObjectCodecs::new();
    /// codecs.add(<Vec<Gc<'_, Mut<u64>>>>::SHAPE);
    /// let spans = Spans::default();
    /// let _state = heap.begin_image(Arc::new(codecs), Box::new(spans.clone()), |state| to_bytes(state));
    /// heap.turn(|m, numbers| numbers[49_999].set(m, 7));   // the image has 49,999
    /// while heap.is_imaging() {
    ///     let _piece = heap.step(&StepContext::UNTIMED, GcReason::Paced, &mut Budget::BETWEEN_TURNS.clone());
    /// }
    /// let spans = mem::take(&mut *spans.0.lock().unwrap());
    /// assert_eq!(spans.iter().map(SpanRecord::objects).sum::<usize>(), 50_000);
    /// ```
    pub fn begin_image<T>(
        &mut self,
        codecs: Arc<ObjectCodecs>,
        mut sink: Box<dyn ImageSink>,
        state: impl for<'gc> FnOnce(&R::Of<'gc>) -> T,
    ) -> T {
        let (core, roots) = self.parts();
        core.drop_image();
        core.end_decided_mark();
        core.minor(roots, TenuringPolicy::Never);
        let saved = self.turn(|_, roots| state(roots));
        let core = self.parts().0;
        let oracle = match core.pacing.stress {
            // SAFETY: no turn runs (S6).
            Some(_) => unsafe { Oracle::of(&core.old, &codecs, &mut *sink) },
            None => None,
        };
        let mut writer = ImageWriter::new(&mut core.old, codecs, sink, oracle);
        // SAFETY: no turn has run since the state was saved (S6).
        unsafe { writer.take_cells(&core.old.numbers) };
        core.begin_image(Box::new(writer));
        self.check();
        saved
    }
}

impl DetachedHeap {
    /// Saves its objects, as [`Heap::save`] does. It has no state.
    ///
    /// # Errors
    ///
    /// A part of an object cannot be saved.
    pub fn save(
        &mut self,
        codecs: &ObjectCodecs,
        encoder: &Encoder<'_>,
        span: &mut dyn FnMut(SpanRecord),
    ) -> Result<(), NotSaved> {
        self.heap.save(codecs, encoder, |()| (), span)
    }

    /// Begins an image of its objects, as [`Heap::begin_image`] does.
    pub fn begin_image(&mut self, codecs: Arc<ObjectCodecs>, sink: Box<dyn ImageSink>) {
        self.heap.begin_image(codecs, sink, |()| ());
    }
}

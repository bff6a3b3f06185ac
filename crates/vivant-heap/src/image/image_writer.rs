//! [`ImageWriter`]: writes an image of a heap while turns run. See `README.md`.

use super::image_id::ImageId;
use super::image_sink::{Demand, ImageError, ImageSink};
use super::object_codec::ObjectCodecs;
use super::oracle::Oracle;
use super::pre_images::PreImages;
use super::span_encoder::{Blocks, Leads, SpanEncoder, blocks_to_save, empty_record};
use super::span_record::SpanRecord;
use super::touched_span::{AwaitedSpan, TouchedSpan};
use crate::alloc::header::Header;
use crate::alloc::old::image_barrier::{GivenUp, ImageBarrier, ImageProgress};
use crate::alloc::old::image_count::ImageNumber;
use crate::alloc::old::span_numbers::SpanNumbers;
use crate::alloc::old::{Epoch, Old, span_of};
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use crate::pages::chunk::name_of;
use crate::pages::page::{Page, Span};
use crate::segmented::linear_hash_map::LinearHashMap;
use crate::sync::Arc;
use std::panic::{self, AssertUnwindSafe};
use std::ptr::NonNull;

/// Pre-images may take this part of what the heap had at t0, or `PRE_IMAGES_MIN` bytes.
const PRE_IMAGES_PART: usize = 8;
const PRE_IMAGES_MIN: usize = 1 << 20;

/// A look at a span that is not written takes as long as so many bytes of a slice.
const LOOK: usize = 256;

/// The image of a heap, as far as it is written.
pub(super) struct ImageWriter {
    codecs: Arc<ObjectCodecs>,
    encoder: SpanEncoder,
    /// `None`: the image is over.
    sink: Option<Box<dyn ImageSink>>,
    /// The epoch of the last mark that had ended at t0.
    marked: Epoch,
    /// Its number.
    number: ImageNumber,
    /// The records of the images until this one are still there; 0: of none.
    since: ImageNumber,
    /// Spans with lower numbers are written.
    next: u32,
    /// A number behind those of the spans of t0.
    end: u32,
    /// By the numbers of the spans.
    touched: LinearHashMap<TouchedSpan>,
    pre_images: PreImages,
    /// Bytes that pre-images may take.
    pre_images_max: usize,
    /// Bytes of spans that are behind the writer.
    written: usize,
    /// Bytes for which the slices were, in all.
    sliced: usize,
    /// Under stress: what is to be written.
    oracle: Option<Oracle>,
}

impl ImageWriter {
    /// The image of a heap at t0, of which nothing is written.
    pub(super) fn new(
        old: &mut Old,
        codecs: Arc<ObjectCodecs>,
        mut sink: Box<dyn ImageSink>,
        oracle: Option<Oracle>,
    ) -> ImageWriter {
        let id = ImageId::next(&mut old.images, &codecs);
        let since = sink.since().map_or(0, |earlier| id.since(&earlier));
        let number = id.number();
        sink.began(id);
        ImageWriter {
            codecs,
            encoder: SpanEncoder::default(),
            sink: Some(sink),
            marked: old.marked,
            number,
            since,
            next: 0,
            end: old.numbers.end(),
            touched: LinearHashMap::default(),
            written: 0,
            sliced: 0,
            pre_images: PreImages::default(),
            pre_images_max: PRE_IMAGES_MIN.max(old.bytes_live() / PRE_IMAGES_PART),
            oracle,
        }
    }

    /// Whether a span is one of t0 that is not behind the writer.
    fn is_awaited(&self, number: u32) -> bool {
        self.sink.is_some() && (self.next..self.end).contains(&number)
    }

    /// What is known of a span that is about to be changed.
    ///
    /// # Safety
    ///
    /// The span is one of the heap, and was one at t0. Its blocks in use hold the objects of t0,
    /// unless it is touched already.
    unsafe fn touch(&mut self, span: Span, number: u32) -> &mut TouchedSpan {
        let (marked, since) = (self.marked, self.since);
        // SAFETY: the caller's contract (S9).
        let of = || unsafe { TouchedSpan::of(span, marked, since) };
        self.touched.or_insert_with(number as usize, of)
    }

    /// Takes the pre-images of all objects that turns may change without the barrier: they have
    /// cells (S8). Visits all objects, if a type has any.
    ///
    /// # Safety
    ///
    /// The spans are those of the heap, and no turn has run since t0.
    pub(super) unsafe fn take_cells(&mut self, spans: &SpanNumbers) {
        if !self.codecs.have_cells() {
            return;
        }
        let mut next = 0;
        while let Some((number, span)) = spans.next(next, self.end) {
            if self.sink.is_none() {
                // One could not be saved.
                return;
            }
            next = number + 1;
            // SAFETY: the caller's contract (S6).
            let (blocks, size) =
                unsafe { (blocks_to_save(span, self.marked), span.page().block_size()) };
            for block in (0..256).filter(|block| blocks[block / 64] >> (block % 64) & 1 == 1) {
                // SAFETY: the block lies in the span, and holds an object (H4).
                unsafe {
                    let object = span.start().add(block * size).cast::<Header>();
                    if self.codecs.has_cells(object.as_ref().table()) {
                        // Cells may have changed since any earlier image.
                        let page = span.page();
                        page.first_image = page.first_image.max(self.number);
                        self.take_pre_image(span, number, block);
                    }
                }
            }
        }
        // They are no consequence of what turns change.
        self.pre_images_max += self.pre_images.bytes();
    }

    /// Encodes the object in a block, if that is left.
    ///
    /// # Safety
    ///
    /// The span is one of the heap, and was one at t0. Its blocks in use hold the objects of t0,
    /// unless it is touched already; nothing borrows the object mutably.
    unsafe fn take_pre_image(&mut self, span: Span, number: u32, block: usize) {
        // SAFETY: the caller's contract (S9).
        let TouchedSpan::Awaited(touched) = (unsafe { self.touch(span, number) }) else {
            return;
        };
        if !touched.take(block) {
            return;
        }
        let before = touched.last;
        let mut blocks = [0; 4];
        blocks[block / 64] = 1 << (block % 64);
        let content = self.pre_images.take_chunk();
        let start = content.len();
        // SAFETY: the caller's contract (X1).
        let mut record = unsafe { empty_record(span) };
        record.content = content;
        // SAFETY: the caller's contract (S11): the object is as it was at t0 (S8).
        let Some(record) = (unsafe { self.encode(span, blocks, record) }) else {
            return;
        };
        // An object without a codec has no record.
        let last = match record.blocks.first() {
            Some(block) => Some(self.pre_images.add(record.content, start, *block, before)),
            None => {
                self.pre_images.put_back(record.content);
                before
            }
        };
        if let Some(TouchedSpan::Awaited(touched)) = self.touched.get_mut(number as usize) {
            touched.last = last;
        }
    }

    /// Appends blocks to the record of their span. `None`: the image is over.
    ///
    /// # Safety
    ///
    /// As for [`SpanEncoder::add`].
    unsafe fn encode(
        &mut self,
        span: Span,
        blocks: Blocks,
        mut record: SpanRecord,
    ) -> Option<SpanRecord> {
        let (codecs, encoder) = (&self.codecs, &mut self.encoder);
        let mut result = None;
        self.sink.as_mut()?.encoder(&mut |contexts| {
            // SAFETY: the caller's contract (S11).
            let add = || unsafe { encoder.add(codecs, contexts, span, blocks, &mut record) };
            result = Some(panic::catch_unwind(AssertUnwindSafe(add)));
        });
        match result {
            Some(Ok(Ok(leads))) => {
                if leads == Leads::Outside {
                    // SAFETY: the caller's contract (X1).
                    self.is_needed_again(unsafe { span.page() });
                }
                return Some(record);
            }
            Some(Ok(Err(error))) => self.fails(ImageError::NotSaved(error)),
            Some(Err(payload)) => {
                let type_name = self.encoder.last_type();
                self.fails(ImageError::Panicked { type_name, payload });
            }
            // A sink without an encoder wants nothing.
            None => drop(self.end()),
        }
        None
    }

    /// The next image has the record of this span too.
    fn is_needed_again(&self, page: &mut Page) {
        page.first_image = page.first_image.max(self.number + 1);
    }

    /// Passes a span: writes what is left of it, or says that an earlier image has it.
    ///
    /// # Safety
    ///
    /// The span is one of the heap, and was one at t0. Its blocks in use hold the objects of t0,
    /// unless it is touched already. None of them is borrowed mutably.
    unsafe fn pass(&mut self, span: Span, number: u32) {
        let touched = self.touched.remove(number as usize);
        let touched = touched.unwrap_or_else(|| {
            // SAFETY: the caller's contract (S9).
            unsafe { TouchedSpan::of(span, self.marked, self.since) }
        });
        // SAFETY: the caller's contract (X1).
        let page = unsafe { span.page() };
        let bytes = usize::from(page.used) * page.block_size();
        match touched {
            TouchedSpan::Awaited(awaited) => {
                // SAFETY: the caller's contract (S9, S11).
                let record = unsafe { self.finish(span, awaited) };
                let bytes = bytes.max(record.unwrap_or(0));
                self.written += bytes;
                self.sliced += bytes;
            }
            TouchedSpan::Unchanged(first_image) => {
                self.written += bytes;
                self.sliced += LOOK;
                if let Some(oracle) = &mut self.oracle {
                    oracle.passes(number);
                }
                if let Some(sink) = &mut self.sink {
                    sink.unchanged(number, first_image);
                }
            }
        }
    }

    /// Writes what is left of a span. Returns the bytes of its record.
    ///
    /// # Safety
    ///
    /// As for `pass`.
    unsafe fn finish(&mut self, span: Span, touched: AwaitedSpan) -> Option<usize> {
        // SAFETY: the caller's contract (X1).
        let mut record = unsafe { empty_record(span) };
        self.pre_images.append_to(&mut record, touched.last);
        // SAFETY: the caller's contract (S9, S11).
        let mut record = unsafe { self.encode(span, touched.left, record) }?;
        record.blocks_in_order();
        if let Some(oracle) = &mut self.oracle {
            oracle.check(&record);
        }
        let bytes = record.bytes();
        match record.objects() {
            // SAFETY: the caller's contract (X1). There is no record to which the next image could
            // refer.
            0 => self.is_needed_again(unsafe { span.page() }),
            _ => self.sink.as_mut()?.span(record),
        }
        Some(bytes)
    }

    fn fails(&mut self, error: ImageError) {
        if let Some(sink) = self.end() {
            sink.ended(Err(error));
        }
    }

    fn completes(&mut self) {
        if let Some(oracle) = self.oracle.take() {
            oracle.check_end();
        }
        if let Some(sink) = self.end() {
            sink.ended(Ok(()));
        }
    }

    /// The image is over. Its memory is freed.
    fn end(&mut self) -> Option<Box<dyn ImageSink>> {
        self.touched = LinearHashMap::default();
        self.pre_images = PreImages::default();
        self.oracle = None;
        self.sink.take()
    }
}

impl ImageBarrier for ImageWriter {
    unsafe fn before_fill(&mut self, span: Span) {
        #[cfg(test)]
        if is_injected(InjectedFault::UnnotedFill) {
            return;
        }
        // SAFETY: the caller's contract (X1): a span of the heap has a number.
        let number = unsafe { name_of(span.start()) }.span();
        if self.is_awaited(number) {
            // SAFETY: the caller's contract (S9); a number below the end is one of t0 (S10).
            let _touched = unsafe { self.touch(span, number) };
        }
    }

    unsafe fn before_write(&mut self, object: NonNull<Header>) {
        #[cfg(test)]
        if is_injected(InjectedFault::UnsavedWrite) {
            return;
        }
        // SAFETY: the caller's contract (X1): an old object lies in a span with a number.
        let number = unsafe { name_of(object.cast()) }.span();
        if !self.is_awaited(number) {
            return;
        }
        // SAFETY: the caller's contract (X1).
        let (span, block) = unsafe { block_of(object) };
        // SAFETY: the caller's contract (S9); a number below the end is one of t0 (S10).
        unsafe { self.take_pre_image(span, number, block) };
        let bytes = self.pre_images.bytes();
        if bytes > self.pre_images_max {
            self.fails(ImageError::PreImages { bytes });
        }
    }

    unsafe fn advance(&mut self, spans: &SpanNumbers, bytes: usize) {
        let until = self.sliced.saturating_add(bytes);
        while let Some(sink) = &self.sink {
            match sink.demand() {
                Demand::Nothing => {
                    self.end();
                    return;
                }
                Demand::Wait if bytes != usize::MAX => return,
                Demand::Wait | Demand::More => {}
            }
            let Some((number, span)) = spans.next(self.next, self.end) else {
                return self.completes();
            };
            // SAFETY: the caller's contract; the span has a number below the end, so it is one of
            // t0 (S10). What has changed since is touched (S8, S9).
            unsafe { self.pass(span, number) };
            self.next = number + 1;
            if self.sliced >= until {
                return;
            }
        }
    }

    fn progress(&self) -> ImageProgress {
        match self.sink.as_ref().map(|sink| sink.demand()) {
            None => ImageProgress::Over,
            Some(Demand::Wait) => ImageProgress::Waits,
            Some(Demand::More | Demand::Nothing) => ImageProgress::Writes(self.written),
        }
    }

    fn pre_images(&self) -> (usize, usize) {
        (self.pre_images.bytes(), self.pre_images_max)
    }

    fn give_up(&mut self, reason: GivenUp) {
        self.fails(match reason {
            GivenUp::NoMemory => ImageError::NoMemory,
            GivenUp::TooSlow => ImageError::TooSlow,
        });
    }
}

/// The span in which an old object lies, and the number of its block.
///
/// # Safety
///
/// It is an old object of a heap that the caller holds.
unsafe fn block_of(object: NonNull<Header>) -> (Span, usize) {
    // SAFETY: the caller's contract (X1): the object lies in the span.
    unsafe {
        let span = span_of(object);
        let offset = object.addr().get() - span.start().addr().get();
        (span, offset / span.page().block_size())
    }
}

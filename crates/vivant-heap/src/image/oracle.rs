//! [`Oracle`]: under stress, a heap as it was at t0, with which what is written is compared.

use super::image_sink::ImageSink;
use super::object_codec::ObjectCodecs;
use super::span_encoder::{SpanEncoder, blocks_to_save, empty_record};
use super::span_record::SpanRecord;
use crate::alloc::old::Old;
use std::collections::BTreeMap;

/// The objects of a heap at t0.
pub(super) struct Oracle {
    /// The type and the content of each object, by its span and its block.
    objects: BTreeMap<(u32, u8), (u32, Vec<u8>)>,
}

impl Oracle {
    /// Encodes all objects. `None`: one cannot be saved.
    ///
    /// # Safety
    ///
    /// No turn of the heap runs.
    pub(super) unsafe fn of(
        old: &Old,
        codecs: &ObjectCodecs,
        sink: &mut dyn ImageSink,
    ) -> Option<Oracle> {
        let (mut encoder, mut objects) = (SpanEncoder::default(), BTreeMap::new());
        for span in old.spans() {
            // SAFETY: a span of the heap, and no turn runs (S6).
            let (blocks, mut record) =
                unsafe { (blocks_to_save(span, old.marked), empty_record(span)) };
            let mut added = None;
            sink.encoder(&mut |contexts| {
                // SAFETY: a span of the heap, and no turn runs (S6).
                added = Some(unsafe { encoder.add(codecs, contexts, span, blocks, &mut record) });
            });
            added?.ok()?;
            let number = record.number;
            objects.extend(
                record.contents().map(|(block, content)| {
                    ((number, block.block), (block.object, content.to_vec()))
                }),
            );
        }
        Some(Oracle { objects })
    }

    /// Compares a record that is written.
    pub(super) fn check(&mut self, record: &SpanRecord) {
        for (block, content) in record.contents() {
            let at = (record.number, block.block);
            let before = self.objects.remove(&at);
            assert!(
                before.is_some_and(|it| it.0 == block.object && it.1 == content),
                "S8 is broken: the image has the object {at:?} otherwise than it was at its beginning"
            );
        }
    }

    /// A span is left to an earlier image.
    pub(super) fn passes(&mut self, number: u32) {
        let blocks = self.objects.range((number, 0)..=(number, u8::MAX));
        let blocks: Vec<(u32, u8)> = blocks.map(|(at, _)| *at).collect();
        for at in blocks {
            self.objects.remove(&at);
        }
    }

    /// All is written.
    pub(super) fn check_end(self) {
        let left = self.objects.len();
        assert_eq!(
            left, 0,
            "S9 is broken: the image lacks objects of its beginning"
        );
    }
}

//! [`ImageFile`]: an image that is being written.

use super::super::heap_records::ObjectsRecord;
use super::super::image::{SharedRecord, SystemRecord};
use super::super::message_kinds::MessageKindsRecord;
use super::super::recorder::Record;
use super::header::Header;
use super::record_kind::RecordKind;
use vivant_codec::{Encoder, SaveError, Saved, Shapes};
use vivant_journal::{ImageWriter, Journal, Published, SegmentWriter};

/// An image that one thread writes while the cut is taken. Unless it is published, it leaves no
/// trace.
pub(crate) struct ImageFile {
    image: ImageWriter,
    segment: SegmentWriter,
    next_id: u64,
    /// The value that is being written.
    value: Vec<u8>,
    /// Whether it has objects of heaps.
    has_spans: bool,
    /// Whether it leaves records to earlier images.
    leaves_records: bool,
}

/// Why an image could not be written.
#[derive(Debug)]
pub(crate) enum NotWritten {
    Store(vivant_journal::Error),
    Value(SaveError),
}

impl ImageFile {
    pub(crate) fn begin(journal: &Journal) -> Result<ImageFile, NotWritten> {
        let image = journal.begin()?;
        let segment = image.segment()?;
        Ok(ImageFile {
            image,
            segment,
            next_id: 1,
            value: Vec::new(),
            has_spans: false,
            leaves_records: false,
        })
    }

    pub(crate) fn append(&mut self, records: Vec<Record>) -> Result<(), NotWritten> {
        records.iter().try_for_each(|record| match record {
            Record::Actor(actor) => self.write(RecordKind::Actor, actor),
            Record::Waiting(messages) => Ok(self.append_value(RecordKind::Waiting, &messages.0)?),
            Record::Step(step) => self.write(RecordKind::Step, step),
            Record::Supervised(child) => self.write(RecordKind::Supervised, child),
            Record::Spans(spans) => {
                self.has_spans = true;
                self.write(RecordKind::Spans, spans)
            }
            Record::Heap(heap) => self.write(RecordKind::Heap, heap),
            Record::Unchanged(spans) => {
                (self.has_spans, self.leaves_records) = (true, true);
                spans
                    .runs
                    .iter()
                    .for_each(|run| self.image.need(run.snapshot));
                self.write(RecordKind::Unchanged, spans)
            }
        })
    }

    /// These snapshots stay until this one is published or given up. Returns false if one is not
    /// there any more.
    pub(crate) fn holds(&self, snapshots: &[u64]) -> Result<bool, NotWritten> {
        match self.image.hold(snapshots) {
            Ok(()) => Ok(true),
            Err(vivant_journal::Error::NoSuchImage { .. }) => Ok(false),
            Err(error) if error.is_damage() => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Writes what was complete last. When this returns, the image exists.
    pub(crate) fn publish(
        mut self,
        header: &Header,
        system: &SystemRecord,
        shapes: Shapes,
        kinds: &MessageKindsRecord,
        objects: &ObjectsRecord,
        shared: &SharedRecord,
    ) -> Result<Published, NotWritten> {
        self.write(RecordKind::System, system)?;
        // Whole images are as they were before there were others.
        let left = self.leaves_records.then_some(RecordKind::Unchanged);
        let of_kinds = RecordKind::of_whole_image().chain(left);
        let shapes = RecordKind::shapes_record(shapes, of_kinds)?;
        self.write(RecordKind::Shapes, &shapes)?;
        self.write(RecordKind::Kinds, kinds)?;
        self.write(RecordKind::Shared, shared)?;
        if self.has_spans {
            self.write(RecordKind::Objects, objects)?;
        }
        self.segment.finish()?;
        Ok(self.image.publish(&header.encode()?)?)
    }

    fn write<'gc>(&mut self, kind: RecordKind, value: &impl Saved<'gc>) -> Result<(), NotWritten> {
        self.value.clear();
        let mut out = Encoder::new().append_to(std::mem::take(&mut self.value));
        value.save(&mut out);
        let encoded = out.finish()?;
        self.append_value(kind, &encoded)?;
        self.value = encoded;
        Ok(())
    }

    fn append_value(
        &mut self,
        kind: RecordKind,
        value: &[u8],
    ) -> Result<(), vivant_journal::Error> {
        self.segment.append(self.next_id, kind.number(), value)?;
        self.next_id += 1;
        Ok(())
    }
}

impl From<vivant_journal::Error> for NotWritten {
    fn from(error: vivant_journal::Error) -> NotWritten {
        NotWritten::Store(error)
    }
}

impl From<SaveError> for NotWritten {
    fn from(error: SaveError) -> NotWritten {
        NotWritten::Value(error)
    }
}

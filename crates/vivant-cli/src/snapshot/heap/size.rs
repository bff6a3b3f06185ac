//! [`HeapSizes`]: what an image itself has of each heap.

use super::records::{SPANS, SpansRecord, UNCHANGED, UnchangedRecord};
use crate::snapshot::file::SnapshotFile;
use crate::snapshot::problem::Problem;
use std::collections::BTreeMap;
use vivant_codec::Comparison;
use vivant_journal::Record;

/// What an image has of each heap, by the numbers of the actors.
#[derive(Default)]
pub(crate) struct HeapSizes(BTreeMap<u64, HeapSize>);

/// What an image has of a heap.
#[derive(Clone, Copy, Default)]
pub(crate) struct HeapSize {
    objects: u64,
    spans: u64,
    /// Spans that earlier images have.
    unchanged: u64,
}

impl HeapSizes {
    /// Reads these records of heaps.
    pub(crate) fn of<'r>(
        file: &SnapshotFile,
        records: impl Iterator<Item = &'r Record>,
    ) -> Result<HeapSizes, Problem> {
        let tables = &file.tables;
        let comparison = Comparison::new(&tables.shapes);
        let mut sizes = HeapSizes::default();
        for record in records {
            let parts = (record.id, record.kind, &record.value[..]);
            match tables.type_of(record.kind) {
                Some(SPANS) => {
                    let record: SpansRecord = tables.load(&comparison, parts)?;
                    let size = sizes.0.entry(record.actor).or_default();
                    size.spans += record.spans.len() as u64;
                    let objects = record.spans.iter().map(|span| span.blocks.len() as u64);
                    size.objects += objects.sum::<u64>();
                }
                Some(UNCHANGED) => {
                    let record: UnchangedRecord = tables.load(&comparison, parts)?;
                    let size = sizes.0.entry(record.actor).or_default();
                    let spans = record.runs.iter().map(|run| u64::from(run.count));
                    size.unchanged += spans.sum::<u64>();
                }
                _ => {}
            }
        }
        Ok(sizes)
    }

    /// What the image has of the heap of this actor.
    pub(crate) fn get(&self, actor: u64) -> Option<HeapSize> {
        self.0.get(&actor).copied()
    }
}

impl HeapSize {
    /// A line of text.
    pub(crate) fn line(self) -> String {
        let HeapSize {
            objects,
            spans,
            unchanged,
        } = self;
        match unchanged {
            0 => format!("heap: {objects} objects in {spans} spans"),
            _ => format!(
                "heap: {objects} objects in {spans} spans, and {unchanged} spans in earlier images"
            ),
        }
    }

    /// The same as JSON.
    pub(crate) fn json(self) -> String {
        let HeapSize {
            objects,
            spans,
            unchanged,
        } = self;
        format!("{{\"objects\":{objects},\"spans\":{spans},\"unchanged_spans\":{unchanged}}}")
    }
}

//! [`HeapSizes`]: what an image itself has of each heap.

use super::records::{HEAP, HeapRecord, SPANS, SpansRecord, UNCHANGED, UnchangedRecord};
use crate::snapshot::file::SnapshotFile;
use crate::snapshot::problem::Problem;
use crate::snapshot::tables::Tables;
use std::collections::BTreeMap;
use vivant_codec::Comparison;
use vivant_journal::Record;

/// What an image has of each heap.
pub(crate) struct HeapSizes<'f> {
    tables: &'f Tables,
    comparison: Comparison<'f>,
    /// By the numbers of the heaps.
    sizes: BTreeMap<u64, HeapSize>,
    /// The heap of each actor.
    heaps: BTreeMap<u64, u64>,
}

/// What an image has of a heap.
#[derive(Clone, Copy, Default)]
pub(crate) struct HeapSize {
    objects: u64,
    spans: u64,
    /// Spans that earlier images have.
    unchanged: u64,
}

impl<'f> HeapSizes<'f> {
    pub(crate) fn new(file: &'f SnapshotFile) -> HeapSizes<'f> {
        let tables = &file.tables;
        HeapSizes {
            tables,
            comparison: Comparison::new(&tables.shapes),
            sizes: BTreeMap::new(),
            heaps: BTreeMap::new(),
        }
    }

    /// Adds what a record of a heap has.
    pub(crate) fn add(&mut self, record: &Record) -> Result<(), Problem> {
        let parts = (record.id, record.kind, &record.value[..]);
        match self.tables.type_of(record.kind) {
            Some(HEAP) => {
                let record: HeapRecord = self.tables.load(&self.comparison, parts)?;
                let heap = record.heap;
                self.heaps.extend(record.actor.map(|actor| (actor, heap)));
            }
            Some(SPANS) => {
                let record: SpansRecord = self.tables.load(&self.comparison, parts)?;
                let size = self.sizes.entry(record.heap).or_default();
                size.spans += record.spans.len() as u64;
                let objects = record.spans.iter().map(|span| span.blocks.len() as u64);
                size.objects += objects.sum::<u64>();
            }
            Some(UNCHANGED) => {
                let record: UnchangedRecord = self.tables.load(&self.comparison, parts)?;
                let size = self.sizes.entry(record.heap).or_default();
                let spans = record.runs.iter().map(|run| u64::from(run.count));
                size.unchanged += spans.sum::<u64>();
            }
            _ => {}
        }
        Ok(())
    }

    /// What the image has of the heap of this actor.
    pub(crate) fn get(&self, actor: u64) -> Option<HeapSize> {
        self.sizes.get(self.heaps.get(&actor)?).copied()
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

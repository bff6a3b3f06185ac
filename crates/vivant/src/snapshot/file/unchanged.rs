//! [`Unchanged`]: the spans that an image leaves to earlier ones.

use super::super::heap_records::{SpansRecord, UnchangedRecord};
use super::not_read::NotRead;
use super::record_kind::RecordKind;
use std::collections::BTreeMap;
use vivant_codec::from_bytes;
use vivant_journal::Image;

/// The spans that earlier images have.
#[derive(Default)]
pub(super) struct Unchanged {
    /// For each image, and heap, the numbers of the spans: the first and the last of each run.
    runs: BTreeMap<u64, BTreeMap<u64, Runs>>,
    error: Option<NotRead>,
}

/// Runs of spans by their first numbers, with their last ones. They have no number in common.
#[derive(Default)]
struct Runs {
    left: BTreeMap<u32, u32>,
}

impl Unchanged {
    pub(super) fn add(&mut self, record: UnchangedRecord) {
        let heap = record.heap;
        for run in record.runs {
            let Some(last) = run.count.checked_sub(1) else {
                continue;
            };
            let (first, last) = (run.first, run.first.saturating_add(last));
            let images = self.runs.entry(run.snapshot).or_default();
            let runs = images.entry(heap).or_default();
            if !runs.add(first, last) {
                let span = first;
                self.error.get_or_insert(NotRead::SpanTwice { heap, span });
            }
        }
    }

    /// Reads the spans from the images that `image` needs. They are added to its own.
    pub(super) fn read(self, image: &Image, spans: &mut Vec<SpansRecord>) -> Result<(), NotRead> {
        if let Some(error) = self.error {
            return Err(error);
        }
        for (number, mut heaps) in self.runs {
            let mut needed = image.needed().iter();
            if let Some(earlier) = needed.find(|needed| needed.number() == number) {
                read_spans(earlier, &mut heaps, spans)?;
            }
            if let Some((heap, span)) = heaps
                .iter()
                .find_map(|(id, runs)| Some((*id, runs.first()?)))
            {
                return Err(NotRead::NoSpan {
                    image: number,
                    heap,
                    span,
                });
            }
        }
        Ok(())
    }
}

/// Adds the spans that are in the runs of their heaps.
fn read_spans(
    image: &Image,
    heaps: &mut BTreeMap<u64, Runs>,
    spans: &mut Vec<SpansRecord>,
) -> Result<(), NotRead> {
    let mut reader = image.reader();
    let kind = RecordKind::Spans.number();
    for info in image.records().filter(|info| info.kind == kind) {
        let (id, value) = (info.id, reader.value(info.id)?);
        let heap = RecordKind::Spans.heap_of(&value);
        let Some(runs) = heap.and_then(|heap| heaps.get_mut(&heap)) else {
            continue;
        };
        let read = from_bytes(&value);
        let mut record: SpansRecord = read.map_err(|error| NotRead::Record { id, error })?;
        record.spans.retain(|span| runs.take(span.number()));
        if !record.spans.is_empty() {
            spans.push(record);
        }
    }
    Ok(())
}

impl Runs {
    /// Returns false if another run has one of the spans.
    fn add(&mut self, first: u32, last: u32) -> bool {
        let before = self.left.range(..=last).next_back();
        if before.is_some_and(|(_, end)| *end >= first) {
            return false;
        }
        self.left.insert(first, last);
        true
    }

    /// Whether the span is left. It is not from here on.
    fn take(&mut self, span: u32) -> bool {
        let Some((&first, &last)) = self.left.range(..=span).next_back() else {
            return false;
        };
        if last < span {
            return false;
        }
        self.left.remove(&first);
        if first < span {
            self.left.insert(first, span - 1);
        }
        if span < last {
            self.left.insert(span + 1, last);
        }
        true
    }

    /// The first span that is left.
    fn first(&self) -> Option<u32> {
        Some(*self.left.first_key_value()?.0)
    }
}

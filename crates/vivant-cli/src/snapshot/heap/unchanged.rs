//! [`Unchanged`]: the spans of a heap that an image leaves to earlier ones.

use super::records::{UnchangedRecord, UnchangedRun};
use std::collections::BTreeMap;

/// The spans of one heap that earlier images have.
#[derive(Default)]
pub(super) struct Unchanged {
    /// By the number of the image.
    images: BTreeMap<u64, LeftSpans>,
}

/// The spans of one heap that one image has.
#[derive(Default)]
pub(super) struct LeftSpans {
    /// By their first numbers. Runs have no span in common.
    runs: Vec<UnchangedRun>,
}

impl Unchanged {
    pub(super) fn add(&mut self, record: UnchangedRecord) {
        for run in record.runs {
            if run.count > 0 {
                self.images.entry(run.snapshot).or_default().runs.push(run);
            }
        }
    }

    /// The images with their spans, or a span that is named twice, with the image that has it.
    pub(super) fn images(mut self) -> Result<BTreeMap<u64, LeftSpans>, (u64, u32)> {
        for (image, spans) in &mut self.images {
            spans.runs.sort_unstable();
            let mut pairs = spans.runs.iter().zip(spans.runs.iter().skip(1));
            let twice = pairs.find(|(before, run)| end(before) > u64::from(run.first));
            if let Some((_, run)) = twice {
                return Err((*image, run.first));
            }
        }
        Ok(self.images)
    }
}

impl LeftSpans {
    /// Whether the span is one of these.
    pub(super) fn has(&self, span: u32) -> bool {
        let behind = self.runs.partition_point(|run| run.first <= span);
        let run = behind.checked_sub(1).and_then(|at| self.runs.get(at));
        run.is_some_and(|run| u64::from(span) < end(run))
    }

    /// The first span that is not among `found`, which is in order.
    pub(super) fn first_missing(&self, found: &[u32]) -> Option<u32> {
        let spans = self
            .runs
            .iter()
            .flat_map(|run| u64::from(run.first)..end(run));
        let mut found = found.iter().map(|span| u64::from(*span));
        let missing = spans.into_iter().find(|span| found.next() != Some(*span));
        missing.map(|span| u32::try_from(span).unwrap_or(u32::MAX))
    }
}

/// The number behind the spans of a run.
fn end(run: &UnchangedRun) -> u64 {
    u64::from(run.first) + u64::from(run.count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unchanged(runs: &[(u32, u32)]) -> Unchanged {
        let runs = runs.iter().map(|&(first, count)| UnchangedRun {
            first,
            count,
            snapshot: 4,
        });
        let mut unchanged = Unchanged::default();
        let runs = runs.collect();
        unchanged.add(UnchangedRecord { heap: 1, runs });
        unchanged
    }

    #[test]
    fn runs_are_spans() {
        let images = unchanged(&[(7, 2), (1, 3), (u32::MAX, u32::MAX), (5, 0)]).images();
        let images = images.expect("they have no span in common");
        let spans = &images[&4];
        let has: Vec<u32> = (0..10).filter(|span| spans.has(*span)).collect();
        assert_eq!(has, [1, 2, 3, 7, 8]);
        assert!(spans.has(u32::MAX) && !spans.has(u32::MAX - 1));
        assert_eq!(spans.first_missing(&[1, 2, 3, 8]), Some(7));
        let few = unchanged(&[(1, 3)]).images().expect("there is one run");
        assert_eq!(few[&4].first_missing(&[1, 2, 3]), None);
    }

    #[test]
    fn a_span_of_two_runs_is_found() {
        let images = unchanged(&[(3, 1), (1, 3)]).images();
        assert_eq!(images.err(), Some((4, 3)));
    }
}

//! [`Mapped`]: the mappings of a source, and which of their chunks are committed before use.

use super::memory::{self, Mapping, Unused};
use std::collections::VecDeque;
use std::ptr::NonNull;

/// The mappings of a source, from which chunks are taken. Committed chunks are taken first.
#[derive(Debug, Default)]
pub(super) struct Mapped {
    mappings: Vec<Mapping>,
    /// Chunks at the end of the last mapping that were never handed out: whole units.
    rest: usize,
    /// Committed chunks, which are carved next.
    ready: VecDeque<Unused>,
    /// Chunks that are being committed. Only the thread that commits them uses them until it
    /// returns them.
    touched: usize,
}

/// The target of prefaulting: this part of the carved chunks, at most `AHEAD` chunks.
const AHEAD_PART: usize = 16;
const AHEAD: usize = 16;

impl Mapped {
    /// Takes a chunk that was never used. Returns `None` if the system has no memory.
    pub(super) fn take_chunk(&mut self) -> Option<NonNull<u8>> {
        if self.ready.is_empty() {
            // The first write to the first chunk of a unit commits the whole unit.
            let unit = self.next_unit()?;
            self.ready.extend(unit.into_chunks());
        }
        self.ready.pop_front().map(Unused::into_start)
    }

    /// Whether fewer chunks are committed than should be when `bitmap` chunks are carved in all.
    /// Always false where memory is committed one chunk at a time.
    pub(super) fn needs_prefault(&self, bitmap: usize) -> bool {
        let unit = self.mappings.last().map_or(1, Mapping::unit);
        unit > 1 && self.ready.len() + self.touched < (bitmap / AHEAD_PART).clamp(unit, AHEAD)
    }

    /// Takes the chunks that are to be [touched](Unused::touch) next. The caller then returns them
    /// to `record_touched`.
    pub(super) fn next_untouched(&mut self) -> Option<Unused> {
        let unit = self.next_unit()?;
        self.touched += unit.chunks();
        Some(unit)
    }

    /// Takes back a unit that is committed now.
    pub(super) fn record_touched(&mut self, unit: Unused) {
        self.touched -= unit.chunks();
        self.ready.extend(unit.into_chunks());
    }

    /// Takes the next unit that was never handed out. Returns `None` if the system has no memory.
    fn next_unit(&mut self) -> Option<Unused> {
        if self.rest == 0 {
            let mapping = self.another()?;
            self.rest = mapping.chunks();
            self.mappings.push(mapping);
        }
        let mapping = self.mappings.last()?;
        let first = mapping.chunks() - self.rest;
        self.rest -= mapping.unit();
        Some(Unused::of(mapping, first..first + mapping.unit()))
    }

    /// Maps as many chunks as there are already: few mappings result, and little is reserved in
    /// vain.
    fn another(&self) -> Option<Mapping> {
        let mapped: usize = self.mappings.iter().map(Mapping::chunks).sum();
        // A power of two, whatever the system has refused before, because a mapping is divided into
        // units.
        let chunks = 1 << mapped.clamp(1, memory::MOST).ilog2();
        Mapping::new(chunks).or_else(|| Mapping::new(1))
    }
}

#[cfg(all(test, target_os = "linux", not(miri)))]
mod tests {
    use super::*;

    /// Returns how many chunks were carved each time that a unit was committed. Memory is committed
    /// as soon as it is lacking.
    fn prepared(chunks: usize) -> Vec<usize> {
        let mut mapped = Mapped::default();
        let mut prepared = Vec::new();
        for bitmap in 1..=chunks {
            mapped.take_chunk().expect("the system has memory");
            while mapped.needs_prefault(bitmap) {
                let mut unit = mapped.next_untouched().expect("it lacks");
                unit.touch();
                mapped.record_touched(unit);
                prepared.push(bitmap);
            }
        }
        prepared
    }

    #[test]
    fn two_chunks_are_prefaulted_across_mappings() {
        // Mappings have 1, 1, 2, 4, 8, 16 and 32 chunks: from the one with 8 on chunks are
        // committed two at a time.
        assert_eq!(prepared(22), [9, 11, 13, 15, 17, 19, 21]);
    }

    #[test]
    fn at_most_a_part_of_the_used_memory_is_prefaulted() {
        let units = prepared(640).len();
        // The first 8 chunks are committed page by page, and one unit is used at once.
        let ready = 8 + 2 + 2 * units;
        assert!((640 + AHEAD..=640 + AHEAD + 2).contains(&ready), "{ready}");
    }

    /// A system that refused a mapping once, so that there is an odd number of chunks.
    #[test]
    fn chunks_stay_disjoint_and_mapped_after_an_allocation_failure() {
        let mut mapped = Mapped::default();
        let take_chunk = |mapped: &mut Mapped| mapped.take_chunk().expect("the system has memory");
        let mut starts: Vec<_> = (0..16).map(|_| take_chunk(&mut mapped)).collect();
        mapped
            .mappings
            .push(Mapping::new(1).expect("the system has memory"));
        mapped.rest = 1;
        while starts.len() < 70 {
            starts.push(take_chunk(&mut mapped));
            if mapped.needs_prefault(starts.len()) {
                let unit = mapped.next_untouched().expect("it lacks");
                mapped.record_touched(unit);
            }
        }
        let all = mapped.mappings.iter();
        let mut chunks = all.flat_map(|mapping| (0..mapping.chunks()).map(|n| mapping.chunk(n)));
        assert!(
            starts
                .iter()
                .all(|start| chunks.any(|chunk| chunk == *start)),
            "in their order"
        );
        assert!(
            mapped
                .mappings
                .iter()
                .skip(6)
                .all(|mapping| mapping.chunks().is_power_of_two())
        );
        starts.sort_unstable();
        starts.dedup();
        assert_eq!(starts.len(), 70);
    }

    /// The thread that touches a unit has it for itself: both the test and that thread may write to
    /// it.
    #[test]
    fn a_unit_is_touched_by_one_thread_alone() {
        let mut mapped = Mapped::default();
        for _ in 0..24 {
            mapped.take_chunk().expect("the system has memory");
        }
        assert!(mapped.needs_prefault(24));
        let mut unit = mapped.next_untouched().expect("it lacks");
        let starts = unit.starts();
        let mut take_chunk = || mapped.take_chunk().expect("the system has memory");
        let meanwhile = [take_chunk(), take_chunk(), take_chunk()];
        assert!(starts.iter().all(|start| !meanwhile.contains(start)));
        unit.touch();
        // The other half of the unit that was carved last comes first.
        mapped.record_touched(unit);
        let mut take_chunk = || mapped.take_chunk().expect("the system has memory");
        let (_half, next) = (take_chunk(), [take_chunk(), take_chunk()]);
        assert_eq!(starts, next);
    }
}

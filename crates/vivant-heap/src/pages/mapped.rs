//! [`Mapped`]: what a source has mapped, and which of it has its memory before it is used.

use super::memory::{self, Mapping, Unused};
use std::ptr::NonNull;

/// The mappings of a source, of which chunks are carved one after the other.
#[derive(Debug, Default)]
pub(super) struct Mapped {
    mappings: Vec<Mapping>,
    /// Chunks of the last one that are not carved yet.
    uncarved: usize,
    /// Chunks of the last one that have their memory, or somebody is about to see to it: those that are carved, and some ahead of them.
    ready: usize,
    /// The one that follows, and how many chunks of that are ready.
    next: Option<(Mapping, usize)>,
}

/// What is ready ahead of what is used: this part of it, and no more than so many chunks.
const AHEAD_PART: usize = 16;
const AHEAD: usize = 16;

impl Mapped {
    /// A chunk that was never used. None if the system has no memory.
    pub(super) fn carve(&mut self) -> Option<NonNull<u8>> {
        if self.uncarved == 0 {
            let (mapping, ready) = match self.next.take() {
                Some(next) => next,
                None => (self.another()?, 0),
            };
            self.uncarved = mapping.chunks();
            self.ready = ready;
            self.mappings.push(mapping);
        }
        let mapping = self.mappings.last()?;
        let start = mapping.chunk(mapping.chunks() - self.uncarved);
        self.uncarved -= 1;
        let used = self.used(mapping);
        self.ready = self.ready.max(used);
        Some(start)
    }

    /// Chunks of the last mapping that have their memory because others have been used: with the first of a unit the others have theirs too.
    fn used(&self, last: &Mapping) -> usize {
        let carved = last.chunks() - self.uncarved;
        carved.next_multiple_of(last.unit().unwrap_or(1))
    }

    /// Whether fewer chunks are ready than should be, if so many are carved in all: where memory comes for more than one at a time.
    pub(super) fn lacks(&self, carved: usize) -> bool {
        let Some((mapping, unit)) = self.last() else {
            return false;
        };
        let next = self.next.as_ref().map_or(0, |(_, ready)| *ready);
        let ahead = self.ready - self.used(mapping) + next;
        ahead < (carved / AHEAD_PART).clamp(unit, AHEAD)
    }

    /// The last mapping, if memory comes for more than one of its chunks at a time, and for how many.
    fn last(&self) -> Option<(&Mapping, usize)> {
        let mapping = self.mappings.last()?;
        Some((mapping, mapping.unit()?))
    }

    /// The memory that is to come next; from here on it counts as ready.
    pub(super) fn next_unready(&mut self) -> Option<Unused> {
        let (mapping, unit) = self.last()?;
        let chunks = self.ready..self.ready + unit;
        if chunks.end <= mapping.chunks() {
            let unused = Unused::of(mapping, chunks);
            self.ready += unit;
            return Some(unused);
        }
        if self.next.is_none() {
            self.next = Some((self.another()?, 0));
        }
        let (mapping, ready) = self.next.as_mut()?;
        let chunks = *ready..*ready + mapping.unit()?;
        if chunks.end > mapping.chunks() {
            return None;
        }
        *ready = chunks.end;
        Some(Unused::of(mapping, chunks))
    }

    /// As much again as there is, so that there are few mappings and nothing is reserved in vain.
    fn another(&self) -> Option<Mapping> {
        let mapped: usize = self.mappings.iter().map(Mapping::chunks).sum();
        let chunks = mapped.clamp(1, memory::MOST);
        Mapping::new(chunks).or_else(|| Mapping::new(1))
    }
}

#[cfg(all(test, unix, not(miri)))]
mod tests {
    use super::*;

    /// How many chunks were carved when some memory was made ready, each time: by who does so as soon as it lacks.
    fn prepared(chunks: usize) -> Vec<usize> {
        let mut mapped = Mapped::default();
        let mut prepared = Vec::new();
        for carved in 1..=chunks {
            mapped.carve().expect("the system has memory");
            while mapped.lacks(carved) {
                mapped.next_unready().expect("it lacks").prepare();
                prepared.push(carved);
            }
        }
        prepared
    }

    #[test]
    fn two_chunks_are_ready_ahead_across_mappings() {
        // Mappings have 1, 1, 2, 4, 8, 16 and 32 chunks: from the one with 8 on they come two at a time.
        assert_eq!(prepared(22), [9, 11, 13, 15, 17, 19, 21]);
    }

    #[test]
    fn a_part_of_what_is_used_is_ready_ahead_and_no_more() {
        let units = prepared(640).len();
        // The first 8 come page by page, and one unit is the first that is used.
        let ready = 8 + 2 + 2 * units;
        assert!((640 + AHEAD..=640 + AHEAD + 2).contains(&ready), "{ready}");
    }

    #[test]
    fn what_is_ready_is_carved_next() {
        let mut mapped = Mapped::default();
        for _ in 0..24 {
            mapped.carve().expect("the system has memory");
        }
        let before = mapped.ready;
        assert!(mapped.lacks(24));
        let unused = mapped.next_unready().expect("it lacks");
        let start = mapped.carve().expect("the system has memory");
        assert_eq!(mapped.ready, before + 2);
        assert_eq!(unused.start(), start);
        unused.prepare();
    }
}

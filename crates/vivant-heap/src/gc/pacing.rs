//! [`Pacing`]: the settings of a heap's pacer.

use super::marking::Marking;
use super::stress::Stress;

/// The settings of a heap's pacer: when it collects.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Pacing {
    /// Bytes in the nursery at which it is emptied between two turns.
    pub nursery: usize,
    /// Bytes in the old generation before the first mark.
    pub first: usize,
    /// How much the old generation may grow before the next mark, relative to the live bytes after
    /// the last one: 2.0 is twice. The part over 64 MiB grows by a quarter of that: a heap of 256
    /// MiB and more by 1.25. During a concurrent mark it grows by up to three tenths.
    pub growth: f64,
    /// How the old generation is marked.
    pub marking: Marking,
    /// For tests: more checks and collections than a program needs.
    pub stress: Option<Stress>,
}

/// A heap larger than `LARGE` grows by as much as one of that size, or by `1 / LARGE_PART` of what
/// its factor gives, whichever is more.
const LARGE: usize = 64 << 20;
const LARGE_PART: usize = 4;

impl Default for Pacing {
    fn default() -> Pacing {
        Pacing::new()
    }
}

impl Pacing {
    /// The settings for most programs: 256 KiB of nursery, a first mark at 256 KiB, and then a mark
    /// whenever the heap has doubled.
    #[must_use]
    pub const fn new() -> Pacing {
        Pacing {
            nursery: 256 * 1024,
            first: 256 * 1024,
            growth: 2.0,
            marking: Marking::Concurrent,
            stress: None,
        }
    }

    /// That of a region which a turn of a heap with this pacing makes.
    pub(crate) fn of_region(self) -> Pacing {
        Pacing {
            stress: self.stress,
            marking: self.marking,
            ..Pacing::new()
        }
    }

    /// Sets the [`nursery`](Pacing::nursery), in bytes.
    #[must_use]
    pub const fn nursery(mut self, bytes: usize) -> Pacing {
        self.nursery = bytes;
        self
    }

    /// Sets the [`first`](Pacing::first) mark, in bytes.
    #[must_use]
    pub const fn first(mut self, bytes: usize) -> Pacing {
        self.first = bytes;
        self
    }

    /// Sets the [`growth`](Pacing::growth) factor.
    #[must_use]
    pub const fn growth(mut self, factor: f64) -> Pacing {
        self.growth = factor;
        self
    }

    /// Sets the way of [`marking`](Pacing::marking).
    #[must_use]
    pub const fn marking(mut self, marking: Marking) -> Pacing {
        self.marking = marking;
        self
    }

    /// Sets the [`stress`](Pacing::stress).
    #[must_use]
    pub const fn stressed(mut self, stress: Stress) -> Pacing {
        self.stress = Some(stress);
        self
    }

    /// The heap size estimate at which the next mark is due if the last mark has left `estimate`; 0
    /// before the first mark. Half of the `born` bytes, allocated during the last mark, are taken
    /// to live. The heap may grow by at least half of its growth allowance.
    pub(crate) fn next_mark(&self, estimate: usize, born: usize) -> usize {
        if self.marking == Marking::Never {
            return usize::MAX;
        }
        let live = estimate - born / 2;
        let next = live.saturating_add(self.grows(live));
        let least = estimate.saturating_add(self.grows(estimate) / 2);
        next.max(least).max(self.first)
    }

    /// The growth allowance of a heap of this size.
    fn grows(&self, estimate: usize) -> usize {
        let grows = |estimate: usize| (estimate as f64 * (self.growth - 1.0)) as usize;
        let most = grows(LARGE).max(grows(estimate) / LARGE_PART);
        grows(estimate).min(most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACING: Pacing = Pacing::new().first(0);

    #[test]
    fn a_small_heap_doubles_and_a_large_one_grows_by_a_quarter() {
        assert_eq!(PACING.next_mark(32 << 20, 0), 64 << 20);
        assert_eq!(PACING.next_mark(1 << 30, 0), 5 << 28);
    }

    #[test]
    fn bytes_allocated_during_a_mark_count_as_half_live() {
        // A gibibyte lives, and a fifth of that was born during the mark.
        let (lives, born) = (1 << 30, (1 << 30) / 5);
        let next = PACING.next_mark(lives + born, born);
        assert!(next > lives * 13 / 10 && next < lives * 14 / 10, "{next}");
    }

    #[test]
    fn a_heap_may_grow_between_two_marks_whatever_was_allocated() {
        let (lives, born) = (1 << 30, 1 << 30);
        assert!(PACING.next_mark(lives + born, born) >= (lives + born) * 9 / 8);
        assert_eq!(PACING.marking(Marking::Never).next_mark(5, 0), usize::MAX);
    }
}

//! [`BackOff`]: the back-off of marks for one reason, doubled by each unproductive mark (A2c).

use vivant_heap::HeapStats;

/// A mark is unproductive if less than this part of the heap was dead: what a heap of 32 blocks
/// gives back by one of them.
const PART: usize = 32;

/// Limit of doublings: the wait is then 64 times as long.
const DOUBLINGS: u32 = 6;

/// The back-off of one actor, for one reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct BackOff {
    /// Number of consecutive unproductive marks, at most [`DOUBLINGS`].
    doublings: u32,
}

impl BackOff {
    /// A mark for this reason has ended.
    pub(super) fn is_marked(&mut self, after: &HeapStats) {
        let weight = after.bytes_marked.saturating_add(after.bytes_died);
        let is_in_vain = after.bytes_died < weight / PART || after.bytes_died == 0;
        self.doublings = match is_in_vain {
            true => DOUBLINGS.min(self.doublings + 1),
            false => 0,
        };
    }

    /// The wait after the last mark, in nanoseconds: `as_a_rule_ns` without back-off; otherwise the
    /// larger of the two arguments, doubled for each unproductive mark.
    pub(super) fn waits_ns(self, as_a_rule_ns: u64, at_least_ns: u64) -> u64 {
        match self.doublings {
            0 => as_a_rule_ns,
            doublings => as_a_rule_ns.max(at_least_ns).saturating_mul(1 << doublings),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(met: usize, died: usize) -> HeapStats {
        let mut stats = HeapStats::default();
        (stats.bytes_marked, stats.bytes_died) = (met, died);
        stats
    }

    #[test]
    fn who_is_marked_in_vain_waits_twice_as_long() {
        let mut patience = BackOff::default();
        assert_eq!(patience.waits_ns(10, 1_000), 10);
        let mut waits = Vec::new();
        for _ in 0..8 {
            patience.is_marked(&found(3_200, 99));
            waits.push((
                patience.waits_ns(10, 1_000),
                patience.waits_ns(3_000, 1_000),
            ));
        }
        let doubled = [2, 4, 8, 16, 32, 64, 64, 64];
        assert_eq!(waits, doubled.map(|times| (1_000 * times, 3_000 * times)));
        assert_eq!(patience.waits_ns(u64::MAX / 2, 0), u64::MAX);
    }

    #[test]
    fn a_mark_that_finds_something_ends_it() {
        for (met, died) in [(3_100, 100), (0, 16), (16, 16)] {
            let mut patience = BackOff::default();
            patience.is_marked(&found(met, 0));
            patience.is_marked(&found(met, 0));
            assert_ne!(patience, BackOff::default());
            patience.is_marked(&found(met, died));
            assert_eq!(patience, BackOff::default(), "{met} {died}");
        }
    }

    #[test]
    fn an_empty_heap_is_marked_in_vain() {
        let mut patience = BackOff::default();
        patience.is_marked(&found(0, 0));
        assert_ne!(patience, BackOff::default());
    }
}

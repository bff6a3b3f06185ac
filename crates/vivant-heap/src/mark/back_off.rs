//! [`BackOff`]: the back-off of marks for one reason, doubled by each unproductive mark (A2c).

use super::stats::HeapStats;

/// A mark is unproductive if less than this part of the heap was dead: what a heap of 32 blocks
/// gives back by one of them.
const PART: usize = 32;

/// Limit of doublings: the wait is then 64 times as long.
const DOUBLINGS: u32 = 6;

/// The back-off of one actor, for one reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct BackOff {
    /// Number of consecutive unproductive marks, at most [`DOUBLINGS`].
    doublings: u32,
}

impl BackOff {
    /// A mark for this reason has ended.
    pub(crate) fn mark_ended(&mut self, after: &HeapStats) {
        let bytes = after.bytes_marked.saturating_add(after.bytes_died);
        let is_unproductive = after.bytes_died < bytes / PART || after.bytes_died == 0;
        self.doublings = match is_unproductive {
            true => DOUBLINGS.min(self.doublings + 1),
            false => 0,
        };
    }

    /// The wait after the last mark, in nanoseconds: `usual_ns` without back-off; otherwise the
    /// larger of the two arguments, doubled for each unproductive mark.
    pub(crate) fn wait_ns(self, usual_ns: u64, least_ns: u64) -> u64 {
        match self.doublings {
            0 => usual_ns,
            doublings => usual_ns.max(least_ns).saturating_mul(1 << doublings),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stats_after(marked: usize, died: usize) -> HeapStats {
        let mut stats = HeapStats::default();
        (stats.bytes_marked, stats.bytes_died) = (marked, died);
        stats
    }

    #[test]
    fn an_unproductive_mark_doubles_the_wait() {
        let mut back_off = BackOff::default();
        assert_eq!(back_off.wait_ns(10, 1_000), 10);
        let mut waits = Vec::new();
        for _ in 0..8 {
            back_off.mark_ended(&stats_after(3_200, 99));
            waits.push((back_off.wait_ns(10, 1_000), back_off.wait_ns(3_000, 1_000)));
        }
        let doubled = [2, 4, 8, 16, 32, 64, 64, 64];
        assert_eq!(waits, doubled.map(|times| (1_000 * times, 3_000 * times)));
        assert_eq!(back_off.wait_ns(u64::MAX / 2, 0), u64::MAX);
    }

    #[test]
    fn a_productive_mark_resets_the_back_off() {
        for (marked, died) in [(3_100, 100), (0, 16), (16, 16)] {
            let mut back_off = BackOff::default();
            back_off.mark_ended(&stats_after(marked, 0));
            back_off.mark_ended(&stats_after(marked, 0));
            assert_ne!(back_off, BackOff::default());
            back_off.mark_ended(&stats_after(marked, died));
            assert_eq!(back_off, BackOff::default(), "{marked} {died}");
        }
    }

    #[test]
    fn a_mark_of_an_empty_heap_is_unproductive() {
        let mut back_off = BackOff::default();
        back_off.mark_ended(&stats_after(0, 0));
        assert_ne!(back_off, BackOff::default());
    }
}

//! [`MutatorAssist`]: the size of the mutator assists of a concurrent mark (H7). Pure arithmetic.

use std::ops::RangeInclusive;

/// The mark is complete when the heap has grown by `GROWS` of what lived when it began: assists are
/// in proportion to promotion. The rest up to the bound of the heap, three tenths, is for bytes
/// allocated before the next assist. A mark that is not complete at `BOUND` is overdue.
const GROWS: f64 = 0.2;
const BOUND: f64 = 0.28;

/// Objects scanned in one assist: `1 / PART` of the assist debt, within `PIECE`, some ten to some
/// hundred microseconds. It is more if the bytes promoted since the last assist call for more.
const PIECE: RangeInclusive<usize> = 256..=4096;
const PART: usize = 8;

/// Objects scanned in one assist of an overdue mark: `1 / PART` of all, and at least this number,
/// some hundred microseconds. So a small heap completes its mark in one assist.
const OVERDUE_PIECE: usize = 1 << 14;

/// A heap in a group mark may grow by as much as it had when its mark began, and by this at least,
/// before it leaves the group mark: the marks of other heaps are not its assists' to complete.
/// Less in tests, which have to leave.
const GROUP_GROWTH_MIN: usize = if cfg!(any(test, miri)) { 1 } else { 32 } << 20;

/// Bytes that one scanned object is taken to have. Most are smaller: the debt is computed anew each
/// time, so more assists follow.
const OBJECT: usize = 64;

/// The difference between the bytes marked and the bytes that should be marked by now.
#[derive(Debug)]
pub(crate) struct MutatorAssist {
    /// Bytes in use when the mark began: the most that it can mark.
    pub(crate) start_bytes: usize,
    /// The part of the heap size estimate that is taken to live. Growth is relative to it.
    live_estimate: usize,
    /// The heap size estimate when the mark began and at the last assist, and whether assist debt
    /// was left then. Marks are scheduled by the estimate, which includes imports and large memory
    /// outside of the heap.
    start_estimate: usize,
    last_estimate: usize,
    debt: AssistDebt,
}

/// The next assist of a mark, by the number of objects that it scans.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Assist {
    /// In proportion to promotion.
    Paced(usize),
    /// The mark is overdue: a group mark must not wait for it any more.
    Overdue(usize),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum AssistDebt {
    None,
    Outstanding,
}

impl MutatorAssist {
    /// The state at the beginning of a mark. `start_bytes` is the number of bytes in use, `marked`
    /// the number that the last mark found alive. If `marked` is small, the heap has grown by ways
    /// that its pacing does not cover, and half of `start_bytes` is taken to live. So is half of
    /// what `estimate` has beside these bytes.
    pub(crate) fn begin(start_bytes: usize, marked: usize, estimate: usize) -> MutatorAssist {
        let live_bytes = marked.clamp(start_bytes / 2, start_bytes);
        MutatorAssist {
            start_bytes,
            live_estimate: live_bytes + estimate.saturating_sub(start_bytes) / 2,
            start_estimate: estimate,
            last_estimate: estimate,
            debt: AssistDebt::None,
        }
    }

    /// Whether an assist may be due at this estimate.
    #[inline]
    pub(crate) fn is_due(&self, estimate: usize) -> bool {
        self.debt == AssistDebt::Outstanding || self.last_estimate != estimate
    }

    /// The growth of the heap in bytes since the mark began, at this estimate.
    pub(crate) fn grown(&self, estimate: usize) -> usize {
        estimate.saturating_sub(self.start_estimate)
    }

    /// Whether the heap may grow on, at this estimate, while its mark waits for other heaps.
    pub(crate) fn may_wait_for_group(&self, estimate: usize) -> bool {
        self.grown(estimate) <= self.start_estimate.max(GROUP_GROWTH_MIN)
    }

    /// The heap has left a group mark: it may grow from here on as if its mark had just begun.
    pub(crate) fn begin_anew(&mut self) {
        self.start_estimate = self.last_estimate;
        self.debt = AssistDebt::None;
    }

    /// The next assist at this estimate, when `marked` bytes are marked. `None` if none is due.
    pub(crate) fn next(&mut self, estimate: usize, marked: usize) -> Option<Assist> {
        let due = |grown: usize| {
            let through = grown as f64 / (GROWS * self.live_estimate as f64);
            (self.start_bytes as f64 * through.min(1.0)) as usize
        };
        let grown = self.grown(estimate);
        let due_bytes = due(grown);
        let new = due(estimate.saturating_sub(self.last_estimate)) / OBJECT;
        self.last_estimate = estimate;
        // All bytes may be marked while queued objects, reached a second time, are still to be
        // scanned.
        self.debt = match marked >= due_bytes && due_bytes < self.start_bytes {
            true => AssistDebt::None,
            false => AssistDebt::Outstanding,
        };
        if self.debt == AssistDebt::None {
            return None;
        }
        let debt = due_bytes.saturating_sub(marked) / OBJECT;
        let piece = (debt / PART).clamp(*PIECE.start(), *PIECE.end());
        let piece = piece.max(new.min(debt));
        Some(match grown as f64 > BOUND * self.live_estimate as f64 {
            true => {
                let part = self.start_bytes / OBJECT / PART;
                Assist::Overdue(piece.max(part).max(OVERDUE_PIECE))
            }
            false => Assist::Paced(piece),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIVE: usize = 100 << 20;

    /// Assists after each `step` bytes of growth, as if there were no other marker, until all is
    /// marked. Returns the relative growth of the heap, and the largest assist.
    fn assisted(mut assist: MutatorAssist, step: usize) -> (f64, usize) {
        let (mut live, mut marked, mut most) = (assist.start_bytes, 0, 0);
        while marked < assist.start_bytes {
            live += step;
            let piece = match assist.next(live, marked) {
                Some(Assist::Paced(piece) | Assist::Overdue(piece)) => piece,
                None => 0,
            };
            most = most.max(piece);
            marked = assist.start_bytes.min(marked + piece * OBJECT);
        }
        (
            (live - assist.start_bytes) as f64 / assist.live_estimate as f64,
            most,
        )
    }

    #[test]
    fn assists_complete_the_mark_within_a_fifth_of_growth() {
        for step in [64, 4 << 10, 64 << 10, 1 << 20] {
            let (grown, _) = assisted(MutatorAssist::begin(LIVE, LIVE, LIVE), step);
            assert!(grown > 0.1 && grown < 0.25, "{step}: {grown}");
        }
    }

    #[test]
    fn assists_are_small_or_in_proportion_to_promotion() {
        for step in [64, 4 << 10, 64 << 10, 1 << 20] {
            let (_, most) = assisted(MutatorAssist::begin(LIVE, LIVE, LIVE), step);
            let calls = (step as f64 / GROWS) as usize / OBJECT;
            assert!(most <= calls.max(*PIECE.end()) + 1, "{step}: {most}");
        }
    }

    /// The rest is garbage: no mark reaches it, and it must not let the heap grow more.
    #[test]
    fn the_bound_is_relative_to_live_bytes() {
        let assist = MutatorAssist::begin(LIVE * 3 / 2, LIVE, LIVE * 3 / 2);
        assert_eq!(assist.live_estimate, LIVE);
        let (grown, _) = assisted(assist, 4 << 10);
        assert!(grown < 0.25, "{grown}");
    }

    /// A small heap with many imports: its growth is theirs too.
    #[test]
    fn the_bound_is_relative_to_the_estimate() {
        let mut assist = MutatorAssist::begin(LIVE / 10, LIVE / 10, LIVE * 21 / 10);
        assert_eq!(assist.live_estimate, LIVE * 11 / 10);
        let imports = assist.next(LIVE * 21 / 10 + LIVE * 11 / 100, 0);
        assert_eq!(imports, Some(Assist::Paced(LIVE / 20 / OBJECT)));
    }

    #[test]
    fn unexplained_growth_counts_as_half_live() {
        assert_eq!(MutatorAssist::begin(LIVE, 5, LIVE).live_estimate, LIVE / 2);
        assert_eq!(
            MutatorAssist::begin(LIVE, 3 * LIVE, LIVE).live_estimate,
            LIVE
        );
    }

    #[test]
    fn without_growth_no_assist_is_due() {
        let mut assist = MutatorAssist::begin(LIVE, LIVE, LIVE);
        assert!(!assist.is_due(LIVE));
        assert_eq!(assist.next(LIVE, 0), None);
        assert!(assist.is_due(LIVE + 1));
    }

    #[test]
    fn an_overdue_mark_is_complete_after_some_assists() {
        let mut assist = MutatorAssist::begin(LIVE, LIVE, LIVE);
        let (grown, mut marked, mut assists) = (LIVE + LIVE * 29 / 100, 0, 0);
        // What was promoted at once is paid for at once.
        let _all = assist.next(grown, LIVE);
        while marked < LIVE {
            let Some(Assist::Overdue(piece)) = assist.next(grown + assists, marked) else {
                panic!("{marked} bytes are marked");
            };
            assert_eq!(piece, LIVE / OBJECT / PART);
            marked += piece * OBJECT;
            assists += 1;
        }
        assert_eq!(assists, PART);
    }

    #[test]
    fn a_small_overdue_mark_is_complete_after_one_assist() {
        let mut assist = MutatorAssist::begin(1 << 20, 1 << 20, 1 << 20);
        let all = Assist::Overdue(OVERDUE_PIECE);
        assert_eq!(assist.next(2 << 20, 0), Some(all));
    }
}

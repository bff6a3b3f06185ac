//! [`Debt`]: what the holder of a heap owes for a mark that runs beside its turns (H7). Pure arithmetic.

use std::ops::RangeInclusive;

/// A heap may grow by this part of what lived when the mark was begun, and then the mark is
/// through: who makes objects old pays for it. The rest up to the bound, three tenths, is for what
/// is made before the next payment.
const GROWS: f64 = 0.2;
const BOUND: f64 = 0.28;

/// Objects that are gone through in one payment: a part of the debt, at least some ten and at most
/// some hundred microseconds; or what has become old since the last one, if that calls for more; or
/// whatever is owed when the heap has nearly grown to the bound.
const PIECE: RangeInclusive<usize> = 256..=4096;
const PART: usize = 8;

/// Bytes that a visit of an object is taken to pay off. Most are smaller: a debt is counted anew
/// each time, so that it is paid in more pieces.
const OBJECT: usize = 64;

/// Between what is met and what should be.
#[derive(Debug)]
pub(super) struct Debt {
    /// Bytes in use when the mark began: all that it may meet.
    pub(super) began: usize,
    /// How many of them are taken to live.
    lives: usize,
    /// What the heap weighed when the mark began, and at the last payment; and whether all was paid
    /// then. The weight is what marks are begun by: what is large outside of the heap counts too.
    weighed: usize,
    seen: usize,
    paid: Paid,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Paid {
    All,
    Some,
}

impl Debt {
    /// A mark begins, with so many bytes in use, of which the last mark has met some. If these are
    /// few the heap has grown by other ways than its pacing allows for, and half of all is taken to
    /// live.
    pub(super) fn begin(began: usize, met: usize, weight: usize) -> Debt {
        Debt {
            began,
            lives: met.clamp(began / 2, began),
            weighed: weight,
            seen: weight,
            paid: Paid::All,
        }
    }

    /// Whether something may be owed, at this weight.
    #[inline]
    pub(super) fn is_due(&self, weight: usize) -> bool {
        self.paid == Paid::Some || self.seen != weight
    }

    /// By how many bytes the heap has grown since the mark began, at this weight.
    pub(super) fn grown(&self, weight: usize) -> usize {
        weight.saturating_sub(self.weighed)
    }

    /// The next payment, in objects, at this weight, if so many of the bytes at the beginning were
    /// met. None if all is paid.
    pub(super) fn next(&mut self, weight: usize, met: usize) -> Option<usize> {
        let due = |grown: usize| {
            let through = grown as f64 / (GROWS * self.lives as f64);
            (self.began as f64 * through.min(1.0)) as usize
        };
        let grown = self.grown(weight);
        let wanted = due(grown);
        let new = due(weight.saturating_sub(self.seen)) / OBJECT;
        self.seen = weight;
        // All may be met, and what leads to it a second time still be there to be gone through.
        self.paid = match met >= wanted && wanted < self.began {
            true => Paid::All,
            false => Paid::Some,
        };
        if self.paid == Paid::All {
            return None;
        }
        let debt = wanted.saturating_sub(met) / OBJECT;
        Some(match grown as f64 > BOUND * self.lives as f64 {
            true => usize::MAX,
            false => {
                let piece = (debt / PART).clamp(*PIECE.start(), *PIECE.end());
                piece.max(new.min(debt))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIVE: usize = 100 << 20;

    /// Pays after each so many bytes of growth, as if nobody else helped, until all is met: how far
    /// the heap has grown, and the largest payment.
    fn paid(mut debt: Debt, step: usize) -> (f64, usize) {
        let (mut live, mut met, mut most) = (debt.began, 0, 0);
        while met < debt.began {
            live += step;
            let piece = debt.next(live, met).unwrap_or(0);
            most = most.max(piece);
            met = debt.began.min(met + piece.saturating_mul(OBJECT));
        }
        ((live - debt.began) as f64 / debt.lives as f64, most)
    }

    #[test]
    fn all_is_paid_when_the_heap_has_grown_by_a_fifth() {
        for step in [64, 4 << 10, 64 << 10, 1 << 20] {
            let (grown, _) = paid(Debt::begin(LIVE, LIVE, LIVE), step);
            assert!(grown > 0.1 && grown < 0.25, "{step}: {grown}");
        }
    }

    #[test]
    fn payments_are_small_or_as_large_as_what_calls_for_them() {
        for step in [64, 4 << 10, 64 << 10, 1 << 20] {
            let (_, most) = paid(Debt::begin(LIVE, LIVE, LIVE), step);
            let calls = (step as f64 / GROWS) as usize / OBJECT;
            assert!(most <= calls.max(*PIECE.end()) + 1, "{step}: {most}");
        }
    }

    /// The rest is garbage, which no mark meets and which must not let the heap grow more.
    #[test]
    fn the_bound_is_of_what_lives() {
        let debt = Debt::begin(LIVE * 3 / 2, LIVE, LIVE * 3 / 2);
        assert_eq!(debt.lives, LIVE);
        let (grown, _) = paid(debt, 4 << 10);
        assert!(grown < 0.25, "{grown}");
    }

    #[test]
    fn what_came_by_other_ways_is_taken_for_half_alive() {
        assert_eq!(Debt::begin(LIVE, 5, LIVE).lives, LIVE / 2);
        assert_eq!(Debt::begin(LIVE, 3 * LIVE, LIVE).lives, LIVE);
    }

    #[test]
    fn who_makes_nothing_owes_nothing() {
        let mut debt = Debt::begin(LIVE, LIVE, LIVE);
        assert!(!debt.is_due(LIVE));
        assert_eq!(debt.next(LIVE, 0), None);
        assert!(debt.is_due(LIVE + 1));
    }

    #[test]
    fn near_the_bound_all_is_paid_at_once() {
        let mut debt = Debt::begin(LIVE, LIVE, LIVE);
        assert_eq!(debt.next(LIVE + LIVE * 29 / 100, 0), Some(usize::MAX));
    }
}

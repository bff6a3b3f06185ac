//! [`AllocationFailure`]: the allocation failure state of a heap. It schedules emergency marks when
//! turns are refused pages, though the heap has not grown.

use std::cell::Cell;

/// The limit of the back-off. If an emergency mark was unproductive, a second one follows after the
/// next turn, because that turn may have dropped references. Then the marks back off exponentially:
/// after 1, 3, 7 … `BACK_OFF_MAX - 1` turns. After each wait the next mark also needs a new
/// refusal.
const BACK_OFF_MAX: u32 = 64;

/// The allocation failure state of a heap.
#[derive(Debug, Default)]
pub(crate) struct AllocationFailure {
    stage: Cell<Emergency>,
    /// Bytes of the largest object that was refused.
    largest_refused: Cell<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Emergency {
    #[default]
    Enough,
    /// A turn was refused: an emergency mark is due, after `unproductive` unproductive ones.
    Marking { unproductive: u32 },
    /// No mark for `turns` turns.
    BackOff { turns: u32, unproductive: u32 },
    /// A mark becomes due by the next refusal.
    Ready { unproductive: u32 },
}

impl AllocationFailure {
    /// A turn was refused pages for an object of `bytes` bytes.
    pub(crate) fn record(&self, bytes: usize) {
        self.largest_refused
            .set(self.largest_refused.get().max(bytes));
        self.stage.set(match self.stage.get() {
            Emergency::Enough => Emergency::Marking { unproductive: 0 },
            Emergency::Ready { unproductive } => Emergency::Marking { unproductive },
            stage => stage,
        });
    }

    /// Bytes of the largest object that was refused.
    pub(crate) fn largest_refused(&self) -> usize {
        self.largest_refused.get()
    }

    /// Whether an emergency mark is due now, between two turns.
    pub(crate) fn is_due(&self) -> bool {
        matches!(self.stage.get(), Emergency::Marking { .. })
    }

    /// Whether this state must be updated after each turn.
    pub(crate) fn is_pending(&self) -> bool {
        matches!(
            self.stage.get(),
            Emergency::Marking { .. } | Emergency::BackOff { .. }
        )
    }

    /// There are enough pages again.
    pub(crate) fn clear(&self) {
        self.stage.set(Emergency::Enough);
        self.largest_refused.set(0);
    }

    /// There are too few pages still: updates the state between two turns. `marked` says whether
    /// the heap was marked since the last update.
    pub(crate) fn after_turn(&self, marked: MarkOutcome) {
        self.stage.set(match (self.stage.get(), marked) {
            (Emergency::Marking { unproductive }, MarkOutcome::Marked) => {
                let turns = BACK_OFF_MAX.min(1 << unproductive.min(31)) - 1;
                let unproductive = unproductive.saturating_add(1);
                match turns {
                    0 => Emergency::Marking { unproductive },
                    turns => Emergency::BackOff {
                        turns,
                        unproductive,
                    },
                }
            }
            (
                Emergency::BackOff {
                    turns: 1,
                    unproductive,
                },
                _,
            ) => Emergency::Ready { unproductive },
            (
                Emergency::BackOff {
                    turns,
                    unproductive,
                },
                _,
            ) => Emergency::BackOff {
                turns: turns - 1,
                unproductive,
            },
            (stage, _) => stage,
        });
    }
}

/// Whether a mark has begun or ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MarkOutcome {
    Marked,
    Unmarked,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(allocation_failure: &AllocationFailure) -> MarkOutcome {
        let marked = match allocation_failure.is_due() {
            true => MarkOutcome::Marked,
            false => MarkOutcome::Unmarked,
        };
        allocation_failure.after_turn(marked);
        marked
    }

    #[test]
    fn unproductive_emergency_marks_back_off() {
        let allocation_failure = AllocationFailure::default();
        allocation_failure.after_turn(MarkOutcome::Marked);
        assert!(
            !allocation_failure.is_pending(),
            "no turn was refused anything"
        );
        let refused = |_: &u32| {
            allocation_failure.record(64);
            turn(&allocation_failure) == MarkOutcome::Marked
        };
        let marked_at: Vec<u32> = (0..500).filter(refused).collect();
        assert_eq!(marked_at[..8], [0, 1, 3, 7, 15, 31, 63, 127]);
        assert_eq!(marked_at[8..11], [191, 255, 319]);
        assert_eq!(allocation_failure.largest_refused(), 64);
        allocation_failure.clear();
        assert!(!allocation_failure.is_pending() && !allocation_failure.is_due());
        allocation_failure.record(16);
        assert!(allocation_failure.is_due() && allocation_failure.largest_refused() == 16);
    }

    #[test]
    fn without_further_refusals_there_is_one_more_emergency_mark() {
        let allocation_failure = AllocationFailure::default();
        allocation_failure.record(64);
        let marks = (0..1_000).filter(|_| turn(&allocation_failure) == MarkOutcome::Marked);
        assert_eq!(marks.count(), 2);
        assert!(!allocation_failure.is_pending());
        allocation_failure.record(64);
        assert!(allocation_failure.is_due());
    }

    #[test]
    fn a_delayed_mark_stays_due() {
        let allocation_failure = AllocationFailure::default();
        allocation_failure.record(64);
        allocation_failure.after_turn(MarkOutcome::Unmarked);
        assert!(allocation_failure.is_due());
    }
}

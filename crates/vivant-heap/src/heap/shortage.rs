//! [`Shortage`]: the allocation failure state of a heap. It schedules emergency marks when turns
//! are refused pages, though the heap has not grown.

use std::cell::Cell;

/// The limit of the back-off. If an emergency mark was unproductive, a second one follows after the
/// next turn, because that turn may have dropped references. Then the marks back off exponentially:
/// after 1, 3, 7 … `MOST - 1` turns. After each wait the next mark also needs a new refusal.
const MOST: u32 = 64;

/// The allocation failure state of a heap.
#[derive(Debug, Default)]
pub(super) struct Shortage {
    stage: Cell<Stage>,
    /// Bytes of the largest object that was refused.
    wanted: Cell<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Stage {
    #[default]
    Enough,
    /// A turn was refused: an emergency mark is due, after `in_vain` unproductive ones.
    Marks { in_vain: u32 },
    /// No mark for `turns` turns.
    Waits { turns: u32, in_vain: u32 },
    /// A mark becomes due by the next refusal.
    Ready { in_vain: u32 },
}

impl Shortage {
    /// A turn was refused pages for an object of `bytes` bytes.
    pub(super) fn begins(&self, bytes: usize) {
        self.wanted.set(self.wanted.get().max(bytes));
        self.stage.set(match self.stage.get() {
            Stage::Enough => Stage::Marks { in_vain: 0 },
            Stage::Ready { in_vain } => Stage::Marks { in_vain },
            stage => stage,
        });
    }

    /// Bytes of the largest object that was refused.
    pub(super) fn wanted(&self) -> usize {
        self.wanted.get()
    }

    /// Whether an emergency mark is due now, between two turns.
    pub(super) fn is_due(&self) -> bool {
        matches!(self.stage.get(), Stage::Marks { .. })
    }

    /// Whether this state must be updated after each turn.
    pub(super) fn lasts(&self) -> bool {
        matches!(self.stage.get(), Stage::Marks { .. } | Stage::Waits { .. })
    }

    /// There are enough pages again.
    pub(super) fn ends(&self) {
        self.stage.set(Stage::Enough);
        self.wanted.set(0);
    }

    /// There are too few pages still: updates the state between two turns. `marked` says whether
    /// the heap was marked since the last update.
    pub(super) fn goes_on(&self, marked: Marked) {
        self.stage.set(match (self.stage.get(), marked) {
            (Stage::Marks { in_vain }, Marked::Yes) => {
                let turns = MOST.min(1 << in_vain.min(31)) - 1;
                let in_vain = in_vain.saturating_add(1);
                match turns {
                    0 => Stage::Marks { in_vain },
                    turns => Stage::Waits { turns, in_vain },
                }
            }
            (Stage::Waits { turns: 1, in_vain }, _) => Stage::Ready { in_vain },
            (Stage::Waits { turns, in_vain }, _) => Stage::Waits {
                turns: turns - 1,
                in_vain,
            },
            (stage, _) => stage,
        });
    }
}

/// Whether a mark has begun or ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Marked {
    Yes,
    No,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(shortage: &Shortage) -> Marked {
        let marked = match shortage.is_due() {
            true => Marked::Yes,
            false => Marked::No,
        };
        shortage.goes_on(marked);
        marked
    }

    #[test]
    fn who_is_short_though_it_is_marked_is_marked_more_and_more_seldom() {
        let shortage = Shortage::default();
        shortage.goes_on(Marked::Yes);
        assert!(!shortage.lasts(), "no turn was refused anything");
        let refused = |_: &u32| {
            shortage.begins(64);
            turn(&shortage) == Marked::Yes
        };
        let marked_at: Vec<u32> = (0..500).filter(refused).collect();
        assert_eq!(marked_at[..8], [0, 1, 3, 7, 15, 31, 63, 127]);
        assert_eq!(marked_at[8..11], [191, 255, 319]);
        assert_eq!(shortage.wanted(), 64);
        shortage.ends();
        assert!(!shortage.lasts() && !shortage.is_due());
        shortage.begins(16);
        assert!(shortage.is_due() && shortage.wanted() == 16);
    }

    #[test]
    fn turns_that_want_nothing_have_it_marked_once_more() {
        let shortage = Shortage::default();
        shortage.begins(64);
        let marks = (0..1_000).filter(|_| turn(&shortage) == Marked::Yes);
        assert_eq!(marks.count(), 2);
        assert!(!shortage.lasts());
        shortage.begins(64);
        assert!(shortage.is_due());
    }

    #[test]
    fn a_mark_that_has_to_wait_is_due_still() {
        let shortage = Shortage::default();
        shortage.begins(64);
        shortage.goes_on(Marked::No);
        assert!(shortage.is_due());
    }
}

//! [`Shortage`]: turns get no pages, so a heap is marked though it has not grown.

use std::cell::Cell;

/// A heap that was marked for a turn that got no pages, in vain, is marked once more after the next
/// turn, which may have forgotten something. Then it waits for a turn, for three, and so on: for so
/// many less one at most; and for the next one that gets none.
const MOST: u32 = 64;

/// Of pages: what a heap does about it.
#[derive(Debug, Default)]
pub(super) struct Shortage {
    stage: Cell<Stage>,
    /// Bytes of the largest object for which there was no room.
    wanted: Cell<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Stage {
    #[default]
    Enough,
    /// A turn got none. The heap is marked, though that was in vain so often.
    Marks { in_vain: u32 },
    /// It is not, for so many turns.
    Waits { turns: u32, in_vain: u32 },
    /// It will be, if a turn gets none.
    Ready { in_vain: u32 },
}

impl Shortage {
    /// A turn got no pages for so many bytes.
    pub(super) fn begins(&self, bytes: usize) {
        self.wanted.set(self.wanted.get().max(bytes));
        self.stage.set(match self.stage.get() {
            Stage::Enough => Stage::Marks { in_vain: 0 },
            Stage::Ready { in_vain } => Stage::Marks { in_vain },
            stage => stage,
        });
    }

    /// Bytes for which there was no room.
    pub(super) fn wanted(&self) -> usize {
        self.wanted.get()
    }

    /// Whether it is to be marked between these two turns.
    pub(super) fn is_due(&self) -> bool {
        matches!(self.stage.get(), Stage::Marks { .. })
    }

    /// Whether each turn is followed by a look.
    pub(super) fn lasts(&self) -> bool {
        matches!(self.stage.get(), Stage::Marks { .. } | Stage::Waits { .. })
    }

    /// There is room now.
    pub(super) fn ends(&self) {
        self.stage.set(Stage::Enough);
        self.wanted.set(0);
    }

    /// There is none, between two turns between which the heap was marked, or not.
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

//! [`Shortage`]: turns get no pages, so a heap is marked though it has not grown.

use std::cell::Cell;

/// A heap that is short of pages though it was marked is marked again after each turn, then after every second, and so on: no more seldom than after so many.
const MOST: u32 = 64;

/// Of pages: what a heap does about it.
#[derive(Debug, Default)]
pub(super) struct Shortage(Cell<Stage>);

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Stage {
    #[default]
    Enough,
    /// A turn got none. The heap is marked, though that was in vain so often.
    Marks { in_vain: u32 },
    /// The same, after so many turns.
    Waits { turns: u32, in_vain: u32 },
}

impl Shortage {
    /// A turn got no pages.
    pub(super) fn begins(&self) {
        if self.0.get() == Stage::Enough {
            self.0.set(Stage::Marks { in_vain: 0 });
        }
    }

    /// Whether it is to be marked between these two turns.
    pub(super) fn is_due(&self) -> bool {
        matches!(self.0.get(), Stage::Marks { .. })
    }

    /// Whether it lasts: each turn is followed by a look.
    pub(super) fn lasts(&self) -> bool {
        self.0.get() != Stage::Enough
    }

    /// There are enough now.
    pub(super) fn ends(&self) {
        self.0.set(Stage::Enough);
    }

    /// There are not enough, between two turns between which the heap was marked, or not.
    pub(super) fn goes_on(&self, marked: Marked) {
        self.0.set(match (self.0.get(), marked) {
            (Stage::Marks { in_vain }, Marked::Yes) => {
                let turns = MOST.min(1 << in_vain.min(31)) - 1;
                let in_vain = in_vain.saturating_add(1);
                match turns {
                    0 => Stage::Marks { in_vain },
                    turns => Stage::Waits { turns, in_vain },
                }
            }
            (Stage::Waits { turns: 1, in_vain }, _) => Stage::Marks { in_vain },
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

    #[test]
    fn who_is_short_though_it_is_marked_is_marked_more_and_more_seldom() {
        let shortage = Shortage::default();
        shortage.goes_on(Marked::Yes);
        assert!(!shortage.lasts(), "no turn was refused anything");
        shortage.begins();
        let mut marked_at = Vec::new();
        for turn in 0..500 {
            shortage.begins();
            let marked = match shortage.is_due() {
                true => Marked::Yes,
                false => Marked::No,
            };
            if marked == Marked::Yes {
                marked_at.push(turn);
            }
            shortage.goes_on(marked);
            assert!(shortage.lasts());
        }
        assert_eq!(marked_at[..8], [0, 1, 3, 7, 15, 31, 63, 127]);
        assert_eq!(marked_at[8..11], [191, 255, 319]);
        shortage.ends();
        assert!(!shortage.lasts() && !shortage.is_due());
        shortage.begins();
        assert!(shortage.is_due());
    }

    #[test]
    fn a_mark_that_has_to_wait_is_due_still() {
        let shortage = Shortage::default();
        shortage.begins();
        shortage.goes_on(Marked::No);
        assert!(shortage.is_due());
    }
}

//! [`LastMark`]: when a heap was last marked, and when it may be again though it has not grown (A2).

use super::patience::Patience;
use vivant_heap::HeapStats;

/// A heap that is marked because it rests, or because others have given something up, is so for no
/// more than this part of the time.
const SHARE: u64 = 100;

/// Of one that rests, of a larger part: nobody waits for it, and what others have given up ends
/// with the mark.
const SHARE_AT_REST: u64 = 10;

/// A heap in which something with a destructor may have died is marked for that after so many times
/// `idle_after` at most, though its actor does not rest: in ten seconds.
const DROPS: u64 = 10;

/// An actor is asked after this part of `idle_after` if others' memory hangs on it: it has objects
/// of theirs, or they have given up some of its own (A4).
pub(super) const SOON: u32 = 8;

/// What a mark would be for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wants {
    /// What it has of others may have died by its turns alone.
    GiveUp,
    /// Nobody knows which addresses lie in its objects now (O10); and some of these may be dead.
    See,
    /// Something with a destructor may have died by its turns alone: somebody may wait for that, as
    /// whoever has the promise of a resolver does.
    Drop,
    /// Others have given up the last of an object.
    Collect,
    /// What its turns have forgotten takes memory.
    Free,
    /// The same, and it has grown so much that a mark is due, which has not begun: it has waited
    /// for something, and no turn has come since.
    Grow,
}

/// What an actor has done since it last had reason to be asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Since {
    Run,
    /// Since this time.
    Rested(u64),
}

/// Whether others have given up the last that they knew of an object: a mark may find it dead.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum GivenUp {
    #[default]
    Nothing,
    Something,
}

/// What the mark is for that begins, runs, or was the last.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum IsFor {
    /// The heap has grown; or somebody may wait for what it has, or for destructors.
    #[default]
    Itself,
    /// What others have given up.
    GivenUp,
    /// What its own turns have forgotten.
    Forgotten,
}

/// The last mark of a heap.
#[derive(Default)]
pub(super) struct LastMark {
    /// After how many turns it began.
    turns: u64,
    ended_ns: u64,
    took_ns: u64,
    is_for: IsFor,
    /// With marks for what others have given up, and for what its own turns have forgotten.
    with_others: Patience,
    with_itself: Patience,
}

impl LastMark {
    /// One that has begun after so many turns has ended.
    pub(super) fn has_ended(&mut self, turns: u64, now_ns: u64, took_ns: u64, after: &HeapStats) {
        (self.turns, self.ended_ns, self.took_ns) = (turns, now_ns, took_ns);
        match std::mem::take(&mut self.is_for) {
            IsFor::Itself => {}
            IsFor::GivenUp => self.with_others.is_marked(after),
            IsFor::Forgotten => self.with_itself.is_marked(after),
        }
    }

    /// One is to begin because the actor was asked.
    pub(super) fn will_begin(&mut self, wants: Wants, given_up: GivenUp) {
        self.is_for = match (given_up, wants) {
            (GivenUp::Something, _) => IsFor::GivenUp,
            (GivenUp::Nothing, Wants::Free) => IsFor::Forgotten,
            (GivenUp::Nothing, _) => IsFor::Itself,
        };
    }

    /// Whether it began when the actor had had so many turns.
    pub(super) fn is_after(&self, turns: u64) -> bool {
        self.turns == turns
    }

    /// When another takes no more than its share of the time, if the actor goes on as it is. None
    /// if there is none for this reason.
    pub(super) fn next_ns(&self, wants: Wants, since: Since, idle_after_ns: u64) -> Option<u64> {
        let share_ns = |share: u64| share.saturating_mul(self.took_ns);
        let after = |waits_ns: u64| self.ended_ns.saturating_add(waits_ns);
        let patiently = |share: u64| {
            let soon_ns = idle_after_ns / u64::from(SOON);
            after(self.with_others.waits_ns(share_ns(share), soon_ns))
        };
        let rests_since_ns = match since {
            Since::Rested(since_ns) => since_ns,
            Since::Run => {
                return match wants {
                    Wants::GiveUp | Wants::See | Wants::Free | Wants::Grow => None,
                    Wants::Collect => Some(patiently(SHARE)),
                    // It is in vain as a rule, and there may be many like it.
                    Wants::Drop => {
                        let seldom_ns = idle_after_ns.saturating_mul(DROPS);
                        Some(after(share_ns(SHARE)).max(after(seldom_ns)))
                    }
                };
            }
        };
        let rests_ns = rests_since_ns.saturating_add(idle_after_ns);
        let rested_ns = after(share_ns(SHARE_AT_REST)).max(rests_ns);
        Some(match wants {
            Wants::Collect => patiently(SHARE_AT_REST).min(rested_ns),
            // It may be in vain, and the actor may be about to run again: the larger part is for
            // one that has rested for long.
            Wants::GiveUp => after(share_ns(SHARE)).min(rested_ns),
            Wants::See | Wants::Drop | Wants::Grow => rested_ns,
            Wants::Free => {
                let waits_ns = share_ns(SHARE_AT_REST);
                after(self.with_itself.waits_ns(waits_ns, idle_after_ns)).max(rests_ns)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDLE_AFTER_NS: u64 = 1_000;
    const RESTED: Since = Since::Rested(10_000);

    fn next_ns(mark: &LastMark, wants: Wants, since: Since) -> Option<u64> {
        mark.next_ns(wants, since, IDLE_AFTER_NS)
    }

    fn marked(mark: &mut LastMark, wants: Wants, given_up: GivenUp, took_ns: u64) {
        mark.will_begin(wants, given_up);
        mark.has_ended(5, 10_000, took_ns, &HeapStats::default());
    }

    #[test]
    fn marks_keep_to_their_share_of_the_time() {
        let mut mark = LastMark::default();
        mark.has_ended(5, 10_000, 80, &HeapStats::default());
        let next = |mark: &LastMark, wants, since| next_ns(mark, wants, since);
        for wants in [Wants::GiveUp, Wants::See, Wants::Free, Wants::Grow] {
            assert_eq!(next(&mark, wants, Since::Run), None);
        }
        // A tenth if it rests, a hundredth if it does not.
        assert_eq!(next(&mark, Wants::Collect, RESTED), Some(10_800));
        assert_eq!(next(&mark, Wants::Collect, Since::Run), Some(18_000));
        // What may be in vain: a tenth only after a long rest.
        assert_eq!(next(&mark, Wants::GiveUp, RESTED), Some(11_000));
        mark.took_ns = 5;
        assert_eq!(next(&mark, Wants::GiveUp, RESTED), Some(10_500));
        // For destructors in a tenth of the time, after a long rest; seldom if it does not rest.
        // For memory only if it rests.
        for wants in [Wants::Drop, Wants::Free, Wants::Grow] {
            assert_eq!(next(&mark, wants, RESTED), Some(11_000));
        }
        assert_eq!(next(&mark, Wants::Drop, Since::Run), Some(20_000));
        mark.took_ns = 500;
        for wants in [Wants::Drop, Wants::Free, Wants::Grow, Wants::GiveUp] {
            assert_eq!(next(&mark, wants, RESTED), Some(15_000));
        }
        assert_eq!(next(&mark, Wants::Drop, Since::Run), Some(60_000));
    }

    #[test]
    fn who_was_marked_in_vain_waits_for_longer_but_not_at_rest() {
        let mut mark = LastMark::default();
        let collect = |mark: &LastMark, since| next_ns(mark, Wants::Collect, since);
        // For another reason.
        marked(&mut mark, Wants::Drop, GivenUp::Nothing, 5);
        assert_eq!(collect(&mark, Since::Run), Some(10_500));
        assert_eq!(collect(&mark, RESTED), Some(10_050));
        marked(&mut mark, Wants::Collect, GivenUp::Something, 5);
        assert_eq!(collect(&mark, Since::Run), Some(11_000));
        assert_eq!(collect(&mark, RESTED), Some(10_250));
        marked(&mut mark, Wants::Free, GivenUp::Something, 5);
        assert_eq!(collect(&mark, Since::Run), Some(12_000));
        assert_eq!(collect(&mark, RESTED), Some(10_500));
        (0..9).for_each(|_| marked(&mut mark, Wants::Collect, GivenUp::Something, 5));
        assert_eq!(collect(&mark, Since::Run), Some(42_000));
        assert_eq!(collect(&mark, RESTED), Some(11_000));
        // Other reasons do not wait.
        assert_eq!(next_ns(&mark, Wants::GiveUp, RESTED), Some(10_500));
        assert_eq!(next_ns(&mark, Wants::Drop, Since::Run), Some(20_000));
        assert_eq!(next_ns(&mark, Wants::Free, RESTED), Some(11_000));
    }

    #[test]
    fn who_has_forgotten_nothing_is_marked_more_and_more_seldom_when_it_rests() {
        let mut mark = LastMark::default();
        let mut waits = Vec::new();
        for _ in 0..8 {
            marked(&mut mark, Wants::Free, GivenUp::Nothing, 5);
            waits.push(next_ns(&mark, Wants::Free, RESTED).unwrap() - 10_000);
        }
        assert_eq!(
            waits,
            [2, 4, 8, 16, 32, 64, 64, 64].map(|times| 1_000 * times)
        );
        // But for whoever has grown.
        assert_eq!(next_ns(&mark, Wants::Grow, RESTED), Some(11_000));
        let mut found = HeapStats::default();
        (found.met, found.died) = (100, 100);
        mark.will_begin(Wants::Free, GivenUp::Nothing);
        mark.has_ended(5, 10_000, 5, &found);
        assert_eq!(next_ns(&mark, Wants::Free, RESTED), Some(11_000));
    }
}

//! [`LastMark`]: when a heap was last marked, and when it may be marked again without having grown
//! (A2).

use super::back_off::BackOff;
use vivant_heap::HeapStats;

/// Marks for idleness or for released exports take at most one part in this many of the time.
const SHARE: u64 = 100;

/// The same for an idle actor, a larger part: no message waits for it, and the mark frees what
/// other heaps have released.
const SHARE_AT_REST: u64 = 10;

/// A heap with objects with destructors is marked after this many times `idle_after`, even if its
/// actor is not idle: in ten seconds.
const DROPS: u64 = 10;

/// An idle check comes after this part of `idle_after` if other heaps' memory depends on it: the
/// actor has imports, or other heaps have released some of its exports (A4).
pub(super) const SOON: u32 = 8;

/// The reason for a mark.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wants {
    /// Imports may have become garbage by the actor's own turns.
    GiveUp,
    /// The addresses in its objects are not known now (O10); and some of these objects may be dead.
    See,
    /// An object with a destructor may have become garbage by its own turns, and its drop may be
    /// awaited: for example by the holder of a resolver's promise.
    Drop,
    /// Other heaps have released the last reference to an export.
    Collect,
    /// Garbage of its own turns takes memory.
    Free,
    /// Growth has made a mark due that has not begun: it was deferred, and no turn has come since.
    Grow,
}

/// What an actor has done since an idle check was last scheduled or handled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Since {
    Run,
    /// Idle since this time.
    Rested(u64),
}

/// Whether other heaps have released the last reference to an export, so that a mark may find it
/// dead.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum GivenUp {
    #[default]
    Nothing,
    Something,
}

/// The reason of the mark that begins, runs, or was the last.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum IsFor {
    /// The heap has grown; or imports or destructors may be awaited.
    #[default]
    Itself,
    /// Exports that other heaps have released.
    GivenUp,
    /// Garbage of its own turns.
    Forgotten,
}

/// The last mark of a heap.
#[derive(Default)]
pub(super) struct LastMark {
    /// Number of turns before it began.
    turns: u64,
    ended_ns: u64,
    took_ns: u64,
    is_for: IsFor,
    /// Back-off of marks for released exports, and of marks for garbage of its own turns.
    with_others: BackOff,
    with_itself: BackOff,
}

impl LastMark {
    /// A mark that began after `turns` turns has ended.
    pub(super) fn has_ended(&mut self, turns: u64, now_ns: u64, took_ns: u64, after: &HeapStats) {
        (self.turns, self.ended_ns, self.took_ns) = (turns, now_ns, took_ns);
        match std::mem::take(&mut self.is_for) {
            IsFor::Itself => {}
            IsFor::GivenUp => self.with_others.is_marked(after),
            IsFor::Forgotten => self.with_itself.is_marked(after),
        }
    }

    /// An idle check is about to begin a mark.
    pub(super) fn will_begin(&mut self, wants: Wants, given_up: GivenUp) {
        self.is_for = match (given_up, wants) {
            (GivenUp::Something, _) => IsFor::GivenUp,
            (GivenUp::Nothing, Wants::Free) => IsFor::Forgotten,
            (GivenUp::Nothing, _) => IsFor::Itself,
        };
    }

    /// Whether it began after this many turns.
    pub(super) fn is_after(&self, turns: u64) -> bool {
        self.turns == turns
    }

    /// The earliest time at which another mark stays within its share of the time, if the actor
    /// goes on as it is. None if no mark is made for this reason.
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
                    // Such a mark is unproductive as a rule, and many actors may need one.
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
            // The mark may be unproductive, and the actor may be about to run again: the larger
            // share is for an actor that has been idle for long.
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
        // A tenth if it is idle, a hundredth if it is not.
        assert_eq!(next(&mark, Wants::Collect, RESTED), Some(10_800));
        assert_eq!(next(&mark, Wants::Collect, Since::Run), Some(18_000));
        // Marks that may be unproductive: a tenth only after a long idle time.
        assert_eq!(next(&mark, Wants::GiveUp, RESTED), Some(11_000));
        mark.took_ns = 5;
        assert_eq!(next(&mark, Wants::GiveUp, RESTED), Some(10_500));
        // For destructors a tenth of the time, after a long idle time; seldom if it is not idle.
        // For memory only if it is idle.
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
        // Except for a heap that has grown.
        assert_eq!(next_ns(&mark, Wants::Grow, RESTED), Some(11_000));
        let mut found = HeapStats::default();
        (found.bytes_marked, found.bytes_died) = (100, 100);
        mark.will_begin(Wants::Free, GivenUp::Nothing);
        mark.has_ended(5, 10_000, 5, &found);
        assert_eq!(next_ns(&mark, Wants::Free, RESTED), Some(11_000));
    }
}

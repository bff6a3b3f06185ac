//! [`MarkReason`]: why a mark begins. One table says how long after the last mark each may begin
//! one.

use super::back_off::BackOff;
use super::stats::HeapStats;

/// Why a mark begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MarkReason {
    /// The heap has grown to the size of its next mark ([`Pacing`](crate::Pacing)).
    Growth,
    /// A turn was refused pages
    /// ([`AllocationFailure`](super::allocation_failure::AllocationFailure)).
    AllocationFailure,
    /// The heap's holder demands it.
    Requested,
    /// Other heaps have released the last reference to an export.
    ReleasedExports,
    /// Imports may have become garbage by the heap's own turns.
    Imports,
    /// The external edges of its objects are not known now (O10).
    ExternalEdges,
    /// An object with a destructor may have become garbage by its own turns, and its drop may be
    /// awaited: for example by the holder of a resolver's promise.
    Destructors,
    /// Garbage of its own turns takes memory.
    IdleGarbage,
    /// The heap has grown, the mark was delayed, and no turn has come since.
    DelayedGrowth,
    /// Other heaps have released the last reference to an export of a detached heap.
    Detached,
}

/// What the heap's actor has done since its last idle check was scheduled or handled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Activity {
    /// A turn has run.
    Busy,
    /// It has been idle since this time, in nanoseconds.
    Idle(u64),
}

/// The least time from the end of the last mark to the beginning of the next one.
#[derive(Clone, Copy)]
enum Distance {
    /// `share` times the duration of the last mark, so that such marks take `1 / share` of the
    /// time; at least `least` of `idle_after`.
    Share { share: u64, least: Part },
    /// The same without `least`; after unproductive marks the larger of both, doubled for each.
    BackOff { share: u64, least: Part },
}

/// A part of `idle_after`, or a multiple.
#[derive(Clone, Copy)]
struct Part(u64, u64);

const NONE: Part = Part(0, 1);
const EIGHTH: Part = Part(1, 8);
const ONCE: Part = Part(1, 1);
const TEN: Part = Part(10, 1);

impl Part {
    fn of(self, idle_after_ns: u64) -> u64 {
        idle_after_ns.saturating_mul(self.0) / self.1
    }
}

/// When a reason begins a mark: `busy`, if turns run; `idle`, if none has since the last idle
/// check; `long_idle`, if none has for `idle_after`. The earliest counts; `None` never does.
struct Row {
    busy: Option<Distance>,
    idle: Option<Distance>,
    long_idle: Option<Distance>,
}

const fn share(share: u64, least: Part) -> Option<Distance> {
    Some(Distance::Share { share, least })
}

const fn back_off(share: u64, least: Part) -> Option<Distance> {
    Some(Distance::BackOff { share, least })
}

impl MarkReason {
    /// The table. Marks of busy actors take at most a hundredth of the time. Those of idle actors
    /// take a tenth: no message waits, and memory waits for the mark. The README says what measures
    /// each row.
    fn row(self) -> Row {
        let (busy, idle, long_idle) = match self {
            // Their triggers hold the distance: growth, turns, or the holder's wish.
            MarkReason::Growth | MarkReason::AllocationFailure | MarkReason::Requested => {
                (share(0, NONE), share(0, NONE), None)
            }
            MarkReason::ReleasedExports => {
                (back_off(100, EIGHTH), back_off(10, EIGHTH), share(10, NONE))
            }
            // The mark may be unproductive, and the actor may be about to run again: the larger
            // share is for an actor that has been idle for long.
            MarkReason::Imports => (None, share(100, NONE), share(10, NONE)),
            // Such a mark is unproductive as a rule, and many actors may need one.
            MarkReason::Destructors => (share(100, TEN), None, share(10, NONE)),
            MarkReason::ExternalEdges | MarkReason::DelayedGrowth => (None, None, share(10, NONE)),
            MarkReason::IdleGarbage => (None, None, back_off(10, ONCE)),
            MarkReason::Detached => (share(100, NONE), None, None),
        };
        Row {
            busy,
            idle,
            long_idle,
        }
    }
}

/// What a mark is counted for in the back-offs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum CountedFor {
    #[default]
    Nothing,
    ReleasedExports,
    IdleGarbage,
}

/// The last mark of a heap, and the back-offs.
#[derive(Debug, Default)]
pub(crate) struct MarkHistory {
    /// Number of turns before it began.
    turns: u64,
    ended_ns: u64,
    took_ns: u64,
    /// Of the mark that is about to begin, or runs.
    counted_for: CountedFor,
    released_exports: BackOff,
    idle_garbage: BackOff,
}

impl MarkHistory {
    /// A mark is about to begin for `reason`, while exports were `released` or not.
    pub(crate) fn begin_for(&mut self, reason: MarkReason, released: ReleasedExports) {
        self.counted_for = match (released, reason) {
            (ReleasedExports::Some, _) => CountedFor::ReleasedExports,
            (ReleasedExports::None, MarkReason::IdleGarbage) => CountedFor::IdleGarbage,
            (ReleasedExports::None, _) => CountedFor::Nothing,
        };
    }

    /// A mark that began after `turns` turns has ended at `now_ns`, and took `took_ns` nanoseconds
    /// of all threads together.
    pub(crate) fn record_end(&mut self, turns: u64, now_ns: u64, took_ns: u64, after: &HeapStats) {
        (self.turns, self.ended_ns, self.took_ns) = (turns, now_ns, took_ns);
        match std::mem::take(&mut self.counted_for) {
            CountedFor::Nothing => {}
            CountedFor::ReleasedExports => self.released_exports.mark_ended(after),
            CountedFor::IdleGarbage => self.idle_garbage.mark_ended(after),
        }
    }

    /// Whether it began after this many turns.
    pub(crate) fn began_after(&self, turns: u64) -> bool {
        self.turns == turns
    }

    /// The earliest time in nanoseconds at which `reason` may begin the next mark, if the actor
    /// goes on as it is. `None` if it begins none.
    pub(crate) fn next_ns(
        &self,
        reason: MarkReason,
        activity: Activity,
        idle_after_ns: u64,
    ) -> Option<u64> {
        let after = |distance: Distance| {
            let distance_ns = match distance {
                Distance::Share { share, least } => {
                    let share_ns = share.saturating_mul(self.took_ns);
                    share_ns.max(least.of(idle_after_ns))
                }
                Distance::BackOff { share, least } => {
                    let back_off = match reason {
                        MarkReason::IdleGarbage => self.idle_garbage,
                        _ => self.released_exports,
                    };
                    let share_ns = share.saturating_mul(self.took_ns);
                    back_off.wait_ns(share_ns, least.of(idle_after_ns))
                }
            };
            self.ended_ns.saturating_add(distance_ns)
        };
        let row = reason.row();
        match activity {
            Activity::Busy => row.busy.map(after),
            Activity::Idle(since_ns) => {
                let long_ns = since_ns.saturating_add(idle_after_ns);
                let long_idle = row.long_idle.map(|distance| after(distance).max(long_ns));
                row.idle.map(after).into_iter().chain(long_idle).min()
            }
        }
    }
}

/// Whether other heaps have released the last reference to an export since the last mark began, so
/// that a mark may find it dead.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum ReleasedExports {
    #[default]
    None,
    Some,
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDLE_AFTER_NS: u64 = 1_000;
    const IDLE: Activity = Activity::Idle(10_000);

    fn next_ns(mark: &MarkHistory, reason: MarkReason, activity: Activity) -> Option<u64> {
        mark.next_ns(reason, activity, IDLE_AFTER_NS)
    }

    fn marked(mark: &mut MarkHistory, reason: MarkReason, released: ReleasedExports, took_ns: u64) {
        mark.begin_for(reason, released);
        mark.record_end(5, 10_000, took_ns, &HeapStats::default());
    }

    #[test]
    fn marks_keep_to_their_share_of_the_time() {
        let mut mark = MarkHistory::default();
        mark.record_end(5, 10_000, 80, &HeapStats::default());
        let next = |mark: &MarkHistory, reason, activity| next_ns(mark, reason, activity);
        for reason in [
            MarkReason::Imports,
            MarkReason::ExternalEdges,
            MarkReason::IdleGarbage,
            MarkReason::DelayedGrowth,
        ] {
            assert_eq!(next(&mark, reason, Activity::Busy), None);
        }
        // A tenth if it is idle, a hundredth if it is not.
        assert_eq!(next(&mark, MarkReason::ReleasedExports, IDLE), Some(10_800));
        assert_eq!(
            next(&mark, MarkReason::ReleasedExports, Activity::Busy),
            Some(18_000)
        );
        // Marks that may be unproductive: a tenth only after a long idle time.
        assert_eq!(next(&mark, MarkReason::Imports, IDLE), Some(11_000));
        mark.took_ns = 5;
        assert_eq!(next(&mark, MarkReason::Imports, IDLE), Some(10_500));
        // For destructors a tenth of the time, after a long idle time; seldom if it is not idle.
        // For memory only if it is idle.
        for reason in [
            MarkReason::Destructors,
            MarkReason::IdleGarbage,
            MarkReason::DelayedGrowth,
        ] {
            assert_eq!(next(&mark, reason, IDLE), Some(11_000));
        }
        assert_eq!(
            next(&mark, MarkReason::Destructors, Activity::Busy),
            Some(20_000)
        );
        mark.took_ns = 500;
        for reason in [
            MarkReason::Destructors,
            MarkReason::IdleGarbage,
            MarkReason::DelayedGrowth,
            MarkReason::Imports,
        ] {
            assert_eq!(next(&mark, reason, IDLE), Some(15_000));
        }
        assert_eq!(
            next(&mark, MarkReason::Destructors, Activity::Busy),
            Some(60_000)
        );
    }

    #[test]
    fn unproductive_marks_back_off_until_a_long_idle_time() {
        let mut mark = MarkHistory::default();
        let collect =
            |mark: &MarkHistory, activity| next_ns(mark, MarkReason::ReleasedExports, activity);
        // For another reason.
        marked(&mut mark, MarkReason::Destructors, ReleasedExports::None, 5);
        assert_eq!(collect(&mark, Activity::Busy), Some(10_500));
        assert_eq!(collect(&mark, IDLE), Some(10_050));
        marked(
            &mut mark,
            MarkReason::ReleasedExports,
            ReleasedExports::Some,
            5,
        );
        assert_eq!(collect(&mark, Activity::Busy), Some(11_000));
        assert_eq!(collect(&mark, IDLE), Some(10_250));
        marked(&mut mark, MarkReason::IdleGarbage, ReleasedExports::Some, 5);
        assert_eq!(collect(&mark, Activity::Busy), Some(12_000));
        assert_eq!(collect(&mark, IDLE), Some(10_500));
        (0..9).for_each(|_| {
            marked(
                &mut mark,
                MarkReason::ReleasedExports,
                ReleasedExports::Some,
                5,
            )
        });
        assert_eq!(collect(&mark, Activity::Busy), Some(42_000));
        assert_eq!(collect(&mark, IDLE), Some(11_000));
        // Other reasons do not wait.
        assert_eq!(next_ns(&mark, MarkReason::Imports, IDLE), Some(10_500));
        assert_eq!(
            next_ns(&mark, MarkReason::Destructors, Activity::Busy),
            Some(20_000)
        );
        assert_eq!(next_ns(&mark, MarkReason::IdleGarbage, IDLE), Some(11_000));
    }

    #[test]
    fn marks_for_idle_garbage_back_off() {
        let mut mark = MarkHistory::default();
        let mut waits = Vec::new();
        for _ in 0..8 {
            marked(&mut mark, MarkReason::IdleGarbage, ReleasedExports::None, 5);
            waits.push(next_ns(&mark, MarkReason::IdleGarbage, IDLE).unwrap() - 10_000);
        }
        assert_eq!(
            waits,
            [2, 4, 8, 16, 32, 64, 64, 64].map(|times| 1_000 * times)
        );
        // Except for a heap that has grown.
        assert_eq!(
            next_ns(&mark, MarkReason::DelayedGrowth, IDLE),
            Some(11_000)
        );
        let mut found = HeapStats::default();
        (found.bytes_marked, found.bytes_died) = (100, 100);
        mark.begin_for(MarkReason::IdleGarbage, ReleasedExports::None);
        mark.record_end(5, 10_000, 5, &found);
        assert_eq!(next_ns(&mark, MarkReason::IdleGarbage, IDLE), Some(11_000));
    }
}

//! [`IdleCheck`]: idle checks of an actor's heap. After a while without turns its inbox is drained,
//! it is marked if there is a reason, and its nursery is given back. See [README.md](README.md).

use super::heap::Core;
use super::marking::Marking;
use super::reason::StepContext;
use super::report::{CyclesSuspected, StepReport};
use crate::mark::mark_reason::{Activity, MarkReason, ReleasedExports};
use std::mem;

/// The count inbox is drained after this many turns, whether or not the heap collects.
const TURNS_PER_DRAIN: u64 = 64;

/// An idle check comes after this part of `idle_after` if other heaps' memory depends on it: the
/// heap has imports, or other heaps have released some of its exports.
const AWAITED_PART: u64 = 8;

/// A heap in use calls for a group mark when it shares so many objects more than twice as many as
/// it did.
const SHARED_MIN: usize = 4096;

/// A notified heap drains its inbox after this part of `idle_after`. That is twice the delay of its
/// readers' idle checks, so releases by several readers at about the same time are handled
/// together.
const NOTIFIED_PART: u64 = 4;

/// The delay in nanoseconds after which a notified heap drains its inbox.
#[must_use]
pub fn notified_after_ns(idle_after_ns: u64) -> u64 {
    idle_after_ns / NOTIFIED_PART
}

/// The scheduled idle check of a heap: each turn reads it.
#[derive(Default)]
pub(crate) struct CheckSchedule {
    check: Scheduled,
    /// Whether a piece of the inbox was drained, and a rest is left for the next turn, or for a
    /// time without messages.
    pub(crate) is_draining_in_pieces: bool,
}

/// The state of the idle checks of one heap.
#[derive(Default)]
pub(crate) struct IdleCheck {
    /// The turn number when a check was last scheduled or handled, and the time of that. If the
    /// number is unchanged the actor has been idle since.
    turns: u64,
    since_ns: u64,
    /// The turn number when the nursery was last given back, and that of the last edge snapshot.
    returned: u64,
    pub(crate) edges: u64,
    /// Whether other heaps have released exports since the last mark began.
    pub(crate) released: ReleasedExports,
    /// The turn number when a group mark was last called for.
    suspected: u64,
    /// The fewest shared objects at the end of a mark since a busy heap has called for a group
    /// mark, or their number at that call.
    least_shared: usize,
    /// Objects that group marks had emptied at the end of the last mark, and the turn number then.
    emptied: u64,
    emptied_turn: u64,
    stage: CheckStage,
}

/// The check that the heap itself has requested. Its waker may have scheduled one beside it.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Scheduled {
    #[default]
    None,
    /// One is due in `idle_after` at the latest.
    Within,
    /// One is due in an eighth of `idle_after`, because the heap has imports.
    Soon,
}

/// How far an idle check has come.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum CheckStage {
    /// None is in progress.
    #[default]
    None,
    /// One has begun. It waits until the inbox is drained and the last mark is swept.
    Begun,
    /// The nursery is to be given back first: what that promotes may be a reason for a mark.
    Returning(IdleTimes),
    /// A mark is to begin.
    Marking(IdleTimes, MarkReason),
    /// The mark has begun; the nursery is to be given back.
    ReturningMarked(IdleTimes),
    /// It is over, but for the time of the next one.
    Over(IdleTimes, Option<u64>),
}

/// The times that an idle check compares.
#[derive(Clone, Copy, PartialEq, Eq)]
struct IdleTimes {
    activity: Activity,
    now_ns: u64,
    /// When the actor will have been idle for `idle_after`.
    long_idle_ns: u64,
}

/// The next piece of work of an idle check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CheckWork {
    ReturnNursery,
    Mark(MarkReason),
}

impl CheckSchedule {
    /// Whether a check is to be scheduled after this turn, or the inbox is to be drained.
    #[inline]
    pub(crate) fn is_due_after_turn(&self, core: &Core, turns: u64) -> bool {
        self.would_find_work(core) || self.drains_after_turn(turns)
    }

    /// Whether the inbox is to be drained after this turn.
    #[inline]
    pub(crate) fn drains_after_turn(&self, turns: u64) -> bool {
        turns.is_multiple_of(TURNS_PER_DRAIN) || self.is_draining_in_pieces
    }

    /// Whether a check that the heap has not asked for yet would find work.
    #[inline]
    fn would_find_work(&self, core: &Core) -> bool {
        let imports = || core.between_turns().imports.len() > 0;
        match self.check {
            Scheduled::None => {
                core.nursery.used() > 0
                    || imports()
                    || core.has_external_edges.get()
                    || core.has_destructors()
                    || core.is_terminating_mark()
                    || core.old.unswept != 0
                    || core.exceeds_first()
            }
            Scheduled::Within => imports(),
            Scheduled::Soon => false,
        }
    }
}

impl IdleCheck {
    /// The number of turns at the last check.
    pub(crate) fn turns(&self) -> u64 {
        self.turns
    }

    /// A mark has begun, and has taken the released exports into account: exports released from
    /// here on are for the next one.
    pub(crate) fn begin_mark(&mut self) {
        self.released = ReleasedExports::None;
    }
}

impl Core {
    /// An idle check begins, unless this one is in progress.
    pub(crate) fn begin_check(&mut self) {
        if let CheckStage::None | CheckStage::Begun = self.idle_check.stage {
            self.check_schedule.check = Scheduled::None;
            self.idle_check.stage = CheckStage::Begun;
        }
    }

    /// After a turn: schedules a check, if one would find work.
    pub(crate) fn schedule_check(&mut self, context: &StepContext<'_>, report: &mut StepReport) {
        if self.check_schedule.would_find_work(self) {
            self.idle_check.turns = context.turns;
            self.idle_check.since_ns = context.now_ns;
            self.check_in_time(context, report);
        }
        if context.turns.is_multiple_of(TURNS_PER_DRAIN) {
            self.check_released(context, report);
        }
    }

    /// A check follows soon if other heaps have released exports.
    pub(crate) fn check_released(&self, context: &StepContext<'_>, report: &mut StepReport) {
        if self.idle_check.released == ReleasedExports::Some {
            report.check_in(notified_after_ns(context.idle_after_ns));
        }
    }

    /// Schedules the next check: in an eighth of `idle_after` if other heaps' memory depends on it,
    /// else in `idle_after`.
    fn check_in_time(&mut self, context: &StepContext<'_>, report: &mut StepReport) {
        let is_depended_on = self.between_turns().imports.len() > 0
            || self.idle_check.released == ReleasedExports::Some;
        let in_ns = match is_depended_on {
            true => context.idle_after_ns / AWAITED_PART,
            false => context.idle_after_ns,
        };
        self.check_in(in_ns, context, report);
    }

    fn check_in(&mut self, in_ns: u64, context: &StepContext<'_>, report: &mut StepReport) {
        self.check_schedule.check = match self.between_turns().imports.len() {
            // A check later than `idle_after` does not cover reasons that arise meanwhile.
            _ if in_ns > context.idle_after_ns => Scheduled::None,
            0 => Scheduled::Within,
            _ => Scheduled::Soon,
        };
        report.check_in(in_ns);
    }

    /// The reasons for a mark that hold now.
    fn mark_reasons(&self, turns: u64) -> impl Iterator<Item = MarkReason> {
        let check = &self.idle_check;
        let (marked, has_edges) = (self.mark_history.began_after(turns), check.edges == turns);
        // A stop-the-world mark would delay messages that arrive meanwhile.
        let frees = self.pacing.marking == Marking::Concurrent && self.exceeds_first();
        let reasons = [
            (
                MarkReason::Imports,
                self.between_turns().imports.len() > 0 && !marked,
            ),
            (
                MarkReason::ExternalEdges,
                self.has_external_edges.get() && !has_edges,
            ),
            (
                MarkReason::Destructors,
                self.has_destructors() && !marked && !has_edges,
            ),
            (
                MarkReason::ReleasedExports,
                check.released == ReleasedExports::Some,
            ),
            (MarkReason::DelayedGrowth, self.is_mark_delayed()),
            (MarkReason::IdleGarbage, frees && !marked),
        ];
        let may = self.pacing.marking != Marking::Never;
        let reasons = reasons.into_iter().filter(move |(_, holds)| may && *holds);
        reasons.map(|(reason, _)| reason)
    }

    /// The earliest time at which a mark is due, and its reason. `None` if there is no reason.
    fn mark_due(&self, activity: Activity, context: &StepContext<'_>) -> Option<(u64, MarkReason)> {
        let next = |reason| {
            let next_ns = self
                .mark_history
                .next_ns(reason, activity, context.idle_after_ns);
            Some((next_ns?, reason))
        };
        self.mark_reasons(context.turns)
            .filter_map(next)
            .min_by_key(|(next_ns, _)| *next_ns)
    }

    /// The next piece of work of the check in progress. `None` if it waits, or is over.
    pub(crate) fn check_work(&mut self, context: &StepContext<'_>) -> Option<CheckWork> {
        loop {
            match self.idle_check.stage {
                CheckStage::None | CheckStage::Over(..) => return None,
                // The rest of the inbox and the sweep of the last mark come first, in steps.
                CheckStage::Begun if self.check_schedule.is_draining_in_pieces => return None,
                CheckStage::Begun if self.old.unswept != 0 && !self.is_marking() => return None,
                CheckStage::Begun => {
                    let times = self.observe_activity(context);
                    self.idle_check.stage = CheckStage::Returning(times);
                }
                CheckStage::Returning(times) => {
                    if times.long_idle_ns <= times.now_ns
                        && self.idle_check.returned != context.turns
                    {
                        return Some(CheckWork::ReturnNursery);
                    }
                    self.idle_check.stage = match self.mark_due(times.activity, context) {
                        Some((due_ns, reason)) if due_ns <= times.now_ns && !self.is_marking() => {
                            CheckStage::Marking(times, reason)
                        }
                        due => CheckStage::Over(times, self.next_check_ns(times, due, context)),
                    };
                }
                CheckStage::Marking(_, reason) => return Some(CheckWork::Mark(reason)),
                CheckStage::ReturningMarked(times) => {
                    let is_idle = times.activity != Activity::Busy;
                    let is_early = times.now_ns < times.long_idle_ns;
                    if is_idle && is_early && self.idle_check.returned != context.turns {
                        return Some(CheckWork::ReturnNursery);
                    }
                    // The mark that has begun may run still.
                    let next_ns = match self.is_marking() {
                        true => Some(times.now_ns.saturating_add(context.idle_after_ns)),
                        false => self.next_return_ns(times),
                    };
                    self.idle_check.stage = CheckStage::Over(times, next_ns);
                }
            }
        }
    }

    /// A piece of work of the check was done.
    pub(crate) fn finish_check_work(&mut self, turns: u64) {
        match self.idle_check.stage {
            CheckStage::Returning(_) | CheckStage::ReturningMarked(_) => {
                self.idle_check.returned = turns
            }
            CheckStage::Marking(times, _) => {
                self.idle_check.stage = CheckStage::ReturningMarked(times)
            }
            CheckStage::None | CheckStage::Begun | CheckStage::Over(..) => {}
        }
    }

    fn observe_activity(&mut self, context: &StepContext<'_>) -> IdleTimes {
        let check = &mut self.idle_check;
        let now_ns = context.now_ns;
        let (activity, long_ns) = match check.turns == context.turns {
            true => {
                let since_ns = check.since_ns;
                let long_ns = since_ns.saturating_add(context.idle_after_ns);
                (Activity::Idle(since_ns), long_ns)
            }
            false => {
                (check.turns, check.since_ns) = (context.turns, now_ns);
                (Activity::Busy, u64::MAX)
            }
        };
        IdleTimes {
            activity,
            now_ns,
            long_idle_ns: long_ns,
        }
    }

    /// When the next check is due, if no mark has begun: `due` is the next mark.
    fn next_check_ns(
        &self,
        times: IdleTimes,
        due: Option<(u64, MarkReason)>,
        context: &StepContext<'_>,
    ) -> Option<u64> {
        match due {
            // A due mark is considered again when the running mark has ended.
            Some(_) if self.is_marking() => {
                Some(times.now_ns.saturating_add(context.idle_after_ns))
            }
            Some((due_ns, _)) => Some(due_ns),
            None => self.next_return_ns(times),
        }
    }

    /// Whether a cycle of references across heaps may pass through this heap, and may have become
    /// unreachable since a group mark was last called for.
    fn suspects_cycles(&self, turns: u64) -> bool {
        let sharing = self.between_turns();
        self.pacing.marking != Marking::Never
            && sharing.imports.len() != 0
            && sharing.exports.len() != 0
            && (self.idle_check.suspected != turns || sharing.has_changed)
    }

    /// A mark has ended. Whether unreachable cycles may be what keeps objects of this heap,
    /// although it is in use: many more are shared than after some earlier mark, or this mark has
    /// found such cycles, and turns have run since the last mark that did.
    pub(crate) fn suspects_growing_cycles(&mut self, turns: u64) -> CyclesSuspected {
        let emptied = self.counters.stats.emptied;
        let sharing = self.between_turns();
        let (imports, exports) = (sharing.imports.len(), sharing.exports.len());
        let shared = imports.min(exports);
        let check = &mut self.idle_check;
        let has_emptied = mem::replace(&mut check.emptied, emptied) < emptied;
        let has_run = has_emptied && mem::replace(&mut check.emptied_turn, turns) < turns;
        if has_run || shared >= 2 * check.least_shared + SHARED_MIN {
            check.least_shared = shared;
            return CyclesSuspected::Growing;
        }
        check.least_shared = check.least_shared.min(shared);
        CyclesSuspected::No
    }

    fn next_return_ns(&self, times: IdleTimes) -> Option<u64> {
        let returns = self.nursery.used() > 0 && times.now_ns < times.long_idle_ns;
        returns.then_some(times.long_idle_ns)
    }

    /// Ends a check that is over: schedules the next one.
    pub(crate) fn conclude_check(&mut self, context: &StepContext<'_>, report: &mut StepReport) {
        let CheckStage::Over(times, next_ns) = self.idle_check.stage else {
            return;
        };
        self.idle_check.stage = CheckStage::None;
        if times.activity == Activity::Busy {
            return self.check_in_time(context, report);
        }
        let suspects = self.suspects_cycles(context.turns);
        if suspects && times.long_idle_ns <= times.now_ns {
            self.idle_check.suspected = context.turns;
            self.sharing.get_mut().has_changed = false;
            report.cycles = CyclesSuspected::Idle;
        }
        let suspects_later = suspects && times.now_ns < times.long_idle_ns;
        let next_ns = match next_ns {
            Some(next_ns) if !suspects_later => Some(next_ns),
            Some(next_ns) => Some(next_ns.min(times.long_idle_ns)),
            None => suspects_later.then_some(times.long_idle_ns),
        };
        if let Some(next_ns) = next_ns {
            self.check_in(next_ns.saturating_sub(times.now_ns), context, report);
        }
    }
}

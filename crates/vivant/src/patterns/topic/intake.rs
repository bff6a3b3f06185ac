//! Admission control of a subscription: the protocol of `README.md`.

use super::missed_values::{GapEnd, MissedValues};
use super::subscription_name::SubscriptionName;
use crate::actor::{Changed, Entry, Observation, Source, Table, observed};
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::phase::Phase;
use crate::sync::{Arc, Mutex, lock};
use std::collections::BTreeMap;

/// One subscription's bound, and the values that it has missed.
pub(super) struct Intake {
    /// The numbers of the subscriber's system, and of the subscriber.
    reader: (u64, u64),
    /// `None`: it is that of a value of which the subscription was in no image.
    name: Option<SubscriptionName>,
    capacity: usize,
    state: Mutex<IntakeState>,
}

#[derive(Default)]
struct IntakeState {
    in_flight: usize,
    /// Notices that are not yet in the mailbox: no value may overtake them.
    unposted_notices: usize,
    /// Missed values of each gap that are not reported yet, by number.
    gaps: BTreeMap<u64, MissedValues>,
    next_gap: u64,
    /// The gap that counts further misses: no value was posted since it was opened.
    open: Option<u64>,
    /// The last line that ran between the opening of a gap and the post of its notice.
    posted_across: Option<Phase>,
}

/// The publisher's next action.
#[must_use]
pub(super) enum Admission {
    /// Deliver it, and call [`Intake::value_posted`].
    Value(InFlightValue),
    /// Deliver the notice, and call [`Intake::notice_posted`].
    Notice(Gap, OpenedGap),
    /// Nothing: the value is counted as missed.
    Missed,
}

/// An admitted value. Dropped when it is processed, or lost.
pub(super) struct InFlightValue(Arc<Intake>);

/// The gap that a notice reports.
pub(super) struct Gap {
    intake: Arc<Intake>,
    number: u64,
}

/// A gap that was opened, for the publisher that posts its notice.
#[derive(Clone, Copy)]
pub(super) struct OpenedGap {
    number: u64,
    /// The phase of the publisher.
    by: Phase,
}

impl Intake {
    /// Of a subscriber: the numbers of its system and its own.
    pub(super) fn new(
        reader: (u64, u64),
        capacity: usize,
        name: Option<SubscriptionName>,
    ) -> Arc<Intake> {
        Arc::new(Intake {
            reader,
            name,
            capacity,
            state: Mutex::default(),
        })
    }

    /// The number of the subscriber.
    pub(super) fn reader(&self) -> u64 {
        self.reader.1
    }

    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    pub(super) fn name(&self) -> Option<&SubscriptionName> {
        self.name.as_ref()
    }

    /// `code` returns the phase of the publisher.
    pub(super) fn admit(self: &Arc<Self>, code: impl FnOnce() -> Phase) -> Admission {
        let mut state = lock(&self.state);
        let has_room = state.in_flight < self.capacity && state.unposted_notices == 0;
        if observed(Observation::Admission, Source::Entry(&*state), has_room) {
            state.in_flight += 1;
            return Admission::Value(InFlightValue(self.clone()));
        }
        drop(state);
        self.miss(code)
    }

    /// Counts a value as missed.
    pub(super) fn miss(self: &Arc<Self>, code: impl FnOnce() -> Phase) -> Admission {
        let mut state = lock(&self.state);
        let code = code();
        let open = observed(Observation::Admission, Source::Entry(&*state), state.open);
        let gap = open.and_then(|open| state.gaps.get_mut(&open));
        if let Some(missed) = gap.filter(|missed| missed.counts_for(code)) {
            missed.count(code);
            return Admission::Missed;
        }
        if let Some(newer) = open.and_then(|open| state.gaps.get_mut(&open)) {
            newer.close(code);
        }
        let number = state.add_gap(MissedValues::first(self.reader.0, code));
        state.open = Some(number);
        state.unposted_notices += 1;
        let intake = self.clone();
        Admission::Notice(Gap { intake, number }, OpenedGap { number, by: code })
    }

    /// The value may stand behind the notice of the open gap, so its publisher's next miss belongs
    /// to another gap.
    pub(super) fn value_posted(&self, code: impl FnOnce() -> Phase) {
        let mut state = lock(&self.state);
        if state.gaps.is_empty() {
            return;
        }
        state.open = None;
        let code = code();
        state.gaps.values_mut().for_each(|gap| gap.close(code));
    }

    /// The notice of this gap is in the mailbox, or lost. `code` returns the phase of the
    /// publisher.
    pub(super) fn notice_posted(&self, gap: OpenedGap, code: impl FnOnce() -> Phase) {
        let mut state = lock(&self.state);
        state.unposted_notices -= 1;
        if let Some(missed) = state.gaps.get_mut(&gap.number) {
            missed.posted();
        }
        // Read behind the post: the notice is of this phase or of an earlier one.
        let code = code();
        if gap.by < code {
            state.posted_across = Some(code);
        }
    }

    /// Whether the notice of a gap of before the line is or will be in the mailbox as a message of
    /// behind it, by a thread outside: the misses of before the line are in no message of the cut.
    pub(super) fn has_notice_across(&self, line: Phase) -> bool {
        let state = lock(&self.state);
        let mut gaps = state.gaps.values();
        let is_unposted = gaps.any(|missed| missed.is_unposted_at(line));
        // It was read before its publisher has said that it is posted.
        let unposted = state.gaps.values().filter(|missed| missed.is_unposted());
        let is_read_early = state.unposted_notices > unposted.count();
        is_unposted || is_read_early || state.posted_across == Some(line)
    }
}

impl IntakeState {
    fn add_gap(&mut self, missed: MissedValues) -> u64 {
        let number = self.next_gap;
        self.next_gap += 1;
        self.gaps.insert(number, missed);
        number
    }

    fn close(&mut self, gap: u64) -> Option<MissedValues> {
        if self.open == Some(gap) {
            self.open = None;
        }
        self.gaps.remove(&gap)
    }
}

impl Entry for IntakeState {
    fn table(&self) -> Table {
        Table::Topic
    }

    /// Whether a value is admitted is no news to a cut, which counts the values in its mailboxes:
    /// it may have a few more than the bound, if the subscriber has processed some behind the line.
    fn changed(&self) -> Changed {
        Changed::Never
    }
}

impl Gap {
    /// A gap of an image. Its notice is in the mailbox.
    pub(super) fn restored(intake: Arc<Intake>, missed: u64, end: GapEnd) -> Gap {
        let mut state = lock(&intake.state);
        let number = state.add_gap(MissedValues::restored(intake.reader.0, missed, end));
        if end == GapEnd::Open {
            state.open = Some(number);
        }
        drop(state);
        Gap { intake, number }
    }

    pub(super) fn intake(&self) -> &Intake {
        &self.intake
    }

    /// Number of values that it has missed until now.
    pub(super) fn missed(&self) -> u64 {
        let state = lock(&self.intake.state);
        let gap = state.gaps.get(&self.number);
        let missed = gap.map_or(0, MissedValues::missed);
        observed(
            Observation::Missed,
            Source::entry_of(Table::Topic, gap),
            missed,
        )
    }

    /// Number of values that it has missed; it counts no more.
    pub(super) fn close(&self) -> u64 {
        let mut state = lock(&self.intake.state);
        let gap = state.close(self.number);
        let missed = gap.as_ref().map_or(0, MissedValues::missed);
        let source = Source::entry_of(Table::Topic, gap.as_ref());
        observed(Observation::Missed, source, missed)
    }

    /// The number of values that it had missed at the line that begins this phase, and whether it
    /// counted more.
    pub(super) fn at_line(&self, line: Phase) -> Option<(u64, GapEnd)> {
        let state = lock(&self.intake.state);
        let gap = state.gaps.get(&self.number)?;
        Some((gap.at_line(line), gap.end_at(line)))
    }
}

impl Drop for Gap {
    fn drop(&mut self) {
        lock(&self.intake.state).close(self.number);
    }
}

impl InFlightValue {
    /// The value in a message of an image is in flight again.
    pub(super) fn restored(intake: Arc<Intake>) -> InFlightValue {
        lock(&intake.state).in_flight += 1;
        #[cfg(test)]
        if is_planted(InjectedFault::BoundNotCounted) {
            let lost = Intake::new(intake.reader, intake.capacity, intake.name.clone());
            lock(&intake.state).in_flight -= 1;
            lock(&lost.state).in_flight += 1;
            return InFlightValue(lost);
        }
        InFlightValue(intake)
    }

    pub(super) fn intake(&self) -> &Intake {
        &self.0
    }
}

impl Drop for InFlightValue {
    fn drop(&mut self) {
        lock(&self.0.state).in_flight -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phase::Pass;

    fn phase() -> Phase {
        Pass::FIRST.phase()
    }

    /// The phase behind so many lines.
    fn phase_behind(lines: usize) -> Phase {
        let passes = std::iter::successors(Some(Pass::FIRST), |pass| Some(pass.next()));
        let mut lines_passed = passes.map(Pass::phase).filter(|it| *it > phase());
        lines_passed.nth(2 * (lines - 1)).expect("there is no last")
    }

    fn value(intake: &Arc<Intake>) -> InFlightValue {
        match intake.admit(phase) {
            Admission::Value(value) => value,
            _ => panic!("there was room"),
        }
    }

    fn notice(intake: &Arc<Intake>) -> (Gap, OpenedGap) {
        match intake.admit(phase) {
            Admission::Notice(gap, opened) => (gap, opened),
            _ => panic!("a notice was due"),
        }
    }

    fn is_missed(intake: &Arc<Intake>) -> bool {
        matches!(intake.admit(phase), Admission::Missed)
    }

    #[test]
    fn one_notice_counts_all_values_missed_until_it_is_read() {
        let intake = Intake::new((0, 0), 1, None);
        let first = value(&intake);
        intake.value_posted(phase);
        let (gap, opened) = notice(&intake);
        assert!(is_missed(&intake));
        intake.notice_posted(opened, phase);
        assert!(is_missed(&intake));
        drop(first);
        // Behind the notice there is room; values missed from here on are another gap.
        let second = value(&intake);
        intake.value_posted(phase);
        let (other, _) = notice(&intake);
        assert_eq!((gap.close(), other.close()), (3, 1));
        drop(second);
        assert_eq!(gap.close(), 0, "reported once");
    }

    #[test]
    fn no_value_overtakes_an_unposted_notice() {
        let intake = Intake::new((0, 0), 1, None);
        let first = value(&intake);
        intake.value_posted(phase);
        let (gap, opened) = notice(&intake);
        drop(first);
        assert!(
            is_missed(&intake),
            "there is room, but not behind the notice"
        );
        intake.notice_posted(opened, phase);
        let _second = value(&intake);
        assert_eq!(gap.close(), 2);
    }

    #[test]
    fn a_missed_value_is_not_counted_before_an_earlier_value_of_its_publisher() {
        let intake = Intake::new((0, 0), 1, None);
        // Admitted, and not yet posted.
        let _slow = value(&intake);
        let (gap, opened) = notice(&intake);
        intake.notice_posted(opened, phase);
        intake.value_posted(phase);
        // The slow publisher continues: its value stands behind the notice.
        let (own, _) = notice(&intake);
        assert_eq!((gap.close(), own.close()), (1, 1));
    }

    #[test]
    fn a_dropped_notice_counts_no_further_values() {
        let intake = Intake::new((0, 0), 1, None);
        let _first = value(&intake);
        intake.value_posted(phase);
        drop(notice(&intake));
        assert_eq!(notice(&intake).0.close(), 1);
    }

    /// A thread outside opens a gap before the line and posts its notice behind it.
    #[test]
    fn a_notice_across_the_line_is_noticed_until_the_next() {
        let intake = Intake::new((0, 0), 1, None);
        let _first = value(&intake);
        let (line, next) = (phase_behind(1), phase_behind(2));
        assert!(!intake.has_notice_across(line));
        let (gap, opened) = notice(&intake);
        assert!(intake.has_notice_across(line), "it is not posted");
        // The subscriber reads it at once.
        assert_eq!(gap.close(), 1);
        assert!(intake.has_notice_across(line), "it is read early");
        intake.notice_posted(opened, || line);
        assert!(intake.has_notice_across(line), "it was posted behind it");
        assert!(!intake.has_notice_across(next));
    }

    #[test]
    fn a_notice_of_one_phase_is_across_no_line() {
        let intake = Intake::new((0, 0), 1, None);
        let _first = value(&intake);
        let (_gap, opened) = notice(&intake);
        intake.notice_posted(opened, phase);
        assert!(!intake.has_notice_across(phase_behind(1)));
    }
}

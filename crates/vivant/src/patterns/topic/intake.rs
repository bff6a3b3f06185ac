//! Admission control of a subscription: the protocol of `README.md`.

use crate::actor::{Entry, Observation, Source, Table, observed};
use crate::sync::{Arc, Mutex, lock};
use std::collections::BTreeMap;

/// One subscription's bound, and the values that it has missed.
pub(super) struct Intake {
    capacity: usize,
    state: Mutex<IntakeState>,
}

#[derive(Default)]
struct IntakeState {
    in_flight: usize,
    /// Notices that are not yet in the mailbox: no value may overtake them.
    unposted_notices: usize,
    /// Missed values of each gap that are not reported yet, by number.
    gaps: BTreeMap<u64, u64>,
    next_gap: u64,
    /// The gap that counts further misses: no value was posted since it was opened.
    open: Option<u64>,
}

/// The publisher's next action.
#[must_use]
pub(super) enum Admission {
    /// Deliver it, and call [`Intake::value_posted`].
    Value(InFlightValue),
    /// Deliver the notice, and call [`Intake::notice_posted`].
    Notice(Gap),
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

impl Intake {
    pub(super) fn new(capacity: usize) -> Arc<Intake> {
        Arc::new(Intake {
            capacity,
            state: Mutex::default(),
        })
    }

    pub(super) fn admit(self: &Arc<Self>) -> Admission {
        let mut state = lock(&self.state);
        let has_room = state.in_flight < self.capacity && state.unposted_notices == 0;
        if observed(Observation::Admission, Source::Entry(&*state), has_room) {
            state.in_flight += 1;
            return Admission::Value(InFlightValue(self.clone()));
        }
        drop(state);
        self.miss()
    }

    /// Counts a value as missed.
    pub(super) fn miss(self: &Arc<Self>) -> Admission {
        let mut state = lock(&self.state);
        let open = observed(Observation::Admission, Source::Entry(&*state), state.open);
        if let Some(number) = open {
            *state.gaps.entry(number).or_default() += 1;
            return Admission::Missed;
        }
        let number = state.next_gap;
        state.next_gap += 1;
        state.gaps.insert(number, 1);
        state.open = Some(number);
        state.unposted_notices += 1;
        let intake = self.clone();
        Admission::Notice(Gap { intake, number })
    }

    /// The value may stand behind the notice of the open gap, so its publisher's next miss belongs
    /// to another gap.
    pub(super) fn value_posted(&self) {
        lock(&self.state).open = None;
    }

    pub(super) fn notice_posted(&self) {
        lock(&self.state).unposted_notices -= 1;
    }
}

impl Entry for IntakeState {
    fn table(&self) -> Table {
        Table::Topic
    }
}

impl Gap {
    /// Number of values that it has missed until now.
    pub(super) fn missed(&self) -> u64 {
        let state = lock(&self.intake.state);
        let missed = state.gaps.get(&self.number).copied().unwrap_or(0);
        observed(Observation::Missed, Source::Entry(&*state), missed)
    }

    /// Number of values that it has missed; it counts no more.
    pub(super) fn close(&self) -> u64 {
        let mut state = lock(&self.intake.state);
        let missed = state.close(self.number);
        observed(Observation::Missed, Source::Entry(&*state), missed)
    }
}

impl IntakeState {
    fn close(&mut self, gap: u64) -> u64 {
        if self.open == Some(gap) {
            self.open = None;
        }
        self.gaps.remove(&gap).unwrap_or(0)
    }
}

impl Drop for Gap {
    fn drop(&mut self) {
        lock(&self.intake.state).close(self.number);
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

    fn value(intake: &Arc<Intake>) -> InFlightValue {
        match intake.admit() {
            Admission::Value(value) => value,
            _ => panic!("there was room"),
        }
    }

    fn notice(intake: &Arc<Intake>) -> Gap {
        match intake.admit() {
            Admission::Notice(gap) => gap,
            _ => panic!("a notice was due"),
        }
    }

    fn is_missed(intake: &Arc<Intake>) -> bool {
        matches!(intake.admit(), Admission::Missed)
    }

    #[test]
    fn one_notice_counts_all_values_missed_until_it_is_read() {
        let intake = Intake::new(1);
        let first = value(&intake);
        intake.value_posted();
        let gap = notice(&intake);
        assert!(is_missed(&intake));
        intake.notice_posted();
        assert!(is_missed(&intake));
        drop(first);
        // Behind the notice there is room; values missed from here on are another gap.
        let second = value(&intake);
        intake.value_posted();
        let other = notice(&intake);
        assert_eq!((gap.close(), other.close()), (3, 1));
        drop(second);
        assert_eq!(gap.close(), 0, "reported once");
    }

    #[test]
    fn no_value_overtakes_an_unposted_notice() {
        let intake = Intake::new(1);
        let first = value(&intake);
        intake.value_posted();
        let gap = notice(&intake);
        drop(first);
        assert!(
            is_missed(&intake),
            "there is room, but not behind the notice"
        );
        intake.notice_posted();
        let _second = value(&intake);
        assert_eq!(gap.close(), 2);
    }

    #[test]
    fn a_missed_value_is_not_counted_before_an_earlier_value_of_its_publisher() {
        let intake = Intake::new(1);
        // Admitted, and not yet posted.
        let _slow = value(&intake);
        let gap = notice(&intake);
        intake.notice_posted();
        intake.value_posted();
        // The slow publisher continues: its value stands behind the notice.
        let own = notice(&intake);
        assert_eq!((gap.close(), own.close()), (1, 1));
    }

    #[test]
    fn a_dropped_notice_counts_no_further_values() {
        let intake = Intake::new(1);
        let _first = value(&intake);
        intake.value_posted();
        drop(notice(&intake));
        assert_eq!(notice(&intake).close(), 1);
    }
}

//! [`Triggers`]: when a snapshot is due, by the clock and the number of messages.

use super::attempt::SnapshotTrigger;
use std::num::NonZeroU64;
use std::time::Duration;

/// While messages are processed their number is looked at this often.
const LOOK_NS: u64 = 10_000_000;

/// And while none is.
const IDLE_LOOK_NS: u64 = 100_000_000;

/// The settings of a schedule.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Every {
    /// In nanoseconds.
    pub(super) period: Option<NonZeroU64>,
    pub(super) messages: Option<NonZeroU64>,
}

/// The time and the number of messages that are looked at together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Now {
    pub(super) ns: u64,
    /// Number of messages that were processed.
    pub(super) messages: u64,
}

/// When the next snapshot is due.
#[derive(Debug)]
pub(super) struct Triggers {
    every: Every,
    began_ns: u64,
    next_ns: u64,
    next_messages: u64,
    /// The number of messages at the last look, and whether it had grown.
    last_messages: u64,
    is_busy: bool,
}

impl Triggers {
    pub(super) fn new(every: Every, now: Now) -> Triggers {
        let mut triggers = Triggers {
            every,
            began_ns: now.ns,
            next_ns: u64::MAX,
            next_messages: u64::MAX,
            last_messages: now.messages,
            is_busy: true,
        };
        triggers.set_next_time(now.ns);
        triggers.set_next_messages(now.messages);
        triggers
    }

    /// Returns what is due. It is due once, however often its time has passed.
    pub(super) fn due(&mut self, now: Now) -> impl Iterator<Item = SnapshotTrigger> + use<> {
        self.is_busy = now.messages != self.last_messages;
        self.last_messages = now.messages;
        let time = now.ns >= self.next_ns;
        if time {
            self.set_next_time(now.ns);
        }
        let messages = now.messages >= self.next_messages;
        if messages {
            self.set_next_messages(now.messages);
        }
        let time = time.then_some(SnapshotTrigger::Time);
        let messages = messages.then_some(SnapshotTrigger::Messages);
        time.into_iter().chain(messages)
    }

    /// The time at which the clock asks for the next snapshot.
    pub(super) fn next_ns(&self) -> u64 {
        self.next_ns
    }

    /// The time until the next look.
    pub(super) fn wait(&self, now_ns: u64) -> Duration {
        let time = self.next_ns.saturating_sub(now_ns);
        let look = match (self.every.messages, self.is_busy) {
            (None, _) => u64::MAX,
            (Some(_), true) => LOOK_NS,
            (Some(_), false) => IDLE_LOOK_NS,
        };
        Duration::from_nanos(time.min(look))
    }

    /// The next multiple of the period since the schedule began.
    fn set_next_time(&mut self, now_ns: u64) {
        if let Some(period) = self.every.period {
            let periods = now_ns.saturating_sub(self.began_ns) / period + 1;
            let since = periods.saturating_mul(period.get());
            self.next_ns = self.began_ns.saturating_add(since);
        }
    }

    fn set_next_messages(&mut self, messages: u64) {
        if let Some(every) = self.every.messages {
            self.next_messages = messages.saturating_add(every.get());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn due(triggers: &mut Triggers, ns: u64, messages: u64) -> Vec<SnapshotTrigger> {
        triggers.due(Now { ns, messages }).collect()
    }

    #[test]
    fn a_time_that_has_passed_twice_is_due_once() {
        let every = Every {
            period: NonZeroU64::new(10),
            messages: None,
        };
        let mut triggers = Triggers::new(every, Now { ns: 5, messages: 0 });
        assert_eq!(due(&mut triggers, 14, 9), []);
        assert_eq!(triggers.wait(14), Duration::from_nanos(1));
        assert_eq!(due(&mut triggers, 38, 9), [SnapshotTrigger::Time]);
        assert_eq!(due(&mut triggers, 44, 9), []);
        assert_eq!(due(&mut triggers, 45, 9), [SnapshotTrigger::Time]);
    }

    #[test]
    fn messages_are_counted_from_the_snapshot_that_they_led_to() {
        let every = Every {
            period: None,
            messages: NonZeroU64::new(100),
        };
        let mut triggers = Triggers::new(every, Now { ns: 0, messages: 7 });
        assert_eq!(due(&mut triggers, 1, 106), []);
        assert_eq!(triggers.wait(1), Duration::from_nanos(LOOK_NS));
        assert_eq!(due(&mut triggers, 2, 150), [SnapshotTrigger::Messages]);
        assert_eq!(due(&mut triggers, 3, 249), []);
        assert_eq!(due(&mut triggers, 3, 249), []);
        assert_eq!(triggers.wait(3), Duration::from_nanos(IDLE_LOOK_NS));
        assert_eq!(due(&mut triggers, 4, 250), [SnapshotTrigger::Messages]);
    }

    #[test]
    fn without_a_trigger_nothing_is_due() {
        let now = Now { ns: 0, messages: 0 };
        let mut triggers = Triggers::new(Every::default(), now);
        assert_eq!(due(&mut triggers, u64::MAX - 1, u64::MAX - 1), []);
    }
}

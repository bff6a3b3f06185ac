//! Sessions of the customers that are logged in, for a day at most.

use crate::id::Id;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use vivant::Saved;

/// Limit of a session's age.
pub const SESSION_TIME: Duration = Duration::from_secs(24 * 60 * 60);

/// The sessions of one desk. Time is the system's, so that a test can let a day pass.
#[derive(Saved, Debug, Default, PartialEq)]
pub struct Sessions {
    by_id: BTreeMap<Id, Session>,
    /// The same sessions as in `by_id`; the first one ends first.
    by_end: BTreeSet<(Duration, Id)>,
}

#[derive(Saved, Clone, Copy, Debug, PartialEq)]
struct Session {
    customer: u32,
    ends: Duration,
}

impl Sessions {
    /// Begins a session of a customer.
    pub fn open(&mut self, id: Id, customer: u32, now: Duration) {
        self.forget_ended(now);
        let ends = now + SESSION_TIME;
        self.by_id.insert(id, Session { customer, ends });
        self.by_end.insert((ends, id));
    }

    /// The customer of this session.
    pub fn customer(&mut self, id: Id, now: Duration) -> Option<u32> {
        self.forget_ended(now);
        self.by_id.get(&id).map(|session| session.customer)
    }

    /// Ends a session.
    pub fn close(&mut self, id: Id) {
        if let Some(session) = self.by_id.remove(&id) {
            self.by_end.remove(&(session.ends, id));
        }
    }

    /// Ends all.
    pub fn clear(&mut self) {
        *self = Sessions::default();
    }

    /// How many there are.
    pub fn count(&mut self, now: Duration) -> u64 {
        self.forget_ended(now);
        self.by_id.len() as u64
    }

    fn forget_ended(&mut self, now: Duration) {
        while let Some((ends, id)) = self.by_end.first().copied()
            && ends <= now
        {
            self.close(id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u64) -> Id {
        Id::drawn(|| number)
    }

    #[test]
    fn a_session_ends_after_a_day_or_when_it_is_closed() {
        let mut sessions = Sessions::default();
        let hour = Duration::from_secs(3600);
        sessions.open(id(1), 11, Duration::ZERO);
        sessions.open(id(2), 22, hour);
        assert_eq!(sessions.customer(id(1), 23 * hour), Some(11));
        assert_eq!(sessions.count(23 * hour), 2);
        assert_eq!(sessions.customer(id(1), 24 * hour), None);
        assert_eq!(sessions.customer(id(2), 24 * hour), Some(22));
        sessions.close(id(2));
        sessions.close(id(2));
        assert_eq!(sessions.customer(id(2), 24 * hour), None);
        assert_eq!(sessions.count(24 * hour), 0);
        assert!(sessions.by_end.is_empty());
    }
}

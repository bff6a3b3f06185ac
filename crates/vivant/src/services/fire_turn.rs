//! [`FireTurn`]: the right to fire the alarms with messages that are due. One worker has it, so
//! that they fire in the order of their deadlines.
//!
//! Such an alarm may run users' code: the clone or drop of a message. While one alarm runs for
//! [`TAKE_OVER_MS`] or longer, another worker may take the turn over (T6). The first one fires no
//! further alarm then.

/// Coarse milliseconds after which an alarm no longer holds up the ones behind it. Two, because a
/// coarse millisecond may be a microsecond long.
const TAKE_OVER_MS: u64 = 2;

/// Which worker fires.
#[derive(Debug, Default)]
pub(super) struct FireTurn {
    /// The number of the last turn.
    last: u64,
    /// Of the running turn: when its present alarm began.
    since_ms: Option<u64>,
}

impl FireTurn {
    /// Whether a worker may begin a turn.
    pub(super) fn is_free(&self, now_ms: u64) -> bool {
        self.since_ms
            .is_none_or(|since_ms| now_ms.saturating_sub(since_ms) >= TAKE_OVER_MS)
    }

    /// Begins a turn, if that is possible. Returns its number.
    pub(super) fn begin(&mut self, now_ms: u64) -> Option<u64> {
        if !self.is_free(now_ms) {
            return None;
        }
        self.last += 1;
        self.since_ms = Some(now_ms);
        Some(self.last)
    }

    /// The next alarm of the turn begins. False: another worker has taken the turn over.
    pub(super) fn goes_on(&mut self, turn: u64, now_ms: u64) -> bool {
        let is_mine = turn == self.last;
        if is_mine {
            self.since_ms = Some(now_ms);
        }
        is_mine
    }

    /// No alarm is due any more.
    pub(super) fn end(&mut self, turn: u64) {
        if turn == self.last {
            self.since_ms = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_worker_fires_until_an_alarm_takes_long() {
        let mut fire_turn = FireTurn::default();
        let first = fire_turn.begin(10).expect("nobody fires");
        assert_eq!(fire_turn.begin(11), None);
        assert!(fire_turn.goes_on(first, 11));
        assert_eq!(fire_turn.begin(12), None, "the second alarm has just begun");
        let second = fire_turn.begin(13).expect("it takes long");
        assert!(!fire_turn.goes_on(first, 14));
        fire_turn.end(first);
        assert!(!fire_turn.is_free(14) && fire_turn.goes_on(second, 14));
        fire_turn.end(second);
        assert!(fire_turn.is_free(14));
    }
}

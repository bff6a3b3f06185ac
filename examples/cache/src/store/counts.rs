//! Counts of requests and their times.

use super::Found;
use example_load::Latency;
use std::time::Duration;
use vivant::Object;

/// Counts of requests.
#[derive(Object, Clone, Debug, Default, PartialEq)]
#[object(leaf)]
pub struct Counts {
    /// Pages that were there.
    pub hits: u64,
    /// Pages that were rendered.
    pub misses: u64,
    /// From the time at which a request was sent to the beginning of its turn: it waited for other
    /// turns, and for the collector.
    pub waited: Latency,
    /// From then until the reply was ready to leave.
    pub turn: Latency,
}

impl Counts {
    /// Counts a request: sent at `asked`, begun and ended then, as times since the system began.
    pub fn served(&mut self, found: Found, asked: Duration, begun: Duration, ended: Duration) {
        match found {
            Found::Hit => self.hits += 1,
            Found::Miss => self.misses += 1,
        }
        self.waited.record(begun.saturating_sub(asked));
        self.turn.record(ended.saturating_sub(begun));
    }

    /// Adds the counts of another.
    pub fn add(&mut self, other: &Counts) {
        self.hits += other.hits;
        self.misses += other.misses;
        self.waited.add(&other.waited);
        self.turn.add(&other.turn);
    }
}

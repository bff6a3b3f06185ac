//! Tallies: the results of a run of the load generator.

use crate::store::Found;
use example_load::Latency;
use std::time::Duration;
use thiserror::Error;

/// Number of unexpected answers that are kept verbatim.
const UNEXPECTED_KEPT_MAX: usize = 10;

/// The results of a run.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// From the time at which a request was due to the time at which a connection took it: all
    /// connections were waiting for answers, or the generator woke late.
    pub sent: Latency,
    /// From the moment at which a request was due to the one at which the whole answer was there.
    pub answered: Latency,
    /// The same, of pages that had to be rendered.
    pub missed: Latency,
    /// Pages that were in the cache, in all requests, measured or not.
    pub hits: u64,
    /// Pages that were not in the cache, in all requests, measured or not.
    pub misses: u64,
    /// Bytes of pages.
    pub bytes: u64,
    /// Answers that should not have come, and requests without an answer.
    pub unexpected: u64,
    /// The first of them.
    pub unexpected_first: Vec<Unexpected>,
    /// Requests that were due and never sent, because every connection was waiting for too long.
    pub unsent: u64,
    /// From the first measured request's due time to the last answer.
    pub took: Duration,
}

/// An answer that should not have come.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unexpected {
    /// No answer came.
    #[error("{0}")]
    NoAnswer(String),
    /// An answer that is not a page.
    #[error("answered {status}: {text}")]
    Status {
        /// Its status.
        status: u16,
        /// Its body.
        text: String,
    },
    /// Another page than the requested one, or a changed one.
    #[error("what came for page {title} is not that page")]
    WrongPage {
        /// The requested title.
        title: u64,
    },
}

impl Tally {
    /// Records a page.
    pub fn page(&mut self, found: Found, bytes: usize) {
        match found {
            Found::Hit => self.hits += 1,
            Found::Miss => self.misses += 1,
        }
        self.bytes += bytes as u64;
    }

    /// Records the times of a measured request.
    pub fn measured(&mut self, found: Found, sent: Duration, answered: Duration) {
        self.sent.record(sent);
        self.answered.record(answered);
        if found == Found::Miss {
            self.missed.record(answered);
        }
    }

    /// Records an unexpected answer.
    pub fn unexpected(&mut self, what: Unexpected) {
        self.unexpected += 1;
        if self.unexpected_first.len() < UNEXPECTED_KEPT_MAX {
            self.unexpected_first.push(what);
        }
    }

    /// The number of pages that came.
    #[must_use]
    pub fn answers(&self) -> u64 {
        self.hits + self.misses
    }

    /// Adds the results of another run.
    pub fn add(&mut self, other: Tally) {
        self.sent.add(&other.sent);
        self.answered.add(&other.answered);
        self.missed.add(&other.missed);
        self.hits += other.hits;
        self.misses += other.misses;
        self.bytes += other.bytes;
        self.unsent += other.unsent;
        self.took += other.took;
        self.unexpected += other.unexpected;
        self.unexpected_first.extend(other.unexpected_first);
        self.unexpected_first.truncate(UNEXPECTED_KEPT_MAX);
    }
}

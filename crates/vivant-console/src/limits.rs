//! What one program lets its visitors cost it. Tests choose shorter times.

use std::time::Duration;

/// Bounds of time and number. Those of size are constants: no test needs others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// How many connections may be open that have not shown the token yet. Few: each may last
    /// [`Limits::token_within`].
    pub(crate) strangers_max: usize,
    /// How many connections may be open that have shown it.
    pub(crate) guests_max: usize,
    /// How long the token's line may take.
    pub(crate) token_within: Duration,
    /// How long a guest may be silent, and how long its request's line may take.
    pub(crate) request_within: Duration,
    /// How long one write may be held up by a guest that does not read.
    pub(crate) write_within: Duration,
    /// How long a wrong token waits for its answer. It keeps its place among the strangers: so many
    /// guesses a second.
    pub(crate) wrong_token_costs: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            strangers_max: 4,
            guests_max: 8,
            token_within: Duration::from_secs(2),
            request_within: Duration::from_secs(60),
            write_within: Duration::from_secs(5),
            wrong_token_costs: Duration::from_millis(500),
        }
    }
}

/// The longest line that is read, without its end: a token or a request is far shorter.
pub(crate) const LINE_BYTES_MAX: usize = 1024;

/// How many actors one snapshot names at most: some 300 kB of text.
pub(crate) const ACTORS_MAX: usize = 1_000;

/// How many kinds of dead letters one snapshot names at most.
pub(crate) const DEAD_LETTERS_MAX: usize = 100;

//! Limits of what clients may cost a program. Tests choose shorter times.

use std::time::Duration;

/// A token of fewer characters could be guessed.
pub(crate) const TOKEN_LENGTH_MIN: usize = 16;

/// A longer one would not fit into its line.
pub(crate) const TOKEN_LENGTH_MAX: usize = 512;

/// Limits of times and numbers. Those of sizes are constants: no test needs others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Places of connections that have not sent the token yet. Few: each may last
    /// [`Limits::token_within`].
    pub(crate) strangers_max: usize,
    /// Places of connections that have sent the token.
    pub(crate) guests_max: usize,
    /// Time limit for the token's line.
    pub(crate) token_within: Duration,
    /// Limit of a guest's silence, and of the time that its request's line may take.
    pub(crate) request_within: Duration,
    /// Time for which a guest that does not read may block one write.
    pub(crate) write_within: Duration,
    /// Delay of the answer to a wrong token. The connection keeps its place among the strangers
    /// meanwhile, which limits the guesses a second of one peer.
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

/// The longest line that is read, without its line feed: a token or a request is far shorter.
pub(crate) const LINE_BYTES_MAX: usize = 1024;

/// Limit of the actors that one snapshot names: some 300 kB of text.
pub(crate) const ACTORS_MAX: usize = 1_000;

/// Limit of the exclusive waits that one snapshot names: the oldest.
pub(crate) const WAITS_MAX: usize = 200;

/// Limit of the edges that one exclusive wait names.
pub(crate) const NEEDS_MAX: usize = 16;

/// Limit of the open requests that one snapshot names: the oldest.
pub(crate) const REQUESTS_MAX: usize = 200;

/// Limit of the kinds of dead letters that one snapshot names.
pub(crate) const DEAD_LETTERS_MAX: usize = 100;

//! Why a run has no row.

use std::{fmt, io};
use vivant::AskError;

/// Why a run gave no row.
#[derive(Debug)]
pub enum Failure {
    /// The bench ran and its result is wrong.
    Wrong {
        /// The checked value.
        what: &'static str,
        /// The expected value.
        expected: u64,
        /// The actual value.
        got: u64,
    },
    /// An actor did not answer.
    Asked(AskError),
    /// The system refused something: a socket, a child process, a file.
    Io(io::Error),
    /// A child process failed.
    Child(String),
    /// To be watched, without a feature that gives something to watch.
    NothingToWatch,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Wrong {
                what,
                expected,
                got,
            } => write!(f, "wrong result: {what} must be {expected} and is {got}"),
            Failure::Asked(error) => write!(f, "no answer: {error}"),
            Failure::Io(error) => write!(f, "{error}"),
            Failure::Child(what) => write!(f, "child process: {what}"),
            Failure::NothingToWatch => f.write_str(
                "--watched: build with `--features tracing`, `--features metrics`, or both",
            ),
        }
    }
}

impl std::error::Error for Failure {}

impl From<AskError> for Failure {
    fn from(error: AskError) -> Failure {
        Failure::Asked(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Io(error)
    }
}

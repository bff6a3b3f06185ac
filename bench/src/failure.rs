//! Why a run has no row.

use std::io;
use thiserror::Error;
use vivant::{AskError, SynchronizerError};

/// Why a run gave no row.
#[derive(Debug, Error)]
pub enum Failure {
    /// The bench ran and its result is wrong.
    #[error("wrong result: {what} must be {expected} and is {got}")]
    Wrong {
        /// The checked value.
        what: &'static str,
        /// The expected value.
        expected: u64,
        /// The actual value.
        got: u64,
    },
    /// An actor did not answer.
    #[error("no answer: {0}")]
    Asked(#[from] AskError),
    /// A synchronizer was not declared.
    #[error(transparent)]
    Undeclared(#[from] SynchronizerError),
    /// The system refused something: a socket, a child process, a file.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The store of snapshots cannot be used.
    #[error(transparent)]
    Store(#[from] vivant::journal::Error),
    /// A snapshot could not be taken.
    #[error(transparent)]
    Snapshot(#[from] vivant::SnapshotError),
    /// A system could not be restored.
    #[error(transparent)]
    Restore(#[from] vivant::RestoreError),
    /// The store has no image that is intact.
    #[error("the store has no snapshot")]
    NoSnapshot,
    /// A child process failed.
    #[error("child process: {0}")]
    Child(String),
    /// To be watched, without a feature that gives something to watch.
    #[error("--watched: build with `--features tracing`, `--features metrics`, or both")]
    NothingToWatch,
}

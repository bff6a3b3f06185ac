//! [`SnapshotError`]: why a snapshot was not taken.

use super::file::NotWritten;
use super::unsaved::Unsaved;
use crate::interned::Name;
use std::error::Error;
use std::fmt;
use std::time::Duration;

/// Why a snapshot was not taken. The program goes on, and the snapshots before are unchanged.
#[derive(Debug)]
#[non_exhaustive]
pub enum SnapshotError {
    /// The builder of the system was not told what the program saves.
    NothingListed,
    /// The system is shut down, or was shut down meanwhile.
    ShutDown,
    /// An actor has what an image cannot contain, or code of the program that saves a value failed.
    Unsaved(Unsaved),
    /// The cut was not complete at the deadline.
    Deadline {
        /// The limit.
        limit: Duration,
        /// The turns that ran then; the first of them that does not end holds the cut up. None: the
        /// thread that sends from outside did not end its send, or another snapshot took the time.
        turns: Vec<RunningTurn>,
    },
    /// This number of cuts was void, one after the other: a turn learned something that happened
    /// behind the cut line.
    Void(u32),
    /// The store failed. The snapshot may exist if that was at its publication.
    Store(vivant_journal::Error),
    /// The operating system gave no thread for the snapshot.
    NoThread(std::io::Error),
}

/// A turn that was running.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunningTurn {
    /// Path of the actor.
    pub actor: String,
    /// Stable name of the behaviour.
    pub behaviour: Name,
}

impl From<NotWritten> for SnapshotError {
    fn from(error: NotWritten) -> SnapshotError {
        match error {
            NotWritten::Store(error) => SnapshotError::Store(error),
            NotWritten::Value(error) => SnapshotError::Unsaved(Unsaved::Shapes(error)),
        }
    }
}

impl From<Unsaved> for SnapshotError {
    fn from(error: Unsaved) -> SnapshotError {
        SnapshotError::Unsaved(error)
    }
}

impl fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SnapshotError::NothingListed => f.write_str(
                "the system does not know what to save: name the saved actors in \
                 `System::builder().saved::<(…)>()`",
            ),
            SnapshotError::ShutDown => f.write_str("the system is shut down"),
            SnapshotError::Unsaved(error) => write!(f, "{error}"),
            SnapshotError::Deadline { limit, turns } => {
                write!(f, "the cut was not complete after {limit:?}")?;
                match &turns[..] {
                    [] => f.write_str(", and no turn was running"),
                    turns => {
                        f.write_str("; a turn must end first, and these were running: ")?;
                        let texts: Vec<_> = turns.iter().map(RunningTurn::to_string).collect();
                        f.write_str(&texts.join(", "))
                    }
                }
            }
            SnapshotError::Void(cuts) => write!(
                f,
                "{cuts} cuts were void: each time a turn learned something that happened behind the cut line; take \
                 the snapshot again when turns are shorter"
            ),
            SnapshotError::Store(error) => write!(f, "{error}"),
            SnapshotError::NoThread(error) => {
                write!(f, "the operating system gave no thread: {error}")
            }
        }
    }
}

impl fmt::Display for RunningTurn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in {}", self.behaviour, self.actor)
    }
}

impl Error for SnapshotError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            SnapshotError::Unsaved(error) => Some(error),
            SnapshotError::Store(error) => Some(error),
            SnapshotError::NoThread(error) => Some(error),
            SnapshotError::NothingListed
            | SnapshotError::ShutDown
            | SnapshotError::Deadline { .. }
            | SnapshotError::Void(_) => None,
        }
    }
}

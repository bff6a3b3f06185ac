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
    /// The actor with the tree that was to be saved is of another system.
    OtherSystem {
        /// Its path.
        actor: String,
    },
    /// An actor has what an image cannot contain, or code of the program that saves a value failed.
    Unsaved(Unsaved),
    /// The cut was not complete at the deadline.
    Deadline {
        /// The limit.
        limit: Duration,
        /// What the snapshot waited for then.
        waited_for: WaitedFor,
        /// The turns that ran then, those that had run the longest first.
        turns: Vec<RunningTurn>,
    },
    /// The store failed. The snapshot may exist if that was at its publication.
    Store(vivant_journal::Error),
    /// The operating system gave no thread for the snapshot.
    NoThread(std::io::Error),
}

/// What a snapshot waited for at its deadline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum WaitedFor {
    /// The end of the snapshot before.
    OtherSnapshot,
    /// The ends of the turns that ran when the cut began; if no turn runs, the end of what a thread
    /// outside was sending.
    Turns,
    /// A time without a turn: three cuts were void, because turns learned something that happened
    /// behind the cut line. The turns that waited for it go on.
    Pause,
    /// Heaps of actors that wrote nothing any more: all is captured, and their old objects are
    /// written between their turns.
    Heaps,
}

/// A turn that was running.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunningTurn {
    /// Path of the actor.
    pub actor: String,
    /// Stable name of the behaviour.
    pub behaviour: Name,
    /// For how long, if a worker runs it: threads for actors that block do not measure it.
    pub running_for: Option<Duration>,
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
            SnapshotError::OtherSystem { actor } => write!(
                f,
                "{actor} is an actor of another system: call `snapshot_of` of that one"
            ),
            SnapshotError::Unsaved(error) => write!(f, "{error}"),
            SnapshotError::Deadline {
                limit,
                waited_for,
                turns,
            } => {
                write!(f, "the cut was not complete after {limit:?}: {waited_for}")?;
                match (waited_for, &turns[..]) {
                    (WaitedFor::OtherSnapshot, _) => f.write_str(
                        "; set a longer limit by `snapshot_within`, or take fewer snapshots",
                    ),
                    (_, []) => f.write_str("; no turn was running; take the snapshot again"),
                    (_, turns) => {
                        f.write_str("; these turns were running: ")?;
                        let texts: Vec<_> = turns.iter().map(RunningTurn::to_string).collect();
                        f.write_str(&texts.join(", "))?;
                        f.write_str(
                            "; a behaviour that takes so long should send itself the rest of its work, or set a \
                             longer limit by `snapshot_within`",
                        )
                    }
                }
            }
            SnapshotError::Store(error) => write!(f, "{error}"),
            SnapshotError::NoThread(error) => {
                write!(f, "the operating system gave no thread: {error}")
            }
        }
    }
}

impl fmt::Display for WaitedFor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            WaitedFor::OtherSnapshot => "another snapshot of the system was still being taken",
            WaitedFor::Turns => "a turn that ran when it began must end first",
            WaitedFor::Heaps => "the heap of an actor was not written: a turn of that actor must end first",
            WaitedFor::Pause => {
                "three cuts were void, and the next one had to begin while no turn ran, which did not happen"
            }
        })
    }
}

impl fmt::Display for RunningTurn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in {}", self.behaviour, self.actor)?;
        match self.running_for {
            Some(time) => write!(f, " (for {time:?})"),
            None => Ok(()),
        }
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
            | SnapshotError::OtherSystem { .. }
            | SnapshotError::Deadline { .. } => None,
        }
    }
}

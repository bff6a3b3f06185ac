//! How a system is to end, and how it has ended.

use crate::system::inspect::AliveBecause;
use std::fmt;
use std::time::Duration;

/// How a system ends: at once, or when its queues are empty. For
/// [`System::shutdown_by`](crate::System::shutdown_by) and
/// [`System::shutdown_async`](crate::System::shutdown_async).
///
/// In both modes supervision trees end in their order, stop hooks run, and the shutdown waits for
/// the promises that they return and for the futures that they spawn.
///
/// ```
/// # use vivant::prelude::*;
/// # use vivant::Shutdown;
/// # use std::time::Duration;
/// #[derive(Actor)] struct Sum { sum: u64 }
/// #[behaviours] impl Sum {
///     fn add(&mut self, n: u64) { self.sum += n; }
/// }
///
/// let system = System::new();
/// let sum = system.spawn(Sum { sum: 0 });
/// (0..1000).for_each(|n| sum.add(n).send());
/// let report = system.shutdown_by(Shutdown::after_queues().within(Duration::from_secs(25)));
/// assert_eq!(report.unprocessed, 0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shutdown {
    pub(super) queues: Queues,
    pub(super) limit: Option<Duration>,
}

/// What happens to the messages that wait when a shutdown begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Queues {
    /// They become dead letters.
    Refused,
    /// They are processed, and the messages that are sent by that.
    Processed,
}

impl Shutdown {
    /// Each actor ends before its next message. Without [`within`](Shutdown::within) the limit is
    /// five seconds.
    pub fn now() -> Shutdown {
        Shutdown {
            queues: Queues::Refused,
            limit: None,
        }
    }

    /// First all messages that wait are processed, and those that actors send meanwhile, until no
    /// actor has a message that it can process and no future of a turn is pending. Timers that
    /// have not fired do not count, and neither do messages that wait for their guard.
    ///
    /// Without [`within`](Shutdown::within) that takes as long as it takes: for ever, if actors
    /// keep each other busy, a sender outside goes on, or a future never ends.
    pub fn after_queues() -> Shutdown {
        Shutdown {
            queues: Queues::Processed,
            limit: None,
        }
    }

    /// Limits the time of the whole shutdown. Of an end after the queues, a tenth of it, at most a
    /// second, is left for the stop hooks. An actor that is still in a turn then is left behind and
    /// named in the report; its thread ends with the turn. In a simulation turns take no time, so
    /// there a limit does not end actors that keep each other busy.
    pub fn within(self, limit: Duration) -> Shutdown {
        Shutdown {
            limit: Some(limit),
            ..self
        }
    }
}

/// The result of a shutdown.
#[derive(Clone, Debug)]
pub struct ShutdownReport {
    /// The actors that the shutdown has ended, in the order of their creation, and why each
    /// existed. That is no failure: a program need not stop its actors.
    pub remaining: Vec<RemainingActor>,
    /// Those of them that did not end within the limit: their turns are still running.
    pub still_running: Vec<RemainingActor>,
    /// Number of threads that had not ended within the limit; each ends when the call that blocks
    /// it returns.
    pub threads_left_behind: usize,
    /// Number of messages that were sent and became dead letters by the shutdown. Continuations of
    /// an actor's own requests do not count, and neither do notices of the ends that it watches.
    /// The shutdown itself causes them, and a request that is lost counts.
    pub unprocessed: u64,
    /// Number of messages that were not processed, in the whole life of the system.
    pub dead_letters: u64,
}

/// An actor that existed when the shutdown ended the actors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemainingActor {
    /// Its path.
    pub actor: String,
    /// Why it existed.
    pub because: AliveBecause,
}

impl ShutdownReport {
    /// Returns true if every actor ended and every thread left within the limit.
    pub fn is_complete(&self) -> bool {
        self.still_running.is_empty() && self.threads_left_behind == 0
    }
}

impl fmt::Display for ShutdownReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "actors ended: {}, messages unprocessed: {}",
            self.remaining.len() - self.still_running.len(),
            self.unprocessed
        )?;
        for actor in &self.still_running {
            write!(f, "\n{} is still running: {}", actor.actor, actor.because)?;
        }
        Ok(())
    }
}

//! Open requests: asks that wait for their answers, as an inspection lists them.

use std::fmt;
use std::panic::Location;
use std::time::Duration;

/// An ask that waits for its answer; in [`Inspection::requests`](crate::Inspection::requests).
///
/// A request is open until it is answered, fails, or its asker drops the promise or the future. A
/// time limit of a promise ([`Promise::within`](crate::Promise::within)) does not close it: the
/// other actor still has to answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OpenRequest {
    /// Where the answer goes.
    pub asker: Asker,
    /// Path of the actor that was asked, or that the request was delegated to; `None` if it has
    /// ended, and the answer is to come from elsewhere.
    pub answerer: Option<String>,
    /// Stable name of the message: of a behaviour, or of a method of an interface.
    pub behaviour: &'static str,
    /// Where in the source the message was made.
    pub asked_at: &'static Location<'static>,
    /// How long it has been open, to a millisecond.
    pub open_for: Duration,
    /// How far the actor that was asked has come with it.
    pub progress: RequestProgress,
}

/// Where the answer of a request goes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Asker {
    /// To a promise of the actor with this path.
    Actor(String),
    /// To a future or a thread outside of all turns; [`OpenRequest::asked_at`] says which.
    Outside,
}

/// How far the actor that was asked has come with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum RequestProgress {
    /// The message is on its way, or waits in a mailbox.
    Queued,
    /// It was taken out of the mailbox, and waits for its guard, its join or an exclusive wait.
    Deferred,
    /// Its turn has begun. When that turn has ended, the answer is to come from a promise or from a
    /// resolver that was kept.
    Begun,
}

impl Asker {
    /// The path of the actor that asked, if it was one.
    pub fn actor(&self) -> Option<&str> {
        match self {
            Asker::Actor(path) => Some(path),
            Asker::Outside => None,
        }
    }
}

impl fmt::Display for Asker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.actor().unwrap_or("outside"))
    }
}

impl RequestProgress {
    /// One lower-case word.
    pub fn as_str(self) -> &'static str {
        match self {
            RequestProgress::Queued => "queued",
            RequestProgress::Deferred => "deferred",
            RequestProgress::Begun => "begun",
        }
    }
}

impl fmt::Display for RequestProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for OpenRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let answerer = self.answerer.as_deref().unwrap_or("an ended actor");
        write!(
            f,
            "{} waits for `{}` of {answerer}, asked at {}, {} for {:?}",
            self.asker, self.behaviour, self.asked_at, self.progress, self.open_for
        )
    }
}

//! The lines of a client, and the refusal that it may get.

use serde::{Deserialize, Serialize};

/// The version of the protocol. Both sides must have the same.
pub const VERSION: u32 = 1;

/// The revision of the fields within the version. Revision 0, of consoles that do not send the
/// number, has no names, heaps, pauses, bounds, waits and requests.
pub const REVISION: u32 = 1;

/// The first line of a client.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Greeting {
    /// The secret.
    pub token: String,
}

/// Every further line of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// The requested subject.
    pub get: Subject,
}

/// A subject of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// A [`Snapshot`](super::Snapshot).
    Facts,
}

/// The last line that a client gets before the connection is closed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// The version of the protocol.
    pub version: u32,
    /// The reason.
    pub error: Reason,
}

/// Why a client is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The token is wrong or missing.
    Token,
    /// The line is no request that this version knows.
    Request,
    /// The line is too long.
    TooLong,
    /// The line took too long.
    TooLate,
    /// There is no place for this user.
    Busy,
    /// A reason that only a newer version knows.
    #[serde(other)]
    Other,
}

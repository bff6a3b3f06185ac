//! [`Problem`]: the status and the body of a request that no actor answered.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use std::error::Error;
use std::fmt;
use vivant::{AskError, LookupError, Message, SendError, StopReason};

/// After how many seconds a client may send the request again, where that may help.
const RETRY_AFTER: HeaderValue = HeaderValue::from_static("1");
const PROBLEM_JSON: HeaderValue = HeaderValue::from_static("application/problem+json");
const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

/// Why an HTTP request has no answer of an actor. The error type of handlers: `?` converts an
/// [`AskError`], a [`SendError`] or a [`LookupError`] into it; a `SendError` becomes the `AskError`
/// that an ask would have had.
///
/// | error | status | `Retry-After` | had the request an effect? |
/// |---|---|---|---|
/// | [`AskError::Overloaded`]: the mailbox was full | 503 | 1 s | no |
/// | [`AskError::Restarted`]: the actor was restarted before its turn | 503 | 1 s | no |
/// | [`AskError::Cancelled`]: the message was withdrawn before its turn | 503 | 1 s | no |
/// | [`AskError::Constrained`]: a synchronizer can never dispatch it | 503 | 1 s | no |
/// | [`AskError::Stopped`]: by shutdown, a panic, a failure, a link | 503 | 1 s | no |
/// | [`AskError::Stopped`]: stopped, drained, finished, unreferenced, unreachable | 410 | | no |
/// | [`AskError::Stopped`]: with its supervisor | as for the end of the supervisor | | no |
/// | [`AskError::TimedOut`] | 504 | | perhaps |
/// | [`AskError::Panicked`] | 500 | | perhaps, in part |
/// | [`AskError::Broken`]: the resolver was dropped | 500 | | perhaps |
/// | [`AskError::InsideTurn`]: the handler ran within a turn | 500 | | no |
/// | [`AskError::WaitCycle`]: actors would have waited for each other | 500 | | perhaps |
/// | [`AskError::Stalled`]: in a simulation, no answer can come | 500 | | perhaps |
/// | an [`AskError`] that this version does not know | 500 | | perhaps |
/// | [`LookupError::Unknown`], as [`Problem::Lookup`] | 404 | | no |
/// | [`LookupError::Unknown`], as [`Problem::Absent`] | 503 | 1 s | no |
/// | [`LookupError::OtherType`] | 500 | | no |
///
/// The body is a problem document of RFC 9457 (`application/problem+json`) with `type`, `title`,
/// `status` and `detail`. `detail` is one of a few fixed sentences: paths of actors, names of
/// behaviours, places in the source and texts of panics do not leave the program. The response
/// carries the `Problem` itself as an extension, for a layer that writes a log; its `Display` names
/// all of these. `Cache-Control: no-store` keeps caches from repeating a failure.
///
/// ```
/// use axum::extract::State;
/// use axum::response::IntoResponse;
/// use vivant::prelude::*;
/// use vivant_axum::Problem;
///
/// #[derive(Actor)] struct Till { sum: u64 }
/// #[behaviours] impl Till {
///     fn pay(&mut self, amount: u64) -> u64 { self.sum += amount; self.sum }
/// }
///
/// async fn pay(State(till): State<Address<Till>>) -> Result<String, Problem> {
///     Ok(till.pay(5).ask().await?.to_string())
/// }
///
/// let system = System::new();
/// let till = system.spawn(Till { sum: 0 });
/// system.shutdown();
/// let problem = system.block_on(pay(State(till))).unwrap_err();
/// assert_eq!(problem.status(), 503);
/// assert!(problem.to_string().contains("Till"));                  // for the log
/// assert_eq!(problem.detail(), "the service is not available; the request had no effect");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// No answer came.
    Ask(AskError),
    /// No actor has a name that the client chose, for example a part of the path.
    Lookup(LookupError),
    /// No actor has a name that the program chose: it has not started yet, or has ended.
    Absent(LookupError),
}

impl Problem {
    /// The status of the response, by the table above.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        self.answer().0
    }

    /// What the client is told: a fixed sentence.
    #[must_use]
    pub fn detail(&self) -> &'static str {
        self.answer().1
    }

    fn answer(&self) -> (StatusCode, &'static str) {
        const UNAVAILABLE: &str = "the service is not available; the request had no effect";
        const FAILED: &str = "the service failed; the request may have had an effect";
        match self {
            Problem::Ask(AskError::Overloaded(_)) => (
                StatusCode::SERVICE_UNAVAILABLE,
                "the service has too many requests; this one had no effect",
            ),
            Problem::Ask(
                AskError::Restarted(_) | AskError::Cancelled | AskError::Constrained(_),
            ) => (StatusCode::SERVICE_UNAVAILABLE, UNAVAILABLE),
            Problem::Ask(AskError::Stopped(it)) if is_failure(&it.reason) => {
                (StatusCode::SERVICE_UNAVAILABLE, UNAVAILABLE)
            }
            Problem::Ask(AskError::Stopped(_)) => (
                StatusCode::GONE,
                "what was asked for has ended; the request had no effect",
            ),
            Problem::Ask(AskError::TimedOut { .. }) => (
                StatusCode::GATEWAY_TIMEOUT,
                "no answer came in time; the request may still have an effect",
            ),
            Problem::Lookup(LookupError::Unknown { .. }) => (
                StatusCode::NOT_FOUND,
                "there is nothing of this name; the request had no effect",
            ),
            Problem::Absent(LookupError::Unknown { .. }) => {
                (StatusCode::SERVICE_UNAVAILABLE, UNAVAILABLE)
            }
            // Faults of the program; and errors that are newer than this table.
            Problem::Ask(_) | Problem::Lookup(_) | Problem::Absent(_) => {
                (StatusCode::INTERNAL_SERVER_ERROR, FAILED)
            }
        }
    }
}

/// Whether the actor's work goes on elsewhere or later: in another process, or when an operator has
/// started it again. Any other end was decided, and lasts.
fn is_failure(reason: &StopReason) -> bool {
    if let StopReason::SupervisorEnded(it) = reason {
        return is_failure(&it.reason);
    }
    !matches!(
        reason,
        StopReason::Stopped
            | StopReason::Drained
            | StopReason::Finished
            | StopReason::Unreferenced
            | StopReason::Unreachable
    )
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let (status, detail) = self.answer();
        let title = status.canonical_reason().unwrap_or_default();
        // Fixed texts without quotes and backslashes.
        let body = format!(
            r#"{{"type":"about:blank","title":"{title}","status":{},"detail":"{detail}"}}"#,
            status.as_u16()
        );
        let mut response = (status, body).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, PROBLEM_JSON);
        headers.insert(header::CACHE_CONTROL, NO_STORE);
        if status == StatusCode::SERVICE_UNAVAILABLE {
            headers.insert(header::RETRY_AFTER, RETRY_AFTER);
        }
        response.extensions_mut().insert(self);
        response
    }
}

impl From<AskError> for Problem {
    fn from(error: AskError) -> Problem {
        Problem::Ask(error)
    }
}

impl<M: Message> From<SendError<M>> for Problem {
    fn from(error: SendError<M>) -> Problem {
        Problem::Ask(error.into())
    }
}

impl From<LookupError> for Problem {
    fn from(error: LookupError) -> Problem {
        Problem::Lookup(error)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Ask(error) => error.fmt(f),
            Problem::Lookup(error) | Problem::Absent(error) => error.fmt(f),
        }
    }
}

impl Error for Problem {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Problem::Ask(error) => Some(error),
            Problem::Lookup(error) | Problem::Absent(error) => Some(error),
        }
    }
}

//! Problems: answers to requests that cannot be served.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use std::borrow::Cow;
use vivant::AskError;

/// A status and its reason, which is the body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    status: StatusCode,
    reason: Cow<'static, str>,
}

impl Problem {
    /// A problem with this status.
    pub fn new(status: StatusCode, reason: impl Into<Cow<'static, str>>) -> Problem {
        Problem {
            status,
            reason: reason.into(),
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        (self.status, self.reason).into_response()
    }
}

impl From<AskError> for Problem {
    fn from(error: AskError) -> Problem {
        let status = match error {
            AskError::Panicked(_) | AskError::Broken(_) => StatusCode::INTERNAL_SERVER_ERROR,
            _ => StatusCode::SERVICE_UNAVAILABLE,
        };
        Problem::new(status, format!("the cache did not answer: {error}"))
    }
}

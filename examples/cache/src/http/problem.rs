//! Problems: answers to requests that cannot be served.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use vivant::AskError;

/// Why a request gets no page.
#[derive(Clone, Debug)]
pub enum Problem {
    /// Nothing is there, and why: the body.
    Unknown(&'static str),
    /// The request comes from elsewhere, and why that matters: the body.
    Foreign(&'static str),
    /// The cache did not answer.
    NoAnswer(vivant_axum::Problem),
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        match self {
            Problem::Unknown(reason) => (StatusCode::NOT_FOUND, reason).into_response(),
            Problem::Foreign(reason) => (StatusCode::FORBIDDEN, reason).into_response(),
            Problem::NoAnswer(problem) => problem.into_response(),
        }
    }
}

impl From<AskError> for Problem {
    fn from(error: AskError) -> Problem {
        Problem::NoAnswer(error.into())
    }
}

//! Problems: answers to requests that cannot be served.

use crate::desk::Refusal;
use axum::Json;
use axum::extract::rejection::{FormRejection, JsonRejection, PathRejection, QueryRejection};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;
use vivant::AskError;

/// A status and its reason; the body is `{"error": "…"}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    status: StatusCode,
    reason: String,
    /// Goes into the log, not to the client.
    cause: Option<vivant_axum::Problem>,
}

impl Problem {
    /// A problem with this status.
    pub fn new(status: StatusCode, reason: impl Into<String>) -> Problem {
        Problem {
            status,
            reason: reason.into(),
            cause: None,
        }
    }

    /// The request makes no sense.
    pub fn malformed(reason: impl Into<String>) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, reason)
    }

    /// What a rejection of axum's becomes: too large stays too large, everything else is the
    /// sender's mistake, also a body that does not arrive in time.
    fn of_rejection(status: StatusCode, reason: String) -> Problem {
        match status {
            StatusCode::PAYLOAD_TOO_LARGE => Problem::new(status, reason),
            _ => Problem::malformed(reason),
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(json!({ "error": self.reason }))).into_response();
        if self.status == StatusCode::SERVICE_UNAVAILABLE {
            let seconds = header::HeaderValue::from_static("1");
            response.headers_mut().insert(header::RETRY_AFTER, seconds);
        }
        if let Some(cause) = self.cause {
            response.extensions_mut().insert(cause);
        }
        response
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Problem {
        let status = match &refusal {
            Refusal::NoSession
            | Refusal::NotYours
            | Refusal::WrongLogin
            | Refusal::WrongPassword
            | Refusal::AlreadyLoaded => StatusCode::FORBIDDEN,
            Refusal::NoSuchCustomer(_) | Refusal::NoSuchFlight(_) | Refusal::NoSuchBooking(_) => {
                StatusCode::NOT_FOUND
            }
            Refusal::SoldOut(_) | Refusal::Departed(_) | Refusal::Loading => StatusCode::CONFLICT,
            Refusal::NotLoaded => StatusCode::SERVICE_UNAVAILABLE,
            Refusal::Failed(error) => return error.clone().into(),
        };
        Problem::new(status, refusal.to_string())
    }
}

/// Status and sentence are those of [`vivant_axum::Problem`]; the body is the airline's own.
impl From<AskError> for Problem {
    fn from(error: AskError) -> Problem {
        let problem = vivant_axum::Problem::from(error);
        Problem {
            status: problem.status(),
            reason: problem.detail().to_owned(),
            cause: Some(problem),
        }
    }
}

macro_rules! from_rejection {
    ($($rejection:ty),*) => {$(
        impl From<$rejection> for Problem {
            fn from(rejection: $rejection) -> Problem {
                Problem::of_rejection(rejection.status(), rejection.body_text())
            }
        }
    )*};
}

from_rejection!(FormRejection, JsonRejection, PathRejection, QueryRejection);

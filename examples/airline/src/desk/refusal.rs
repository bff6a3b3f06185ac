//! Refusals: why the airline refuses a request.

use crate::id::Id;
use thiserror::Error;
use vivant::{AskError, Saved};

/// Why the airline does not do what it was asked.
#[derive(Saved, Clone, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// The loader has not run.
    #[error("no data are loaded: GET /rest/api/loader/load")]
    NotLoaded,
    /// The loader has run.
    #[error("data are loaded already; only the operator may replace them")]
    AlreadyLoaded,
    /// The loader is running.
    #[error("data are being loaded already")]
    Loading,
    /// There is no such session, or it has ended.
    #[error("no such session: log in")]
    NoSession,
    /// The session belongs to another customer.
    #[error("this session belongs to another customer")]
    NotYours,
    /// There is no such customer, or the password is wrong. The text does not tell which.
    #[error("no customer has this name and this password")]
    WrongLogin,
    /// The password is another one.
    #[error("the password is wrong")]
    WrongPassword,
    /// There is no such customer.
    #[error("there is no customer {0}")]
    NoSuchCustomer(String),
    /// There is no such flight.
    #[error("there is no flight {0}")]
    NoSuchFlight(Id),
    /// This customer has no such booking.
    #[error("there is no booking {0} of this customer")]
    NoSuchBooking(Id),
    /// The flight has no free seat left.
    #[error("flight {0} is sold out; nothing was booked")]
    SoldOut(Id),
    /// The flight has left.
    #[error("flight {0} has departed; nothing was booked")]
    Departed(Id),
    /// An actor that is needed did not answer.
    #[error("an actor did not answer: {0}")]
    Failed(AskError),
}

impl From<&AskError> for Refusal {
    fn from(error: &AskError) -> Refusal {
        Refusal::Failed(error.clone())
    }
}

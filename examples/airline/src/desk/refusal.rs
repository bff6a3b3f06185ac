//! Refusals: why the airline does not do what it was asked.

use crate::id::Id;
use std::fmt;
use vivant::AskError;

/// Why the airline does not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The loader has not run.
    NotLoaded,
    /// The loader is running.
    Loading,
    /// There is no such session, or it has ended.
    NoSession,
    /// The session belongs to somebody else.
    NotYours,
    /// There is no such customer, or the password is another one. It does not say which.
    WrongLogin,
    /// The password is another one.
    WrongPassword,
    /// There is no such customer.
    NoSuchCustomer(String),
    /// There is no such flight.
    NoSuchFlight(Id),
    /// This customer has no such booking.
    NoSuchBooking(Id),
    /// The flight has no free seat left.
    SoldOut(Id),
    /// An actor that is needed did not answer.
    Failed(String),
}

impl From<&AskError> for Refusal {
    fn from(error: &AskError) -> Refusal {
        Refusal::Failed(error.to_string())
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::NotLoaded => f.write_str("no data are loaded: GET /rest/api/loader/load"),
            Refusal::Loading => f.write_str("data are being loaded already"),
            Refusal::NoSession => f.write_str("no such session: log in"),
            Refusal::NotYours => f.write_str("this session belongs to another customer"),
            Refusal::WrongLogin => f.write_str("no customer has this name and this password"),
            Refusal::WrongPassword => f.write_str("the password is wrong"),
            Refusal::NoSuchCustomer(user) => write!(f, "there is no customer {user}"),
            Refusal::NoSuchFlight(id) => write!(f, "there is no flight {id}"),
            Refusal::NoSuchBooking(id) => write!(f, "there is no booking {id} of this customer"),
            Refusal::SoldOut(id) => write!(f, "flight {id} is sold out; nothing was booked"),
            Refusal::Failed(error) => write!(f, "the airline did not answer: {error}"),
        }
    }
}

impl std::error::Error for Refusal {}

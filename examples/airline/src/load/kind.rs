//! Kinds of requests.

use strum::{EnumCount, IntoStaticStr, VariantArray};

/// A kind of request in the mix. They are in the order of a user's loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumCount, IntoStaticStr, VariantArray)]
pub enum Kind {
    /// Begins a session.
    Login,
    /// Reads the profile.
    #[strum(serialize = "View profile")]
    ViewProfile,
    /// Writes it back with another street number and postal code.
    #[strum(serialize = "Update customer")]
    UpdateCustomer,
    /// Looks for flights out and back.
    #[strum(serialize = "Query flights")]
    QueryFlights,
    /// Books what the last query found.
    #[strum(serialize = "Book flight")]
    BookFlight,
    /// Lists the customer's bookings.
    #[strum(serialize = "List bookings")]
    ListBookings,
    /// Cancels one of them.
    #[strum(serialize = "Cancel booking")]
    CancelBooking,
    /// Ends the session.
    Logout,
}

impl Kind {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

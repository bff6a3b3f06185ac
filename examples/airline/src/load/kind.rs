//! Kinds of requests.

/// A kind of request in the mix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Begins a session.
    Login,
    /// Reads the profile.
    ViewProfile,
    /// Writes it back with another street number and postal code.
    UpdateCustomer,
    /// Looks for flights out and back.
    QueryFlights,
    /// Books what the last query found.
    BookFlight,
    /// Lists the customer's bookings.
    ListBookings,
    /// Cancels one of them.
    CancelBooking,
    /// Ends the session.
    Logout,
}

impl Kind {
    /// How many kinds there are.
    pub const COUNT: usize = 8;

    /// All kinds, in the order of a user's loop; each stands at its own number.
    pub const ALL: [Kind; Kind::COUNT] = [
        Kind::Login,
        Kind::ViewProfile,
        Kind::UpdateCustomer,
        Kind::QueryFlights,
        Kind::BookFlight,
        Kind::ListBookings,
        Kind::CancelBooking,
        Kind::Logout,
    ];

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Login => "Login",
            Kind::ViewProfile => "View profile",
            Kind::UpdateCustomer => "Update customer",
            Kind::QueryFlights => "Query flights",
            Kind::BookFlight => "Book flight",
            Kind::ListBookings => "List bookings",
            Kind::CancelBooking => "Cancel booking",
            Kind::Logout => "Logout",
        }
    }
}

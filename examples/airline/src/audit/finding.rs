//! The findings of an audit.

use crate::id::Id;
use thiserror::Error;

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Finding {
    /// A1: more passengers than seats.
    #[error("flight {flight} sold {sold} of its {seats} seats")]
    Oversold {
        /// The flight.
        flight: Id,
        /// The number of its seats.
        seats: u32,
        /// The number of sold seats.
        sold: usize,
    },
    /// A2: a seat is taken, and its customer does not know of it.
    #[error("a seat of flight {flight} is taken for {booking}, which no customer has")]
    SeatWithoutBooking {
        /// The flight.
        flight: Id,
        /// The booking that took it.
        booking: Id,
    },
    /// A2: a customer has a booking, and no seat.
    #[error("booking {booking} of customer {customer} has no seat")]
    BookingWithoutSeat {
        /// The customer's number.
        customer: u32,
        /// The booking.
        booking: Id,
    },
    /// A2: a booking has seats in two flights.
    #[error("booking {booking} has two seats")]
    TwoSeats {
        /// The booking.
        booking: Id,
    },
    /// A3: two bookings have the same id.
    #[error("two bookings have the id {booking}")]
    TwoBookings {
        /// The id.
        booking: Id,
    },
    /// A4: a booking that was confirmed to a customer is gone.
    #[error("booking {booking} was confirmed and is lost")]
    Lost {
        /// The booking.
        booking: Id,
    },
    /// A4: a booking with a confirmed cancellation is still there.
    #[error("booking {booking} was cancelled and is still there")]
    NotGone {
        /// The booking.
        booking: Id,
    },
    /// A4: there is a booking that was confirmed to no customer.
    #[error("booking {booking} was never confirmed")]
    Unconfirmed {
        /// The booking.
        booking: Id,
    },
    /// A flight or customer did not answer.
    #[error("an actor did not answer: {error}")]
    Silent {
        /// The runtime's error.
        error: String,
    },
}

//! Findings: what an audit can find wrong.

use crate::id::Id;
use std::fmt;

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// A1: more passengers than seats.
    Oversold {
        /// The flight.
        flight: Id,
        /// How many seats it has.
        seats: u32,
        /// How many it sold.
        sold: usize,
    },
    /// A2: a seat is taken, and its customer does not know of it.
    SeatWithoutBooking {
        /// The flight.
        flight: Id,
        /// The booking that took it.
        booking: Id,
    },
    /// A2: a customer has a booking, and no seat.
    BookingWithoutSeat {
        /// The customer's number.
        customer: u32,
        /// The booking.
        booking: Id,
    },
    /// A2: a booking has seats in two flights.
    TwoSeats {
        /// The booking.
        booking: Id,
    },
    /// A3: two bookings have the same id.
    TwoBookings {
        /// The id.
        booking: Id,
    },
    /// A4: a customer was told that it was booked, and it is gone.
    Lost {
        /// The booking.
        booking: Id,
    },
    /// A4: a customer was told that it was cancelled, and it is still there.
    NotGone {
        /// The booking.
        booking: Id,
    },
    /// A4: there is a booking that nobody was told of.
    NobodyWasTold {
        /// The booking.
        booking: Id,
    },
    /// Somebody did not answer.
    Silent {
        /// The runtime's words.
        error: String,
    },
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Finding::Oversold {
                flight,
                seats,
                sold,
            } => write!(f, "flight {flight} sold {sold} of its {seats} seats"),
            Finding::SeatWithoutBooking { flight, booking } => write!(
                f,
                "a seat of flight {flight} is taken for {booking}, which no customer has"
            ),
            Finding::BookingWithoutSeat { customer, booking } => {
                write!(f, "booking {booking} of customer {customer} has no seat")
            }
            Finding::TwoSeats { booking } => write!(f, "booking {booking} has two seats"),
            Finding::TwoBookings { booking } => write!(f, "two bookings have the id {booking}"),
            Finding::Lost { booking } => write!(f, "booking {booking} was confirmed and is lost"),
            Finding::NotGone { booking } => {
                write!(f, "booking {booking} was cancelled and is still there")
            }
            Finding::NobodyWasTold { booking } => {
                write!(f, "booking {booking} was never confirmed to anybody")
            }
            Finding::Silent { error } => write!(f, "somebody did not answer: {error}"),
        }
    }
}

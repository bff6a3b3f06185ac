//! The audit: whether flights and customers tell the same story, and whether it is the one that
//! customers were told.
//!
//! - [`Auditor`]: the actor that asks everybody.
//! - [`Ledgers`]: what they answered; [`Ledgers::audit`] compares.
//! - [`Finding`]: what is wrong.
//!
//! What must hold when no booking is under way:
//!
//! - A1 No flight has more passengers than seats.
//! - A2 Every booking of every customer has exactly its seat, and every seat its booking.
//! - A3 No two bookings have the same id.
//! - A4 What customers were told was booked, and did not cancel, is there; nothing else is; and
//!   what they were told was cancelled is gone.

mod auditor;
mod finding;
mod ledgers;

pub use auditor::Auditor;
pub use finding::Finding;
pub use ledgers::Ledgers;

use crate::id::Id;

/// What customers were told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// Bookings that were confirmed.
    pub booked: Vec<Id>,
    /// Bookings whose cancellation was confirmed.
    pub cancelled: Vec<Id>,
}

/// The audit's result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Audit {
    /// How many flights answered.
    pub flights: usize,
    /// How many customers answered.
    pub customers: usize,
    /// How many seats are taken.
    pub seats_taken: usize,
    /// How many bookings customers have.
    pub bookings: usize,
    /// What is wrong.
    pub findings: Vec<Finding>,
}

impl Audit {
    /// Whether nothing is wrong.
    pub fn holds(&self) -> bool {
        self.findings.is_empty()
    }
}

//! The audit: whether the records of flights and customers agree, with each other and with the
//! answers that customers got.
//!
//! - [`Ledgers`]: the records; [`Ledgers::audit`] compares them.
//! - [`Finding`]: one error.
//!
//! Invariants when no booking is in progress:
//!
//! - A1 No flight has more passengers than seats.
//! - A2 Every booking of every customer has exactly its seat, and every seat its booking.
//! - A3 No two bookings have the same id.
//! - A4 Every booking that was confirmed to a customer and not cancelled exists; no other booking
//!   exists; and every booking with a confirmed cancellation is gone.

mod finding;
mod ledgers;

pub use finding::Finding;
pub use ledgers::Ledgers;

use crate::id::Id;
use serde_json::{Value, json};
use std::fmt;

/// The answers that customers got.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Confirmed {
    /// Bookings that were confirmed.
    pub booked: Vec<Id>,
    /// Bookings with a confirmed cancellation.
    pub cancelled: Vec<Id>,
}

/// The audit's result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Audit {
    /// The number of flights that answered.
    pub flights: usize,
    /// The number of customers that answered.
    pub customers: usize,
    /// The number of taken seats.
    pub seats_taken: usize,
    /// The number of customers' bookings.
    pub bookings: usize,
    /// The findings.
    pub findings: Vec<Finding>,
}

impl Audit {
    /// Returns true if there is no finding.
    pub fn holds(&self) -> bool {
        self.findings.is_empty()
    }

    /// The findings, as sentences.
    pub fn complaints(&self) -> Vec<String> {
        let findings = self.findings.iter();
        findings.map(|it| format!("audit: {it}")).collect()
    }

    /// For programs.
    pub fn json(&self) -> Value {
        json!({
            "holds": self.holds(),
            "flights": self.flights,
            "customers": self.customers,
            "seats_taken": self.seats_taken,
            "bookings": self.bookings,
            "findings": self.findings.iter().map(ToString::to_string).collect::<Vec<_>>(),
        })
    }
}

impl fmt::Display for Audit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let result = if self.holds() { "holds" } else { "FAILED" };
        write!(
            f,
            "audit: {} flights, {} customers, {} seats taken, {} bookings: {result}",
            self.flights, self.customers, self.seats_taken, self.bookings,
        )
    }
}

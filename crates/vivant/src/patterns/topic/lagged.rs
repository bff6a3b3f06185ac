//! [`Lagged`]: the number of values that a subscriber has missed.

use crate::saving::saved_struct;
use std::error::Error;
use std::fmt;

/// Number of published values that a subscriber missed, because its subscription's limit of values
/// in flight was reached.
///
/// It comes once for each gap, in order, and the subscription continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lagged {
    /// Number of values. Never zero.
    pub missed: u64,
}

impl fmt::Display for Lagged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} published values were missed", self.missed)
    }
}

impl Error for Lagged {}

saved_struct!(Lagged as "vivant::Lagged" { 0 missed: u64 });

//! What the four programs have in common: their data.

/// Why a flow has not reached its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    Funds,
    Closed,
    NoOffer,
    /// A message was not answered.
    Lost,
}

/// A line of the journal.
#[derive(Clone, Copy, Debug)]
#[allow(dead_code, reason = "written, and only counted")]
pub enum Entry {
    Transfer(u64),
    Purchase(u64),
}

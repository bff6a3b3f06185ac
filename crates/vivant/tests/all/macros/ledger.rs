//! An interface, as a library has it.

use vivant::prelude::*;

/// An actor that can be paid.
#[interface]
pub trait Ledger {
    /// Adds `amount`.
    fn pay_in(&mut self, t: &Turn<Self>, amount: u64) -> Promise<u64>;
    /// What is there.
    fn total(&self) -> u64;
    /// Gives it away.
    fn close(&mut self, reason: String);
}

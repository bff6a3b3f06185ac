//! Bugs for the canaries of `model_tests.rs`.

use super::envelope::Envelope;
use super::ring::Ticket;
use std::cell::Cell;
use std::panic::Location;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Bug {
    None,
    DisplacesTheNewest,
    LosesTheDisplaced,
    FreesNoPlace,
}

thread_local! {
    static BUG: Cell<Bug> = const { Cell::new(Bug::None) };
}

pub(super) fn bug() -> Bug {
    BUG.get()
}

/// What is said to be displaced: a bug puts another message in its place.
pub(super) fn exchanged(displaced: Envelope) -> Envelope {
    match bug() {
        Bug::LosesTheDisplaced => {
            drop(displaced);
            Envelope::new::<Ticket>((), Location::caller())
        }
        _ => displaced,
    }
}

/// The bug is there, on this thread, until this is dropped.
pub(super) struct Planted(());

pub(super) fn plant(bug: Bug) -> Planted {
    BUG.set(bug);
    Planted(())
}

impl Drop for Planted {
    fn drop(&mut self) {
        BUG.set(Bug::None);
    }
}

//! Faults that the self-tests of `model_tests.rs` inject.

use super::envelope::Envelope;
use super::ticket::Ticket;
use crate::interned::Place;
use std::cell::Cell;

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

/// Returns the message that is reported as displaced: an injected fault substitutes another
/// message.
pub(super) fn exchanged(displaced: Envelope) -> Envelope {
    match bug() {
        Bug::LosesTheDisplaced => {
            drop(displaced);
            Envelope::new::<Ticket>((), Place::caller())
        }
        _ => displaced,
    }
}

/// The fault is injected on this thread until this is dropped.
pub(super) struct InjectedFault(());

pub(super) fn plant(bug: Bug) -> InjectedFault {
    BUG.set(bug);
    InjectedFault(())
}

impl Drop for InjectedFault {
    fn drop(&mut self) {
        BUG.set(Bug::None);
    }
}

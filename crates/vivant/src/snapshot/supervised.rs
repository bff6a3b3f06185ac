//! Children of supervisors in an image: what a child knows of its supervisor. What a supervisor
//! knows of its children is in its state.

use super::start_record::StartRecord;
use crate::actor::{Signals, Terms, TreeEnd};
use crate::failures::StopReason;
use crate::phase::Phase;
use crate::saving::{saved_enum, saved_struct};
use std::collections::BTreeMap;

/// An actor that has a supervisor.
#[derive(Debug, PartialEq)]
pub(super) struct SupervisedRecord {
    pub(super) actor: u64,
    /// It may have ended. Then the actor has been told to end.
    pub(super) supervisor: u64,
    pub(super) child: SupervisedAs,
}

/// What a child is.
#[derive(Debug, PartialEq)]
pub(super) enum SupervisedAs {
    /// A supervisor itself.
    Branch,
    Leaf(LeafRecord),
}

/// A child that is no supervisor.
#[derive(Debug, PartialEq)]
pub(super) struct LeafRecord {
    /// How each of its incarnations starts.
    pub(super) start: StartRecord,
    pub(super) terms: Terms,
    pub(super) is: IncarnationState,
}

/// Whether a child has an incarnation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IncarnationState {
    Up,
    /// It waits for an order to start.
    Down,
}

/// An order of its supervisor that a child has not taken.
#[derive(Debug, PartialEq)]
pub(super) struct OrderRecord {
    pub(super) actor: u64,
    pub(super) order: WaitingOrder,
}

/// An order that waits.
#[derive(Debug, PartialEq)]
pub(super) enum WaitingOrder {
    Start,
    /// With the number that the answer repeats.
    Halt(u64),
    /// For this reason.
    End(StopReason),
}

/// The signals that wait for an actor in a cut.
#[derive(Debug, Default)]
pub(super) struct WaitingSignals {
    signals: Signals,
    /// Why its supervisor stops it.
    end: Option<StopReason>,
}

/// The supervisors of a cut that have one: where that says why it ends them, and the phase of the
/// cut.
pub(super) type Branches = BTreeMap<u64, (TreeEnd, Phase)>;

/// What an image has of the signals that wait for an actor.
pub(super) enum SignalRecord {
    Order(WaitingOrder),
    /// It is to end, and no supervisor says why.
    Stop,
}

impl WaitingSignals {
    /// These come after the others.
    pub(super) fn add(&mut self, signals: Signals, end: Option<StopReason>) {
        self.signals = signals.after(self.signals);
        self.ends_for(end);
    }

    /// Why its supervisor stops it, if that is known.
    pub(super) fn ends_for(&mut self, reason: Option<StopReason>) {
        self.end = self.end.take().or(reason);
    }

    /// `None`: no image has such signals, because a restored system raises them anew.
    pub(super) fn into_record(self) -> Option<SignalRecord> {
        let WaitingSignals { signals, end } = self;
        if signals.has(Signals::STOP) {
            return Some(match end {
                Some(reason) => SignalRecord::Order(WaitingOrder::End(reason)),
                None => SignalRecord::Stop,
            });
        }
        let order = match signals.has(Signals::HALT) {
            true => WaitingOrder::Halt(signals.halt_number().low_bits()),
            false if signals.has(Signals::START) => WaitingOrder::Start,
            false => return None,
        };
        Some(SignalRecord::Order(order))
    }
}

saved_struct!(SupervisedRecord as "vivant::SupervisedRecord" {
    0 actor: u64,
    1 supervisor: u64,
    2 child: SupervisedAs,
});

saved_enum!(SupervisedAs as "vivant::SupervisedAs" {
    0 Branch,
    1 Leaf { 0: LeafRecord },
});

saved_struct!(LeafRecord as "vivant::LeafRecord" {
    0 start: StartRecord,
    1 terms: Terms,
    2 is: IncarnationState,
});

saved_enum!(IncarnationState as "vivant::IncarnationState" {
    0 Up,
    1 Down,
});

saved_struct!(OrderRecord as "vivant::OrderRecord" {
    0 actor: u64,
    1 order: WaitingOrder,
});

saved_enum!(WaitingOrder as "vivant::WaitingOrder" {
    0 Start,
    1 Halt { 0: u64 },
    2 End { 0: StopReason },
});

//! Transactions, and what an actor has to do for them.

use super::offer::{Hopeless, OfferMade, Rank};
use crate::phase::Phase;
use std::collections::{BTreeSet, VecDeque};

pub(super) struct Transaction<U> {
    /// The members with the ranks of their offers, in the order of the members' ids.
    pub(super) members: Vec<(u64, Rank)>,
    /// Number of members that have given their holds.
    pub(super) held: usize,
    /// The phase of the commit, once all have.
    pub(super) decided: Option<Phase>,
    pub(super) stateful: BTreeSet<u64>,
    pub(super) updates: Vec<(u64, U)>,
    /// Whether it waits for the exclusive wait of its next member.
    pub(super) patience: Patience,
}

/// Whether a transaction waits until the exclusive wait of a member is over (S9).
#[derive(Default, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Patience {
    /// The member has not been asked.
    #[default]
    New,
    /// An alarm is set.
    Waits,
    Over,
}

/// Number of holds that are refused at once for an offer. A transaction with an offer for which
/// more were refused waits.
const REFUSED_AT_ONCE: u32 = 2;
/// How long it waits the first time, in nanoseconds; then twice as long each time.
const PATIENCE_NS: u64 = 1_000_000;
const PATIENCE_DOUBLED_MAX: u32 = 6;

/// Returns how long a transaction waits for a member, if this number of holds was refused for one
/// of its offers; in nanoseconds.
pub(super) fn patience_ns(refused: u32) -> Option<u64> {
    let doubled = refused.checked_sub(REFUSED_AT_ONCE)?;
    Some(PATIENCE_NS << doubled.min(PATIENCE_DOUBLED_MAX))
}

impl<U> Transaction<U> {
    /// Returns true if all members have given their holds: the updates run now, and then it
    /// commits.
    pub(super) fn is_decided(&self) -> bool {
        self.held == self.members.len()
    }
}

/// An actor in the table.
#[derive(Default)]
pub(super) struct Seat {
    pub(super) state: SeatState,
    /// The transactions with an offer of it.
    pub(super) part_of: BTreeSet<u64>,
    /// Those that wait for its hold.
    pub(super) waiting: BTreeSet<u64>,
    /// Messages that it is to refuse.
    pub(super) hopeless: VecDeque<(u64, Hopeless)>,
    /// Synchronizers that are lifted.
    pub(super) lifted: BTreeSet<u64>,
    /// Messages that no synchronizer constrains any more.
    pub(super) free: Vec<u64>,
}

#[derive(Default, Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SeatState {
    #[default]
    Free,
    /// It takes no message until its transactions have ended (S9).
    Rests,
    /// A transaction has its hold.
    Held(u64),
    /// It is to dispatch this message next.
    Committed(Committed),
}

/// The message of a commit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Committed {
    pub(super) number: u64,
    pub(super) rank: Rank,
    pub(super) made: OfferMade,
    /// The phase of the commit.
    pub(super) decided: Phase,
}

/// What an actor has to do for the table.
#[derive(Debug)]
pub(crate) enum Task {
    Nothing,
    /// Take no message: a transaction has its hold.
    Hold,
    /// Take no message: a transaction has an offer of it (S9).
    Rest,
    /// Give its hold to a transaction, if the offer of the message with this number stands.
    Acquire(u64, u64),
    /// Dispatch the message with this number.
    Dispatch(u64),
    /// Refuse the message with this number.
    Refuse(u64, Hopeless),
    /// Remove the patterns of these synchronizers, and evaluate these messages anew.
    Lifted(BTreeSet<u64>, Vec<u64>),
}

/// Why an actor gives no hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Refused {
    /// Its message does not stand now. All its offers are retracted, so that none overtakes another
    /// (S5): the actor makes them anew.
    NotReady,
    /// The message waits no more.
    Gone,
}

/// What follows after an actor has given its hold.
pub(crate) enum Acquired<U> {
    /// The next member has been asked for its hold, or the transaction was aborted.
    Next,
    /// All members have: these updates are to be run, of these synchronizers, and then the commit.
    All {
        updates: Vec<(u64, U)>,
        stateful: BTreeSet<u64>,
    },
}

/// The offers and the synchronizers of aborted transactions.
#[derive(Default)]
pub(super) struct Released {
    pub(super) ranks: BTreeSet<Rank>,
    pub(super) synchronizers: BTreeSet<u64>,
}

impl Released {
    pub(super) fn extend(&mut self, other: Released) {
        self.ranks.extend(other.ranks);
        self.synchronizers.extend(other.synchronizers);
    }
}

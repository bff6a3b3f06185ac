//! Constraints of synchronizers as a member has them: patterns of its messages
//! (`constraints/README.md`). Messages are of a type `M` and of kinds `K`, so that this file knows
//! no envelopes.

use super::signals::Signals;
use crate::failures::Caught;
use crate::sync::Arc;
use std::any::Any;
use std::collections::{BTreeSet, VecDeque};
use std::fmt;

/// A pattern of messages to one actor, and the rule of its synchronizer for them.
pub(crate) struct Pattern<M, K> {
    /// The number of its synchronizer.
    pub(crate) synchronizer: u64,
    /// Returns true for the behaviour's kind of messages.
    pub(crate) is_of: fn(&K) -> bool,
    /// Returns true if the arguments match. User code.
    pub(crate) matches: Box<dyn Fn(&M) -> bool + Send + Sync>,
    /// From here on the asker of the message cannot withdraw it. Returns true if it was withdrawn.
    pub(crate) hold: fn(&M) -> bool,
    /// From here on the asker can withdraw the message again.
    pub(crate) release: fn(&M),
    pub(crate) rule: Rule<M>,
}

/// The rule for the messages that match a pattern.
pub(crate) enum Rule<M> {
    /// They are dispatched together with messages at the other places of the set.
    Together { set: usize, place: usize },
    /// They are not dispatched while the gate is shut.
    Gate(usize),
    /// Their dispatch changes the state of the synchronizer. Makes the change. User code.
    Update(Box<dyn Fn(&M) -> Update + Send + Sync>),
}

/// A change of the state of a synchronizer. User code.
pub(crate) type Update = Box<dyn FnOnce(&mut dyn Any) + Send>;

/// What a member knows of the synchronizers that constrain it.
pub(crate) struct Constrained<M, K> {
    pub(crate) patterns: Vec<Pattern<M, K>>,
    /// The numbers of the deferred messages that are offered.
    pub(crate) offered: BTreeSet<u64>,
    /// Those with an offer that is retracted: it is made anew when their guards are true.
    pub(crate) retracted: BTreeSet<u64>,
    /// The message of the hold that was given, and what releases it.
    pub(crate) held: Option<(u64, fn(&M))>,
    /// What was decided of deferred messages, and is to be carried out.
    pub(crate) decided: VecDeque<Decision>,
    /// Signals that take effect after the message of a commit, or that the holder has in its hand.
    pub(crate) postponed: Signals,
    pub(crate) restored: Restored,
}

/// What an image says of the messages of a member.
#[derive(Default)]
pub(crate) struct Restored {
    /// The ranks of the messages that had offers (see `RestoredMark`).
    pub(crate) ranks: Arc<[u64]>,
    /// How many messages of commits come first in the mailbox.
    pub(crate) commits: u32,
}

/// What was decided of the deferred message with this number.
pub(crate) enum Decision {
    /// A transaction has committed.
    Dispatch(u64),
    /// It was withdrawn: its turn deals with that.
    Alone(u64),
    /// Its guard has panicked.
    Panicked(u64, Caught),
    Refuse(u64, Arc<str>),
}

impl<M, K> Default for Constrained<M, K> {
    fn default() -> Self {
        Constrained {
            patterns: Vec::new(),
            offered: BTreeSet::new(),
            retracted: BTreeSet::new(),
            held: None,
            decided: VecDeque::new(),
            postponed: Signals::default(),
            restored: Restored::default(),
        }
    }
}

impl<M, K> Constrained<M, K> {
    /// The offer of this message is gone, or the message is. Returns true if it was offered.
    pub(crate) fn forget(&mut self, number: u64) -> bool {
        self.offered.remove(&number) | self.retracted.remove(&number)
    }

    /// Returns true if nothing is left of it.
    pub(crate) fn is_over(&self) -> bool {
        let has_signals = self.postponed != Signals::default();
        let is_decided = !self.decided.is_empty() || self.restored.commits > 0;
        self.patterns.is_empty() && !is_decided && !has_signals && self.held.is_none()
    }

    /// Returns true if the message of a commit is to be dispatched.
    pub(crate) fn dispatches(&self) -> bool {
        let mut decided = self.decided.iter();
        decided.any(|decision| matches!(decision, Decision::Dispatch(_)))
    }
}

impl<M, K> fmt::Debug for Pattern<M, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pattern(of synchronizer {})", self.synchronizer)
    }
}

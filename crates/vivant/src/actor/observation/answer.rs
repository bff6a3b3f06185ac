//! Answers as data: what a recording of an observation contains.

use crate::actor::bounded_queue::Reservation;
use crate::actor::reference::{AddressRef, CellRef};
use crate::failures::{Cause, DeadLetterCount};
use crate::services::ExitHookId;
use crate::sync::Arc;
use std::collections::BTreeMap;

/// A value that a turn observes.
pub(crate) trait Answer {
    /// The value as data.
    fn data(&self) -> Answered;
}

/// An answer as data.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Answered {
    Nothing,
    Bool(bool),
    Count(u64),
    Actor { system: u64, id: u64 },
    List(Vec<Answered>),
    Cause(Cause),
}

impl Answer for bool {
    fn data(&self) -> Answered {
        Answered::Bool(*self)
    }
}

impl Answer for u64 {
    fn data(&self) -> Answered {
        Answered::Count(*self)
    }
}

impl Answer for usize {
    fn data(&self) -> Answered {
        Answered::Count(*self as u64)
    }
}

impl Answer for Cause {
    fn data(&self) -> Answered {
        Answered::Cause(*self)
    }
}

impl Answer for CellRef {
    fn data(&self) -> Answered {
        let (system, id) = (self.system.number, self.id);
        Answered::Actor { system, id }
    }
}

impl Answer for AddressRef {
    fn data(&self) -> Answered {
        let (system, id) = (self.system.number, self.id);
        Answered::Actor { system, id }
    }
}

/// A place in a mailbox was reserved, or none is needed.
impl Answer for Reservation {
    fn data(&self) -> Answered {
        Answered::Bool(*self == Reservation::Place)
    }
}

/// An actor had not ended, and has a hook for its end.
impl Answer for ExitHookId {
    fn data(&self) -> Answered {
        Answered::Bool(true)
    }
}

impl Answer for DeadLetterCount {
    fn data(&self) -> Answered {
        Answered::Count(self.count)
    }
}

impl<A: Answer> Answer for Option<A> {
    fn data(&self) -> Answered {
        self.as_ref().map_or(Answered::Nothing, A::data)
    }
}

impl<A: Answer, E: Answer> Answer for Result<A, E> {
    fn data(&self) -> Answered {
        match self {
            Ok(answer) => answer.data(),
            Err(error) => error.data(),
        }
    }
}

impl<A: Answer> Answer for Vec<A> {
    fn data(&self) -> Answered {
        Answered::List(self.iter().map(A::data).collect())
    }
}

/// The numbers of the entries of a table, which a turn has seen as a whole.
impl<V> Answer for Arc<BTreeMap<u64, V>> {
    fn data(&self) -> Answered {
        Answered::List(self.keys().map(u64::data).collect())
    }
}

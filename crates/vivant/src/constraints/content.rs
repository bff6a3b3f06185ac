//! [`Content`]: what changes of a synchronizer, which is an entry of a table (L10 of
//! `phase/README.md`).

use super::offer::Hopeless;
use crate::actor::{EntryStamp, Lasts};
use crate::phase::Phase;
use std::any::Any;

pub(super) struct Content {
    /// Taken out by the transaction that occupies the synchronizer, while user code runs (S3).
    pub(super) state: Option<Box<dyn Any + Send>>,
    pub(super) lasts: Lasts,
    /// Why it dispatches nothing any more.
    pub(super) broken: Option<Hopeless>,
    /// The phase of the code that has changed it last.
    pub(super) stamp: EntryStamp,
    pub(super) is_lifted: bool,
}

impl Content {
    /// What code of this phase declares.
    pub(super) fn new(state: Box<dyn Any + Send>, code: Phase) -> Content {
        Content {
            state: Some(state),
            lasts: Lasts::AsHandle,
            broken: None,
            stamp: EntryStamp::made_by(code),
            is_lifted: false,
        }
    }

    /// The state, unless code of it has panicked: that may have left it half changed.
    pub(super) fn take_state(&mut self) -> Option<Box<dyn Any + Send>> {
        match self.broken {
            None => self.state.take(),
            Some(_) => None,
        }
    }
}

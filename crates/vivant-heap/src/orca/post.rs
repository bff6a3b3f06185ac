//! [`Post`]: changes of counts, sorted by whom they are for.

use super::books::{self, Account};
use super::lane::Change;
use super::owner::Owner;
use crate::collections::gc::FixedState;
use crate::header::Header;
use std::collections::HashMap;
use std::ptr::NonNull;

/// Changes for owners, in the order in which these came in.
#[derive(Default)]
pub(crate) struct Post {
    batches: Vec<(NonNull<Owner>, Vec<Change>)>,
    places: HashMap<NonNull<Owner>, usize, FixedState>,
}

impl Post {
    /// # Safety
    ///
    /// The object is counted, by itself or in a whole that is, until the post has left.
    pub(crate) unsafe fn add(&mut self, object: NonNull<Header>, by: i64) {
        // SAFETY: the caller's.
        let owner = unsafe { Owner::of(object) };
        let place = *self.places.entry(owner).or_insert_with(|| {
            self.batches.push((owner, Vec::new()));
            self.batches.len() - 1
        });
        self.batches[place].1.push(Change { object, by });
    }

    /// Leaves a batch in each owner's lane.
    ///
    /// # Safety
    ///
    /// Who gives up weights does not use the objects any more.
    pub(crate) unsafe fn leave(self) {
        for (owner, changes) in self.batches {
            for change in &changes {
                books::post(Account::Lanes, change.object, change.by);
            }
            // SAFETY: the caller's; each owner is that of its batch's objects.
            unsafe { Owner::give_up(owner, changes) };
        }
    }
}

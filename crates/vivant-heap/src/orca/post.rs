//! [`Post`]: changes of counts, sorted by whom they are for.

use super::books::{self, Account};
use super::lane::Change;
use super::owner::Owner;
use crate::collections::gc::FixedState;
use crate::header::Header;
#[cfg(test)]
use crate::planted::{Planted, is_planted};
use std::collections::HashMap;
use std::ptr::NonNull;

type Batches = Vec<(NonNull<Owner>, Vec<Change>)>;

/// Changes for owners, in the order in which these came in.
#[derive(Default)]
pub(crate) struct Post {
    batches: Batches,
    places: HashMap<NonNull<Owner>, usize, FixedState>,
    /// Where the last change went: the next one often goes there too.
    last: usize,
}

impl Post {
    /// # Safety
    ///
    /// The object is counted, by itself or in a whole that is, until the post has left.
    pub(crate) unsafe fn add(&mut self, object: NonNull<Header>, by: i64) {
        // SAFETY: the caller's.
        let owner = unsafe { Owner::of(object) };
        // Here, not when it leaves: whom that wakes finds the books of all others even.
        books::post(Account::Lanes, object, by);
        let change = Change { object, by };
        if let Some((to, changes)) = self.batches.get_mut(self.last)
            && *to == owner
        {
            changes.push(change);
            return;
        }
        self.last = *self.places.entry(owner).or_insert_with(|| {
            self.batches.push((owner, Vec::new()));
            self.batches.len() - 1
        });
        self.batches[self.last].1.push(change);
    }

    /// For how many owners there are changes.
    pub(super) fn batches(&self) -> usize {
        self.batches.len()
    }

    pub(super) fn changes(&self) -> usize {
        self.batches.iter().map(|(_, changes)| changes.len()).sum()
    }

    /// Leaves a batch in each owner's lane.
    ///
    /// # Safety
    ///
    /// Who gives up weights does not use the objects any more.
    pub(crate) unsafe fn leave(self) {
        let batches = self.batches;
        #[cfg(test)]
        let batches = if is_planted(Planted::OrderByAddress) {
            in_order_of_addresses(batches)
        } else {
            batches
        };
        for (owner, changes) in batches {
            #[cfg(test)]
            for change in &changes {
                books::tell(Account::Lanes, change.object, change.by);
            }
            // SAFETY: the caller's; each owner is that of its batch's objects.
            unsafe { Owner::give_up(owner, changes) };
        }
    }
}

/// What [`Planted::OrderByAddress`] does.
#[cfg(test)]
fn in_order_of_addresses(mut batches: Batches) -> Batches {
    batches.sort_by_key(|(owner, _)| *owner);
    batches
}

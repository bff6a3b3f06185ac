//! [`Outbox`]: an outbox of count deltas, sorted by their owners.

use super::count_audit::{self, Account};
use super::count_inbox::CountDelta;
use super::heap_handle::HeapHandle;
use crate::alloc::header::Header;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use crate::segmented::hasher::FixedState;
use std::collections::HashMap;
use std::ptr::NonNull;

type Batches = Vec<(NonNull<HeapHandle>, Vec<CountDelta>)>;

/// Deltas for owners, in the order in which the owners first appeared.
#[derive(Default)]
pub(crate) struct Outbox {
    batches: Batches,
    places: HashMap<NonNull<HeapHandle>, usize, FixedState>,
    /// Index of the batch that got the last delta: the next delta often goes there too.
    last: usize,
}

impl Outbox {
    /// Adds a delta.
    ///
    /// # Safety
    ///
    /// The object is counted, by itself or in a counted container, until the outbox is sent.
    pub(crate) unsafe fn add(&mut self, object: NonNull<Header>, by: i64) {
        // SAFETY: the caller's contract.
        let owner = unsafe { HeapHandle::of(object) };
        // Recorded here and not when it is sent: code that the first batch wakes finds the accounts
        // of the other owners balanced.
        count_audit::record(Account::Inboxes, object, by);
        let delta = CountDelta { object, by };
        if let Some((to, deltas)) = self.batches.get_mut(self.last)
            && *to == owner
        {
            deltas.push(delta);
            return;
        }
        self.last = *self.places.entry(owner).or_insert_with(|| {
            self.batches.push((owner, Vec::new()));
            self.batches.len() - 1
        });
        self.batches[self.last].1.push(delta);
    }

    /// The number of owners with deltas.
    pub(crate) fn batches(&self) -> usize {
        self.batches.len()
    }

    pub(crate) fn deltas(&self) -> usize {
        self.batches.iter().map(|(_, deltas)| deltas.len()).sum()
    }

    /// Sends a batch to each owner's inbox.
    ///
    /// # Safety
    ///
    /// The caller does not use the objects of which it releases weights any more.
    pub(crate) unsafe fn send(self) {
        let batches = self.batches;
        #[cfg(test)]
        let batches = if is_injected(InjectedFault::OrderByAddress) {
            in_order_of_addresses(batches)
        } else {
            batches
        };
        for (owner, deltas) in batches {
            #[cfg(test)]
            for delta in &deltas {
                count_audit::observe(Account::Inboxes, delta.object, delta.by);
            }
            // SAFETY: the caller's contract; each owner is that of its batch's objects.
            unsafe { HeapHandle::send_release(owner, deltas) };
        }
    }
}

/// The injected fault [`InjectedFault::OrderByAddress`].
#[cfg(test)]
fn in_order_of_addresses(mut batches: Batches) -> Batches {
    batches.sort_by_key(|(owner, _)| *owner);
    batches
}

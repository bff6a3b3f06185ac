//! [`CountAudit`]: the count audit. It checks O5 by double-entry book-keeping, for tests and
//! simulations.

use crate::alloc::header::Header;
use crate::fault::Fault;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::ptr::NonNull;

/// A place where weights of references are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Account {
    /// The exports at the owners.
    Exports,
    /// Deltas in the owners' inboxes.
    Inboxes,
    /// The imports of other heaps.
    Imports,
    /// The weights of parcels and of holder roots.
    Parcels,
}

/// The difference between the accounts of each object; absent if it is zero.
#[derive(Default)]
struct OpenAccounts(BTreeMap<usize, i64>);

thread_local! {
    static OPEN_ACCOUNTS: RefCell<OpenAccounts> = RefCell::default();
}

/// A function that is called with each delta.
#[cfg(test)]
type Observer = fn(Account, NonNull<Header>, i64);

#[cfg(test)]
thread_local! {
    static OBSERVER: std::cell::Cell<Option<Observer>> = const { std::cell::Cell::new(None) };
}

/// Sets the function that is called with each delta of this thread from now on.
#[cfg(test)]
pub(crate) fn observe_with(watcher: Option<Observer>) {
    OBSERVER.set(watcher);
}

#[cfg(test)]
pub(crate) fn observe(account: Account, object: NonNull<Header>, by: i64) {
    if let Some(watcher) = OBSERVER.get() {
        watcher(account, object, by);
    }
}

/// Records a delta in an account of its object, where the count changes. Each step of the protocol
/// moves weights from account to account. So between any two steps of a thread the accounts of each
/// object balance: exports and inboxes together equal imports and parcels together.
///
/// Compiled where `debug_assertions` are on. [`CountVerifier`](crate::CountVerifier) checks the
/// same by a walk over everything that exists, which tests of whole systems cannot give it. This
/// audit is checked after every run of an actor in a simulation.
pub(crate) fn record(account: Account, object: NonNull<Header>, by: i64) {
    if !cfg!(debug_assertions) || by == 0 {
        return;
    }
    #[cfg(test)]
    observe(account, object, by);
    let by = match account {
        Account::Exports | Account::Inboxes => by,
        Account::Imports | Account::Parcels => -by,
    };
    // A thread that ends has dropped its audit.
    let _closed = OPEN_ACCOUNTS.try_with(|open| {
        let OpenAccounts(sums) = &mut *open.borrow_mut();
        let address = object.addr().get();
        let sum = sums.entry(address).or_default();
        *sum += by;
        if *sum == 0 {
            sums.remove(&address);
        }
    });
}

/// The count audit of this thread: see [`CountAudit::check`].
pub struct CountAudit(());

impl CountAudit {
    /// Checks that the accounts of this thread balance, for each object (O5). Costs one look-up;
    /// where `debug_assertions` are off nothing is recorded, and the check costs nothing.
    ///
    /// A leak stays in the audit for ever: a detached heap that is dropped while other heaps have
    /// its objects.
    ///
    /// ```
    /// use vivant_heap::CountAudit;
    ///
    /// assert_eq!(CountAudit::check(), Ok(()));
    /// ```
    ///
    /// # Errors
    ///
    /// O5, with the address of one object, and the side that has more.
    pub fn check() -> Result<(), Fault> {
        if !cfg!(debug_assertions) {
            return Ok(());
        }
        let uneven =
            OPEN_ACCOUNTS.try_with(|open| open.borrow().0.first_key_value().map(|(a, s)| (*a, *s)));
        let Ok(Some((address, sum))) = uneven else {
            return Ok(());
        };
        let what = match sum < 0 {
            true => "other heaps hold more references than the owner has counted",
            false => "the owner has counted more references than other heaps hold",
        };
        Err(Fault {
            rule: "O5",
            what,
            address,
            from: None,
        })
    }

    /// Clears the audit after an injected fault.
    #[cfg(test)]
    pub(crate) fn discard() {
        OPEN_ACCOUNTS.with(|open| open.borrow_mut().0.clear());
    }
}

impl fmt::Debug for CountAudit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Books")
    }
}

#[cfg(test)]
mod tests {
    use super::CountAudit;
    use crate::injected_fault::{self, InjectedFault};
    use crate::{Heap, Pacing, PageSource, Root, Val};
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Arc;

    struct News;

    impl Root for News {
        type Of<'gc> = Option<Val<'gc, str>>;
    }

    type Paper = Heap<News>;

    /// The first heap makes an object, the second gets it and sends it on to the third, and all
    /// drop it. Returns whether the audit balanced after each step.
    fn is_even_throughout() -> bool {
        let source = Arc::new(PageSource::new());
        let mut heaps = [(); 3].map(|()| Paper::new(&source, Pacing::default(), |_| None));
        heaps[0].turn(|m, news| *news = Some(m.val_str("rain")));
        for from in 0..2 {
            let pack =
                |heap: &mut Paper| heap.turn(|m, news| m.pack::<Option<Val<'static, str>>>(*news));
            let Ok(parcel) = catch_unwind(AssertUnwindSafe(|| pack(&mut heaps[from]))) else {
                return false;
            };
            heaps[from + 1].turn(|m, news| *news = m.unpack(parcel));
            if CountAudit::check().is_err() {
                return false;
            }
        }
        for heap in heaps.iter_mut().rev() {
            heap.turn(|_, news| *news = None);
            heap.collect();
        }
        CountAudit::check().is_ok()
    }

    #[test]
    fn counts_are_balanced() {
        assert!(is_even_throughout());
    }

    #[test]
    fn injected_faults_in_counts_are_caught() {
        use InjectedFault::{BatchedIncs, ForgottenReceipt, SkippedInc};
        for bug in [SkippedInc, ForgottenReceipt, BatchedIncs] {
            let even = injected_fault::with(bug, is_even_throughout);
            CountAudit::discard();
            assert!(!even, "{bug:?}");
        }
    }
}

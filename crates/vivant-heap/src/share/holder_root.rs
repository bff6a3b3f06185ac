//! [`Held`]: a holder root, a shared reference outside of any heap.

use crate::alloc::header::Header;
use crate::gc::mutator::Mutator;
use crate::object::collected::Collected;
use crate::orca::count_audit;
use crate::orca::count_audit::Account;
use crate::orca::count_inbox::CountDelta;
use crate::orca::heap_handle::HeapHandle;
use crate::types::val::Val;
use std::fmt;
use std::ops::Deref;
use std::ptr::NonNull;

/// A [`Val`] outside of turns: in a thread, a task, a global. It keeps its object alive: each
/// creation, clone and drop sends a count delta to the owner.
///
/// The object has no collected components of its own: those are read in turns.
///
/// Costs: a delta in its owner's inbox for each clone and each drop, which is a short allocation
/// and an atomic exchange. Reads cost nothing.
pub struct Held<T: ?Sized> {
    value: NonNull<T>,
}

// SAFETY: the value is `Sync`, so all threads may read it, and `Send`, so it may end on any.
unsafe impl<T: ?Sized + Send + Sync> Send for Held<T> {}
// SAFETY: sharing a `Held` shares the value, which is `Sync`; a clone may be dropped on any thread,
// and the value is `Send`.
unsafe impl<T: ?Sized + Send + Sync> Sync for Held<T> {}

impl<'gc> Mutator<'gc> {
    /// Makes a reference that may leave the turn.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use std::thread;
    /// use vivant_heap::{Heap, Pacing, Root, PageSource};
    ///
    /// struct Nothing;
    /// impl Root for Nothing {
    ///     type Of<'gc> = ();
    /// }
    ///
    /// let source = Arc::new(PageSource::new());
    /// let mut heap = Heap::<Nothing>::new(&source, Pacing::default(), |_| ());
    /// let held = heap.turn(|m, _| m.hold(m.val_str("rain")));
    /// heap.collect();
    /// let length = thread::spawn(move || held.len()).join().unwrap();
    /// assert_eq!(length, 4);
    /// heap.collect();
    /// ```
    pub fn hold<T: ?Sized + Collected<'gc, Static = T> + 'static>(
        &self,
        val: Val<'gc, T>,
    ) -> Held<T> {
        let own = HeapHandle::name(&self.core().owner);
        count_audit::record(Account::Parcels, val.header(), 1);
        // SAFETY: this turn has the reference, and its thread holds the heap.
        unsafe { self.sharing().pack(own, val.header()) };
        Held {
            value: Val::pointer(val),
        }
    }

    /// Turns a `Held` into a reference of this turn.
    pub fn take<T: ?Sized + Collected<'gc, Static = T> + 'static>(
        &self,
        held: Held<T>,
    ) -> Val<'gc, T> {
        let held = std::mem::ManuallyDrop::new(held);
        let own = HeapHandle::name(&self.core().owner);
        count_audit::record(Account::Parcels, held.header(), -1);
        // SAFETY: this turn has the held reference, and its thread holds the heap, which has the
        // weight from here on.
        unsafe {
            self.sharing().unpack(own, held.header());
            Val::at(held.value)
        }
    }
}

impl<T: ?Sized> Held<T> {
    pub(crate) fn header(&self) -> NonNull<Header> {
        // SAFETY: it refers to an object.
        unsafe { Header::before(self.value) }
    }
}

impl<T: ?Sized> Deref for Held<T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: an object that this counts, that never moves, and that is never written.
        unsafe { self.value.as_ref() }
    }
}

impl<T: ?Sized> Clone for Held<T> {
    fn clone(&self) -> Self {
        let object = self.header();
        count_audit::record(Account::Parcels, object, 1);
        count_audit::record(Account::Inboxes, object, 1);
        // Sent before any code has the reference that needs it (O6).
        // SAFETY: this counts the object, so its owner is live.
        unsafe { HeapHandle::of(object).as_ref() }.send(vec![CountDelta { object, by: 1 }]);
        Held { value: self.value }
    }
}

impl<T: ?Sized> Drop for Held<T> {
    fn drop(&mut self) {
        let object = self.header();
        count_audit::record(Account::Parcels, object, -1);
        count_audit::record(Account::Inboxes, object, -1);
        // SAFETY: this counts the object, and does not use it any more.
        unsafe {
            HeapHandle::send_release(HeapHandle::of(object), vec![CountDelta { object, by: -1 }])
        };
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Held<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for Held<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

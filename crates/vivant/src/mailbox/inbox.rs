//! The inbox: a lock-free stack that many senders push to and one receiver empties (invariants M1–M5, see the README).
//!
//! A push is one compare-and-swap; taking everything is one swap. The receiver turns the stack over, so that it reads
//! first-in-first-out. Nodes are linked through themselves: the inbox allocates nothing and keeps nothing.

use crate::sync::{AtomicPtr, Ordering};
use std::marker::PhantomData;
use std::ptr::{self, NonNull};

/// A node that can be linked into an [`Inbox`].
///
/// # Safety
///
/// 1. `link` returns the same place at every call for the same node, and nothing but the inbox or the chain that holds
///    the node reads or writes it.
/// 2. A node handed to [`Inbox::push`] is owned by the caller, stays valid until it is handed out again, and may be
///    used on another thread.
pub(crate) unsafe trait Linked {
    /// Where this node keeps the pointer to its neighbour.
    ///
    /// # Safety
    ///
    /// `node` is valid and owned by the caller, or by the inbox on whose behalf this is called.
    unsafe fn link(node: NonNull<Self>) -> *mut *mut Self;
}

/// What a push found.
#[must_use = "the sender that finds the inbox empty must wake the receiver (M3)"]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pushed {
    /// The inbox was empty: this sender must notify the receiver.
    First,
    /// Another sender notified before.
    Later,
}

/// Many senders, one receiver.
pub(crate) struct Inbox<N: Linked> {
    /// Null: empty. [`closed`]: nothing can be pushed any more. Else the newest node of the stack.
    head: AtomicPtr<N>,
    nodes: PhantomData<NonNull<N>>,
}

// SAFETY: an inbox owns its nodes and hands each out once; by rule 2 of `Linked` they may cross threads.
unsafe impl<N: Linked> Send for Inbox<N> {}
// SAFETY: as above; `push` may be called from any thread, `take` and `close` are the receiver's (their contract).
unsafe impl<N: Linked> Sync for Inbox<N> {}

/// The head of a closed inbox: an address at which no node can lie.
fn closed<N>() -> *mut N {
    ptr::without_provenance_mut(1)
}

impl<N: Linked> Inbox<N> {
    pub(crate) fn new() -> Self {
        Inbox {
            head: AtomicPtr::new(ptr::null_mut()),
            nodes: PhantomData,
        }
    }

    /// Puts `node` behind everything pushed so far, or gives it back when the inbox is closed.
    ///
    /// # Safety
    ///
    /// The caller owns `node` (rule 2 of [`Linked`]) and gives it up, unless it is given back.
    pub(crate) unsafe fn push(&self, node: NonNull<N>) -> Result<Pushed, NonNull<N>> {
        // The next sender may link to this node by an address that it read before this node was there (another node lay
        // there, since freed). The address is right, but the pointer's provenance would be the dead node's; so it is exposed
        // here, and taken up again by address in `turned_over`.
        node.as_ptr().expose_provenance();
        // Relaxed is enough, here and when the exchange fails: the value is only compared; what it points at is not read.
        let mut head = self.head.load(Ordering::Relaxed);
        loop {
            if head == closed() {
                // Read again, to acquire: pairs with the Release in `close`; the sender sees what the receiver wrote before it
                // closed. A closed inbox stays closed.
                let _closed = self.head.load(Ordering::Acquire);
                return Err(node);
            }
            // SAFETY: the caller owns `node` until the exchange below succeeds (rule 2 of `Linked`).
            unsafe { *N::link(node) = head };
            // Release: pairs with the Acquire swap in `take`/`close`; publishes the node's content and its link. Pushes
            // are read-modify-writes, so a later push continues the release sequence of an earlier one.
            match self.head.compare_exchange_weak(
                head,
                node.as_ptr(),
                Ordering::Release,
                Ordering::Relaxed,
            ) {
                Ok(old) if old.is_null() => return Ok(Pushed::First),
                Ok(_) => return Ok(Pushed::Later),
                Err(now) => head = now,
            }
        }
    }

    /// Takes everything, oldest first. Only the receiver calls this, and not after `close`.
    pub(crate) fn take(&self) -> Chain<N> {
        // A look first: an empty inbox is the common end of a run, and a load does not take the cache line away.
        if self.head.load(Ordering::Relaxed).is_null() {
            return Chain::new();
        }
        // Acquire: pairs with the Release of every push whose node is taken.
        let newest = self.head.swap(ptr::null_mut(), Ordering::Acquire);
        debug_assert!(newest != closed(), "M5: a closed inbox was taken from");
        Chain::turned_over(newest)
    }

    /// Takes everything and refuses every later push. Only the receiver calls this.
    pub(crate) fn close(&self) -> Chain<N> {
        // Acquire as in `take`. Release: pairs with the second load in `push`; why the actor ended is written before this, and
        // whoever is refused may ask.
        let newest = self.head.swap(closed(), Ordering::AcqRel);
        if newest == closed() {
            Chain::new()
        } else {
            Chain::turned_over(newest)
        }
    }

    /// Whether nothing waits here. For the receiver this is exact in the sense of M4: if a push is not seen by this look,
    /// its sender, or the one that was first, has yet to notify.
    pub(crate) fn is_empty(&self) -> bool {
        // Relaxed: nothing is read through the pointer. A push that the receiver must see happened before this look by
        // the run word (`hold`, `park`) or by the count of addresses.
        let head = self.head.load(Ordering::Relaxed);
        head.is_null() || head == closed()
    }
}

impl<N: Linked> Drop for Inbox<N> {
    fn drop(&mut self) {
        // Nodes must not be forgotten: whoever owns an inbox closes it first and accounts for what was in it (T3).
        debug_assert!(
            self.is_empty(),
            "M5: an inbox was dropped with messages in it"
        );
    }
}

/// Nodes taken out of an inbox, first in first out, owned by the receiver.
pub(crate) struct Chain<N: Linked> {
    first: Option<NonNull<N>>,
    last: Option<NonNull<N>>,
}

// SAFETY: a chain owns its nodes; by rule 2 of `Linked` they may cross threads.
unsafe impl<N: Linked> Send for Chain<N> {}

impl<N: Linked> Chain<N> {
    pub(crate) fn new() -> Self {
        Chain {
            first: None,
            last: None,
        }
    }

    /// Reverses the stack that starts at `newest`.
    fn turned_over(newest: *mut N) -> Self {
        let last = NonNull::new(newest);
        let (mut next, mut at) = (ptr::null_mut::<N>(), newest);
        while let Some(node) = NonNull::new(at) {
            // SAFETY: the nodes were taken out of the inbox by one swap, so this chain owns them all.
            unsafe {
                let link = N::link(node);
                at = ptr::with_exposed_provenance_mut((*link).addr());
                *link = next;
            }
            next = node.as_ptr();
        }
        Chain {
            first: NonNull::new(next),
            last,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    /// Takes the oldest node out; the caller owns it.
    pub(crate) fn pop(&mut self) -> Option<NonNull<N>> {
        let node = self.first?;
        // SAFETY: the chain owns `node`.
        let next = unsafe { *N::link(node) };
        self.first = NonNull::new(next);
        if self.first.is_none() {
            self.last = None;
        }
        Some(node)
    }

    /// Puts `later` behind what is here.
    pub(crate) fn append(&mut self, mut later: Chain<N>) {
        let Some(first) = later.first.take() else {
            return;
        };
        match self.last {
            // SAFETY: the chain owns its last node.
            Some(last) => unsafe { *N::link(last) = first.as_ptr() },
            None => self.first = Some(first),
        }
        self.last = later.last.take();
    }
}

impl<N: Linked> Drop for Chain<N> {
    fn drop(&mut self) {
        debug_assert!(
            self.is_empty(),
            "M5: a chain was dropped with messages in it"
        );
    }
}

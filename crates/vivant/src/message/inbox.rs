//! The inbox: a lock-free multi-producer, single-consumer stack. Its head also holds whether a
//! worker runs the actor (invariants M1–M5 and C1, see the READMEs of `mailbox` and `cell`).
//!
//! A push is one compare-and-swap, which also tells whether the actor must be put into a run queue.
//! Taking all nodes is one swap; parking the actor is one compare-and-swap. The receiver reverses
//! the stack to read it first-in-first-out. Nodes are linked through themselves: the inbox
//! allocates nothing.

use crate::sync::{AtomicPtr, Ordering, fault};
use std::marker::PhantomData;
use std::mem;
use std::ptr::{self, NonNull};

/// A node that can be linked into an [`Inbox`].
///
/// # Safety
///
/// 1. `link` returns the same place at every call for the same node, and nothing but the inbox or
///    the chain that holds the node reads or writes it.
/// 2. A node handed to [`Inbox::push`] is owned by the caller, stays valid until it is handed out
///    again, and may be used on another thread.
pub(crate) unsafe trait Linked {
    /// Returns the place where this node keeps the pointer to its neighbour.
    ///
    /// # Safety
    ///
    /// `node` is valid and owned by the caller, or by the inbox that the caller acts for.
    unsafe fn link(node: NonNull<Self>) -> *mut *mut Self;
}

/// The result of a push.
#[must_use = "an actor that is not enqueued will never run (M3)"]
pub(crate) enum Pushed<N> {
    /// The actor was parked: this sender has woken it, and holds it until it has put it into a run
    /// queue. The node did not go through the inbox: the sender puts it into the backlog.
    Wakes(NonNull<N>),
    /// The inbox was empty, but the actor is active: its holder will check the inbox.
    First,
    /// Other messages wait before this one.
    Later,
}

/// What the caller of a notification must do.
#[must_use = "an actor that is not enqueued will never run"]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Notified {
    /// The actor was parked: put it into a run queue.
    Wakes,
    /// It is active, and its holder will check; or it is closed.
    Nothing,
}

/// Whether the receiver has parked the actor.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Parked {
    /// The actor is parked; the caller must not access it any more.
    Yes,
    /// A message or a notification arrived: the caller still holds the actor and must check again,
    /// the signals first.
    Again,
}

/// The result of an attempt to hold a parked actor.
#[must_use = "an actor that is held must be let go, or enqueued"]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TryHold {
    /// It was parked: the caller is its receiver now.
    Yes,
    /// It is active.
    Active,
    Closed,
}

/// The inbox of an actor: many senders, one receiver.
///
/// The head is a node, the newest of the stack, or one of four words that are no node's address.
pub(crate) struct Inbox<N: Linked> {
    head: AtomicPtr<N>,
    nodes: PhantomData<NonNull<N>>,
}

// SAFETY: an inbox owns its nodes and hands each out once (M1); by rule 2 of `Linked` they may
// cross threads (X9).
unsafe impl<N: Linked> Send for Inbox<N> {}
// SAFETY: any thread may call `push`, `notify`, `try_hold` and the two that only look: each is
// atomic on the head (X9). `take`, `park` and `close` are called by the receiver alone (C1).
unsafe impl<N: Linked> Sync for Inbox<N> {}

/// Empty, and the actor is active: it is in a run queue, or a worker holds it.
const EMPTY: usize = 0;
/// Empty, and no worker runs the actor: the next push or notification must enqueue it.
const PARKED: usize = 1;
/// Empty and active, and notified since the holder last took: the holder may not park before it has
/// checked.
const NOTIFIED: usize = 2;
/// No push succeeds any more.
const CLOSED: usize = 3;

fn word<N>(word: usize) -> *mut N {
    ptr::without_provenance_mut(word)
}

fn is_node<N>(head: *mut N) -> bool {
    head.addr() > CLOSED
}

impl<N: Linked> Inbox<N> {
    /// Returns an empty inbox of a parked actor.
    pub(crate) fn new() -> Self {
        Inbox {
            head: AtomicPtr::new(word(PARKED)),
            nodes: PhantomData,
        }
    }

    /// Puts `node` behind everything pushed so far, or gives it back when the inbox is closed.
    ///
    /// # Safety
    ///
    /// The caller owns `node` (rule 2 of [`Linked`]) and gives it up, unless it is given back.
    pub(crate) unsafe fn push(&self, node: NonNull<N>) -> Result<Pushed<N>, NonNull<N>> {
        // Relaxed, here and below: the value is only compared; the pointer is not dereferenced.
        let head = self.head.load(Ordering::Relaxed);
        if head.addr() != PARKED {
            // SAFETY: the caller's contract (X1).
            return unsafe { self.push_behind(node, head) };
        }
        fault!(WakeByALook => {
            self.head.load(Ordering::Acquire);
            self.head.store(word(EMPTY), Ordering::Relaxed);
            return Ok(Pushed::Wakes(node));
        });
        // Acquire: pairs with the Release in `park`. The thread that wakes an actor sees what its
        // last holder wrote, and the worker that takes it out of a run queue sees what the waker
        // saw.
        let acquire = fault!(Ordering::Acquire, WakeRelaxed => Ordering::Relaxed);
        match self
            .head
            .compare_exchange(head, word(EMPTY), acquire, Ordering::Relaxed)
        {
            Ok(_) => Ok(Pushed::Wakes(node)),
            // SAFETY: the caller's contract (X1); the exchange failed, so the node is still the
            // caller's.
            Err(head) => unsafe { self.push_behind(node, head) },
        }
    }

    /// Pushes to an actor that was active when `head` was read.
    ///
    /// # Safety
    ///
    /// As for `push`.
    unsafe fn push_behind(
        &self,
        node: NonNull<N>,
        mut head: *mut N,
    ) -> Result<Pushed<N>, NonNull<N>> {
        // The next sender may link to this node by an address that it read before this node was
        // there (another node was at that address, and has been freed). The address is right, but
        // the pointer's provenance would be the dead node's. So the provenance is exposed here, and
        // taken up again by address in `turned_over`.
        node.as_ptr().expose_provenance();
        loop {
            let (below, found) = match head.addr() {
                CLOSED => {
                    // Read again, to acquire: pairs with the Release in `close`; the sender sees
                    // what the receiver wrote before it closed. A closed inbox stays closed.
                    let acquire = fault!(Ordering::Acquire, RefusalRelaxed => Ordering::Relaxed);
                    let _closed = self.head.load(acquire);
                    return Err(node);
                }
                // The actor has parked in the meantime.
                // SAFETY: the caller's contract (X1); the node is still the caller's.
                PARKED => return unsafe { self.push(node) },
                EMPTY | NOTIFIED => (ptr::null_mut(), Pushed::First),
                _ => (head, Pushed::Later),
            };
            // SAFETY: the caller owns `node` (X1) until the exchange below succeeds, and nothing
            // but its owner accesses its link (rule 1 of `Linked`).
            unsafe { *N::link(node) = below };
            // Release: pairs with the Acquire of `take`, `close` and a refused `park`; publishes
            // the node's content and its link. All changes of the head are read-modify-writes, so a
            // later push continues the release sequence of an earlier one.
            match self.head.compare_exchange_weak(
                head,
                node.as_ptr(),
                fault!(Ordering::Release, PushRelaxed => Ordering::Relaxed),
                Ordering::Relaxed,
            ) {
                Ok(_) => return Ok(found),
                Err(now) => {
                    fault!(FirstByALook => {
                        // SAFETY: the caller's contract (X1); the exchange failed, so the node is
                        // still the caller's.
                        let pushed = unsafe { self.push_behind(node, now) };
                        return pushed.map(|_| found);
                    });
                    head = now;
                }
            }
        }
    }

    /// Makes the receiver check once more before it parks, for state outside the mailbox. The
    /// caller has written that state before this.
    pub(crate) fn notify(&self) -> Notified {
        let mut head = self.head.load(Ordering::Relaxed);
        loop {
            let (next, found) = match head.addr() {
                CLOSED => {
                    // As in a push that is refused: the notifier sees what the receiver wrote
                    // before it closed.
                    let acquire =
                        fault!(Ordering::Acquire, NotifyClosedRelaxed => Ordering::Relaxed);
                    let _closed = self.head.load(acquire);
                    return Notified::Nothing;
                }
                PARKED => (word(EMPTY), Notified::Wakes),
                EMPTY => (word(NOTIFIED), Notified::Nothing),
                _ => (head, Notified::Nothing),
            };
            fault!(NotifyOnlyNews => if next == head {
                return found;
            });
            // Release: as in a push. Acquire: as for a push that wakes. The exchange is made even
            // if it changes nothing: a receiver that takes or parks must be ordered before it or
            // after it.
            let order = fault!(Ordering::AcqRel, NotifyRelaxed => Ordering::Acquire);
            match self
                .head
                .compare_exchange_weak(head, next, order, Ordering::Relaxed)
            {
                Ok(_) => return found,
                Err(now) => head = now,
            }
        }
    }

    /// Makes the caller the receiver of a parked actor, as a notification that wakes it would.
    pub(crate) fn try_hold(&self) -> TryHold {
        // Acquire: as for a push that wakes.
        match self.head.compare_exchange(
            word(PARKED),
            word(EMPTY),
            Ordering::Acquire,
            Ordering::Relaxed,
        ) {
            Ok(_) => TryHold::Yes,
            Err(head) if head.addr() == CLOSED => TryHold::Closed,
            Err(_) => TryHold::Active,
        }
    }

    /// Takes all nodes, oldest first. Only the receiver calls this, and not after `close`.
    pub(crate) fn take(&self) -> Chain<N> {
        fault!(TakeSwallowsNotification => {
            let (notified, acquire) = (word(NOTIFIED), Ordering::Acquire);
            let _swallowed = self.head.compare_exchange(notified, word(EMPTY), acquire, acquire);
        });
        // A load first: an empty inbox is the usual end of a run, and a load does not take the
        // cache line away. A notification is left for `park` to answer, because the caller of
        // `take` does not check the signals.
        if !is_node(self.head.load(Ordering::Relaxed)) {
            return Chain::new();
        }
        // Acquire: pairs with the Release of every push of a taken node, and of a notification that
        // came after a push.
        let acquire = fault!(Ordering::Acquire, TakeRelaxed => Ordering::Relaxed);
        let newest = self.head.swap(word(EMPTY), acquire);
        debug_assert!(is_node(newest), "C1: taken from by two");
        Chain::turned_over(newest)
    }

    /// Parks the actor: the receiver found no more work. Fails if a message or a notification
    /// arrived since it took.
    pub(crate) fn park(&self) -> Parked {
        fault!(ParkBlindly => {
            self.head.store(word(PARKED), Ordering::Release);
            return Parked::Yes;
        });
        // Release: pairs with the Acquire of the thread that wakes the actor next. Acquire on
        // failure: pairs with the Release of `notify`; the receiver reads the notification's
        // signals next.
        match self.head.compare_exchange(
            word(EMPTY),
            word(PARKED),
            fault!(Ordering::Release, ParkRelaxed => Ordering::Relaxed),
            fault!(Ordering::Acquire, RefusedParkRelaxed => Ordering::Relaxed),
        ) {
            Ok(_) => Parked::Yes,
            Err(head) => {
                if head.addr() == NOTIFIED {
                    fault!(ParkIgnoresNotification => {
                        let (parked, acquire) = (word(PARKED), Ordering::Acquire);
                        if self.head.compare_exchange(head, parked, acquire, acquire).is_ok() {
                            return Parked::Yes;
                        }
                    });
                    // Consumes the notification. Acquire: as above, for a notification that came
                    // since. If a node has arrived, a take will acquire it.
                    let _heard = self.head.compare_exchange(
                        head,
                        word(EMPTY),
                        fault!(Ordering::Acquire, RefusedParkRelaxed => Ordering::Relaxed),
                        Ordering::Relaxed,
                    );
                }
                Parked::Again
            }
        }
    }

    /// Takes all nodes and refuses every later push, for ever. Only the receiver calls this.
    pub(crate) fn close(&self) -> Chain<N> {
        // Acquire as in `take`. Release: pairs with the second load in `push`; the reason of the
        // actor's end is written before this, and a refused sender may read it.
        let order = fault!(Ordering::AcqRel, CloseAcquires => Ordering::Acquire);
        let newest = self.head.swap(word(CLOSED), order);
        if is_node(newest) {
            Chain::turned_over(newest)
        } else {
            Chain::new()
        }
    }

    /// Returns true if the actor is in a run queue or held. A snapshot, for inspection.
    pub(crate) fn is_active(&self) -> bool {
        !matches!(self.head.load(Ordering::Relaxed).addr(), PARKED | CLOSED)
    }

    /// Returns true if no message waits here. For the receiver this is exact in the sense of M4: a
    /// push that this load does not see makes the receiver's `park` fail.
    pub(crate) fn is_empty(&self) -> bool {
        // Relaxed: nothing is read through the pointer. A push that the receiver must see happened
        // before this load by a `park` that failed, or by the count of addresses.
        !is_node(self.head.load(Ordering::Relaxed))
    }
}

/// Prefetch distance in nodes.
const FETCH_AHEAD: usize = 4;

/// Prefetches a node. The nodes of a burst lie where its sender found memory, often at equal
/// distances, and in another processor's cache. If two distances were equal, a prefetch at the same
/// distance is worth a guess: the receiver need not wait for each node.
#[inline]
fn fetch_ahead(guess: usize) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use std::arch::x86_64::{_MM_HINT_ET0, _mm_prefetch};
        // SAFETY: a prefetch, on a processor that `cfg` selects (X12).
        unsafe { _mm_prefetch::<_MM_HINT_ET0>(ptr::without_provenance(guess)) };
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = guess;
}

impl<N: Linked> Drop for Inbox<N> {
    fn drop(&mut self) {
        // Nodes must not be lost: the owner of an inbox closes it first and accounts for its nodes
        // (T3).
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

// SAFETY: a chain owns its nodes (M1); by rule 2 of `Linked` they may cross threads (X9).
unsafe impl<N: Linked> Send for Chain<N> {}

impl<N: Linked> Chain<N> {
    pub(crate) fn new() -> Self {
        Chain {
            first: None,
            last: None,
        }
    }

    /// Returns the stack that starts at `newest` in reverse order.
    fn turned_over(newest: *mut N) -> Self {
        let last = NonNull::new(newest);
        fault!(NewestFirst => return Chain { first: last, last });
        let (mut next, mut at, mut step) = (ptr::null_mut::<N>(), newest, 0);
        while let Some(node) = NonNull::new(at) {
            // SAFETY: `take` or `close` took the nodes out of the inbox by one swap, so this chain
            // owns them all (M1). Only the receiver swaps, so no node is in two chains (C1).
            unsafe {
                let link = N::link(node);
                let below = (*link).addr();
                let before = mem::replace(&mut step, below.wrapping_sub(at.addr()));
                if step == before {
                    fetch_ahead(below.wrapping_add(step.wrapping_mul(FETCH_AHEAD)));
                }
                at = ptr::with_exposed_provenance_mut(below);
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
        // SAFETY: the chain owns `node` (M1).
        let next = unsafe { *N::link(node) };
        self.first = NonNull::new(next);
        if self.first.is_none() {
            self.last = None;
        }
        Some(node)
    }

    /// Appends `node`.
    ///
    /// # Safety
    ///
    /// The caller owns `node` (rule 2 of [`Linked`]) and gives it up.
    pub(crate) unsafe fn push(&mut self, node: NonNull<N>) {
        // SAFETY: the caller owned `node` (X1), and the chain owns its last node (M1).
        unsafe {
            *N::link(node) = ptr::null_mut();
            match self.last {
                Some(last) => *N::link(last) = node.as_ptr(),
                None => self.first = Some(node),
            }
        }
        self.last = Some(node);
    }

    /// Returns the oldest node.
    #[inline]
    pub(crate) fn first(&self) -> Option<&N> {
        // SAFETY: the chain owns its nodes (M1), and is borrowed as long as the reference exists
        // (X6).
        self.first.map(|node| unsafe { node.as_ref() })
    }

    /// Calls `body` with each node, the oldest first.
    ///
    /// A node is the chain's before and after the call (M1), and nothing else's meanwhile.
    pub(crate) fn each(&mut self, mut body: impl FnMut(NonNull<N>)) {
        let mut next = self.first;
        while let Some(node) = next {
            // SAFETY: the chain owns its nodes (M1), and is borrowed exclusively (X2).
            next = NonNull::new(unsafe { *N::link(node) });
            body(node);
        }
    }

    /// Appends `later`.
    pub(crate) fn append(&mut self, mut later: Chain<N>) {
        let Some(first) = later.first.take() else {
            return;
        };
        match self.last {
            // SAFETY: the chain owns its last node (M1).
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

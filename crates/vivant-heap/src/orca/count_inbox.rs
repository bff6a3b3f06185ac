//! [`CountInbox`]: the count inbox of an owner, to which other heaps send count deltas (O6); and
//! [`CountDrain`]: its draining, in pieces.

use crate::alloc::header::Header;
use crate::sync::{AtomicPtr, Ordering, fault, yield_now};
use std::mem;
use std::ptr::{self, NonNull};
use std::vec;

/// A count delta: the change in the number of references that other heaps have to an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CountDelta {
    pub(crate) object: NonNull<Header>,
    pub(crate) by: i64,
}

/// Deltas sent together.
struct Batch {
    deltas: Vec<CountDelta>,
    /// The batch sent before this one, or [`unlinked`].
    before: AtomicPtr<Batch>,
}

/// Marks a batch that is not linked to the one before it yet.
fn unlinked() -> *mut Batch {
    // No batch has this address.
    ptr::without_provenance_mut(1)
}

/// A multi-producer, single-consumer list of batches. The consumer takes all at once. The order is
/// that of the sends.
///
/// A producer first exchanges the last batch for its own, and then links its batch to the old one.
/// The opposite order, a link and then a compare-and-exchange, has the ABA problem: the old batch
/// may be taken and freed in between, and another batch may have its address. The link would have
/// the right address, but be a pointer that must not be used.
pub(crate) struct CountInbox {
    last: AtomicPtr<Batch>,
}

// SAFETY: batches are values in boxes, made by one thread and taken by another; the inbox does not
// access the objects that they name.
unsafe impl Send for CountInbox {}
// SAFETY: shared access is to an atomic pointer alone; each batch is given to the one thread that
// takes it.
unsafe impl Sync for CountInbox {}

/// The state of an inbox before a batch was sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum InboxWas {
    /// The inbox was empty: its reader is not notified yet.
    Empty,
    NotEmpty,
}

impl CountInbox {
    pub(crate) fn new() -> CountInbox {
        CountInbox {
            last: AtomicPtr::new(ptr::null_mut()),
        }
    }

    /// Sends deltas. Never waits, neither for the reader nor for another writer.
    pub(crate) fn send(&self, deltas: Vec<CountDelta>) -> InboxWas {
        let batch = Box::into_raw(Box::new(Batch {
            deltas,
            before: AtomicPtr::new(unlinked()),
        }));
        fault!(EmptyByLoad => if self.is_empty() {
            let before = self.last.swap(batch, Ordering::Release);
            // SAFETY: a thread that has taken the batch does not free it before this link is
            // stored.
            unsafe { (*batch).before.store(before, Ordering::Release) };
            return InboxWas::Empty;
        });
        // Release: pairs with the exchange of `take`; the reader sees the batch, and all accesses
        // of the writer to the objects. Exchanges of other writers in between continue the release
        // sequence, so the reader sees the accesses of each of them.
        let release = fault!(Ordering::Release, InboxSendRelaxed => Ordering::Relaxed);
        let before = self.last.swap(batch, release);
        // From here on the inbox is not accessed: the reader may have taken all, and may have
        // ended. Release: pairs with the load in `reverse`, after which the batch is freed.
        let release = fault!(Ordering::Release, InboxSendRelaxed => Ordering::Relaxed);
        // SAFETY: a thread that has taken the batch does not free it before this link is stored.
        unsafe { (*batch).before.store(before, release) };
        if before.is_null() {
            InboxWas::Empty
        } else {
            InboxWas::NotEmpty
        }
    }

    /// Whether the inbox is empty. A hint: more may arrive at any time.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        // Relaxed: a caller that acts on it calls `take`.
        self.last.load(Ordering::Relaxed).is_null()
    }

    /// Takes all batches, however many.
    pub(crate) fn take(&self) -> Batches {
        // Acquire: pairs with the exchange of `send`, for all batches taken.
        let acquire = fault!(Ordering::Acquire, InboxTakeRelaxed => Ordering::Relaxed);
        let last = fault!(self.last.swap(ptr::null_mut(), acquire), InboxTakeByLoad => {
            let last = self.last.load(Ordering::Acquire);
            self.last.store(ptr::null_mut(), Ordering::Relaxed);
            last
        });
        Batches {
            last,
            first: ptr::null_mut(),
        }
    }
}

impl Drop for CountInbox {
    fn drop(&mut self) {
        drop(self.take());
    }
}

/// Batches taken out of an inbox. Each is linked to the one before it, and the order is reversed
/// before the first one is returned.
pub(crate) struct Batches {
    /// The last batch that is not reversed yet.
    last: *mut Batch,
    /// The first batch of the reversed ones: each of these is linked to the one after it.
    first: *mut Batch,
}

// SAFETY: batches are values in boxes, and the thread that takes them has them exclusively.
unsafe impl Send for Batches {}

impl Batches {
    /// No batches.
    pub(crate) const fn empty() -> Batches {
        Batches {
            last: ptr::null_mut(),
            first: ptr::null_mut(),
        }
    }

    /// Whether no batch is left.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.last.is_null() && self.first.is_null()
    }

    /// Reverses the links of at most `most` batches. Returns the number reversed; a smaller number
    /// than `most` means that all are. Waits for a writer that is between the two stores of
    /// `send`.
    pub(crate) fn reverse(&mut self, most: usize) -> usize {
        for reversed in 0..most {
            let last = self.last;
            if last.is_null() {
                return reversed;
            }
            // Acquire: pairs with the link's store in `send`, the writer's last access to the
            // batch.
            let acquire = fault!(Ordering::Acquire, InboxTakeRelaxed => Ordering::Relaxed);
            // SAFETY: `send` made it of a box, and it was taken once: the swap has given it to
            // this reader alone.
            let link = || unsafe { (*last).before.load(acquire) };
            let mut before = link();
            while before == unlinked() {
                yield_now();
                before = link();
            }
            // SAFETY: the swap in `take` has given it to this reader alone, and its writer is done
            // with it. Relaxed: no other thread reads it.
            unsafe { (*last).before.store(self.first, Ordering::Relaxed) };
            self.first = last;
            self.last = before;
            fault!(InboxNewestFirst => break);
        }
        most
    }

    /// The next batch in the order of the sends. `None` if there is none.
    pub(crate) fn next(&mut self) -> Option<Vec<CountDelta>> {
        self.reverse(usize::MAX);
        if self.first.is_null() {
            return None;
        }
        // SAFETY: `send` made it of a box, and the swap in `take` has given it to this reader
        // alone. It is returned once.
        let batch = unsafe { Box::from_raw(self.first) };
        // Relaxed: this reader has written it.
        self.first = batch.before.load(Ordering::Relaxed);
        // A batch taken by this injected fault may be taken twice: its memory is leaked.
        fault!(InboxTakeByLoad => return Some(Box::leak(batch).deltas.clone()));
        Some(batch.deltas)
    }
}

impl Drop for Batches {
    fn drop(&mut self) {
        while self.next().is_some() {}
    }
}

/// Batches of deltas that were taken together. They are applied in the order of the sends (O6), and
/// no further batch is taken until all are applied. In between, the heap's counts are those of some
/// earlier moment.
pub(crate) struct CountDrain {
    /// The rest of the batch that is being applied.
    deltas: vec::IntoIter<CountDelta>,
    taken: Batches,
    /// The result of deltas that a mark has drained while it waited, not reported yet.
    outcome: DrainOutcome,
    /// The number of pieces that have applied deltas.
    pub(crate) pieces: u64,
}

impl Default for CountDrain {
    fn default() -> CountDrain {
        CountDrain {
            deltas: Vec::new().into_iter(),
            taken: Batches::empty(),
            outcome: DrainOutcome::NoRelease,
            pieces: 0,
        }
    }
}

impl CountDrain {
    /// Whether all taken deltas are applied.
    #[inline]
    pub(crate) fn is_over(&self) -> bool {
        self.deltas.as_slice().is_empty() && self.taken.is_empty()
    }

    /// Takes all batches in the inbox. All batches taken before are applied.
    pub(crate) fn take_inbox(&mut self, inbox: &CountInbox) {
        debug_assert!(self.is_over());
        self.taken = inbox.take();
    }

    /// Applies deltas and reverses batches, at most `most` of both together. Returns their number;
    /// a smaller number than `most` means that all taken deltas are applied.
    pub(crate) fn drain_batches(
        &mut self,
        most: usize,
        mut apply: impl FnMut(CountDelta),
    ) -> usize {
        let mut done = self.taken.reverse(most);
        while done < most {
            match self.deltas.next() {
                Some(delta) => {
                    apply(delta);
                    done += 1;
                }
                None => match self.taken.next() {
                    Some(batch) => self.deltas = batch.into_iter(),
                    None => break,
                },
            }
        }
        self.pieces += u64::from(done != 0);
        if self.deltas.as_slice().is_empty() {
            // Frees its memory.
            drop(mem::take(&mut self.deltas));
        }
        done
    }

    /// Notes a result for the next report.
    pub(crate) fn note(&mut self, outcome: DrainOutcome) {
        if outcome == DrainOutcome::Released {
            self.outcome = DrainOutcome::Released;
        }
    }

    /// Reports the result of what was drained since the last report.
    pub(crate) fn take_outcome(&mut self) -> DrainOutcome {
        mem::replace(&mut self.outcome, DrainOutcome::NoRelease)
    }

    /// Whether taken deltas are to be applied, or a result is to be reported.
    #[inline]
    pub(crate) fn is_due(&self) -> bool {
        !self.is_over() || self.outcome == DrainOutcome::Released
    }
}

/// The result of draining.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DrainOutcome {
    /// No count fell to zero.
    NoRelease,
    /// The count of an object fell to zero: the next mark may find it dead.
    Released,
}

//! An entry: the part of an owner that other threads see. The thread that holds the entry is the
//! owner until it leaves it; every thread may push to its queue.

use super::ending::Ending;
use super::handed::Handed;
use super::header::{Dropped, Header, QueuedMerge};
use crate::sync::{AtomicU32, Mutex, MutexGuard, Ordering, PoisonError, fault};
use std::mem;

/// A thread holds the entry (B6).
const HELD: u32 = 1;
/// The queue has references, or the number of unnamed objects must be checked.
const PENDING: u32 = 2;
/// The owner will not run again. The id is free when no object names it any more.
const RETIRED: u32 = 4;

/// The part of an owner that other threads see.
#[repr(align(64))]
pub(crate) struct OwnerEntry {
    id: u32,
    state: AtomicU32,
    /// Number of objects that named the owner when it retired. Wraps. Only the holder uses it.
    named: AtomicU32,
    /// Of all objects that ever named the owner: the number merged out of the queue or ended by
    /// another thread. Wraps.
    unnamed: AtomicU32,
    lists: Mutex<Lists>,
}

#[derive(Default)]
struct Lists {
    /// References that were handed over.
    queue: Vec<Handed>,
    /// Deferred objects: found ended at a place where no destructor may run.
    later: Vec<Handed>,
}

/// What the caller must do after an entry was left.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AfterLeave {
    /// Nothing.
    KeepId,
    /// The id goes back to the pool.
    FreeId,
}

/// Whether a thread that hands a reference over ends some of the deferred objects of the owner.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Relief {
    Given,
    Withheld,
}

impl Relief {
    /// Number of deferred objects, of `later`, to end now. A share of them, so the backlog cannot
    /// grow, however many further objects each of them brings. Not all, because another thread may
    /// have brought them.
    fn of(self, later: usize) -> usize {
        match self {
            Relief::Given => 2 + later / 8,
            Relief::Withheld => 0,
        }
    }
}

impl OwnerEntry {
    pub(crate) fn new(id: u32) -> OwnerEntry {
        OwnerEntry {
            id,
            state: AtomicU32::new(0),
            named: AtomicU32::new(0),
            unnamed: AtomicU32::new(0),
            lists: Mutex::new(Lists::default()),
        }
    }

    fn lists(&self) -> MutexGuard<'_, Lists> {
        // No foreign code runs under this lock.
        self.lists.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Becomes the owner, if no thread is.
    pub(crate) fn try_hold(&self) -> bool {
        // Relaxed: a guess, which the exchange checks.
        let state = self.state.load(Ordering::Relaxed);
        // Acquire: pairs with the Release in `leave`: the biased counts are as the last holder left
        // them.
        let acquire = fault!(Ordering::Acquire, HoldRelaxed => Ordering::Relaxed);
        state & HELD == 0
            && self
                .state
                .compare_exchange(state, state | HELD, acquire, Ordering::Relaxed)
                .is_ok()
    }

    /// Stops being the owner, when the queue is empty.
    pub(crate) fn leave(&self, ending: &mut Ending) -> AfterLeave {
        loop {
            self.merge_queue(ending);
            fault!(LeaveWithoutALook => if self.state.load(Ordering::Relaxed) & RETIRED == 0 {
                self.state.fetch_and(!HELD, Ordering::Release);
                return AfterLeave::KeepId;
            });
            let state = self.state.load(Ordering::Relaxed);
            if state & PENDING != 0 {
                continue;
            }
            // Relaxed: a thread that adds to it sets `PENDING` after, and the Acquire with which
            // `PENDING` is cleared makes the addition visible here. An addition that is seen before
            // its flag is counted as well; the flag then finds an entry with nothing to do.
            let unnamed = self.unnamed.load(Ordering::Relaxed);
            let (after, left) = if state & RETIRED != 0
                && fault!(
                    self.named.load(Ordering::Relaxed) == unnamed,
                    FreeWhileNamed => true,
                ) {
                (0, AfterLeave::FreeId)
            } else {
                (state & !HELD, AfterLeave::KeepId)
            };
            // Release: pairs with the Acquire of the next holder. The exchange fails if another
            // thread has set `PENDING` meanwhile.
            let release = fault!(Ordering::Release, LeaveRelaxed => Ordering::Relaxed);
            if self
                .state
                .compare_exchange(state, after, release, Ordering::Relaxed)
                .is_ok()
            {
                return left;
            }
        }
    }

    /// Returns true if the holder has something to do.
    pub(crate) fn is_pending(&self) -> bool {
        self.state.load(Ordering::Relaxed) & PENDING != 0
    }

    /// Merges the references in the queue, by the holder. Ended and deferred objects are added to
    /// `ending`.
    pub(crate) fn merge_queue(&self, ending: &mut Ending) {
        let lists = self.take_lists();
        for last in lists.later {
            // SAFETY: the last reference to each object in `later` was dropped.
            unsafe { ending.push(last) };
        }
        self.merge_all(lists.queue, ending);
    }

    /// As [`OwnerEntry::merge_queue`], where no destructor may run: ended objects are deferred. The
    /// next `merge_queue` ends them, or a thread that hands a reference over.
    pub(crate) fn merge_queue_deferring(&self) {
        let Lists { queue, mut later } = self.take_lists();
        let mut ending = Ending::default();
        self.merge_all(queue, &mut ending);
        later.append(&mut ending.into_later());
        if !later.is_empty() {
            self.lists().later.append(&mut later);
            // Relaxed: the flag is for the holder, which is this thread; the lists have a lock.
            self.state.fetch_or(PENDING, Ordering::Relaxed);
        }
    }

    fn take_lists(&self) -> Lists {
        if !self.is_pending() {
            return Lists::default();
        }
        fault!(FlagOffTooLate => {
            let lists = mem::take(&mut *self.lists());
            self.state.fetch_and(!PENDING, Ordering::Acquire);
            return lists;
        });
        // Before the lists are taken: a thread that pushes after that sees the flag cleared, and
        // sets it again. Acquire: pairs with the Release in `unname`.
        self.state.fetch_and(!PENDING, Ordering::Acquire);
        mem::take(&mut self.lists())
    }

    fn merge_all(&self, queue: impl IntoIterator<Item = Handed>, ending: &mut Ending) {
        let mut merged = 0;
        for handed in queue {
            merged += u32::from(self.merge_one(handed, ending));
        }
        if merged != 0 {
            // Relaxed: the holder writes it and holders read it; the entry's Release and Acquire
            // order them.
            self.unnamed.fetch_add(merged, Ordering::Relaxed);
        }
    }

    /// Merges an object of which one reference was handed over. Returns true if one object less
    /// names the owner.
    fn merge_one(&self, handed: Handed, ending: &mut Ending) -> bool {
        let merge = handed.header().merge_queued(self.id);
        if let QueuedMerge::Merged(Dropped::Last) | QueuedMerge::AlreadyMerged(Dropped::Last) =
            merge
        {
            // SAFETY: `Dropped::Last`: it was the last reference.
            unsafe { ending.push(handed) };
        }
        matches!(merge, QueuedMerge::Merged(_))
    }

    /// Gives a reference to the owner (B3). If no thread holds the entry, this thread is the owner
    /// for a moment (B6).
    pub(crate) fn hand_over(
        &self,
        handed: Handed,
        relief: Relief,
        ending: &mut Ending,
    ) -> AfterLeave {
        if self.try_hold() {
            self.merge_all([handed], ending);
            return self.leave(ending);
        }
        {
            let mut lists = self.lists();
            lists.queue.push(handed);
            for _ in 0..relief.of(lists.later.len()) {
                let Some(last) = lists.later.pop() else { break };
                // SAFETY: the last reference to each object in `later` was dropped.
                unsafe { ending.push(last) };
            }
        }
        fault!(
            PushInSilence => return AfterLeave::KeepId,
            RingAndGo => {
                self.state.fetch_or(PENDING, Ordering::Relaxed);
                return AfterLeave::KeepId;
            },
        );
        // A flag that is set already will be seen: a holder clears it before it takes the queue. If
        // the holder took the queue before the push, the lock makes the clearing visible here.
        if self.is_pending() {
            return self.hold_if_free(self.state.load(Ordering::Relaxed), ending);
        }
        // Relaxed: the queue has a lock.
        self.hold_if_free(self.state.fetch_or(PENDING, Ordering::Relaxed), ending)
    }

    /// `ended` objects fewer name the owner. Called by a thread that does not hold the entry (B8).
    pub(crate) fn unname(&self, ended: u32, ending: &mut Ending) -> AfterLeave {
        // Relaxed: the exchange of the flag, below, releases it.
        self.unnamed.fetch_add(ended, Ordering::Relaxed);
        fault!(UnnameInSilence => return AfterLeave::KeepId);
        // Release: pairs with the Acquire in `merge_queue`; the number is read after that.
        self.hold_if_free(self.state.fetch_or(PENDING, Ordering::Release), ending)
    }

    /// After `PENDING` was set, with the entry in `state`: a holder will see the flag. If there is
    /// none, this thread holds the entry and merges.
    fn hold_if_free(&self, state: u32, ending: &mut Ending) -> AfterLeave {
        if state & HELD == 0 && self.try_hold() {
            self.leave(ending)
        } else {
            AfterLeave::KeepId
        }
    }

    /// Ends the ownership of an object, if no thread holds the entry. `None` if one does.
    pub(crate) fn disown(&self, header: &Header, ending: &mut Ending) -> Option<AfterLeave> {
        if !self.try_hold() {
            return None;
        }
        self.merge_queue(ending);
        if header.is_owned_by(self.id) {
            header.disown();
            // Relaxed: as in `merge_all`; this thread is the holder.
            self.unnamed.fetch_add(1, Ordering::Relaxed);
        }
        Some(self.leave(ending))
    }

    /// Number of objects that name the owner: `named` less those that other threads ended or
    /// merged. Called by the holder.
    pub(crate) fn living(&self, named: u32) -> u32 {
        // Relaxed: a report that arrives a moment later makes it less.
        named.wrapping_sub(self.unnamed.load(Ordering::Relaxed))
    }

    /// The owner will not run again; `named` objects are left. Called by the holder.
    pub(crate) fn retire(&self, named: u32) {
        // Relaxed, both: read by holders. The next one acquires what `leave` releases.
        self.named.store(named, Ordering::Relaxed);
        self.state.fetch_or(RETIRED, Ordering::Relaxed);
    }

    #[cfg(test)]
    pub(crate) fn has_id(&self, id: u32) -> bool {
        self.id == id
    }

    /// The id is given to a new owner, which holds the entry now and starts with no object.
    pub(crate) fn renew(&self) {
        // Relaxed: read by holders, as in `retire`. No addition is under way: no object names the
        // id, and all additions were seen.
        self.named.store(0, Ordering::Relaxed);
        self.unnamed.store(0, Ordering::Relaxed);
    }
}

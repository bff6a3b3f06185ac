//! A slot: what other threads see of an owner. Who holds it is the owner, for as long; its queue is
//! open to all.

use super::ending::Ending;
use super::handed::Handed;
use super::header::{Dropped, Header, Settled};
use crate::sync::{AtomicU32, Mutex, MutexGuard, Ordering, PoisonError, fault};
use std::mem;

/// Somebody holds the slot (B6).
const HELD: u32 = 1;
/// Something lies in the queue, or may have to be seen to.
const PENDING: u32 = 2;
/// The owner will not come back. The id is free when no object names it any more.
const RETIRED: u32 = 4;

/// What other threads see of an owner.
#[repr(align(64))]
pub(crate) struct Slot {
    id: u32,
    state: AtomicU32,
    /// Objects that named the owner when it retired; wraps. The holder's.
    named: AtomicU32,
    /// Of all that ever named it, how many were merged out of the queue or by somebody else; wraps.
    unnamed: AtomicU32,
    lists: Mutex<Lists>,
}

#[derive(Default)]
struct Lists {
    /// References that were handed over.
    queue: Vec<Handed>,
    /// Objects that were found ended where no destructor may run.
    later: Vec<Handed>,
}

/// What has to be done after a slot was left.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Left {
    /// Nothing.
    Idle,
    /// The id goes back to the pool.
    Free,
}

/// Whether who hands something over ends some of what was put off, for an owner that may not.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Relief {
    Given,
    Withheld,
}

impl Relief {
    /// How many of so many. A share of them, so that what was put off cannot grow, however many
    /// each of them brings in its turn; and not all, because another thread may have brought them.
    fn of(self, later: usize) -> usize {
        match self {
            Relief::Given => 2 + later / 8,
            Relief::Withheld => 0,
        }
    }
}

impl Slot {
    pub(crate) fn new(id: u32) -> Slot {
        Slot {
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

    /// Becomes the owner, if nobody is.
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
    pub(crate) fn leave(&self, ending: &mut Ending) -> Left {
        loop {
            self.settle(ending);
            fault!(LeaveWithoutALook => if self.state.load(Ordering::Relaxed) & RETIRED == 0 {
                self.state.fetch_and(!HELD, Ordering::Release);
                return Left::Idle;
            });
            let state = self.state.load(Ordering::Relaxed);
            if state & PENDING != 0 {
                continue;
            }
            // Relaxed: who adds to it sets `PENDING` after, and the Acquire with which that is
            // taken off shows it here; an addition that is seen before its flag is as good, and the
            // flag then finds a slot where there is nothing to do.
            let unnamed = self.unnamed.load(Ordering::Relaxed);
            let (after, left) = if state & RETIRED != 0
                && fault!(
                    self.named.load(Ordering::Relaxed) == unnamed,
                    FreeWhileNamed => true,
                ) {
                (0, Left::Free)
            } else {
                (state & !HELD, Left::Idle)
            };
            // Release: pairs with the Acquire of the next holder. It fails if somebody has rung
            // meanwhile.
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

    /// Whether something waits for the holder.
    pub(crate) fn is_pending(&self) -> bool {
        self.state.load(Ordering::Relaxed) & PENDING != 0
    }

    /// Merges what lies in the queue, by the holder. What ends, and what was put off, is added to
    /// `ending`.
    pub(crate) fn settle(&self, ending: &mut Ending) {
        let lists = self.take_lists();
        for last in lists.later {
            // SAFETY: what lies there was found to be the last one.
            unsafe { ending.push(last) };
        }
        self.settle_all(lists.queue, ending);
    }

    /// The same where no destructor may run: what ends is put off. Somebody who hands a reference
    /// over will end it, or the next `settle`.
    pub(crate) fn settle_counts(&self) {
        let Lists { queue, mut later } = self.take_lists();
        let mut ending = Ending::default();
        self.settle_all(queue, &mut ending);
        later.append(&mut ending.into_later());
        if !later.is_empty() {
            self.lists().later.append(&mut later);
            // Relaxed: it is for the holder, which this thread is; the lists have a lock.
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
        // Before the lists are taken: who pushes after that sees the flag gone, and sets it again.
        // Acquire: pairs with the Release in `unname`.
        self.state.fetch_and(!PENDING, Ordering::Acquire);
        mem::take(&mut self.lists())
    }

    fn settle_all(&self, queue: impl IntoIterator<Item = Handed>, ending: &mut Ending) {
        let mut merged = 0;
        for handed in queue {
            merged += u32::from(self.settle_one(handed, ending));
        }
        if merged != 0 {
            // Relaxed: by the holder, and read by holders; the slot's Release and Acquire order
            // them.
            self.unnamed.fetch_add(merged, Ordering::Relaxed);
        }
    }

    /// Merges an object of which one reference was handed over. Whether one less names the owner.
    fn settle_one(&self, handed: Handed, ending: &mut Ending) -> bool {
        let settled = handed.header().settle(self.id);
        if let Settled::Merged(Dropped::Last) | Settled::Before(Dropped::Last) = settled {
            // SAFETY: the last one, as was told.
            unsafe { ending.push(handed) };
        }
        matches!(settled, Settled::Merged(_))
    }

    /// Gives a reference to the owner (B3). If nobody holds the slot, this thread is the owner for
    /// a moment (B6).
    pub(crate) fn hand_over(&self, handed: Handed, relief: Relief, ending: &mut Ending) -> Left {
        if self.try_hold() {
            self.settle_all([handed], ending);
            return self.leave(ending);
        }
        {
            let mut lists = self.lists();
            lists.queue.push(handed);
            for _ in 0..relief.of(lists.later.len()) {
                let Some(last) = lists.later.pop() else { break };
                // SAFETY: what lies there was found to be the last one.
                unsafe { ending.push(last) };
            }
        }
        fault!(
            PushInSilence => return Left::Idle,
            RingAndGo => {
                self.state.fetch_or(PENDING, Ordering::Relaxed);
                return Left::Idle;
            },
        );
        // A flag that stands already will be seen: a holder takes it off before he takes the queue,
        // and if he took that before the push, the lock makes the flag's going known here.
        if self.is_pending() {
            return self.answer(self.state.load(Ordering::Relaxed), ending);
        }
        // Relaxed: the queue has a lock.
        self.answer(self.state.fetch_or(PENDING, Ordering::Relaxed), ending)
    }

    /// So many objects that named the owner do no more, by a thread that does not hold the slot
    /// (B8).
    pub(crate) fn unname(&self, ended: u32, ending: &mut Ending) -> Left {
        // Relaxed: the flag, below, releases it.
        self.unnamed.fetch_add(ended, Ordering::Relaxed);
        fault!(UnnameInSilence => return Left::Idle);
        // Release: pairs with the Acquire in `settle`, after which the number is looked at.
        self.answer(self.state.fetch_or(PENDING, Ordering::Release), ending)
    }

    /// The flag stands, and the slot was in `state`. A holder will see it; where there is none,
    /// this thread is.
    fn answer(&self, state: u32, ending: &mut Ending) -> Left {
        if state & HELD == 0 && self.try_hold() {
            self.leave(ending)
        } else {
            Left::Idle
        }
    }

    /// Ends the ownership of an object, if nobody holds the slot. Whether that was so.
    pub(crate) fn disown(&self, header: &Header, ending: &mut Ending) -> Option<Left> {
        if !self.try_hold() {
            return None;
        }
        self.settle(ending);
        if header.is_owned_by(self.id) {
            header.disown();
            // Relaxed: as in `settle_all`; this thread is the holder.
            self.unnamed.fetch_add(1, Ordering::Relaxed);
        }
        Some(self.leave(ending))
    }

    /// How many objects name the owner, of so many that it has not ended itself. The holder's.
    pub(crate) fn living(&self, named: u32) -> u32 {
        // Relaxed: what is told a moment later makes it less.
        named.wrapping_sub(self.unnamed.load(Ordering::Relaxed))
    }

    /// The owner will not come back, says its holder; `named` objects are left.
    pub(crate) fn retire(&self, named: u32) {
        // Relaxed, both: read by holders. The next one acquires what `leave` releases.
        self.named.store(named, Ordering::Relaxed);
        self.state.fetch_or(RETIRED, Ordering::Relaxed);
    }

    #[cfg(test)]
    pub(crate) fn is(&self, id: u32) -> bool {
        self.id == id
    }

    /// The id is given to a new owner, who holds the slot now and starts with no object.
    pub(crate) fn renew(&self) {
        // Relaxed: read by holders, as in `retire`. No addition is under way: no object names the
        // id, and all were seen.
        self.named.store(0, Ordering::Relaxed);
        self.unnamed.store(0, Ordering::Relaxed);
    }
}

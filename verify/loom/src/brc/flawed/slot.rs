//! `slot.rs` once more, with a bug of one's choice.
use super::ending::Ending;
use super::flaw::{Flaw, is, or};
use super::handed::Handed;
use super::header::{Dropped, Header, Settled};
use crate::sync::{AtomicU32, Mutex, MutexGuard, Ordering, PoisonError};
use std::mem;

const HELD: u32 = 1;
const PENDING: u32 = 2;
const RETIRED: u32 = 4;

#[repr(align(64))]
pub(crate) struct Slot {
    id: u32,
    state: AtomicU32,
    named: AtomicU32,
    unnamed: AtomicU32,
    lists: Mutex<Lists>,
}

#[derive(Default)]
struct Lists {
    queue: Vec<Handed>,
    later: Vec<Handed>,
}

#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Left {
    Idle,
    Free,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Relief {
    Given,
    Withheld,
}

impl Relief {
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
        self.lists.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn try_hold(&self) -> bool {
        let state = self.state.load(Ordering::Relaxed);
        state & HELD == 0
            && self
                .state
                .compare_exchange(
                    state,
                    state | HELD,
                    or(Flaw::HoldRelaxed, Ordering::Acquire),
                    Ordering::Relaxed,
                )
                .is_ok()
    }

    pub(crate) fn leave(&self, ending: &mut Ending) -> Left {
        loop {
            self.settle(ending);
            if is(Flaw::LeaveWithoutALook) && self.state.load(Ordering::Relaxed) & RETIRED == 0 {
                self.state.fetch_and(!HELD, Ordering::Release);
                return Left::Idle;
            }
            let state = self.state.load(Ordering::Relaxed);
            if state & PENDING != 0 {
                continue;
            }
            let unnamed = self.unnamed.load(Ordering::Relaxed);
            let (after, left) = if state & RETIRED != 0
                && (self.named.load(Ordering::Relaxed) == unnamed || is(Flaw::FreeWhileNamed))
            {
                (0, Left::Free)
            } else {
                (state & !HELD, Left::Idle)
            };
            if self
                .state
                .compare_exchange(
                    state,
                    after,
                    or(Flaw::LeaveRelaxed, Ordering::Release),
                    Ordering::Relaxed,
                )
                .is_ok()
            {
                return left;
            }
        }
    }

    pub(crate) fn is_pending(&self) -> bool {
        self.state.load(Ordering::Relaxed) & PENDING != 0
    }

    pub(crate) fn settle(&self, ending: &mut Ending) {
        let lists = self.take_lists();
        for last in lists.later {
            // SAFETY: what lies there was found to be the last one.
            unsafe { ending.push(last) };
        }
        self.settle_all(lists.queue, ending);
    }

    pub(crate) fn settle_counts(&self) {
        let Lists { queue, mut later } = self.take_lists();
        let mut ending = Ending::default();
        self.settle_all(queue, &mut ending);
        later.append(&mut ending.into_later());
        if !later.is_empty() {
            self.lists().later.append(&mut later);
            self.state.fetch_or(PENDING, Ordering::Relaxed);
        }
    }

    fn take_lists(&self) -> Lists {
        if !self.is_pending() {
            return Lists::default();
        }
        if is(Flaw::FlagOffTooLate) {
            let lists = mem::take(&mut *self.lists());
            self.state.fetch_and(!PENDING, Ordering::Acquire);
            return lists;
        }
        self.state.fetch_and(!PENDING, Ordering::Acquire);
        mem::take(&mut self.lists())
    }

    fn settle_all(&self, queue: impl IntoIterator<Item = Handed>, ending: &mut Ending) {
        let mut merged = 0;
        for handed in queue {
            merged += u32::from(self.settle_one(handed, ending));
        }
        if merged != 0 {
            self.unnamed.fetch_add(merged, Ordering::Relaxed);
        }
    }

    fn settle_one(&self, handed: Handed, ending: &mut Ending) -> bool {
        let settled = handed.header().settle(self.id);
        if let Settled::Merged(Dropped::Last) | Settled::Before(Dropped::Last) = settled {
            // SAFETY: the last one, as was told.
            unsafe { ending.push(handed) };
        }
        matches!(settled, Settled::Merged(_))
    }

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
        if is(Flaw::PushInSilence) {
            return Left::Idle;
        }
        if is(Flaw::RingAndGo) {
            self.state.fetch_or(PENDING, Ordering::Relaxed);
            return Left::Idle;
        }
        if self.is_pending() {
            return self.answer(self.state.load(Ordering::Relaxed), ending);
        }
        self.answer(self.state.fetch_or(PENDING, Ordering::Relaxed), ending)
    }

    pub(crate) fn unname(&self, ended: u32, ending: &mut Ending) -> Left {
        self.unnamed.fetch_add(ended, Ordering::Relaxed);
        if is(Flaw::UnnameInSilence) {
            return Left::Idle;
        }
        self.answer(self.state.fetch_or(PENDING, Ordering::Release), ending)
    }

    fn answer(&self, state: u32, ending: &mut Ending) -> Left {
        if state & HELD == 0 && self.try_hold() {
            self.leave(ending)
        } else {
            Left::Idle
        }
    }

    pub(crate) fn disown(&self, header: &Header, ending: &mut Ending) -> Option<Left> {
        if !self.try_hold() {
            return None;
        }
        self.settle(ending);
        if header.is_owned_by(self.id) {
            header.disown();
            self.unnamed.fetch_add(1, Ordering::Relaxed);
        }
        Some(self.leave(ending))
    }

    pub(crate) fn living(&self, named: u32) -> u32 {
        named.wrapping_sub(self.unnamed.load(Ordering::Relaxed))
    }

    pub(crate) fn retire(&self, named: u32) {
        self.named.store(named, Ordering::Relaxed);
        self.state.fetch_or(RETIRED, Ordering::Relaxed);
    }

    pub(crate) fn renew(&self) {
        self.named.store(0, Ordering::Relaxed);
        self.unnamed.store(0, Ordering::Relaxed);
    }
}

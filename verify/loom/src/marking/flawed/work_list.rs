//! `work_list.rs` once more, with the bug that [`Flaw`] says.

use super::flaw::{Flaw, is};
use crate::sync::{AtomicBool, Condvar, Mutex, MutexGuard, Ordering, PoisonError};

pub(crate) struct WorkList<B> {
    inner: Mutex<Inner<B>>,
    left: Condvar,
    closed: AtomicBool,
}

struct Inner<B> {
    now: Vec<B>,
    later: Vec<B>,
    round: Round,
    workers: usize,
    closed: bool,
}

pub(crate) trait Work: Default {
    fn is_empty(&self) -> bool;

    fn has_room(&self) -> bool;

    fn append(&mut self, other: &mut Self);

    fn take(&mut self) -> Option<Self> {
        (!self.is_empty()).then(|| std::mem::take(self))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Round {
    First,
    Second,
}

pub(crate) enum Joined<B> {
    Work(B, Round),
    Nothing,
    Drained,
    Closed,
}

impl<B: Work> WorkList<B> {
    pub(crate) fn new() -> WorkList<B> {
        WorkList {
            inner: Mutex::new(Inner {
                now: Vec::new(),
                later: Vec::new(),
                round: Round::First,
                workers: 0,
                closed: false,
            }),
            left: Condvar::new(),
            closed: AtomicBool::new(false),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner<B>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn put(&self, work: &mut B) {
        put(&mut self.lock().now, work);
    }

    pub(crate) fn put_off(&self, work: &mut B) {
        put(&mut self.lock().later, work);
    }

    pub(crate) fn join(&self) -> Joined<B> {
        let mut inner = self.lock();
        if inner.closed || self.is_closed() {
            return Joined::Closed;
        }
        if inner.is_through() {
            return Joined::Drained;
        }
        let Some(block) = inner.now.pop() else {
            return Joined::Nothing;
        };
        inner.workers += 1;
        Joined::Work(block, inner.round)
    }

    pub(crate) fn leave(&self, rest: Option<B>) -> bool {
        let mut inner = self.lock();
        if is(Flaw::LeavesFirst) {
            inner.workers -= 1;
            drop(inner);
            inner = self.lock();
            inner.workers += 1;
        }
        inner.now.extend(rest);
        inner.workers -= 1;
        if inner.closed {
            if !is(Flaw::LeavesInSilence) {
                self.left.notify_all();
            }
            return false;
        }
        inner.is_through()
    }

    pub(crate) fn is_drained(&self) -> bool {
        self.lock().is_through()
    }

    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
        let mut inner = self.lock();
        inner.closed = true;
        while inner.workers != 0 && !is(Flaw::ClosesAtOnce) {
            inner = self
                .left
                .wait(inner)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }
}

fn put<B: Work>(blocks: &mut Vec<B>, work: &mut B) {
    match blocks.last_mut() {
        Some(block) if block.has_room() && work.has_room() => block.append(work),
        _ => blocks.extend(work.take()),
    }
}

impl<B> Inner<B> {
    fn is_through(&mut self) -> bool {
        let works = self.workers != 0 && !is(Flaw::NobodyCounts);
        if !self.now.is_empty() || (works && !is(Flaw::RoundsOverlap)) {
            return false;
        }
        self.round = Round::Second;
        std::mem::swap(&mut self.now, &mut self.later);
        self.now.is_empty() && !works
    }
}

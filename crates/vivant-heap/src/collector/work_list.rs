//! [`WorkList`]: what a mark has still to go through, for all who help with it.

use crate::sync::{AtomicBool, Condvar, Mutex, MutexGuard, Ordering, PoisonError, fault};

/// Blocks of work of one mark. Who has taken a block is a **worker** until it has left; what it has
/// not done, or has found, it leaves here.
pub(crate) struct WorkList<B> {
    inner: Mutex<Inner<B>>,
    /// A worker has left, and nobody else is to join.
    left: Condvar,
    /// As `inner.closed`, for workers that look often.
    closed: AtomicBool,
}

struct Inner<B> {
    now: Vec<B>,
    /// For the second round.
    later: Vec<B>,
    round: Round,
    workers: usize,
    closed: bool,
}

/// A block of work.
pub(crate) trait Work: Default {
    fn is_empty(&self) -> bool;

    /// Whether a little more may come to it: a block is what one worker has, and others have not.
    fn has_room(&self) -> bool;

    /// Takes all that the other one has, which keeps its memory.
    fn append(&mut self, other: &mut Self);

    /// All of it, if there is any.
    fn take(&mut self) -> Option<Self> {
        (!self.is_empty()).then(|| std::mem::take(self))
    }
}

/// Which work is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Round {
    /// What is met is gone through, but for what is put off.
    First,
    /// The rest.
    Second,
}

/// What came of an attempt to join.
pub(crate) enum Joined<B> {
    /// The caller is a worker now.
    Work(B, Round),
    /// Others have all the work.
    Nothing,
    /// Nothing is left, and nobody works.
    Drained,
    /// Nobody may join any more.
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

    /// More work. Nothing is left of it where it was.
    pub(crate) fn put(&self, work: &mut B) {
        put(&mut self.lock().now, work);
    }

    /// More work, to be done when all other work is.
    pub(crate) fn put_off(&self, work: &mut B) {
        put(&mut self.lock().later, work);
    }

    /// Takes a block.
    pub(crate) fn join(&self) -> Joined<B> {
        let mut inner = self.lock();
        // Who has left because it is to be closed does not come back before it is.
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

    /// A worker leaves, with what it has not done. Whether that was all.
    pub(crate) fn leave(&self, rest: Option<B>) -> bool {
        let mut inner = self.lock();
        fault!(LeavesFirst => {
            inner.workers -= 1;
            drop(inner);
            inner = self.lock();
            inner.workers += 1;
        });
        inner.now.extend(rest);
        inner.workers -= 1;
        if inner.closed {
            fault!(self.left.notify_all(), LeavesInSilence => ());
            return false;
        }
        inner.is_through()
    }

    /// Whether nothing is left, and nobody works: then only who puts something in can bring about
    /// more.
    pub(crate) fn is_drained(&self) -> bool {
        self.lock().is_through()
    }

    /// Whether there is nothing to take for who comes now.
    pub(crate) fn has_nothing(&self) -> bool {
        self.lock().now.is_empty()
    }

    /// Whether who joins now would not find that others have all that is left: he takes something,
    /// or finds all done.
    pub(crate) fn wants_help(&self) -> bool {
        let inner = self.lock();
        !inner.now.is_empty() || inner.workers == 0
    }

    /// Whether two can take something.
    pub(crate) fn has_room(&self) -> bool {
        self.lock().now.len() > 1
    }

    /// The mark is over, or given up. Nobody joins from here on; waits for who is at work, who
    /// looks at [`WorkList::is_closed`] after each object.
    pub(crate) fn close(&self) {
        // Relaxed: workers are waited for by the lock.
        self.closed.store(true, Ordering::Relaxed);
        let mut inner = self.lock();
        inner.closed = true;
        fault!(ClosesAtOnce => return);
        while inner.workers != 0 {
            inner = self
                .left
                .wait(inner)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Whether workers should leave.
    #[inline]
    pub(crate) fn is_closed(&self) -> bool {
        // Relaxed: as in `close`.
        self.closed.load(Ordering::Relaxed)
    }
}

/// A little comes to the last block: each turn brings some, and a list of as many blocks as there
/// were turns would be a long one. Much is a block of its own.
fn put<B: Work>(blocks: &mut Vec<B>, work: &mut B) {
    match blocks.last_mut() {
        Some(block) if block.has_room() && work.has_room() => block.append(work),
        _ => blocks.extend(work.take()),
    }
}

impl<B> Inner<B> {
    /// Begins the second round, if that is due. Whether nothing is left.
    fn is_through(&mut self) -> bool {
        fault!(RoundsOverlap => if self.workers != 0 && self.now.is_empty() {
            self.round = Round::Second;
            std::mem::swap(&mut self.now, &mut self.later);
            return false;
        });
        if fault!(self.workers != 0, NobodyCounts => false) || !self.now.is_empty() {
            return false;
        }
        self.round = Round::Second;
        std::mem::swap(&mut self.now, &mut self.later);
        self.now.is_empty()
    }
}

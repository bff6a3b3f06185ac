//! [`MarkQueue`]: the mark queue of a concurrent mark. It holds work packets for all its markers.

use crate::sync::{AtomicBool, Condvar, Mutex, MutexGuard, Ordering, PoisonError, fault};

/// The mark queue. A marker that has taken a packet is a **worker** until it leaves; it returns the
/// unfinished rest of its packet and the work that it has found.
pub(crate) struct MarkQueue<B> {
    inner: Mutex<Inner<B>>,
    /// Notified when a worker leaves a closed queue.
    left: Condvar,
    /// A copy of `inner.closed` that workers can poll without the lock.
    closed: AtomicBool,
}

struct Inner<B> {
    current: Vec<B>,
    /// The deferred queue: for the second marking pass.
    deferred: Vec<B>,
    pass: MarkingPass,
    workers: usize,
    closed: bool,
}

/// A work packet.
pub(crate) trait Packet: Default {
    fn is_empty(&self) -> bool;

    /// Whether the packet is small enough to append more. A packet is the unit that one worker
    /// holds and others cannot share.
    fn has_room(&self) -> bool;

    /// Moves all of `other` into this packet; `other` keeps its memory.
    fn append(&mut self, other: &mut Self);

    /// Takes the whole packet, if it is not empty.
    fn take(&mut self) -> Option<Self> {
        (!self.is_empty()).then(|| std::mem::take(self))
    }
}

/// A marking pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MarkingPass {
    /// Marked objects are scanned, except the deferred ones.
    First,
    /// The deferred objects are scanned.
    Second,
}

/// The result of an attempt to take a packet.
pub(crate) enum Joined<B> {
    /// The caller is a worker now.
    Work(B, MarkingPass),
    /// Other workers have all the work.
    NoWork,
    /// No work is left, and there is no worker.
    Drained,
    /// The queue is closed.
    Closed,
}

impl<B: Packet> MarkQueue<B> {
    pub(crate) fn new() -> MarkQueue<B> {
        MarkQueue {
            inner: Mutex::new(Inner {
                current: Vec::new(),
                deferred: Vec::new(),
                pass: MarkingPass::First,
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

    /// Adds work, and leaves `work` empty.
    pub(crate) fn put(&self, work: &mut B) {
        put(&mut self.lock().current, work);
    }

    /// Adds work for the second pass, and leaves `work` empty.
    pub(crate) fn defer(&self, work: &mut B) {
        put(&mut self.lock().deferred, work);
    }

    /// Takes a packet.
    pub(crate) fn join(&self) -> Joined<B> {
        let mut inner = self.lock();
        // A worker that has left because the queue is being closed does not take another packet.
        if inner.closed || self.is_closed() {
            return Joined::Closed;
        }
        if inner.is_exhausted() {
            return Joined::Drained;
        }
        let Some(packet) = inner.current.pop() else {
            return Joined::NoWork;
        };
        inner.workers += 1;
        Joined::Work(packet, inner.pass)
    }

    /// A worker leaves, and returns the unfinished rest of its packet. Returns true if the queue is
    /// drained.
    pub(crate) fn leave(&self, rest: Option<B>) -> bool {
        let mut inner = self.lock();
        fault!(LeavesFirst => {
            inner.workers -= 1;
            drop(inner);
            inner = self.lock();
            inner.workers += 1;
        });
        inner.current.extend(rest);
        inner.workers -= 1;
        if inner.closed {
            fault!(self.left.notify_all(), LeavesInSilence => ());
            return false;
        }
        inner.is_exhausted()
    }

    /// Whether no work is left and there is no worker. From then on only a caller of `put` brings
    /// new work.
    pub(crate) fn is_drained(&self) -> bool {
        self.lock().is_exhausted()
    }

    /// Whether no packet can be taken now.
    pub(crate) fn is_empty(&self) -> bool {
        self.lock().current.is_empty()
    }

    /// Whether [`MarkQueue::join`] would succeed now, or find the queue drained. False if other
    /// workers have all that is left.
    pub(crate) fn needs_help(&self) -> bool {
        let inner = self.lock();
        !inner.current.is_empty() || inner.workers == 0
    }

    /// Whether two callers can each take a packet.
    pub(crate) fn has_spare_work(&self) -> bool {
        self.lock().current.len() > 1
    }

    /// Closes the queue: the mark is complete or aborted. No caller joins from here on. Waits for
    /// the workers, which poll [`MarkQueue::is_closed`] after each object.
    pub(crate) fn close(&self) {
        // Relaxed: the lock below synchronises with the workers that leave.
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
        // Relaxed: only a hint to leave early; the lock in `close` and `leave` synchronises.
        self.closed.load(Ordering::Relaxed)
    }
}

/// Appends little work to the last packet, and makes a packet of its own of much work. Each turn
/// brings a little, and a packet for each turn would make the list long.
fn put<B: Packet>(packets: &mut Vec<B>, work: &mut B) {
    match packets.last_mut() {
        Some(packet) if packet.has_room() && work.has_room() => packet.append(work),
        _ => packets.extend(work.take()),
    }
}

impl<B> Inner<B> {
    /// Begins the second pass if the first one is over. Returns whether no work is left.
    fn is_exhausted(&mut self) -> bool {
        fault!(RoundsOverlap => if self.workers != 0 && self.current.is_empty() {
            self.pass = MarkingPass::Second;
            std::mem::swap(&mut self.current, &mut self.deferred);
            return false;
        });
        if fault!(self.workers != 0, NobodyCounts => false) || !self.current.is_empty() {
            return false;
        }
        self.pass = MarkingPass::Second;
        std::mem::swap(&mut self.current, &mut self.deferred);
        self.current.is_empty()
    }
}

//! [`Mark`]: the state of a mark that its markers share; and [`Marker`], the right to help with a
//! concurrent one.

use super::abort_on_unwind::AbortOnUnwind;
use super::mark_queue::{Joined, MarkQueue, MarkingPass, Packet};
use super::scanner::EdgeSnapshot;
use super::scanner::{MarkResults, Scanner, WorkPacket};
use crate::orca::heap_handle::HeapHandle;
use crate::sync::{Arc, AtomicU64, AtomicUsize, Mutex, MutexGuard, Ordering, PoisonError};
use std::fmt;
use std::ptr::NonNull;

/// Which threads mark, and when.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MarkMode {
    /// The heap's holder alone, in one piece: no turn runs between the beginning and the end.
    StopTheWorld,
    /// Any thread, while turns run (H7).
    Concurrent,
}

/// State that all markers of one mark share.
pub(crate) struct Mark {
    /// The mark's epoch, and the owner of the heap that is marked.
    pub(crate) epoch: u8,
    pub(crate) mode: MarkMode,
    pub(crate) own: NonNull<HeapHandle>,
    pub(crate) edge_snapshot: EdgeSnapshot,
    pub(crate) queue: MarkQueue<WorkPacket>,
    results: Mutex<MarkResults>,
    /// Scanners that no marker uses now, with their allocated memory.
    scanners: Mutex<Vec<Scanner>>,
    /// Bytes of marked objects, for the pacer.
    bytes: AtomicUsize,
    /// Nanoseconds that markers other than the owner have spent on it.
    spent_ns: AtomicU64,
}

// SAFETY: its pointers lead to objects and to the owner of a heap that stays until the mark queue
// is closed, and closing waits for all workers. A worker reads of an object only what does not
// change, or what it has claimed (H6).
unsafe impl Send for Mark {}
// SAFETY: shared access reads the pointers' targets under the same rules as `Send` above (closing
// waits for all workers; H6). The other fields are behind locks or atomic.
unsafe impl Sync for Mark {}

/// The result of some marking work.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// More work is left.
    More,
    /// Other markers have all that is left. More may be queued in a moment.
    NoWork,
    /// All queued work is done. The heap's holder continues with the exports, or ends the mark
    /// ([`Heap::pace`](crate::Heap::pace)).
    Drained,
    /// The mark has ended, or was aborted.
    Over,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Mark {
    pub(crate) fn new(
        epoch: u8,
        mode: MarkMode,
        own: NonNull<HeapHandle>,
        edge_snapshot: EdgeSnapshot,
    ) -> Mark {
        Mark {
            epoch,
            mode,
            own,
            edge_snapshot,
            queue: MarkQueue::new(),
            results: Mutex::default(),
            scanners: Mutex::default(),
            bytes: AtomicUsize::new(0),
            spent_ns: AtomicU64::new(0),
        }
    }

    /// Scans at most `most` objects.
    pub(crate) fn work(&self, most: usize) -> Progress {
        let (packet, pass) = match self.queue.join() {
            Joined::Work(packet, pass) => (packet, pass),
            Joined::NoWork => return Progress::NoWork,
            Joined::Drained => return Progress::Drained,
            Joined::Closed => return Progress::Over,
        };
        let guard = AbortOnUnwind;
        let idle = lock(&self.scanners).pop();
        let mut scanner = idle.unwrap_or_else(|| Scanner::new(self));
        // A scanner in the pool has no work.
        scanner.load(packet);
        scanner.run(most, self, pass);
        self.flush(&mut scanner);
        let rest = scanner.unload().take();
        lock(&self.scanners).push(scanner);
        let drained = self.queue.leave(rest);
        std::mem::forget(guard);
        if drained {
            Progress::Drained
        } else {
            Progress::More
        }
    }

    /// Publishes a scanner's findings to the mark before its worker leaves the queue: a marker that
    /// finds the queue drained finds all of them.
    pub(crate) fn flush(&self, scanner: &mut Scanner) {
        if !scanner.deferred.is_empty() {
            self.queue.defer(&mut scanner.deferred);
        }
        lock(&self.results).add(&mut scanner.results);
        self.add_bytes(&mut scanner.bytes);
    }

    /// Adds to the number of marked bytes, and sets `bytes` to zero.
    pub(crate) fn add_bytes(&self, bytes: &mut usize) {
        // Relaxed: a number for the pacer; no data is read on the strength of it.
        self.bytes
            .fetch_add(std::mem::take(bytes), Ordering::Relaxed);
    }

    /// Bytes of marked objects, as far as scanners have reported them.
    pub(crate) fn bytes(&self) -> usize {
        // Relaxed: a number for the pacer; no data is read on the strength of it.
        self.bytes.load(Ordering::Relaxed)
    }

    /// What the scanners have found until now.
    pub(crate) fn results(&self) -> MutexGuard<'_, MarkResults> {
        lock(&self.results)
    }
}

/// The right to help with a concurrent mark of one heap, on any thread, while the heap's turns run
/// ([`Heap::marker`](crate::Heap::marker)). It keeps nothing alive. It may outlive the mark and the
/// heap; then it has no work.
#[derive(Clone)]
pub struct Marker(pub(crate) Arc<Mark>);

impl Marker {
    /// Scans at most `objects` objects, some 10 to 50 ns each. It waits for nothing. When the mark
    /// is aborted, the heap's holder waits for this call, which then returns within one object.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use std::thread;
    /// use vivant_heap::{MarkStart, Gc, Heap, Pacing, Progress, Root, PageSource};
    ///
    /// struct List;
    /// impl Root for List {
    ///     type Of<'gc> = Vec<Gc<'gc, u64>>;
    /// }
    ///
    /// let source = Arc::new(PageSource::new());
    /// let mut heap = Heap::<List>::new(&source, Pacing::default(), |m| (0..50_000).map(|n| m.alloc(n)).collect());
    /// assert_eq!(heap.begin_mark(), MarkStart::Running);      // more than 256 KiB: a concurrent mark
    /// let marker = heap.marker().unwrap();
    /// let helper = thread::spawn(move || while marker.work(1_000) == Progress::More {});
    /// heap.turn(|m, list| list[0] = m.alloc(7));
    /// helper.join().unwrap();
    /// heap.pace();
    /// assert_eq!(heap.stats().major, 1);
    /// ```
    pub fn work(&self, objects: usize) -> Progress {
        self.0.work(objects)
    }

    /// Adds to the time that other threads than the heap's holder have spent on this mark. The
    /// pacer counts it: marks are limited to a part of the time.
    pub fn add_spent_ns(&self, ns: u64) {
        // Relaxed: a number for the pacer; no data is read on the strength of it.
        self.0.spent_ns.fetch_add(ns, Ordering::Relaxed);
    }

    /// The nanoseconds that were added.
    pub(crate) fn spent_ns(&self) -> u64 {
        // Relaxed: a number for the pacer; no data is read on the strength of it.
        self.0.spent_ns.load(Ordering::Relaxed)
    }

    /// Bytes of marked objects.
    #[cfg(test)]
    pub(crate) fn bytes_marked(&self) -> usize {
        self.0.bytes()
    }

    /// Whether [`Marker::work`] would find work now, or the mark complete. False if other markers
    /// have all the work that is left. Costs a lock.
    #[must_use]
    pub fn needs_help(&self) -> bool {
        self.0.queue.needs_help()
    }

    /// Whether there is work for one marker besides the caller. Costs a lock.
    #[must_use]
    pub fn has_spare_work(&self) -> bool {
        self.0.queue.has_spare_work()
    }
}

impl fmt::Debug for Marker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Marker").finish_non_exhaustive()
    }
}

/// Whether shared objects go to the deferred queue in this marking pass: see [`Scanner`].
pub(crate) fn defers_shared(edge_snapshot: EdgeSnapshot, pass: MarkingPass) -> bool {
    edge_snapshot == EdgeSnapshot::Private && pass == MarkingPass::First
}

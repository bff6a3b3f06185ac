//! [`Mark`]: a mark that runs, as all who help with it share it; and [`Marker`], the right to help.

use super::scanner::{Block, Found, Scanner};
use super::work_list::{Joined, Round, Work, WorkList};
use super::{Shows, Whole};
use crate::orca::Owner;
use crate::sync::{Arc, AtomicUsize, Mutex, MutexGuard, Ordering, PoisonError};
use std::fmt;
use std::ptr::NonNull;

/// What a mark and its markers have in common.
pub(crate) struct Mark {
    /// Of the mark: its number, and whose objects it is about.
    pub(super) epoch: u8,
    pub(super) own: NonNull<Owner>,
    pub(super) shows: Shows,
    pub(super) list: WorkList<Block>,
    found: Mutex<Found>,
    /// Those that nobody uses now, with the memory that they have.
    scanners: Mutex<Vec<Scanner>>,
    /// Bytes of objects that were met, for the pacing.
    bytes: AtomicUsize,
}

// SAFETY: what it points to are objects and an owner of a heap that is there until the list of work
// is closed, which waits for all workers. Who is a worker reads of an object what does not change,
// or what it has claimed (H6).
unsafe impl Send for Mark {}
// SAFETY: as above; the rest is behind locks.
unsafe impl Sync for Mark {}

/// What came of some work at a mark.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// There is more to do.
    More,
    /// Others have all that is left. There may be more in a moment.
    Nothing,
    /// All is met that was handed over. The heap's holder goes on, with what others know of its
    /// objects, or ends the mark ([`Heap::pace`](crate::Heap::pace)).
    Drained,
    /// The mark has ended, or was given up.
    Over,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Mark {
    pub(super) fn new(epoch: u8, own: NonNull<Owner>, shows: Shows) -> Mark {
        Mark {
            epoch,
            own,
            shows,
            list: WorkList::new(),
            found: Mutex::default(),
            scanners: Mutex::default(),
            bytes: AtomicUsize::new(0),
        }
    }

    /// Goes through so many objects at most.
    pub(super) fn work(&self, most: usize) -> Progress {
        let (block, round) = match self.list.join() {
            Joined::Work(block, round) => (block, round),
            Joined::Nothing => return Progress::Nothing,
            Joined::Drained => return Progress::Drained,
            Joined::Closed => return Progress::Over,
        };
        let whole = Whole;
        let idle = lock(&self.scanners).pop();
        let mut scanner = idle.unwrap_or_else(|| Scanner::new(self));
        // A scanner that nobody uses has no work.
        scanner.block = block;
        scanner.run(most, self, round);
        self.hands_over(&mut scanner);
        let rest = scanner.block.take();
        lock(&self.scanners).push(scanner);
        let drained = self.list.leave(rest);
        std::mem::forget(whole);
        if drained {
            Progress::Drained
        } else {
            Progress::More
        }
    }

    /// What a scanner has found is all markers' from here on, before it leaves: who finds the list
    /// drained finds all of it.
    pub(super) fn hands_over(&self, scanner: &mut Scanner) {
        if !scanner.later.is_empty() {
            self.list.put_off(&mut scanner.later);
        }
        lock(&self.found).add(&mut scanner.found);
        self.counts(&mut scanner.bytes);
    }

    /// So many bytes more were met.
    pub(super) fn counts(&self, bytes: &mut usize) {
        // Relaxed: a number for the pacing.
        self.bytes
            .fetch_add(std::mem::take(bytes), Ordering::Relaxed);
    }

    /// Bytes of objects that were met, as far as they are counted.
    pub(super) fn bytes(&self) -> usize {
        // Relaxed: as above.
        self.bytes.load(Ordering::Relaxed)
    }

    /// What was found until now.
    pub(super) fn found(&self) -> MutexGuard<'_, Found> {
        lock(&self.found)
    }
}

/// The right to help with a mark of one heap, on any thread, while its turns run
/// ([`Heap::marker`](crate::Heap::marker)). It keeps nothing alive, and outlives the mark and the
/// heap: then there is nothing to do.
#[derive(Clone)]
pub struct Marker(pub(super) Arc<Mark>);

impl Marker {
    /// Goes through so many objects at most: some 10 to 50 ns each. Waits for nobody; the heap's
    /// holder may wait for this to end, which it does within one object when the mark is given up.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use std::thread;
    /// use vivant_heap::{Begun, Gc, Heap, Pacing, Progress, Root, Source};
    ///
    /// struct List;
    /// impl Root for List {
    ///     type Of<'gc> = Vec<Gc<'gc, u64>>;
    /// }
    ///
    /// let source = Arc::new(Source::new());
    /// let mut heap = Heap::<List>::new(&source, Pacing::default(), |m| (0..50_000).map(|n| m.alloc(n)).collect());
    /// assert_eq!(heap.begin_mark(), Begun::Runs);      // more than 256 KiB: beside the turns
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

    /// Bytes of objects that were met.
    #[cfg(test)]
    pub(crate) fn met(&self) -> usize {
        self.0.bytes()
    }

    /// Whether whoever comes now finds work, or that all is done: not, if others have all that is
    /// left. Costs a lock.
    #[must_use]
    pub fn wants_help(&self) -> bool {
        self.0.list.wants_help()
    }

    /// Whether there is work for one more than the caller. Costs a lock.
    #[must_use]
    pub fn has_room(&self) -> bool {
        self.0.list.has_room()
    }
}

impl fmt::Debug for Marker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Marker").finish_non_exhaustive()
    }
}

/// Which round of a mark is on, as far as shared objects go: see [`Scanner`].
pub(super) fn puts_off(shows: Shows, round: Round) -> bool {
    shows == Shows::Private && round == Round::First
}

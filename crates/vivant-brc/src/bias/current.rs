//! Which owner this thread is.

use super::ending::Ending;
use super::header::MERGED_OWNER;
use super::notice;
use super::table;
use crate::counters;
use crate::sync::{spin_loop, thread_local, yield_now};
use std::cell::Cell;
use std::io::{self, Write};

/// No object names this id: the thread is no owner now.
pub(super) const NOT_AN_OWNER: u32 = u32::MAX;

/// Births between two drains of the owner's queue. The birth of a large object drains it too:
/// references in the queue keep memory that births could reuse.
const BIRTHS: u32 = 16;

const LARGE: usize = 4096;

/// Limit of living objects of one owner; more abort the process (B9). Half of what can be counted.
const LIVING_MAX: u32 = 1 << 31;

/// Ends between two drains of the owner's queue.
const ENDS: u32 = 64;

/// An owner that is not running on a thread: its id, if it has needed one, and the number of
/// objects that it has made and not ended.
///
/// The entry has the number of objects that other threads ended for it. Both numbers wrap.
#[derive(Clone, Copy)]
pub(crate) struct ParkedOwner {
    id: u32,
    named: u32,
}

impl ParkedOwner {
    pub(crate) const fn new() -> ParkedOwner {
        ParkedOwner {
            id: NOT_AN_OWNER,
            named: 0,
        }
    }

    pub(crate) fn id(self) -> Option<u32> {
        Some(self.id).filter(|&id| id != NOT_AN_OWNER)
    }
}

/// What a thread that is no owner does at a birth.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Birth {
    /// The thread becomes an owner, until it ends.
    Attaches,
    /// The actor or task that runs on the thread becomes an owner.
    Begins,
    /// The object is born merged.
    Merged,
}

/// The thread's relation to owners.
#[derive(Clone, Copy)]
pub(super) struct Identity {
    pub(super) home: ParkedOwner,
    pub(super) birth: Birth,
}

/// No owner, and a birth makes none.
pub(super) const NON_OWNER: Identity = Identity {
    home: ParkedOwner::new(),
    birth: Birth::Merged,
};

/// This thread's state. It has no destructor, so it can be used while the thread ends.
pub(super) struct Current {
    /// The id of the owner that the thread is.
    current_id: Cell<u32>,
    /// Objects that this owner has made, less those it has ended, since the thread became this
    /// owner; the number from before counts as made. Wraps.
    births: Cell<u32>,
    ends: Cell<u32>,
    birth: Cell<Birth>,
    /// Destructors of queued objects run now: no nested drain.
    merges: Cell<bool>,
}

thread_local! {
    pub(super) static CURRENT: Current = const {
        Current {
            current_id: Cell::new(NOT_AN_OWNER),
            births: Cell::new(0),
            ends: Cell::new(0),
            birth: Cell::new(Birth::Attaches),
            merges: Cell::new(false),
        }
    };
    /// Initialised when the thread becomes an owner by itself, or has an end to report to another
    /// owner.
    pub(super) static THREAD: ThreadEnd = const { ThreadEnd };
}

/// Its destructor is the end of the thread.
pub(super) struct ThreadEnd;

impl Drop for ThreadEnd {
    fn drop(&mut self) {
        // While destructors run, the thread is still the owner: they may make objects and drop
        // them.
        safe_point();
        notice::report_all();
        retire(replace_identity(NON_OWNER).home);
    }
}

impl Current {
    /// The owner of a new object on a thread that is no owner yet.
    #[cold]
    fn become_owner(&self) -> u32 {
        let may = match self.birth.get() {
            Birth::Merged => false,
            // An `Executor` may be leaked by `mem::forget`; then the thread's end is also that of
            // its last owner.
            Birth::Begins => {
                let _ends_at_last = THREAD.try_with(|_| ());
                true
            }
            // False: the destructor of `THREAD` has run; this is the destructor of another
            // thread-local value.
            Birth::Attaches => THREAD.try_with(|_| ()).is_ok(),
        };
        let Some(id) = may.then(table::take).flatten() else {
            return MERGED_OWNER;
        };
        enter(ParkedOwner { id, named: 0 });
        table::entry(id).renew();
        self.current_id.set(id);
        self.births.set(1);
        self.ends.set(0);
        id
    }

    /// One object less names this owner. Returns true if it is time to drain the queue.
    #[inline]
    pub(super) fn unname(&self) -> bool {
        let ends = self.ends.get().wrapping_add(1);
        self.ends.set(ends);
        ends.is_multiple_of(ENDS)
    }
}

/// The owner that this thread is; an id that no object names if it is none.
#[inline]
pub(super) fn current_id() -> u32 {
    CURRENT.with(|current| current.current_id.get())
}

/// Whether this thread is an owner now.
#[inline]
pub(crate) fn has_owner() -> bool {
    current_id() != NOT_AN_OWNER
}

/// Returns true after the destructor of `THREAD` has run: the thread will not end as an owner any
/// more.
pub(super) fn has_ended() -> bool {
    THREAD.try_with(|_| ()).is_err()
}

/// Returns true if a birth on a thread that is no owner would do this.
pub(super) fn has_birth(birth: Birth) -> bool {
    CURRENT.with(|current| current.birth.get()) == birth
}

/// Replaces this thread's identity and returns the previous one.
#[inline]
pub(super) fn replace_identity(new: Identity) -> Identity {
    CURRENT.with(|current| Identity {
        home: ParkedOwner {
            id: current.current_id.replace(new.home.id),
            named: current
                .births
                .replace(new.home.named)
                .wrapping_sub(current.ends.replace(0)),
        },
        birth: current.birth.replace(new.birth),
    })
}

/// The owner of an object that is made now. The object counts as naming this owner.
#[inline]
pub(crate) fn birth(bytes: usize) -> u32 {
    let owner = CURRENT.with(|current| {
        let current_id = current.current_id.get();
        if current_id == NOT_AN_OWNER {
            return current.become_owner();
        }
        let births = current.births.get().wrapping_add(1);
        current.births.set(births);
        if births.is_multiple_of(BIRTHS) || bytes >= LARGE {
            merge_counts();
        }
        current_id
    });
    counters::born(owner != MERGED_OWNER);
    owner
}

/// Merges the queue without running any destructor: the code that makes an object does not expect
/// one.
#[cold]
pub(super) fn merge_counts() {
    let (current_id, named) = CURRENT.with(|current| {
        let named = current.births.get().wrapping_sub(current.ends.get());
        (current.current_id.get(), named)
    });
    if current_id == NOT_AN_OWNER {
        return;
    }
    let entry = table::entry(current_id);
    entry.merge_queue_deferring();
    if entry.living(named) > LIVING_MAX {
        too_many_objects();
    }
}

/// Aborts the process. Otherwise the number of living objects would wrap some time, and the id
/// would be given again while objects name it.
#[cold]
fn too_many_objects() -> ! {
    // Not `eprintln`, which panics where nothing can be written.
    let _ = writeln!(
        io::stderr(),
        "vivant-brc: one owner has more than {LIVING_MAX} living objects; create them on several threads"
    );
    std::process::abort()
}

/// A safe point: merges the queue of the owner that this thread is, and ends the objects that have
/// ended.
#[cold]
pub(crate) fn safe_point() {
    /// The drain is over, also after a panic.
    struct EndDrain;
    impl Drop for EndDrain {
        fn drop(&mut self) {
            CURRENT.with(|current| current.merges.set(false));
        }
    }

    CURRENT.with(|current| {
        let current_id = current.current_id.get();
        if current_id == NOT_AN_OWNER
            || !table::entry(current_id).is_pending()
            || current.merges.replace(true)
        {
            return;
        }
        let _done = EndDrain;
        let mut ending = Ending::default();
        table::entry(current_id).merge_queue(&mut ending);
    });
}

/// Becomes this owner: holds its entry. Another thread may hold the entry for a moment; meanwhile
/// it merges the queue, and runs no destructor.
#[inline]
pub(super) fn enter(home: ParkedOwner) {
    let Some(id) = home.id() else { return };
    let entry = table::entry(id);
    let mut turns = 0_u32;
    while !entry.try_hold() {
        turns += 1;
        if turns.is_multiple_of(64) {
            yield_now();
        } else {
            spin_loop();
        }
    }
}

/// Stops being this owner. The thread's new identity ends the objects that end now.
#[inline]
pub(super) fn leave(home: ParkedOwner) {
    if let Some(id) = home.id() {
        let mut ending = Ending::default();
        table::after_leave(id, table::entry(id).leave(&mut ending));
    }
}

/// Ends an owner that is not running on a thread.
pub(crate) fn end(home: ParkedOwner) {
    enter(home);
    retire(home);
}

/// Retires an owner. This thread holds its entry, and leaves it.
pub(super) fn retire(home: ParkedOwner) {
    if let Some(id) = home.id() {
        table::entry(id).retire(home.named);
        leave(home);
    }
}

//! Which owner this thread is.

use super::ending::Ending;
use super::header::NOBODY;
use super::notice;
use super::table;
use crate::counters;
use crate::sync::{spin_loop, thread_local, yield_now};
use std::cell::Cell;
use std::io::{self, Write};

/// No object names this: the thread is no owner now.
pub(super) const NO_OWNER: u32 = u32::MAX;

/// An owner looks at its queue at every so-manieth birth, and at the birth of anything large: what
/// waits in the queue is memory that births ask for.
const BIRTHS: u32 = 16;

const LARGE: usize = 4096;

/// More living objects than this of one owner abort the process (B9). Half of what can be counted.
const LIVING_MAX: u32 = 1 << 31;

/// And at every so-manieth end.
const ENDS: u32 = 64;

/// An owner that no thread is now: its id, if it has needed one, and how many objects it has made
/// and not ended.
///
/// What others ended for it is told by its slot. Numbers wrap.
#[derive(Clone, Copy)]
pub(crate) struct Home {
    id: u32,
    named: u32,
}

impl Home {
    pub(crate) const fn new() -> Home {
        Home {
            id: NO_OWNER,
            named: 0,
        }
    }

    pub(crate) fn id(self) -> Option<u32> {
        Some(self.id).filter(|&id| id != NO_OWNER)
    }
}

/// What a thread that is no owner does when it makes an object.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Birth {
    /// The thread becomes an owner, for as long as it lives.
    Attaches,
    /// What runs on the thread becomes an owner.
    Begins,
    /// The object is born merged.
    Merged,
}

/// What a thread is with regard to owners.
#[derive(Clone, Copy)]
pub(super) struct Identity {
    pub(super) home: Home,
    pub(super) birth: Birth,
}

/// No owner, and none at a birth either.
pub(super) const NO_ONE: Identity = Identity {
    home: Home::new(),
    birth: Birth::Merged,
};

/// This thread's state. No destructor, so that it can be used while the thread ends.
pub(super) struct Current {
    /// The id of the owner that the thread is.
    me: Cell<u32>,
    /// Objects that this owner has made and ended while the thread was it; what it had before
    /// counts as made. They wrap.
    births: Cell<u32>,
    ends: Cell<u32>,
    birth: Cell<Birth>,
    /// Destructors out of a queue run: no second round within.
    merges: Cell<bool>,
}

thread_local! {
    pub(super) static CURRENT: Current = const {
        Current {
            me: Cell::new(NO_OWNER),
            births: Cell::new(0),
            ends: Cell::new(0),
            birth: Cell::new(Birth::Attaches),
            merges: Cell::new(false),
        }
    };
    /// Made when the thread becomes an owner by itself, or has something to tell another one.
    pub(super) static THREAD: Thread = const { Thread };
}

/// The end of a thread.
pub(super) struct Thread;

impl Drop for Thread {
    fn drop(&mut self) {
        // While destructors run the thread is still the owner: they may make objects and drop them.
        safe_point();
        notice::tell_all();
        retire(become_other(NO_ONE).home);
    }
}

impl Current {
    /// The owner of a newborn object where the thread is none yet.
    #[cold]
    fn become_owner(&self) -> u32 {
        let may = match self.birth.get() {
            Birth::Merged => false,
            // Whoever executes may be forgotten; then the thread's end is also that of its last
            // owner.
            Birth::Begins => {
                let _ends_at_last = THREAD.try_with(|_| ());
                true
            }
            // Else the thread's end has come and gone; this is a destructor of another thread-local
            // value.
            Birth::Attaches => THREAD.try_with(|_| ()).is_ok(),
        };
        let Some(id) = may.then(table::take).flatten() else {
            return NOBODY;
        };
        enter(Home { id, named: 0 });
        table::slot(id).renew();
        self.me.set(id);
        self.births.set(1);
        self.ends.set(0);
        id
    }

    /// One object less names this owner. Whether it is time to look at the queue.
    #[inline]
    pub(super) fn unname(&self) -> bool {
        let ends = self.ends.get().wrapping_add(1);
        self.ends.set(ends);
        ends.is_multiple_of(ENDS)
    }
}

/// The owner that this thread is; an id that no object names if it is none.
#[inline]
pub(super) fn me() -> u32 {
    CURRENT.with(|current| current.me.get())
}

/// Whether this thread is an owner now.
#[inline]
pub(crate) fn has_owner() -> bool {
    me() != NO_OWNER
}

/// Whether the end of this thread has come and gone: it will not end as an owner any more.
pub(super) fn has_ended() -> bool {
    THREAD.try_with(|_| ()).is_err()
}

/// Whether a birth where there is no owner would do this.
pub(super) fn birth_is(birth: Birth) -> bool {
    CURRENT.with(|current| current.birth.get()) == birth
}

/// Exchanges what this thread is for something else.
#[inline]
pub(super) fn become_other(new: Identity) -> Identity {
    CURRENT.with(|current| Identity {
        home: Home {
            id: current.me.replace(new.home.id),
            named: current
                .births
                .replace(new.home.named)
                .wrapping_sub(current.ends.replace(0)),
        },
        birth: current.birth.replace(new.birth),
    })
}

/// The owner of an object that is made now, which counts as one that names it.
#[inline]
pub(crate) fn birth(bytes: usize) -> u32 {
    let owner = CURRENT.with(|current| {
        let me = current.me.get();
        if me == NO_OWNER {
            return current.become_owner();
        }
        let births = current.births.get().wrapping_add(1);
        current.births.set(births);
        if births.is_multiple_of(BIRTHS) || bytes >= LARGE {
            look();
        }
        me
    });
    counters::born(owner != NOBODY);
    owner
}

/// Merges what waits, without running any destructor: whoever makes an object does not expect one.
#[cold]
pub(super) fn look() {
    let (me, named) = CURRENT.with(|current| {
        let named = current.births.get().wrapping_sub(current.ends.get());
        (current.me.get(), named)
    });
    if me == NO_OWNER {
        return;
    }
    let slot = table::slot(me);
    slot.settle_counts();
    if slot.living(named) > LIVING_MAX {
        crowded();
    }
}

/// Their number would wrap some time, and the id be given again while objects name it.
#[cold]
fn crowded() -> ! {
    // Not `eprintln`, which panics where nothing can be written.
    let _ = writeln!(
        io::stderr(),
        "vivant-brc: one owner has more than {LIVING_MAX} living objects; let threads share the making of them"
    );
    std::process::abort()
}

/// Merges what waits for the owner that this thread is, and ends what has ended.
#[cold]
pub(crate) fn safe_point() {
    /// The round is over, also by a panic.
    struct Done;
    impl Drop for Done {
        fn drop(&mut self) {
            CURRENT.with(|current| current.merges.set(false));
        }
    }

    CURRENT.with(|current| {
        let me = current.me.get();
        if me == NO_OWNER || !table::slot(me).is_pending() || current.merges.replace(true) {
            return;
        }
        let _done = Done;
        let mut ending = Ending::default();
        table::slot(me).settle(&mut ending);
    });
}

/// Becomes this owner. Another thread may be it for a moment: it merges a queue, and runs nothing
/// of anybody's meanwhile.
#[inline]
pub(super) fn enter(home: Home) {
    let Some(id) = home.id() else { return };
    let slot = table::slot(id);
    let mut turns = 0_u32;
    while !slot.try_hold() {
        turns += 1;
        if turns.is_multiple_of(64) {
            yield_now();
        } else {
            spin_loop();
        }
    }
}

/// Stops being this owner. What ends now is ended by whatever the thread is then.
#[inline]
pub(super) fn leave(home: Home) {
    if let Some(id) = home.id() {
        let mut ending = Ending::default();
        table::left(id, table::slot(id).leave(&mut ending));
    }
}

/// Ends an owner that no thread is.
pub(crate) fn end(home: Home) {
    enter(home);
    retire(home);
}

/// An owner will not come back, says this thread, which holds its slot and leaves it.
pub(super) fn retire(home: Home) {
    if let Some(id) = home.id() {
        table::slot(id).retire(home.named);
        leave(home);
    }
}

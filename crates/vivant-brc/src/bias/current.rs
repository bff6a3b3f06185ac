//! Which owner this thread is, and the steps that need to know it.

use super::ending::Ending;
use super::handed::Handed;
use super::header::{Dropped, Header, NOBODY, OwnerDropped};
use super::slot::Relief;
use super::table;
use crate::sync::{spin_loop, thread_local, yield_now};
use std::cell::Cell;
use std::{mem, ptr};

/// No object names this: the thread is no owner now.
pub(super) const NO_OWNER: u32 = u32::MAX;

/// So many births and ends are between two looks at the queue.
const LOOKS_EVERY: u32 = 64;

/// How deep ends on behalf of an owner may lie in each other, by destructors that hand over in their turn: each level takes of the
/// stack.
const RELIEF_DEPTH: u32 = 8;

/// An owner: its id, once it has needed one, and how many objects it has made and not ended.
///
/// What others ended for it is told by its slot. Numbers wrap.
pub(crate) struct Home {
    id: Cell<u32>,
    named: Cell<u32>,
}

impl Home {
    pub(crate) const fn new() -> Home {
        Home {
            id: Cell::new(NOBODY),
            named: Cell::new(0),
        }
    }

    pub(crate) fn id(&self) -> Option<u32> {
        Some(self.id.get()).filter(|&id| id != NOBODY)
    }
}

/// What happens at the first birth.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Otherwise {
    /// The thread becomes an owner for as long as it lives.
    Attach,
    /// The owner that was entered takes an id.
    TakeId,
    /// The object is born without owner.
    Merged,
}

/// This thread's state. No destructor, so that it can be used while the thread ends.
pub(super) struct Current {
    /// The id of the owner that the thread is.
    pub(super) me: Cell<u32>,
    /// Births and ends until the next look at the queue.
    looks_in: Cell<u32>,
    /// The owner: valid while it is entered.
    pub(super) home: Cell<*const Home>,
    /// The owner that the thread is by itself, which [`THREAD`] ends.
    own: Home,
    pub(super) otherwise: Cell<Otherwise>,
    /// Destructors out of a queue run: no second round within.
    ends: Cell<bool>,
    /// Destructors of others, that run because something was handed over, and lie in each other.
    reliefs: Cell<u32>,
}

thread_local! {
    pub(super) static CURRENT: Current = const {
        Current {
            me: Cell::new(NO_OWNER),
            looks_in: Cell::new(LOOKS_EVERY),
            home: Cell::new(ptr::null()),
            own: Home::new(),
            otherwise: Cell::new(Otherwise::Attach),
            ends: Cell::new(false),
            reliefs: Cell::new(0),
        }
    };
    static THREAD: Thread = const { Thread };
}

/// Ends the owner that a thread is by itself, when the thread ends.
struct Thread;

impl Drop for Thread {
    fn drop(&mut self) {
        // While destructors run the thread is still the owner: they may make objects and drop them.
        safe_point();
        CURRENT.with(|current| {
            current.me.set(NO_OWNER);
            current.home.set(ptr::null());
            current.otherwise.set(Otherwise::Merged);
            if let Some(id) = current.own.id() {
                retire(id, &current.own);
            }
        });
    }
}

impl Current {
    fn home(&self) -> Option<&Home> {
        // SAFETY: null, or the home in this value, or that of an `Owner` that is entered, which takes it away before it ends.
        unsafe { self.home.get().as_ref() }
    }

    /// One object less names the owner that this thread is.
    #[inline]
    fn unname(&self) {
        if let Some(home) = self.home() {
            home.named.set(home.named.get().wrapping_sub(1));
        }
    }

    /// Whether it is time to look at the queue.
    #[inline]
    fn looks(&self) -> bool {
        let left = self.looks_in.get() - 1;
        self.looks_in.set(left);
        left == 0
    }

    /// The owner of a newborn object where the thread is none yet.
    #[cold]
    fn become_owner(&self) -> u32 {
        let home = match self.otherwise.get() {
            Otherwise::Merged => return NOBODY,
            Otherwise::TakeId => self.home.get(),
            // None: the thread's own has ended; this is a destructor of another thread-local value.
            Otherwise::Attach => THREAD
                .try_with(|_| &raw const self.own)
                .unwrap_or(ptr::null()),
        };
        let Some(id) = (!home.is_null()).then(table::take).flatten() else {
            return NOBODY;
        };
        enter(id);
        table::slot(id).renew();
        self.home.set(home);
        self.me.set(id);
        if let Some(home) = self.home() {
            home.id.set(id);
            home.named.set(1);
        }
        id
    }
}

/// Becomes the owner `id`. Another thread may be it for a moment: it merges a queue, and runs nothing of anybody's meanwhile.
pub(super) fn enter(id: u32) {
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

/// The owner of an object that is made now, which counts as one that names it.
#[inline]
pub(crate) fn birth() -> u32 {
    CURRENT.with(|current| {
        let me = current.me.get();
        if me == NO_OWNER {
            return current.become_owner();
        }
        if let Some(home) = current.home() {
            home.named.set(home.named.get().wrapping_add(1));
        }
        if current.looks() {
            look();
        }
        me
    })
}

/// Merges what waits, without running any destructor: whoever makes an object does not expect one.
#[cold]
fn look() {
    CURRENT.with(|current| {
        // An odd number, so that where births and ends alternate it is an end next time, which may end what was put off.
        current.looks_in.set(LOOKS_EVERY - 1);
        if current.me.get() != NO_OWNER {
            table::slot(current.me.get()).settle_counts();
        }
    });
}

/// Merges what waits for the owner that this thread is, and ends what has ended.
#[cold]
pub(crate) fn safe_point() {
    CURRENT.with(|current| {
        current.looks_in.set(LOOKS_EVERY);
        let me = current.me.get();
        if me == NO_OWNER || !table::slot(me).is_pending() || current.ends.replace(true) {
            return;
        }
        let _done = Done;
        let mut ending = Ending::default();
        table::slot(me).settle(&mut ending);
    });
}

/// The round is over, also by a panic.
struct Done;

impl Drop for Done {
    fn drop(&mut self) {
        CURRENT.with(|current| current.ends.set(false));
    }
}

/// The owner that this thread is; an id that no object names if it is none.
#[inline]
fn me() -> u32 {
    CURRENT.with(|current| current.me.get())
}

/// One more reference.
#[inline]
pub(crate) fn clone(header: &Header) {
    if header.is_owned_by(me()) {
        header.clone_owned();
    } else {
        header.clone_shared();
    }
}

/// One reference less, if that is all there is to do: it is the owner's, and not its last one. Whether it was so; if not, nothing
/// was done, and [`let_go`] does it.
#[inline]
pub(crate) fn let_go_owned(header: &Header) -> bool {
    header.is_owned_by(me()) && header.drop_one_of_many()
}

/// One reference less. Whether it was the last one, so that the caller ends the object.
#[inline]
pub(crate) fn let_go(header: &Header, hand: impl FnOnce() -> Handed) -> bool {
    if header.is_owned_by(me()) {
        match header.drop_owned() {
            OwnerDropped::Others => false,
            dropped => unnamed(dropped, hand),
        }
    } else {
        match header.drop_shared() {
            Dropped::Others => false,
            Dropped::Last => true,
            Dropped::Queued => hand_over(header, hand()),
        }
    }
}

/// An object names this owner no more. Whether it is to be ended.
#[inline]
fn unnamed(dropped: OwnerDropped, hand: impl FnOnce() -> Handed) -> bool {
    let is_last = dropped == OwnerDropped::Unnamed(Dropped::Last);
    CURRENT.with(|current| {
        current.unname();
        if dropped == OwnerDropped::UnnamedQueued {
            // Its last reference may lie in the queue, and who asks next would not know where (B5).
            safe_point();
        } else if current.looks() {
            let mut this = Ending::default();
            if is_last {
                // SAFETY: the last one. Ended here only if another one's destructor panics.
                unsafe { this.push(hand()) };
            }
            safe_point();
            mem::forget(this);
        }
    });
    is_last
}

/// Gives a reference to its owner. Whether it was the last one after all.
#[cold]
fn hand_over(header: &Header, handed: Handed) -> bool {
    let owner = header.owner();
    if owner == NOBODY {
        return header.drop_merged() == Dropped::Last;
    }
    CURRENT.with(|current| {
        let depth = current.reliefs.get();
        let relief = if depth < RELIEF_DEPTH {
            Relief::Given
        } else {
            Relief::Withheld
        };
        let mut ending = Ending::default();
        table::left(
            owner,
            table::slot(owner).hand_over(handed, relief, &mut ending),
        );
        current.reliefs.set(depth + 1);
        let _up = Up(depth);
        drop(ending);
    });
    false
}

/// One level up again, also by a panic.
struct Up(u32);

impl Drop for Up {
    fn drop(&mut self) {
        CURRENT.with(|current| current.reliefs.set(self.0));
    }
}

/// A strong reference for a weak one, if there is still one.
pub(crate) fn upgrade(header: &Header) -> bool {
    if header.is_owned_by(me()) && header.is_queued() {
        // The one in the queue may be the last one.
        look();
    }
    if header.is_owned_by(me()) {
        // Alive: see B7.
        header.clone_owned();
        true
    } else {
        header.upgrade_shared()
    }
}

/// Whether the caller's reference is the only one, strong and weak. He keeps it from being cloned meanwhile.
///
/// No, where the owner runs and has to be asked: see B8.
pub(crate) fn is_only(header: &Header) -> bool {
    match standing(header) {
        Standing::Owned => header.is_only_owned(),
        Standing::Merged => header.is_only_merged(),
        Standing::Foreign(owner) => table::slot(owner).probe(header),
        Standing::Leaving => false,
    }
}

/// Takes the value, if the caller's strong reference is the only one. Weak references find nothing after that.
///
/// What else has ended is to be dropped when the value is safe, because destructors may panic.
pub(crate) fn take(header: &Header) -> Option<Ending> {
    let mut ending = Ending::default();
    let taken = match standing(header) {
        Standing::Owned if header.is_last_owned() => {
            CURRENT.with(Current::unname);
            header.is_only_owned() || {
                header.disown();
                header.take_last()
            }
        }
        Standing::Owned => false,
        Standing::Merged => header.take_last(),
        Standing::Foreign(owner) => {
            let slot = table::slot(owner);
            let only = slot.probe(header);
            if only {
                table::left(owner, slot.unname(&mut ending));
            }
            only
        }
        Standing::Leaving => false,
    };
    taken.then_some(ending)
}

/// Who may say how many references there are.
enum Standing {
    /// This thread.
    Owned,
    /// Everybody.
    Merged,
    /// An owner that runs elsewhere.
    Foreign(u32),
    /// Nobody now: the object is being merged, because of another reference.
    Leaving,
}

/// Brings the counts up to date as far as this thread can.
fn standing(header: &Header) -> Standing {
    if header.is_owned_by(me()) {
        if header.is_queued() {
            look();
        }
        if header.is_owned_by(me()) {
            return Standing::Owned;
        }
    }
    let owner = header.owner();
    if header.is_merged() {
        return Standing::Merged;
    }
    if owner == NOBODY {
        return Standing::Leaving;
    }
    let mut ending = Ending::default();
    match table::slot(owner).disown(header, &mut ending) {
        Some(left) => {
            table::left(owner, left);
            Standing::Merged
        }
        None => Standing::Foreign(owner),
    }
}

/// The owner will not come back, says this thread, which holds its slot and leaves it.
pub(super) fn retire(id: u32, home: &Home) {
    let slot = table::slot(id);
    slot.retire(home.named.get());
    leave(id);
}

/// Stops being the owner `id`. What ends now is ended by whatever the thread is then.
pub(super) fn leave(id: u32) {
    if id != NO_OWNER {
        let mut ending = Ending::default();
        table::left(id, table::slot(id).leave(&mut ending));
    }
}

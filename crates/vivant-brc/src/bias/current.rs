//! Which owner this thread is, and the steps that need to know it.

use super::ending::Ending;
use super::handed::Handed;
use super::header::{Dropped, Header, NOBODY, OwnerDropped};
use super::table;
use crate::counters;
use crate::sync::{spin_loop, thread_local, yield_now};
use std::cell::Cell;
use std::mem;

/// No object names this: the thread is no owner now.
const NO_OWNER: u32 = u32::MAX;

/// An owner looks at its queue at every so-manieth birth, and at the birth of anything large: what waits in the queue is memory
/// that births ask for.
const BIRTHS: u32 = 16;
const LARGE: usize = 4096;

/// And at every so-manieth end.
const ENDS: u32 = 64;

/// How many objects a thread ends for an owner that may not, each time it hands one over: more than it brings.
const RELIEF: usize = 2;

/// How deep such ends may lie in each other, by destructors that hand over in their turn: each level takes of the stack.
const RELIEF_DEPTH: u32 = 8;

/// So many ends of objects of one owner are told to its slot together.
const TOLD_EVERY: u32 = 64;

/// An owner that no thread is now: its id, if it has needed one, and how many objects it has made and not ended.
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
enum Birth {
    /// The thread becomes an owner, for as long as it lives.
    Attaches,
    /// What runs on the thread becomes an owner.
    Begins,
    /// The object is born merged.
    Merged,
}

/// What a thread is with regard to owners.
#[derive(Clone, Copy)]
struct Identity {
    home: Home,
    birth: Birth,
}

/// No owner, and none at a birth either.
const NO_ONE: Identity = Identity {
    home: Home::new(),
    birth: Birth::Merged,
};

/// This thread's state. No destructor, so that it can be used while the thread ends.
struct Current {
    /// The id of the owner that the thread is.
    me: Cell<u32>,
    /// Objects that this owner has made and ended while the thread was it; what it had before counts as made. They wrap.
    births: Cell<u32>,
    ends: Cell<u32>,
    birth: Cell<Birth>,
    /// Destructors out of a queue run: no second round within.
    merges: Cell<bool>,
    /// Destructors of others, that run because something was handed over, and lie in each other.
    reliefs: Cell<u32>,
    /// An owner some of whose objects this thread has ended, and how many it has not told of.
    ended_of: Cell<u32>,
    ended: Cell<u32>,
}

thread_local! {
    static CURRENT: Current = const {
        Current {
            me: Cell::new(NO_OWNER),
            births: Cell::new(0),
            ends: Cell::new(0),
            birth: Cell::new(Birth::Attaches),
            merges: Cell::new(false),
            reliefs: Cell::new(0),
            ended_of: Cell::new(NOBODY),
            ended: Cell::new(0),
        }
    };
    /// Made when the thread becomes an owner by itself, or has something to tell another one.
    static THREAD: Thread = const { Thread };
}

/// The end of a thread.
struct Thread;

impl Drop for Thread {
    fn drop(&mut self) {
        // While destructors run the thread is still the owner: they may make objects and drop them.
        safe_point();
        let told = |current: &Current| (current.ended_of.replace(NOBODY), current.ended.replace(0));
        let (owner, ended) = CURRENT.with(told);
        let mut ending = Ending::default();
        tell(owner, ended, &mut ending);
        drop(ending);
        retire(become_other(NO_ONE).home);
    }
}

impl Current {
    /// The owner of a newborn object where the thread is none yet.
    #[cold]
    fn become_owner(&self) -> u32 {
        let may = match self.birth.get() {
            Birth::Merged => false,
            Birth::Begins => true,
            // Else the thread's end has come and gone; this is a destructor of another thread-local value.
            Birth::Attaches => THREAD.try_with(|_| ()).is_ok(),
        };
        let Some(id) = may.then(table::take).flatten() else {
            return NOBODY;
        };
        enter(id);
        table::slot(id).renew();
        self.me.set(id);
        self.births.set(1);
        self.ends.set(0);
        id
    }

    /// One object less names this owner. Whether it is time to look at the queue.
    #[inline]
    fn unname(&self) -> bool {
        let ends = self.ends.get().wrapping_add(1);
        self.ends.set(ends);
        ends.is_multiple_of(ENDS)
    }
}

/// The owner that this thread is; an id that no object names if it is none.
#[inline]
fn me() -> u32 {
    CURRENT.with(|current| current.me.get())
}

/// Whether this thread is an owner now.
#[inline]
pub(crate) fn has_owner() -> bool {
    me() != NO_OWNER
}

/// Exchanges what this thread is for something else.
#[inline]
fn become_other(new: Identity) -> Identity {
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
fn look() {
    if me() != NO_OWNER {
        table::slot(me()).settle_counts();
    }
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

/// One more reference.
#[inline]
pub(crate) fn clone(header: &Header) {
    if header.is_owned_by(me()) {
        counters::biased(header);
        header.clone_owned();
    } else {
        unusual();
        counters::shared(header);
        header.clone_shared();
    }
}

/// Tells the compiler for whom to lay out the code: for the owner.
#[cold]
#[inline]
fn unusual() {}

/// One more reference, which the shared count has.
#[inline]
pub(crate) fn clone_out(header: &Header) {
    counters::shared(header);
    header.clone_shared();
}

/// One reference less, if that is all there is to do: it is the owner's, and not its last one. Whether it was so; if not, nothing
/// was done, and [`let_go`] does it.
#[inline]
pub(crate) fn let_go_owned(header: &Header) -> bool {
    let done = header.is_owned_by(me()) && header.drop_one_of_many();
    if done {
        counters::biased(header);
    }
    done
}

/// One reference less. Whether it was the last one, so that the caller ends the object.
#[inline]
pub(crate) fn let_go(header: &Header, hand: impl FnOnce() -> Handed) -> bool {
    if header.is_owned_by(me()) {
        counters::biased(header);
        match header.drop_owned() {
            OwnerDropped::Others => false,
            dropped => unnamed(dropped, hand),
        }
    } else {
        counters::shared(header);
        match header.drop_shared() {
            Dropped::Others => false,
            Dropped::Last => true,
            Dropped::Sole => ended_for(header.owner(), hand),
            Dropped::Queued => hand_over(header, hand()),
        }
    }
}

/// One object less names this owner. Whether it is to be ended.
#[inline]
fn unnamed(dropped: OwnerDropped, hand: impl FnOnce() -> Handed) -> bool {
    let is_last = dropped == OwnerDropped::Unnamed(Dropped::Last);
    let looks = CURRENT.with(Current::unname);
    if dropped == OwnerDropped::UnnamedQueued {
        // Its last reference may lie in the queue, and nobody would know where to look for it later (B5).
        safe_point();
    } else if looks {
        let mut this = Ending::default();
        if is_last {
            // SAFETY: the last one. Ended here only if another one's destructor panics.
            unsafe { this.push(hand()) };
        }
        safe_point();
        mem::forget(this);
    }
    is_last
}

/// An object that names another owner is to be ended here (B8). Whether the caller does it.
#[inline]
fn ended_for(owner: u32, hand: impl FnOnce() -> Handed) -> bool {
    let mut ending = Ending::default();
    note_end(owner, &mut ending);
    if ending.is_empty() {
        return true;
    }
    // SAFETY: the last reference. With the others, of which one may panic.
    unsafe { ending.push(hand()) };
    false
}

/// One object less names this owner, who may run.
fn note_end(owner: u32, ending: &mut Ending) {
    let others = CURRENT.with(|current| {
        if current.ended_of.get() == owner && current.ended.get() < TOLD_EVERY {
            current.ended.set(current.ended.get() + 1);
            return None;
        }
        // What is not told when the thread ends is never told: the id is then not given again.
        let _told_at_last = THREAD.try_with(|_| ());
        Some((current.ended_of.replace(owner), current.ended.replace(1)))
    });
    if let Some((owner, ended)) = others {
        tell(owner, ended, ending);
    }
}

/// Tells an owner of the objects that this thread has ended for it.
#[cold]
fn tell(owner: u32, ended: u32, ending: &mut Ending) {
    if owner != NOBODY {
        let left = table::slot(owner).unname(ended, ending);
        table::left(owner, left);
    }
}

/// Gives a reference to its owner. Whether it was the last one after all.
#[cold]
fn hand_over(header: &Header, handed: Handed) -> bool {
    /// One level up again, also by a panic.
    struct Up(u32);
    impl Drop for Up {
        fn drop(&mut self) {
            CURRENT.with(|current| current.reliefs.set(self.0));
        }
    }

    counters::queued();
    let owner = header.owner();
    if owner == NOBODY {
        return header.drop_merged() == Dropped::Last;
    }
    let depth = CURRENT.with(|current| current.reliefs.get());
    let relief = if depth < RELIEF_DEPTH { RELIEF } else { 0 };
    let mut ending = Ending::default();
    let left = table::slot(owner).hand_over(handed, relief, &mut ending);
    table::left(owner, left);
    CURRENT.with(|current| current.reliefs.set(depth + 1));
    let _up = Up(depth);
    drop(ending);
    false
}

/// A strong reference for a weak one, if there is still one.
pub(crate) fn upgrade(header: &Header) -> bool {
    if header.is_owned_by(me()) && header.is_queued() {
        // The one in the queue may be the last one.
        look();
    }
    if header.is_owned_by(me()) {
        counters::biased(header);
        // Alive: see B7.
        header.clone_owned();
        true
    } else {
        counters::shared(header);
        header.upgrade_shared()
    }
}

/// Whether the caller's reference is the only one, strong and weak. He keeps it from being cloned meanwhile.
///
/// No, where the owner runs and has to be asked: see B8.
pub(crate) fn is_only(header: &Header) -> bool {
    let mut ending = Ending::default();
    match standing(header, &mut ending) {
        Standing::Owned => header.is_only_owned(),
        Standing::Merged => header.is_only_merged(),
        Standing::Foreign => header.probe(),
    }
}

/// Takes the value, if the caller's strong reference is the only one. Weak references find nothing after that.
///
/// What else has ended is to be dropped when the value is safe, because destructors may panic.
pub(crate) fn take(header: &Header) -> Option<Ending> {
    let mut ending = Ending::default();
    let taken = match standing(header, &mut ending) {
        Standing::Owned if header.is_last_owned() => {
            CURRENT.with(Current::unname);
            header.is_only_owned() || {
                header.disown();
                header.take_last()
            }
        }
        Standing::Owned => false,
        Standing::Merged => header.take_last(),
        Standing::Foreign => {
            let only = header.probe();
            if only {
                note_end(header.owner(), &mut ending);
            }
            only
        }
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
    Foreign,
}

/// Brings the counts up to date as far as this thread can.
fn standing(header: &Header, ending: &mut Ending) -> Standing {
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
        // It is being merged, because of another reference: a probe will say no.
        return Standing::Foreign;
    }
    match table::slot(owner).disown(header, ending) {
        Some(left) => {
            table::left(owner, left);
            Standing::Merged
        }
        None => Standing::Foreign,
    }
}

/// Runs `body` as this owner.
pub(crate) fn run_as<R>(home: &mut Home, body: impl FnOnce() -> R) -> R {
    /// The thread was another owner, and will be it again.
    struct Entered<'a> {
        home: &'a mut Home,
        before: Identity,
    }
    impl Drop for Entered<'_> {
        fn drop(&mut self) {
            // A panic of a destructor goes on when the thread is what it was.
            let _back = Back(self.home, self.before);
            safe_point();
        }
    }
    struct Back<'a>(&'a mut Home, Identity);
    impl Drop for Back<'_> {
        fn drop(&mut self) {
            *self.0 = become_other(self.1).home;
            leave(self.0.id);
        }
    }

    enter(home.id);
    let before = become_other(Identity {
        home: *home,
        birth: Birth::Begins,
    });
    let _entered = Entered { home, before };
    body()
}

/// Runs `body` as no owner: meanwhile others are the owner that this thread was, when there is something to merge.
pub(crate) fn detached<R>(body: impl FnOnce() -> R) -> R {
    /// The thread was an owner, and will be it again.
    struct Detached(Identity);
    impl Drop for Detached {
        fn drop(&mut self) {
            enter(self.0.home.id);
            become_other(self.0);
        }
    }

    safe_point();
    let detached = Detached(become_other(NO_ONE));
    leave(detached.0.home.id);
    body()
}

/// From now on this thread runs what belongs to others. What it was before.
pub(crate) fn executes() -> Before {
    Before(become_other(Identity {
        home: Home::new(),
        birth: Birth::Begins,
    }))
}

/// What a thread was before it executed others' code; dropped, it is that again.
pub(crate) struct Before(Identity);

impl Drop for Before {
    fn drop(&mut self) {
        let left = become_other(self.0);
        retire(left.home);
    }
}

/// A run of this owner begins, on a thread that executes.
#[inline]
pub(crate) fn run_begins(home: Home) {
    if me() != NO_OWNER {
        // Of an earlier run that nobody ended, or made between two runs: nobody will come back for it.
        end(run_ends());
    }
    if home.id != NO_OWNER {
        assert!(executing(), "only a thread with an `Executor` begins runs");
        enter(home.id);
        become_other(Identity {
            home,
            birth: Birth::Begins,
        });
    }
}

/// The run ends. Who the owner was.
#[inline]
pub(crate) fn run_ends() -> Home {
    if me() == NO_OWNER {
        return Home::new();
    }
    owner_ends_run()
}

/// Whether the thread runs what belongs to others.
fn executing() -> bool {
    CURRENT.with(|current| current.birth.get()) == Birth::Begins
}

#[inline(never)]
fn owner_ends_run() -> Home {
    /// A destructor has panicked, so the caller will not learn who the owner was.
    struct Lost;
    impl Drop for Lost {
        fn drop(&mut self) {
            retire(leave_run());
        }
    }
    fn leave_run() -> Home {
        let identity = Identity {
            home: Home::new(),
            birth: Birth::Begins,
        };
        become_other(identity).home
    }

    if !executing() {
        return Home::new();
    }
    let lost = Lost;
    safe_point();
    mem::forget(lost);
    let home = leave_run();
    leave(home.id);
    home
}

/// Becomes the owner `id`. Another thread may be it for a moment: it merges a queue, and runs nothing of anybody's meanwhile.
#[inline]
fn enter(id: u32) {
    if id == NO_OWNER {
        return;
    }
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

/// Stops being the owner `id`. What ends now is ended by whatever the thread is then.
#[inline]
fn leave(id: u32) {
    if id != NO_OWNER {
        let mut ending = Ending::default();
        table::left(id, table::slot(id).leave(&mut ending));
    }
}

/// Ends an owner that no thread is.
pub(crate) fn end(home: Home) {
    enter(home.id);
    retire(home);
}

/// An owner will not come back, says this thread, which holds its slot and leaves it.
fn retire(home: Home) {
    if home.id != NO_OWNER {
        table::slot(home.id).retire(home.named);
        leave(home.id);
    }
}

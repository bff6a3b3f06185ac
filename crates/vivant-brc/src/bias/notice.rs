//! What a thread tells an owner whose objects it has ended (B8).
//!
//! An id may be given again when no object names it. Ends by others are counted here and told in
//! numbers: nobody waits for them.

use super::current::THREAD;
use super::ending::Ending;
use super::header::NOBODY;
use super::table;
use crate::sync::thread_local;
use std::cell::Cell;

/// So many ends of objects of one owner are told together.
const TOLD_EVERY: u32 = 64;

/// An owner some of whose objects this thread has ended, and how many it has not told of.
#[derive(Clone, Copy)]
struct Ended {
    owner: u32,
    objects: u32,
}

const NOTHING: Ended = Ended {
    owner: NOBODY,
    objects: 0,
};

thread_local! {
    static ENDED: Cell<Ended> = const { Cell::new(NOTHING) };
}

/// One object less names this owner, who may run.
pub(super) fn note(owner: u32, ending: &mut Ending) {
    let before = ENDED.with(Cell::get);
    if before.owner == owner && before.objects < TOLD_EVERY {
        let objects = before.objects + 1;
        return ENDED.with(|ended| ended.set(Ended { owner, objects }));
    }
    // What is not told when the thread ends is never told: the id is then not given again.
    let _told_at_last = THREAD.try_with(|_| ());
    let first = Ended { owner, objects: 1 };
    tell(ENDED.with(|ended| ended.replace(first)), ending);
}

/// The thread ends: what it has not told yet.
pub(super) fn tell_all() {
    let mut ending = Ending::default();
    tell(ENDED.with(|ended| ended.replace(NOTHING)), &mut ending);
}

#[cold]
fn tell(ended: Ended, ending: &mut Ending) {
    if ended.owner != NOBODY {
        let left = table::slot(ended.owner).unname(ended.objects, ending);
        table::left(ended.owner, left);
    }
}

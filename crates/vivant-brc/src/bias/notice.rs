//! Reports to an owner the number of its objects that this thread has ended (B8).
//!
//! An id may be given again when no object names it. Ends by other threads are counted here and
//! reported in batches: no step waits for the number.

use super::current::THREAD;
use super::ending::Ending;
use super::header::MERGED_OWNER;
use super::table;
use crate::sync::thread_local;
use std::cell::Cell;

/// Ends of objects of one owner that are reported in one batch.
const REPORT_BATCH: u32 = 64;

/// An owner, and the number of its objects that this thread has ended and not yet reported.
#[derive(Clone, Copy)]
struct Ended {
    owner: u32,
    objects: u32,
}

const NO_ENDS: Ended = Ended {
    owner: MERGED_OWNER,
    objects: 0,
};

thread_local! {
    static ENDED: Cell<Ended> = const { Cell::new(NO_ENDS) };
}

/// One object less names this owner, which may run meanwhile.
pub(super) fn note(owner: u32, ending: &mut Ending) {
    let before = ENDED.with(Cell::get);
    if before.owner == owner && before.objects < REPORT_BATCH {
        let objects = before.objects + 1;
        return ENDED.with(|ended| ended.set(Ended { owner, objects }));
    }
    // Ensures a report at the end of the thread. Ends not reported then are lost: the id is not
    // given again.
    let _reported_at_last = THREAD.try_with(|_| ());
    let first = Ended { owner, objects: 1 };
    report(ENDED.with(|ended| ended.replace(first)), ending);
}

/// The thread ends: reports the rest.
pub(super) fn report_all() {
    let mut ending = Ending::default();
    report(ENDED.with(|ended| ended.replace(NO_ENDS)), &mut ending);
}

#[cold]
fn report(ended: Ended, ending: &mut Ending) {
    if ended.owner != MERGED_OWNER {
        let left = table::entry(ended.owner).unname(ended.objects, ending);
        table::after_leave(ended.owner, left);
    }
}

//! Uniqueness check: is a reference the only one?

use super::current::{CURRENT, Current, look, me};
use super::ending::Ending;
use super::header::{Header, NOBODY};
use super::{notice, table};

/// Returns true if the caller's reference is the only one, strong or weak. The caller keeps it from
/// being cloned meanwhile.
///
/// False if the object's owner runs elsewhere and the probe fails: B8.
pub(crate) fn is_only(header: &Header) -> bool {
    let mut ending = Ending::default();
    match standing(header, &mut ending) {
        Standing::Owned => header.is_only_owned(),
        Standing::Merged => header.is_only_merged(),
        Standing::Foreign => header.probe(),
    }
}

/// Takes the value, if the caller's strong reference is the only one. Weak references cannot be
/// upgraded after that.
///
/// The result is a list of other objects that have ended. The caller drops it when the value is
/// safe, because destructors may panic.
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
                notice::note(header.owner(), &mut ending);
            }
            only
        }
    };
    taken.then_some(ending)
}

/// The threads that can tell how many references there are.
enum Standing {
    /// This thread.
    Owned,
    /// Every thread.
    Merged,
    /// An owner that runs on another thread.
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
        // The object is being merged, because of another reference: a probe will return false.
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

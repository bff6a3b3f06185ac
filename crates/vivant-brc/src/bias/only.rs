//! Uniqueness check: is a reference the only one?

use super::current::{CURRENT, Current, current_id, merge_counts};
use super::ending::Ending;
use super::header::{Header, MERGED_OWNER};
use super::{notice, table};

/// Returns true if the caller's reference is the only one, strong or weak. The caller keeps it from
/// being cloned meanwhile.
///
/// False if the object's owner runs elsewhere and the probe fails: B8.
pub(crate) fn is_only(header: &Header) -> bool {
    let mut ending = Ending::default();
    match count_authority(header, &mut ending) {
        CountAuthority::Owned => header.is_only_owned(),
        CountAuthority::Merged => header.is_only_merged(),
        CountAuthority::Foreign => header.probe(),
    }
}

/// Takes the value, if the caller's strong reference is the only one. Weak references cannot be
/// upgraded after that.
///
/// The result is a list of other objects that have ended. The caller drops it when the value is
/// safe, because destructors may panic.
pub(crate) fn take(header: &Header) -> Option<Ending> {
    let mut ending = Ending::default();
    let taken = match count_authority(header, &mut ending) {
        CountAuthority::Owned if header.is_last_owned() => {
            CURRENT.with(Current::unname);
            header.is_only_owned() || {
                header.disown();
                header.take_last()
            }
        }
        CountAuthority::Owned => false,
        CountAuthority::Merged => header.take_last(),
        CountAuthority::Foreign => {
            let only = header.probe();
            if only {
                notice::note(header.owner(), &mut ending);
            }
            only
        }
    };
    taken.then_some(ending)
}

/// The threads that can determine the number of references.
enum CountAuthority {
    /// This thread.
    Owned,
    /// Every thread.
    Merged,
    /// An owner that runs on another thread.
    Foreign,
}

/// Brings the counts up to date as far as this thread can.
fn count_authority(header: &Header, ending: &mut Ending) -> CountAuthority {
    if header.is_owned_by(current_id()) {
        if header.is_queued() {
            merge_counts();
        }
        if header.is_owned_by(current_id()) {
            return CountAuthority::Owned;
        }
    }
    let owner = header.owner();
    if header.is_merged() {
        return CountAuthority::Merged;
    }
    if owner == MERGED_OWNER {
        // The object is being merged, because of another reference: a probe will return false.
        return CountAuthority::Foreign;
    }
    match table::entry(owner).disown(header, ending) {
        Some(left) => {
            table::after_leave(owner, left);
            CountAuthority::Merged
        }
        None => CountAuthority::Foreign,
    }
}

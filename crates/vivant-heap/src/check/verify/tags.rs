//! Checks of tag entries: each is live, and in the tag table under its target.

use super::{Place, Verifier, check};
use crate::alloc::header::Header;
use crate::fault::Fault;
use crate::weak::tag_entry::TagEntry;
use std::collections::HashSet;
use std::ptr::NonNull;

impl Verifier<'_> {
    /// Checks the tag table: each tag entry is in its place, has the present epoch, and refers to
    /// the object under which the table has it.
    pub(super) fn tags(&self) -> Result<(), Fault> {
        let tags = self.core.tags.borrow();
        let listed: HashSet<_> = tags.listed.iter().collect();
        let once = listed.len() == tags.listed.len();
        check(once, "H2", "marks visit a tag entry twice", listed.len())?;
        for (at, tag_entry) in tags.iter() {
            let place = self.place(tag_entry)?;
            let there = matches!(place, Place::Old(_));
            // SAFETY: `place` has checked that an object begins there, and no turn runs.
            let is_stub = there && unsafe { TagEntry::is_one(tag_entry) };
            check(
                is_stub,
                "H2",
                "the tag table holds something that is no tag entry",
                at,
            )?;
            // SAFETY: `place` has checked that an object begins there.
            let alive = unsafe { self.may_live(tag_entry) };
            check(alive, "H2", "a dead tag entry is in the tag table", at)?;
            // SAFETY: `is_one` has checked that this object is a tag entry.
            let target = unsafe { TagEntry::target(tag_entry) };
            let followed = target.addr().get() == at;
            check(
                followed,
                "H2",
                "an object is tagged that is elsewhere now",
                at,
            )?;
            let young = matches!(self.place(target)?, Place::Nursery);
            let looked = young != listed.contains(&tag_entry);
            check(looked, "H2", "a tag entry that no mark visits", at)?;
            let among = young == tags.young.contains_key(&at);
            check(among, "H2", "an object is tagged as one of another age", at)?;
        }
        Ok(())
    }

    /// Checks a reachable object: if it is a tag entry, it is its target's tag entry in the table,
    /// or its own target, in a detached heap.
    pub(super) fn tag_entry(&self, object: NonNull<Header>) -> Result<(), Fault> {
        // SAFETY: the caller has checked that an object begins there, and no turn runs.
        let target = unsafe { TagEntry::is_one(object).then(|| TagEntry::target(object)) };
        let Some(target) = target else {
            return Ok(());
        };
        let known = target == object || self.core.tags.borrow().of(target) == Some(object);
        let at = object.addr().get();
        check(known, "H2", "a tag entry that is not in the tag table", at)
    }
}

//! Checks of tag entries: each is live, and in the tag table under its target.

use super::{Fault, Place, Verifier, check};
use crate::header::Header;
use crate::tags::Stub;
use std::collections::HashSet;
use std::ptr::NonNull;

impl Verifier<'_> {
    /// Checks the tag table: each tag entry is in its place, has the present epoch, and refers to
    /// the object under which the table has it.
    pub(super) fn tags(&self) -> Result<(), Fault> {
        let tags = self.core.tags.borrow();
        let listed: HashSet<_> = tags.listed.iter().collect();
        let once = listed.len() == tags.listed.len();
        check(once, "H2", "marks look at a stub twice", listed.len())?;
        for (at, stub) in tags.iter() {
            let place = self.place(stub)?;
            let there = matches!(place, Place::Old(_));
            // SAFETY: `place` has checked that an object begins there, and no turn runs.
            let is_stub = there && unsafe { Stub::is_one(stub) };
            check(is_stub, "H2", "what is in the table of tags is no stub", at)?;
            // SAFETY: `place` has checked that an object begins there.
            let alive = unsafe { self.may_live(stub) };
            check(alive, "H2", "a dead stub is in the table of tags", at)?;
            // SAFETY: `is_one` has checked that this object is a tag entry.
            let target = unsafe { Stub::target(stub) };
            let followed = target.addr().get() == at;
            check(
                followed,
                "H2",
                "an object is tagged that is elsewhere now",
                at,
            )?;
            let young = matches!(self.place(target)?, Place::Nursery);
            let looked = young != listed.contains(&stub);
            check(looked, "H2", "a stub that no mark looks at", at)?;
            let among = young == tags.young.contains_key(&at);
            check(among, "H2", "an object is tagged as one of another age", at)?;
        }
        Ok(())
    }

    /// Checks a reachable object: if it is a tag entry, it is its target's tag entry in the table.
    pub(super) fn stub(&self, object: NonNull<Header>) -> Result<(), Fault> {
        // SAFETY: the caller has checked that an object begins there, and no turn runs.
        let target = unsafe { Stub::is_one(object).then(|| Stub::target(object)) };
        let Some(target) = target else {
            return Ok(());
        };
        let known = self.core.tags.borrow().of(target) == Some(object);
        let at = object.addr().get();
        check(
            known,
            "H2",
            "a stub that the table of tags does not have",
            at,
        )
    }
}

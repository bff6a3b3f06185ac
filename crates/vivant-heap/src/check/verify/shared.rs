//! Checks of shared objects, and of all below them: nothing writes them, not even a collection (O2,
//! Y6).

use super::{Place, Verifier, check};
use crate::alloc::header::Header;
use crate::fault::Fault;
use crate::object::evacuator::CLEAN;
use crate::weak::tag_entry::TagEntry;
use std::ptr::NonNull;

impl Verifier<'_> {
    /// Checks all objects that are exported or referred to by a `Val`, with those that they reach:
    /// they are old, and clean for the write barrier.
    pub(super) fn shared(&self) -> Result<(), Fault> {
        let mut walk = self.walk();
        walk.roots(self.shared.iter().copied());
        while let Some((object, _)) = walk.next() {
            let at = object.addr().get();
            let old = matches!(self.place(object)?, Place::Old(_));
            check(old, "O2", "a shared object is young, and will move", at)?;
            // SAFETY: `place` has checked that an object begins there, and no turn runs.
            if unsafe { TagEntry::is_one(object) } {
                // Its target is private, and only the owner follows that reference.
                continue;
            }
            let remembered = self.remembered.contains(&at);
            check(
                !remembered,
                "Y6",
                "a shared object is remembered, and will be written",
                at,
            )?;
            // SAFETY: `place` has checked that an object begins there.
            let table = unsafe { object.as_ref() }.table();
            let left = table.mutable && !is_clean(object);
            check(
                !left,
                "Y6",
                "a shared object has the flag of one that is written",
                at,
            )?;
            // SAFETY: `place` has checked that an object begins there, and no turn runs.
            let _ = unsafe { walk.scan(object) };
        }
        Ok(())
    }
}

/// Whether an object is clean: its next write must pass the barrier.
pub(super) fn is_clean(object: NonNull<Header>) -> bool {
    // SAFETY: an object begins there. A mutable object begins with its flag, and no turn runs.
    unsafe { object.as_ref().table().mutable && object.add(1).cast::<u32>().read() & CLEAN != 0 }
}

//! What is shared, and all below it: nobody writes it, not even a collection (O2, Y6).

use super::{Fault, Place, Verifier, check};
use crate::header::Header;
use crate::tags::Stub;
use crate::types::borrow::CLEAN;
use std::ptr::NonNull;

impl Verifier<'_> {
    /// All that others know, or that a `Val` refers to, with what they reach: old, and left alone
    /// by the barrier.
    pub(super) fn shared(&self) -> Result<(), Fault> {
        let mut walk = self.walk();
        walk.roots(self.shared.iter().copied());
        while let Some((object, _)) = walk.next() {
            let at = object.addr().get();
            let old = matches!(self.place(object)?, Place::Old(_));
            check(old, "O2", "a shared object is young, and will move", at)?;
            // SAFETY: `place` has seen that an object begins there, and no turn runs.
            if unsafe { Stub::is_one(object) } {
                // What it refers to is private, and its owner alone follows that.
                continue;
            }
            let remembered = self.remembered.contains(&at);
            check(
                !remembered,
                "Y6",
                "a shared object is remembered, and will be written",
                at,
            )?;
            // SAFETY: as above.
            let table = unsafe { object.as_ref() }.table();
            let left = table.mutable && !is_clean(object);
            check(
                !left,
                "Y6",
                "a shared object has the flag of one that is written",
                at,
            )?;
            // SAFETY: as above.
            let _ = unsafe { walk.scan(object) };
        }
        Ok(())
    }
}

/// Whether the next write of an object has to be told.
pub(super) fn is_clean(object: NonNull<Header>) -> bool {
    // SAFETY: an object begins there. What changes in place begins with its flag, and no turn runs.
    unsafe { object.as_ref().table().mutable && object.add(1).cast::<u32>().read() & CLEAN != 0 }
}

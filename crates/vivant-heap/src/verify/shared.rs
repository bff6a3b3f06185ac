//! What is shared, and all below it: nobody writes it, not even a collection (O2, Y6).

use super::{Fault, Place, Verifier, check};
use crate::collector::Tracer;
use crate::header::Header;
use crate::tags::Stub;
use crate::types::borrow::CLEAN;
use std::collections::HashSet;
use std::ptr::NonNull;

impl Verifier<'_> {
    /// All that others know, or that a `Val` refers to, with what they reach: old, and left alone by the barrier.
    pub(super) fn shared(&self) -> Result<(), Fault> {
        let mut grey = self.shared.take();
        grey.extend(self.core.sharing.borrow().known());
        let mut met = HashSet::new();
        while let Some(object) = grey.pop() {
            let at = object.addr().get();
            if !met.insert(at) {
                continue;
            }
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
            // SAFETY: as above; the value follows the header.
            let listed =
                Tracer::list(|tracer| unsafe { (table.trace)(object.add(1).cast(), tracer) });
            // Those of `Val`s in it are met already.
            grey.extend(listed.own);
        }
        Ok(())
    }
}

/// Whether the next write of an object has to be told.
pub(super) fn is_clean(object: NonNull<Header>) -> bool {
    // SAFETY: an object begins there. What changes in place begins with its flag, and no turn runs.
    unsafe { object.as_ref().table().mutable && object.add(1).cast::<u32>().read() & CLEAN != 0 }
}

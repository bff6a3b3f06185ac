//! Watches: over objects that are there, each in one place.

use super::{Fault, Place, Verifier, check};

impl Verifier<'_> {
    /// What is watched has not been found dead: a young object is in the nursery, an old one has
    /// the present epoch.
    pub(super) fn deaths(&self) -> Result<(), Fault> {
        let deaths = self.core.deaths.borrow();
        for (number, watched) in &deaths.young {
            let at = watched.object.addr().get();
            let there = self.young.contains_key(&at);
            check(there, "H10", "what is watched is no young object", at)?;
            let once = !deaths.old.contains_key(number) && !deaths.found.contains_key(number);
            check(once, "H10", "one watch is in two places", at)?;
        }
        for (number, watched) in &deaths.old {
            let at = watched.object.addr().get();
            let place = self.place(watched.object)?;
            let there = matches!(place, Place::Old(_));
            check(there, "H10", "what is watched is no old object", at)?;
            // SAFETY: `place` has seen that an object begins there.
            let alive = unsafe { self.may_live(watched.object) };
            check(alive, "H10", "a dead object is watched", at)?;
            let once = !deaths.found.contains_key(number);
            check(once, "H10", "one watch is in two places", at)?;
        }
        Ok(())
    }
}

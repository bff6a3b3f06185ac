//! Checks of death watches: each watches an object in its place, and is in one table.

use super::{Place, Verifier, check};
use crate::fault::Fault;

impl Verifier<'_> {
    /// Checks that no watched object was found dead: a young one is in the nursery, an old one has
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
            // SAFETY: `place` has checked that an object begins there.
            let alive = unsafe { self.may_live(watched.object) };
            check(alive, "H10", "a dead object is watched", at)?;
            let once = !deaths.found.contains_key(number);
            check(once, "H10", "one watch is in two places", at)?;
        }
        Ok(())
    }
}

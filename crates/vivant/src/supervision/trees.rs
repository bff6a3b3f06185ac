//! The registry of supervision in a system: the roots of its trees, and the number of restarts of
//! each actor.

use crate::actor::{AddressRef, CellRef, Shared};
use crate::sync::{Mutex, lock};
use std::collections::BTreeMap;

/// The roots, in the order of their creation.
#[derive(Default)]
pub(crate) struct Trees(Mutex<BTreeMap<u64, CellRef>>);

impl Trees {
    pub(crate) fn of(system: &Shared) -> &Trees {
        system.extensions.part()
    }

    pub(crate) fn insert(&self, to: &AddressRef) {
        let cell = to.cell();
        lock(&self.0).insert(cell.id, cell);
        // Checked after the insertion, as for newborns: the root may have been ordered to end
        // already, and removed before it was inserted here.
        if to.system.is_closing() {
            self.forget(to.id);
        }
    }

    pub(crate) fn forget(&self, root: u64) {
        let cell = lock(&self.0).remove(&root);
        drop(cell);
    }

    /// Returns the number of the root that was made last.
    pub(crate) fn newest(&self) -> Option<u64> {
        Some(*lock(&self.0).last_key_value()?.0)
    }

    /// Returns the root that was made last, up to the root of this number.
    pub(crate) fn last(&self, newest: u64) -> Option<AddressRef> {
        loop {
            let (id, cell) = {
                let roots = lock(&self.0);
                let (&id, cell) = roots.range(..=newest).next_back()?;
                (id, cell.clone())
            };
            match cell.upgrade() {
                Some(to) => return Some(to),
                // It is ending.
                None => self.forget(id),
            }
        }
    }
}

/// The number of restarts of each supervised actor.
#[derive(Default)]
pub(crate) struct Restarts(Mutex<BTreeMap<u64, u32>>);

impl Restarts {
    pub(crate) fn of(system: &Shared) -> &Restarts {
        system.extensions.part()
    }

    pub(crate) fn count(&self, child: u64) {
        *lock(&self.0).entry(child).or_default() += 1;
    }

    /// The number of restarts of a child that is restored.
    pub(super) fn restore(&self, child: u64, restarts: u32) {
        if restarts > 0 {
            lock(&self.0).insert(child, restarts);
        }
    }

    pub(crate) fn forget(&self, child: u64) {
        lock(&self.0).remove(&child);
    }

    pub(crate) fn number_of(&self, child: u64) -> u32 {
        lock(&self.0).get(&child).copied().unwrap_or_default()
    }
}

#[cfg(all(test, feature = "macros"))]
mod tests {
    use super::*;
    use crate::Child;
    use crate::Supervisor;
    use crate::api::Address;
    use crate::prelude::*;
    use crate::simulation::Simulation;

    #[derive(Actor)]
    struct TestActor;

    #[behaviours]
    impl TestActor {
        fn fail(&mut self) {
            std::panic::resume_unwind(Box::new("as planned"));
        }
    }

    #[test]
    fn restart_counts_are_removed_with_their_supervisor() {
        let simulation = Simulation::new(1);
        let system = simulation.system();
        let tree = Supervisor::one_for_one().spawn(system);
        let child = tree.add(Child::new(|_| TestActor));
        child.fail().send();
        simulation.run();
        let restarts = Restarts::of(system.shared());
        assert_eq!(restarts.number_of(Address::counted(&child).id), 1);
        Address::stop(&tree);
        simulation.run();
        assert!(lock(&restarts.0).is_empty());
    }
}

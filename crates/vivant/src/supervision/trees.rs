//! What a system knows of supervision without asking anybody: the roots of its trees, and who was
//! started again.

use super::supervisor::Supervisor;
use crate::address::Address;
use crate::cell::CellRef;
use crate::sync::{Mutex, lock};
use std::collections::BTreeMap;

/// The roots, in the order of their creation.
#[derive(Default)]
pub(crate) struct Trees(Mutex<BTreeMap<u64, CellRef>>);

impl Trees {
    pub(crate) fn insert(&self, root: &Address<Supervisor>) {
        let to = Address::counted(root);
        let cell = to.cell();
        lock(&self.0).insert(cell.id, cell);
        // Looked at afterwards, as for newborns: it may have been told to end already, and
        // forgotten before it was here.
        if to.system.is_closing() {
            self.forget(to.id);
        }
    }

    pub(crate) fn forget(&self, root: u64) {
        let cell = lock(&self.0).remove(&root);
        drop(cell);
    }

    /// The number of the root that was made last.
    pub(crate) fn newest(&self) -> Option<u64> {
        Some(*lock(&self.0).last_key_value()?.0)
    }

    /// The root that was made last, up to the one of this number.
    pub(crate) fn last(&self, newest: u64) -> Option<Address<Supervisor>> {
        loop {
            let (id, cell) = {
                let roots = lock(&self.0);
                let (&id, cell) = roots.range(..=newest).next_back()?;
                (id, cell.clone())
            };
            match cell.upgrade() {
                Some(to) => return Some(Address::to_actor(to)),
                // It is ending.
                None => self.forget(id),
            }
        }
    }
}

/// How often each supervised actor was started again.
#[derive(Default)]
pub(crate) struct Restarts(Mutex<BTreeMap<u64, u32>>);

impl Restarts {
    pub(crate) fn count(&self, child: u64) {
        *lock(&self.0).entry(child).or_default() += 1;
    }

    pub(crate) fn forget(&self, child: u64) {
        lock(&self.0).remove(&child);
    }

    pub(crate) fn of(&self, child: u64) -> u32 {
        lock(&self.0).get(&child).copied().unwrap_or_default()
    }
}

#[cfg(all(test, feature = "macros"))]
mod tests {
    use super::*;
    use crate::Child;
    use crate::prelude::*;
    use crate::simulation::Simulation;

    #[derive(Actor)]
    struct Part;

    #[behaviours]
    impl Part {
        fn fail(&mut self) {
            std::panic::resume_unwind(Box::new("as planned"));
        }
    }

    #[test]
    fn restarts_are_forgotten_with_their_supervisor() {
        let simulation = Simulation::new(1);
        let system = simulation.system();
        let tree = Supervisor::one_for_one().spawn(system);
        let part = tree.add(Child::new(|_| Part));
        part.fail().send();
        simulation.run();
        let restarts = &system.shared().restarts;
        assert_eq!(restarts.of(Address::counted(&part).id), 1);
        Address::stop(&tree);
        simulation.run();
        assert!(lock(&restarts.0).is_empty());
    }
}

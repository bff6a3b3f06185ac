//! What a resolver shows while the turn that asked still runs.

use crate::actor::{TraceCoverage, known};
use crate::prelude::*;
use crate::simulation::Simulation;

#[derive(Actor)]
struct Asker;

#[behaviours]
impl Asker {
    /// Returns what the resolver of a promise shows before and after the promise is dropped.
    fn shown(&self, t: &Turn<Self>) -> [(usize, TraceCoverage); 2] {
        let (promise, resolver) = t.promise::<u64>();
        let shown = |resolver: &Resolver<u64>| {
            let mut addresses = 0;
            let mut each = |_| addresses += 1;
            let coverage = known(&mut each, |seen| {
                resolver.show(seen);
                TraceCoverage::All
            });
            (addresses, coverage)
        };
        let before = shown(&resolver);
        drop(promise);
        [before, shown(&resolver)]
    }
}

/// The turn may continue the promise yet, and so show more without a turn of the actor that has the
/// resolver: no pass may conclude anything from what is shown now (U5).
#[test]
fn a_promise_that_a_turn_has_is_unsettled() {
    let simulation = Simulation::new(1);
    let asker = simulation.system().spawn(Asker);
    assert_eq!(
        asker.shown().ask_blocking(),
        Ok([(1, TraceCoverage::Some), (1, TraceCoverage::All)])
    );
}

//! A mark that was found through goes on when a turn has brought about more.

use super::marks::Helped;
use crate::prelude::*;
use crate::scheduler::Worker;
use crate::simulation::{Faults, Simulation};
use crate::{Leaf, Pacing};
use std::sync::Arc;
use std::time::Duration;

/// More than is marked at once.
const MANY: usize = 2_000;

/// What leads to all that it has is one object.
#[derive(Actor)]
struct HoardState<'gc> {
    all: Gc<'gc, Mut<Vec<Gc<'gc, [u64; 30]>>>>,
    token: Option<Gc<'gc, Leaf<Arc<()>>>>,
}

#[behaviours]
impl<'gc> HoardState<'gc> {
    #[start]
    fn new(t: &Turn<'gc, Hoard>, token: Arc<()>) -> Self {
        HoardState {
            all: t.alloc(Mut::new((0..MANY).map(|_| t.alloc([0; 30])).collect())),
            token: Some(t.alloc(Leaf(token))),
        }
    }

    fn forgets(&mut self) {
        self.token = None;
    }

    /// Claims what leads to all, and writes it; who helps meanwhile finds nothing that is left to do.
    fn writes(&mut self, t: &Turn<'gc, Hoard>) -> bool {
        self.all.borrow_mut(t).pop();
        let helps = |worker: &Worker| worker.system.marks.help_by(&worker.system, MANY);
        Worker::with_current(helps) == Some(Helped::Some)
    }
}

#[test]
fn a_mark_found_through_in_the_middle_of_a_turn_ends() {
    let mut helped = 0;
    for seed in 0..20 {
        let token = Arc::new(());
        let builder = System::builder().pacing(Pacing::new().nursery(4096).first(4096));
        let simulation = Simulation::with(seed, Faults::none(), builder);
        let hoard = Hoard::spawn(simulation.system(), token.clone());
        for _ in 0..3 {
            hoard.forgets().send();
            let written = hoard.writes().ask_blocking().unwrap();
            helped += u32::from(written);
        }
        simulation.run_for(Duration::from_secs(60));
        assert_eq!(
            Arc::strong_count(&token),
            1,
            "seed {seed}: the mark does not end"
        );
    }
    assert!(helped > 0, "nobody has helped in the middle of a turn");
}

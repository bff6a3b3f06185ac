//! Reports of turns that allocate more than the system's limit.

use std::sync::{Arc, Mutex};
use vivant::System;
use vivant::heap::Held;
use vivant::prelude::*;
use vivant::simulation::{Faults, Simulation};

/// Its survivors stay young once, and it lends an object.
#[derive(Actor)]
struct LenderState<'gc> {
    cells: Vec<Gc<'gc, Mut<[u64; 50]>>>,
}

#[behaviours]
impl<'gc> LenderState<'gc> {
    #[start]
    fn new(t: &Turn<'gc, Lender>, lent: Arc<Mutex<Option<Held<u64>>>>) -> Self {
        *lent.lock().unwrap() = Some(t.hold(t.val(1)));
        LenderState { cells: Vec::new() }
    }

    fn fills(&mut self, t: &Turn<'gc, Lender>, cells: usize) {
        self.cells = (0..cells).map(|_| t.alloc(Mut::new([0; 50]))).collect();
    }
}

#[test]
fn a_turn_that_allocates_too_much_is_reported_once_though_its_inbox_is_drained_after_it() {
    let reports = Arc::new(Mutex::new(0));
    let said = reports.clone();
    let builder = System::builder()
        .allocation_limit(100_000)
        .on_report(move |_| *said.lock().unwrap() += 1);
    let simulation = Simulation::with(3, Faults::none(), builder);
    let lent = Arc::default();
    let lender = Lender::spawn(simulation.system(), Arc::clone(&lent));
    // The 64th turn is the large one.
    for _ in 0..62 {
        lender.fills(0).ask_blocking().unwrap();
    }
    *lent.lock().unwrap() = None;
    lender.fills(1_000).ask_blocking().unwrap();
    let reports = *reports.lock().unwrap();
    assert_eq!(reports, 1);
}

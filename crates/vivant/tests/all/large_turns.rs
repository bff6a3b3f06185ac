//! Reports of turns that allocate more than the system's limit, and of containers that make each
//! minor collection long.

use std::sync::{Arc, Mutex};
use vivant::heap::Held;
use vivant::prelude::*;
use vivant::simulation::{Faults, Simulation};
use vivant::{Report, System};

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

/// Has its references in a container of `std`, or in such a container of an object, or in chunks.
#[derive(Actor)]
struct ShelfState<'gc> {
    whole: Vec<Gc<'gc, u64>>,
    object: Option<Gc<'gc, Mut<Vec<Gc<'gc, u64>>>>>,
    chunks: gc::Vec<'gc, Gc<'gc, u64>>,
}

#[behaviours]
impl<'gc> ShelfState<'gc> {
    #[start]
    fn new() -> Self {
        ShelfState {
            whole: Vec::new(),
            object: None,
            chunks: gc::Vec::new(),
        }
    }

    fn fills_whole(&mut self, t: &Turn<'gc, Shelf>, many: u64) {
        self.whole = (0..many).map(|n| t.alloc(n)).collect();
    }

    fn fills_object(&mut self, t: &Turn<'gc, Shelf>, many: u64) {
        let object = *self
            .object
            .get_or_insert_with(|| t.alloc(Mut::new(Vec::new())));
        *object.borrow_mut(t) = (0..many).map(|n| t.alloc(n)).collect();
    }

    fn fills_chunks(&mut self, t: &Turn<'gc, Shelf>, many: u64) {
        for n in 0..many {
            self.chunks.push(t, t.alloc(n));
        }
    }
}

const MANY: u64 = 100_000;

/// An actor, and the reports of large containers.
fn shelf() -> (Simulation, Address<Shelf>, Arc<Mutex<Vec<(usize, String)>>>) {
    let reports = Arc::new(Mutex::new(Vec::new()));
    let said = reports.clone();
    let builder = System::builder().on_report(move |report| {
        if let Report::LargeContainer { elements, .. } = report {
            said.lock().unwrap().push((*elements, report.to_string()));
        }
    });
    let simulation = Simulation::with(3, Faults::none(), builder);
    let shelf = Shelf::spawn(simulation.system());
    (simulation, shelf, reports)
}

#[test]
fn a_large_container_is_reported_once_and_a_collection_in_chunks_is_not() {
    let (_simulation, shelf, reports) = shelf();
    for _ in 0..3 {
        shelf.fills_chunks(MANY).ask_blocking().unwrap();
    }
    assert!(reports.lock().unwrap().is_empty());
    for _ in 0..3 {
        shelf.fills_whole(MANY).ask_blocking().unwrap();
    }
    let reports = reports.lock().unwrap();
    let [(elements, text)] = &reports[..] else {
        panic!("one report: {reports:?}");
    };
    assert_eq!(*elements as u64, MANY);
    assert!(text.contains("gc::Vec"), "{text}");
}

#[test]
fn a_large_container_of_an_object_is_reported() {
    let (_simulation, shelf, reports) = shelf();
    for _ in 0..3 {
        shelf.fills_object(MANY).ask_blocking().unwrap();
    }
    let reports = reports.lock().unwrap();
    assert_eq!(reports.len(), 1, "{reports:?}");
    assert_eq!(reports[0].0 as u64, MANY);
}

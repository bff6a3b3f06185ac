//! A large detached heap is scanned in increments: other actors have turns between them.

use super::*;
use crate::waits::wait_while;
use std::sync::atomic::{AtomicUsize, Ordering};

/// More than is collected in one increment.
const BEADS: usize = if cfg!(miri) { 5_000 } else { 20_000 };

/// The number of dropped beads, and the actor that is notified of the first.
struct Fallen {
    beads: AtomicUsize,
    witness: Address<Witness>,
}

struct Falls(Arc<Fallen>);

impl Drop for Falls {
    fn drop(&mut self) {
        // Relaxed: a number, which the test reads when all is over.
        if self.0.beads.fetch_add(1, Ordering::Relaxed) == 0 {
            self.0.witness.look(self.0.clone()).send();
        }
    }
}

#[derive(Object)]
struct Bead<'gc> {
    _next: Option<Val<'gc, Bead<'gc>>>,
    _falls: Arc<Falls>,
}

type String = Parcel<Val<'static, Bead<'static>>>;

#[derive(Actor)]
struct StringerState<'gc> {
    bead: Option<Val<'gc, Bead<'gc>>>,
}

#[behaviours]
impl<'gc> StringerState<'gc> {
    #[start]
    fn new() -> Self {
        StringerState { bead: None }
    }

    /// This many more beads: the last one, with all that it refers to.
    fn string(&mut self, t: &Turn<'gc, Stringer>, beads: usize, fallen: Arc<Fallen>) -> String {
        for _ in 0..beads {
            let _falls = Arc::new(Falls(fallen.clone()));
            let _next = self.bead;
            self.bead = Some(t.val(Bead { _next, _falls }));
        }
        t.pack(self.bead.unwrap())
    }

    /// The next beads are not attached to it.
    fn cut(&mut self) {
        self.bead = None;
    }
}

/// Has one turn after the other as long as beads are dropped.
#[derive(Actor)]
struct Witness {
    seen: Vec<usize>,
}

#[behaviours]
impl Witness {
    #[start]
    fn new() -> Self {
        Witness { seen: Vec::new() }
    }

    fn look(&mut self, t: &Turn<'_, Witness>, fallen: Arc<Fallen>) {
        let beads = fallen.beads.load(Ordering::Relaxed);
        if self.seen.last() != Some(&beads) {
            self.seen.push(beads);
        }
        if !beads.is_multiple_of(BEADS) {
            t.send(t.me().look(fallen));
        }
    }

    fn seen(&self) -> Vec<usize> {
        self.seen.clone()
    }
}

/// Between two turns of the witness at most one increment was dropped. Returns the number of
/// increments. All beads are dropped.
fn increments(witness: &Address<Witness>) -> usize {
    loop {
        let seen = witness.seen().ask_blocking().unwrap();
        if seen.last() == Some(&BEADS) {
            return seen.len();
        }
    }
}

fn fallen(system: &System) -> Arc<Fallen> {
    Arc::new(Fallen {
        beads: AtomicUsize::new(0),
        witness: Witness::spawn(system),
    })
}

#[test]
fn other_actors_run_while_a_large_heap_ends() {
    let simulation = Simulation::new(20);
    let system = simulation.system();
    let (stringer, fallen) = (Stringer::spawn(system), fallen(system));
    let string = |beads| stringer.string(beads, fallen.clone()).ask_blocking();
    let kept = string(1).unwrap();
    stringer.cut().send();
    drop(string(BEADS));
    Address::stop(&stringer);
    simulation.run();
    assert!(increments(&fallen.witness) > 10);
    assert_eq!(system.inspect().detached_heaps, 1);
    drop(kept);
    simulation.run();
    assert_eq!(fallen.beads.load(Ordering::Relaxed), BEADS + 1);
    assert_eq!(system.inspect().detached_heaps, 0);
}

#[test]
fn other_actors_run_while_a_large_unshared_heap_ends() {
    let simulation = Simulation::new(21);
    let system = simulation.system();
    let (stringer, fallen) = (Stringer::spawn(system), fallen(system));
    drop(stringer.string(BEADS, fallen.clone()).ask_blocking());
    Address::stop(&stringer);
    drop(stringer);
    simulation.run();
    assert!(increments(&fallen.witness) > 10);
    let inspection = system.inspect();
    assert_eq!((inspection.detached_heaps, inspection.heap_pages), (0, 0));
}

#[test]
fn other_actors_run_while_a_large_detached_heap_is_freed() {
    let simulation = Simulation::new(22);
    let system = simulation.system();
    let (stringer, fallen) = (Stringer::spawn(system), fallen(system));
    let string = stringer.string(BEADS, fallen.clone());
    let string = string.ask_blocking().unwrap();
    Address::stop(&stringer);
    drop(stringer);
    simulation.run();
    assert_eq!(fallen.beads.load(Ordering::Relaxed), 0);
    drop(string);
    simulation.run();
    assert!(increments(&fallen.witness) > 10);
    let inspection = system.inspect();
    assert_eq!((inspection.detached_heaps, inspection.heap_pages), (0, 0));
}

#[test]
fn other_actors_run_on_the_only_worker() {
    let builder = System::builder().workers(1);
    let system = builder.idle_after(Duration::from_millis(1)).build();
    let (stringer, fallen) = (Stringer::spawn(&system), fallen(&system));
    let string = stringer.string(BEADS, fallen.clone());
    let string = string.ask_blocking().unwrap();
    Address::stop(&stringer);
    drop((stringer, string));
    wait_while(|| {
        system.inspect().detached_heaps > 0 || fallen.beads.load(Ordering::Relaxed) < BEADS
    });
    // The number of increments depends on the machine, which may stop the worker in one of them.
    assert!(increments(&fallen.witness) > 0);
    assert!(system.shutdown().is_complete());
    assert_eq!(system.inspect().heap_pages, 0);
}

/// More large heaps than the limit for incremental scanning, and one of them not yet scanned when
/// the system ends.
#[test]
fn many_large_heaps_end() {
    let builder = System::builder().workers(2);
    let system = builder.idle_after(Duration::from_millis(1)).build();
    let fallen = fallen(&system);
    let many = if cfg!(miri) { 2 } else { 30 };
    for _ in 0..many {
        let stringer = Stringer::spawn(&system);
        let string = stringer.string(BEADS, fallen.clone()).ask_blocking();
        Address::stop(&stringer);
        drop(string);
    }
    assert!(system.shutdown().is_complete());
    assert_eq!(fallen.beads.load(Ordering::Relaxed), many * BEADS);
    let inspection = system.inspect();
    assert_eq!((inspection.detached_heaps, inspection.heap_pages), (0, 0));
}

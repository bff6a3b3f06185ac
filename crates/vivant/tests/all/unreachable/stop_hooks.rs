//! Unreachable actors that do all they can in stop hooks and destructors.

use super::*;
use crate::waits::wait_while;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Numbers of children start here.
const CHILD: u64 = 1000;

/// Counts of their actions.
#[derive(Clone, Default)]
struct World {
    /// Addresses that were stored outside.
    given: Arc<Mutex<Vec<Address<Wild>>>>,
    ends: Arc<AtomicU64>,
    upgraded: Arc<AtomicU64>,
}

/// Panics at its end, if it is to.
struct Bomb {
    goes_off: bool,
    ends: Arc<AtomicU64>,
}

impl Drop for Bomb {
    fn drop(&mut self) {
        self.ends.fetch_add(1, Ordering::Relaxed);
        assert!(!self.goes_off, "at the end of the state");
    }
}

#[derive(Actor)]
struct Wild {
    number: u64,
    next: Vec<Address<Wild>>,
    weak: Vec<WeakAddress<Wild>>,
    world: World,
    bomb: Bomb,
}

impl Wild {
    fn new(number: u64, world: &World) -> Wild {
        let ends = world.ends.clone();
        Wild {
            number,
            next: Vec::new(),
            weak: Vec::new(),
            world: world.clone(),
            bomb: Bomb {
                goes_off: number % 3 == 1,
                ends,
            },
        }
    }
}

#[behaviours]
impl Wild {
    fn knows(&mut self, next: Address<Wild>, weak: WeakAddress<Wild>) {
        self.next.push(next);
        self.weak.push(weak);
    }

    fn poke(&mut self) -> u64 {
        self.number
    }

    #[stop]
    fn stopping(&mut self, t: &Turn<Self>, _: &StopReason) {
        let upgraded = self.weak.iter().filter_map(WeakAddress::upgrade).count();
        self.world
            .upgraded
            .fetch_add(upgraded as u64, Ordering::Relaxed);
        if self.number < CHILD {
            // Another child, in a cycle with this actor, which has ended, and with itself.
            let child = t.spawn_actor(Wild::new(CHILD + self.number, &self.world));
            t.send(child.knows(t.me(), Address::downgrade(&child)));
            t.send(child.knows(child.clone(), Address::downgrade(&child)));
        }
        for next in &self.next {
            t.send(next.poke());
            let _weak = Address::downgrade(next).upgrade();
        }
        if self.number.is_multiple_of(2) {
            let mut given = self.world.given.lock().unwrap();
            given.push(t.me());
            given.extend(self.next.drain(..));
        }
        assert!(self.number % 5 != 2, "in the stop hook");
    }
}

/// Rings in which each holds the next one's address, weak ones too, and every second its own.
/// Returns how many there are.
fn rings(system: &System, world: &World, rings: u64, size: u64) -> u64 {
    for ring in 0..rings {
        let of: Vec<_> = (0..size)
            .map(|number| system.spawn(Wild::new(ring + number, world)))
            .collect();
        for (at, wild) in of.iter().enumerate() {
            let next = &of[(at + 1) % of.len()];
            wild.knows(next.clone(), Address::downgrade(next)).send();
            if at % 2 == 0 {
                wild.knows(wild.clone(), Address::downgrade(wild)).send();
            }
        }
    }
    rings * size
}

#[cfg_attr(miri, vivant::test(seeds = 1))]
#[cfg_attr(not(miri), vivant::test(seeds = 100))]
fn seeded_hostile_stop_hooks_end_every_actor(simulation: &Simulation) {
    let world = World::default();
    let system = simulation.system();
    let baseline = system.inspect().bytes;
    let count = rings(system, &world, 3, 2 + simulation.seed() % 4);
    simulation.run();
    let alive = || system.inspect().actors.len() as u64;
    assert_eq!(alive(), 0);
    // Each has had a child.
    assert_eq!(world.ends.load(Ordering::Relaxed), 2 * count);
    assert_eq!(world.upgraded.load(Ordering::Relaxed), 0);
    let given = std::mem::take(&mut *world.given.lock().unwrap());
    assert!(!given.is_empty());
    for wild in &given {
        assert!(matches!(
            wild.poke().ask_blocking(),
            Err(AskError::Stopped { .. })
        ));
        assert!(Address::downgrade(wild).upgrade().is_none());
    }
    drop(given);
    simulation.run();
    assert_eq!(system.inspect().bytes, baseline);
}

#[test]
fn hostile_stop_hooks_end_every_actor_on_threads() {
    let system = System::builder()
        .workers(2)
        .idle_after(Duration::from_millis(1))
        .build();
    let world = World::default();
    let mut count = 0;
    for _ in 0..if cfg!(miri) { 1 } else { 20 } {
        count += rings(&system, &world, 5, 3);
        std::thread::yield_now();
        // Not under the lock, because other stop hooks wait for it.
        let given = std::mem::take(&mut *world.given.lock().unwrap());
        for wild in given {
            assert!(wild.poke().ask_blocking().is_err());
        }
    }
    wait_while(|| world.ends.load(Ordering::Relaxed) < 2 * count);
    assert_eq!(world.upgraded.load(Ordering::Relaxed), 0);
    let given = std::mem::take(&mut *world.given.lock().unwrap());
    drop(given);
    assert!(system.shutdown().is_complete());
}

/// Waits where its addresses are traced, until it is released.
struct Gate {
    entered: Mutex<std::sync::mpsc::Sender<()>>,
    open: Mutex<std::sync::mpsc::Receiver<()>>,
}

impl vivant::TraceReferences for Gate {
    fn outgoing_references(&self, _: &mut vivant::OutgoingReferences<'_>) {
        let _receiver_released = self.entered.lock().unwrap().send(());
        let _released = self.open.lock().unwrap().recv();
    }
}

#[derive(Actor)]
struct Gated {
    own: Option<Address<Gated>>,
    _gate: Gate,
}

#[behaviours]
impl Gated {
    fn knows_itself(&mut self, t: &Turn<Self>) {
        self.own = Some(t.me());
    }
}

#[test]
fn a_system_ends_while_user_code_blocks_a_detection_pass() {
    let (entered, enters) = std::sync::mpsc::channel();
    let (opens, open) = std::sync::mpsc::channel();
    let system = System::builder()
        .workers(2)
        .idle_after(Duration::from_millis(1))
        .build();
    let (entered, open) = (Mutex::new(entered), Mutex::new(open));
    let gated = system.spawn(Gated {
        own: None,
        _gate: Gate { entered, open },
    });
    gated.knows_itself().send();
    drop(gated);
    enters.recv().unwrap();
    // The worker of the detection pass does not return: the end of the system does not wait for it.
    let report = system.shutdown_within(Duration::from_millis(1));
    assert!(!report.is_complete());
    drop(opens);
}

/// Cannot be traced, and counts the attempts.
struct Shy(Arc<AtomicU64>);
vivant::heap::leaf!([] Shy, shy shows {
    assert_eq!(shy.0.fetch_add(1, Ordering::Relaxed), u64::MAX, "shy");
    &shy.0
});

#[derive(Object)]
struct Closet<'gc> {
    guest: Address<Manor>,
    shy: Option<Shy>,
    next: Option<Gc<'gc, Closet<'gc>>>,
}

#[derive(Actor)]
struct ManorState<'gc> {
    closet: Option<Gc<'gc, Closet<'gc>>>,
}

#[behaviours]
impl<'gc> ManorState<'gc> {
    #[start]
    fn new(_: &Turn<'gc, Manor>) -> Self {
        ManorState { closet: None }
    }

    fn hides(
        &mut self,
        t: &Turn<'gc, Manor>,
        guest: Address<Manor>,
        times: Option<Arc<AtomicU64>>,
    ) {
        let (shy, next) = (times.map(Shy), self.closet);
        self.closet = Some(t.alloc(Closet { guest, shy, next }));
    }

    /// Takes out the address that it hid last.
    fn opens(&mut self) {
        self.closet = self.closet.and_then(|closet| closet.next);
    }
}

/// The addresses held by such an actor count as references from outside, until it can be traced.
#[test]
fn a_panic_while_an_object_is_traced_ends_no_actor() {
    let simulation = Simulation::new(1);
    let system = simulation.system();
    let (a, b) = (Manor::spawn(system), Manor::spawn(system));
    let times = Arc::new(AtomicU64::new(0));
    a.hides(b.clone(), None).send();
    a.hides(b.clone(), Some(times.clone())).send();
    b.hides(a.clone(), None).send();
    let weak = Address::downgrade(&a);
    drop((a, b));
    simulation.run();
    assert_eq!(system.inspect().actors.len(), 2);
    assert_eq!(
        times.load(Ordering::Relaxed),
        1,
        "it is not tried again and again"
    );
    weak.upgrade().expect("it is alive").opens().send();
    simulation.run();
    assert_eq!(system.inspect().actors.len(), 0);
}

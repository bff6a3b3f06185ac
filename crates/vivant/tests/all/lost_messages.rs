//! Messages lost by a full mailbox hold user values: these are dropped where they harm no other
//! code (T3, T5).

use std::cell::{Cell, RefCell};
use std::sync::{Arc, Mutex};
use vivant::Cause;
use vivant::prelude::*;
use vivant::simulation::Simulation;

thread_local! {
    /// Sends a hydra. It is not in the hydra itself, which is leaked in the end.
    static GROWS: RefCell<Option<Box<dyn Fn(Hydra)>>> = const { RefCell::new(None) };
    static DROPS: Cell<u64> = const { Cell::new(0) };
}

/// Sends another hydra when it is dropped, unless it has been tamed.
struct Hydra {
    wild: bool,
}

impl Drop for Hydra {
    fn drop(&mut self) {
        DROPS.set(DROPS.get() + 1);
        if self.wild {
            grow();
        }
    }
}

fn grow() {
    GROWS.with_borrow(|grows| {
        let grows = grows.as_ref().expect("set by the test");
        grows(Hydra { wild: true });
    });
}

#[derive(Actor)]
#[actor(mailbox = drop_newest(2))]
struct Cave;

#[behaviours]
impl Cave {
    fn take(&mut self, mut hydra: Hydra) {
        hydra.wild = false;
    }
}

#[derive(Actor)]
#[actor(mailbox = drop_oldest(2))]
struct Lair;

#[behaviours]
impl Lair {
    fn take(&mut self, mut hydra: Hydra) {
        hydra.wild = false;
    }
}

/// Three where there is room for two.
fn breeds(simulation: &Simulation, send: impl Fn(Hydra) + 'static, cause: Cause) {
    GROWS.set(Some(Box::new(send)));
    DROPS.set(0);
    for _ in 0..3 {
        grow();
    }
    // Each is counted; the last one was lost without a drop.
    let dropped = DROPS.get();
    assert!((2..100).contains(&dropped), "{dropped}");
    let letters = simulation.system().dead_letters();
    assert_eq!(letters.total(), dropped + 1);
    assert!(letters.counts().iter().all(|line| line.cause == cause));
    simulation.run();
    assert_eq!(DROPS.get(), dropped + 2);
    // It holds an address.
    drop(GROWS.take());
}

#[test]
fn drops_that_send_to_the_same_full_actor_terminate() {
    let simulation = Simulation::new(7);
    let cave = simulation.system().spawn(Cave);
    let send = move |hydra| cave.take(hydra).send();
    breeds(&simulation, send, Cause::DroppedNewest);
    let simulation = Simulation::new(7);
    let lair = simulation.system().spawn(Lair);
    let send = move |hydra| lair.take(hydra).send();
    breeds(&simulation, send, Cause::DroppedOldest);
}

#[test]
fn a_panic_in_the_drop_of_a_lost_message_harms_no_actor() {
    struct Bomb(bool);
    impl Drop for Bomb {
        fn drop(&mut self) {
            if self.0 {
                std::panic::resume_unwind(Box::new("planned"));
            }
        }
    }
    #[derive(Actor)]
    #[actor(mailbox = drop_oldest(1))]
    struct Bunker {
        got: u64,
    }
    #[behaviours]
    impl Bunker {
        fn take(&mut self, mut bomb: Bomb) -> u64 {
            bomb.0 = false;
            self.got += 1;
            self.got
        }
        #[when(false)]
        fn keep(&mut self, _bomb: Bomb) {}
    }
    let simulation = Simulation::new(8);
    let system = simulation.system();
    let bunker = system.spawn(Bunker { got: 0 });
    bunker.take(Bomb(true)).send();
    let answer = bunker.take(Bomb(true)).ask();
    assert_eq!(
        system.block_on(answer).expect("it took the other's place"),
        1
    );
    // The holder drops the messages that wait for its guard.
    bunker.keep(Bomb(true)).send();
    simulation.run();
    assert_eq!(bunker.take(Bomb(true)).ask_blocking().expect("it lives"), 2);
    let facts = system.inspect();
    let bunker = facts.actor(&Address::path(&bunker)).expect("it lives");
    assert_eq!(bunker.lost, 2);
}

/// Asks when it is dropped, and reports the result.
struct Curious {
    whom: Address<Shut>,
    notified: Arc<Mutex<Vec<Result<u64, AskError>>>>,
}

impl Drop for Curious {
    fn drop(&mut self) {
        let notified = self.whom.nothing().ask_blocking();
        self.notified.lock().unwrap().push(notified);
    }
}

#[derive(Actor)]
#[actor(mailbox = drop_oldest(2))]
struct Shut;

#[behaviours]
impl Shut {
    #[when(false)]
    fn wait(&mut self, _curious: Option<Curious>) {}

    fn take(&mut self, _curious: Option<Curious>) {}

    fn nothing(&mut self) -> u64 {
        0
    }
}

#[test]
fn messages_dropped_at_an_end_are_dropped_within_a_turn() {
    let simulation = Simulation::new(1);
    let system = simulation.system();
    let (shut, whom) = (system.spawn(Shut), system.spawn(Shut));
    let notified = Arc::default();
    let curious = || {
        let (whom, notified) = (whom.clone(), Arc::clone(&notified));
        Some(Curious { whom, notified })
    };
    shut.wait(curious()).send();
    shut.wait(curious()).send();
    simulation.run();
    shut.take(curious()).send();
    shut.take(curious()).send();
    Address::stop(&shut);
    simulation.run();
    let notified = notified.lock().unwrap();
    let inside =
        |notified: &Result<u64, AskError>| matches!(notified, Err(AskError::InsideTurn(_)));
    assert_eq!(
        notified.iter().filter(|notified| inside(notified)).count(),
        4,
        "{notified:?}"
    );
}

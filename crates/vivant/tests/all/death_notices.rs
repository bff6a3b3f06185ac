//! Death watches: a message is sent after the death of a watched object.

use std::time::Duration;
use vivant::heap::{DeathWatch, Stress, When};
use vivant::prelude::*;
use vivant::simulation::{Faults, Simulation};
use vivant::{OnPanic, Pacing, Supervisor};

#[derive(Actor)]
#[actor(pacing = Pacing::new().stressed(Stress::new(When::All, 7)))]
struct DeskState<'gc> {
    files: Vec<Gc<'gc, Mut<File<'gc>>>>,
    watches: Vec<DeathWatch>,
    gone: Vec<u64>,
}

#[derive(Object)]
struct File<'gc> {
    number: u64,
    /// Another object, or itself.
    other: Option<Gc<'gc, Mut<File<'gc>>>>,
}

#[behaviours]
impl<'gc> DeskState<'gc> {
    #[start]
    fn new(t: &Turn<'gc, Desk>) -> Self {
        let mut desk = DeskState {
            files: Vec::new(),
            watches: Vec::new(),
            gone: Vec::new(),
        };
        desk.open(t, 0, None);
        desk
    }

    fn open(&mut self, t: &Turn<'gc, Desk>, number: u64, clerk: Option<Address<Clerk>>) {
        let file = t.alloc(Mut::new(File {
            number,
            other: None,
        }));
        file.borrow_mut(t).other = Some(file);
        self.watches.push(t.on_death(file, t.me().gone(number)));
        if let Some(clerk) = clerk {
            t.on_death(file, clerk.received(number));
        }
        self.files.push(file);
    }

    fn open_and_panic(&mut self, t: &Turn<'gc, Desk>, number: u64) {
        self.open(t, number, None);
        panic!("with the file open");
    }

    fn close(&mut self, number: u64) {
        self.files.retain(|file| file.borrow().number != number);
    }

    fn close_all(&mut self) {
        self.files.clear();
    }

    fn forget(&mut self, t: &Turn<'gc, Desk>, number: u64) -> (bool, bool) {
        let watch = self.watches[number as usize];
        (t.forget_death(watch), t.forget_death(watch))
    }

    fn gone(&mut self, number: u64) {
        self.gone.push(number);
    }

    fn all_gone(&self) -> Vec<u64> {
        self.gone.clone()
    }
}

#[derive(Actor)]
struct Clerk {
    received: Vec<u64>,
}

#[behaviours]
impl Clerk {
    fn received(&mut self, number: u64) {
        self.received.push(number);
    }

    fn all_received(&self) -> Vec<u64> {
        self.received.clone()
    }
}

#[test]
fn each_death_notice_is_sent_once_and_in_order() {
    let simulation = Simulation::new(1);
    let desk = Desk::spawn(simulation.system());
    let clerk = simulation.system().spawn(Clerk {
        received: Vec::new(),
    });
    for number in 1..=4 {
        desk.open(number, Some(clerk.clone())).send();
    }
    desk.close(3).send();
    simulation.run();
    assert_eq!(desk.all_gone().ask_blocking(), Ok(vec![3]));
    desk.close_all().send();
    simulation.run();
    assert_eq!(desk.all_gone().ask_blocking(), Ok(vec![3, 0, 1, 2, 4]));
    assert_eq!(clerk.all_received().ask_blocking(), Ok(vec![3, 1, 2, 4]));
}

#[test]
fn a_death_notice_can_be_cancelled() {
    let simulation = Simulation::new(2);
    let desk = Desk::spawn(simulation.system());
    desk.open(1, None).send();
    assert_eq!(desk.forget(1).ask_blocking(), Ok((true, false)));
    desk.close_all().send();
    simulation.run();
    assert_eq!(desk.all_gone().ask_blocking(), Ok(vec![0]));
    assert_eq!(desk.forget(0).ask_blocking(), Ok((false, false)));
}

#[test]
fn a_death_notice_of_a_turn_that_panicked_is_sent() {
    let simulation = Simulation::new(3);
    let tree = Supervisor::one_for_one().spawn(simulation.system());
    let desk = tree.add(Desk::child().on_panic(OnPanic::Resume));
    assert!(desk.open_and_panic(1).ask_blocking().is_err());
    desk.close(1).send();
    simulation.run();
    assert_eq!(desk.all_gone().ask_blocking(), Ok(vec![1]));
}

#[test]
fn a_death_notice_to_its_own_actor_keeps_no_actor_alive() {
    let simulation = Simulation::new(4);
    let clerk = simulation.system().spawn(Clerk {
        received: Vec::new(),
    });
    let desk = Desk::spawn(simulation.system());
    desk.open(1, Some(clerk.clone())).send();
    drop(desk);
    simulation.run();
    assert_eq!(simulation.system().inspect().actors.len(), 1);
    // The file has ended with its heap: no notice is sent.
    assert_eq!(clerk.all_received().ask_blocking(), Ok(vec![]));
}

/// Without stress: young garbage is collected when the actor is idle.
#[derive(Actor)]
struct BedState<'gc> {
    sheep: Option<Gc<'gc, u64>>,
    gone: u64,
}

#[behaviours]
impl<'gc> BedState<'gc> {
    #[start]
    fn new() -> Self {
        BedState {
            sheep: None,
            gone: 0,
        }
    }

    fn count(&mut self, t: &Turn<'gc, Bed>, number: u64) {
        let sheep = t.alloc(number);
        t.on_death(sheep, t.me().gone());
        self.sheep = Some(sheep);
    }

    fn gone(&mut self) {
        self.gone += 1;
    }

    fn all_gone(&self) -> u64 {
        self.gone
    }
}

#[test]
fn an_idle_actor_receives_its_death_notices() {
    let simulation = Simulation::with(5, Faults::none(), vivant::System::builder());
    let bed = Bed::spawn(simulation.system());
    (0..10).for_each(|number| bed.count(number).send());
    simulation.run_for(Duration::from_millis(100));
    assert_eq!(bed.all_gone().ask_blocking(), Ok(0));
    simulation.run();
    assert_eq!(bed.all_gone().ask_blocking(), Ok(9));
}

#[derive(Actor)]
struct SpyState<'gc> {
    kept: Option<Gc<'gc, u64>>,
    received: Vec<u64>,
}

#[behaviours]
impl<'gc> SpyState<'gc> {
    #[start]
    fn new(t: &Turn<'gc, Spy>) -> Self {
        let kept = t.alloc(1);
        t.on_death(kept, t.me().received(1));
        // By the heap's own interface: with a token that belongs to a death watch too.
        t.watch_death(t.alloc(2_u64), 0);
        SpyState {
            kept: Some(kept),
            received: Vec::new(),
        }
    }
    fn received(&mut self, number: u64) {
        self.received.push(number);
    }
    fn watch_both(&mut self, t: &Turn<'gc, Spy>, actor: Address<Spy>) -> Promise<StopReason> {
        let object = t.watch_death(t.alloc(3_u64), 7);
        assert_eq!(t.unwatch_death(object), Some(7));
        t.watch(&actor)
    }
    fn all_received(&self) -> Vec<u64> {
        assert!(self.kept.is_some());
        self.received.clone()
    }
}

#[test]
fn a_watch_by_the_heap_itself_sends_no_death_notice() -> Result<(), AskError> {
    let simulation = Simulation::new(1);
    let spy = Spy::spawn(simulation.system());
    simulation.run();
    assert_eq!(spy.all_received().ask_blocking()?, Vec::<u64>::new());
    Ok(())
}

#[test]
fn a_turn_watches_actors_and_objects_by_different_names() {
    let simulation = Simulation::new(1);
    let system = simulation.system();
    let (spy, other) = (Spy::spawn(system), Spy::spawn(system));
    let ended = spy.watch_both(other.clone()).ask();
    simulation.run_for(Duration::from_millis(1));
    Address::stop(&other);
    assert_eq!(system.block_on(ended), Ok(StopReason::Stopped));
}

//! Actors of which the stop hook waits for its promise: restored they wait on, and end for the
//! reason for which they stopped.

use super::image::Image;
use super::not_restored::NotRestored;
use super::restore::restore;
use super::stopping::StoppingRecord;
use super::taking::{assert_is, goes_on_at_every_step, restored, simulated, take, take_now};
use crate::Supervisor;
use crate::actor::{AfterStop, WaitPurpose};
use crate::api::SavedKinds;
use crate::failures::StopReason;
use crate::injected_fault::{InjectedFault, must_catch};
use crate::oracle::Dice;
use crate::prelude::*;
use crate::simulation::Simulation;
use crate::sync::Arc;

/// Has the keys, and takes its time.
#[derive(Actor)]
#[actor(saved)]
struct Porter {
    waiting: Vec<(u64, Resolver<u64>)>,
    log: Vec<(u64, u64)>,
    slow: Vec<Resolver<u64>>,
}

#[behaviours]
impl Porter {
    #[start]
    fn new() -> Porter {
        Porter {
            waiting: Vec::new(),
            log: Vec::new(),
            slow: Vec::new(),
        }
    }

    fn lock(&mut self, t: &Turn<Self>, room: u64) -> Promise<u64> {
        let (promise, resolver) = t.promise();
        self.waiting.push((room, resolver));
        t.send(t.me().walk(3));
        promise
    }

    fn walk(&mut self, t: &Turn<Self>, steps: u64) {
        match steps {
            0 => {
                let (room, resolver) = self.waiting.remove(0);
                resolver.resolve(room);
            }
            _ => t.send(t.me().walk(steps - 1)),
        }
    }

    /// Answers when it is woken.
    fn sleeps(&mut self, t: &Turn<Self>) -> Promise<u64> {
        let (promise, resolver) = t.promise();
        self.slow.push(resolver);
        promise
    }

    /// Gives the oldest of these answers.
    fn is_woken(&mut self) {
        self.slow.remove(0).resolve(0);
    }

    /// The oldest of these answers comes last.
    fn passes_over(&mut self) {
        self.slow.rotate_left(1);
    }

    fn notes(&mut self, room: u64, what: u64) {
        self.log.push((room, what));
    }

    #[then]
    fn has_ended(&mut self, reason: Result<StopReason, AskError>, room: u64) {
        self.log.push((
            room,
            match reason {
                Ok(StopReason::Stopped) => 1,
                Ok(StopReason::Failed(_)) => 2,
                Ok(StopReason::Finished) => 3,
                Ok(_) => 4,
                Err(_) => 5,
            },
        ));
    }

    fn watches(&mut self, t: &Turn<Self>, room: Address<Room>, number: u64) {
        t.watch(&room).then_send(t.me().has_ended(number));
    }
}

/// Is locked when it stops.
#[derive(Actor)]
#[actor(saved)]
struct Room {
    number: u64,
    porter: Address<Porter>,
}

#[behaviours]
impl Room {
    #[start]
    fn new(t: &Turn<Self>, number: u64, porter: Address<Porter>) -> Room {
        t.send(porter.notes(number, 10));
        Room { number, porter }
    }

    fn fails(&mut self, t: &Turn<Self>) {
        t.fail("the roof leaks");
    }

    fn is_left(&mut self, t: &Turn<Self>) {
        t.stop();
    }

    fn is_entered(&mut self, t: &Turn<Self>) {
        t.send(self.porter.notes(self.number, 30));
    }

    /// It does not take part in what the room waits for when it stops.
    fn waits(&mut self, t: &Turn<Self>) -> Promise<u64> {
        let (promise, resolver) = t.promise::<u64>();
        drop(resolver);
        t.ask(self.porter.lock(99))
            .exclusive()
            .then_send(t.me().is_locked());
        promise
    }

    #[stop]
    fn ends(&mut self, t: &Turn<Self>) -> Promise<()> {
        t.ask(self.porter.lock(self.number))
            .then(t.me().is_locked())
    }

    #[then]
    fn is_locked(&mut self, t: &Turn<Self>, _room: Result<u64, AskError>) {
        t.send(self.porter.notes(self.number, 20));
    }
}

fn kinds() -> Arc<SavedKinds> {
    let kinds = SavedKinds::of::<(Porter, Room, Supervisor)>();
    Arc::new(kinds.expect("no two names are equal"))
}

fn begin(simulation: &Simulation) -> Address<Porter> {
    let system = simulation.system();
    let porter = Porter::spawn(system);
    system.keep(&porter);
    let rooms: Vec<_> = (1..4)
        .map(|number| Room::spawn(system, number, porter.clone()))
        .collect();
    for (number, room) in (1..).zip(&rooms) {
        system.keep(room);
        porter.watches(room.clone(), number).send();
    }
    let tree = Supervisor::one_for_one().spawn(system);
    system.keep(&tree);
    let child = tree.add(Room::child(4, porter.clone()));
    simulation.run();
    rooms[0].fails().send();
    rooms[1].is_left().send();
    rooms[1].is_entered().send();
    Address::stop(&rooms[2]);
    child.fails().send();
    child.is_entered().send();
    porter
}

fn end(simulation: &Simulation) -> Vec<(u64, u64)> {
    simulation.run();
    let mut log = Vec::new();
    for cell in simulation.system().shared().actors() {
        if let Ok(mut idle) = cell.hold_idle() {
            let _none = idle
                .state()
                .look::<Porter, _>(|porter| log.extend(porter.log.clone()));
            idle.park();
        }
    }
    log.sort_unstable();
    log
}

fn hooks_go_on() {
    let images = goes_on_at_every_step(3, &kinds(), begin, end);
    assert!(images > 20, "{images} images");
}

#[test]
fn a_stop_hook_waits_on_after_a_restore() {
    hooks_go_on();
}

#[test]
#[cfg_attr(miri, ignore = "the seeds of an interpreter are too few")]
fn a_stop_that_is_forgotten_is_noticed() {
    must_catch(InjectedFault::StopForgotten, hooks_go_on);
}

fn is_waiting(simulation: &Simulation, actor: u64, purpose: WaitPurpose) -> bool {
    let actors = simulation.system().shared().actors();
    let cell = actors.into_iter().find(|it| it.id == actor);
    let Ok(mut idle) = cell.expect("it has not ended").hold_idle() else {
        return false;
    };
    let is_waiting = idle.is_waiting_for(purpose);
    idle.park();
    is_waiting
}

/// An image in which a room stops, while it waits for something else, too.
fn stopping() -> Image {
    let simulation = simulated(&kinds(), 1);
    let system = simulation.system();
    let porter = Porter::spawn(system);
    let room = Room::spawn(system, 1, porter.clone());
    simulation.run();
    let waits = room.waits().ask();
    while !is_waiting(&simulation, Address::counted(&room).id, WaitPurpose::Reply) {
        assert!(simulation.step());
    }
    Address::stop(&room);
    for _ in 0..100 {
        let image = take_now(&simulation);
        if !image.shared.stopping.is_empty() {
            drop(waits);
            return image;
        }
        assert!(simulation.step());
    }
    panic!("it does not stop");
}

#[test]
fn what_the_actor_waited_for_before_does_not_matter() {
    let image = stopping();
    let (simulation, actors) = restored(&image, 1, &kinds());
    assert_eq!(take_now(&simulation), image);
    let room = image.shared.stopping[0].actor;
    assert!(is_waiting(&simulation, room, WaitPurpose::Stop));
    assert!(!is_waiting(&simulation, room, WaitPurpose::Reply));
    simulation.run();
    assert!(actors[&room].ended().is_some());
}

#[test]
fn a_stop_of_an_image_that_is_none_is_an_error() {
    let refused = |image: &Image| {
        let simulation = simulated(&kinds(), 1);
        let error = restore(simulation.system().shared(), image, &kinds()).err();
        simulation.run();
        error.expect("it is wrong")
    };
    let mut image = stopping();
    image.shared.stopping[0].then = AfterStop::GoesDown;
    assert!(matches!(refused(&image), NotRestored::StopHook { .. }));
    image.shared.stopping.clear();
    assert!(matches!(refused(&image), NotRestored::StopHook { .. }));
    let no_hook = |actor| StoppingRecord {
        actor,
        reason: StopReason::Stopped,
        then: AfterStop::Ends,
    };
    let mut image = stopping();
    image.shared.stopping.push(no_hook(image.actors[0].id));
    assert!(matches!(refused(&image), NotRestored::StopHook { .. }));
    let mut image = stopping();
    image.shared.stopping.push(no_hook(77));
    assert!(matches!(refused(&image), NotRestored::NoActor(77)));
}

/// Starts again, and waits when it stops.
#[derive(Actor)]
#[actor(saved(restart))]
struct Kiosk(Address<Porter>);

#[behaviours]
impl Kiosk {
    #[start]
    fn new(porter: Address<Porter>) -> Kiosk {
        Kiosk(porter)
    }

    #[stop]
    fn ends(&mut self, t: &Turn<Self>) -> Promise<()> {
        t.ask(self.0.lock(1)).then(t.me().is_locked())
    }

    #[then]
    fn is_locked(&mut self, _room: Result<u64, AskError>) {}
}

#[test]
fn a_stop_hook_of_an_actor_that_starts_again_is_an_error() {
    let kinds = Arc::new(SavedKinds::of::<(Porter, Kiosk)>().expect("no two names are equal"));
    let simulation = simulated(&kinds, 1);
    let porter = Porter::spawn(simulation.system());
    let kiosk = Kiosk::spawn(simulation.system(), porter.clone());
    simulation.run();
    Address::stop(&kiosk);
    let mut dice = Dice::new(1);
    let mut errors = 0;
    while simulation.step() {
        if let Err(error) = take(&simulation, &mut dice) {
            assert!(
                error.to_string().contains("a stop hook that waits"),
                "{error}"
            );
            errors += 1;
        }
    }
    assert!(errors > 0);
}

/// Waits for a porter that sleeps.
#[derive(Actor)]
#[actor(saved)]
struct Cellar(Address<Porter>);

#[behaviours]
impl Cellar {
    #[start]
    fn new(porter: Address<Porter>) -> Cellar {
        Cellar(porter)
    }

    fn waits(&mut self, t: &Turn<Self>) {
        t.ask(self.0.sleeps())
            .exclusive()
            .then_send(t.me().is_locked());
    }

    fn breaks_later(&mut self, t: &Turn<Self>) {
        t.ask(self.0.sleeps()).then_send(t.me().breaks());
    }

    fn fails(&mut self, t: &Turn<Self>) {
        t.fail("the pipe leaks");
    }

    fn is_entered(&mut self, t: &Turn<Self>) {
        t.send(self.0.notes(9, 30));
    }

    #[stop]
    fn ends(&mut self, t: &Turn<Self>) -> Promise<()> {
        t.ask(self.0.sleeps()).then(t.me().is_locked())
    }

    #[then]
    fn is_locked(&mut self, _room: Result<u64, AskError>) {}

    #[then]
    fn breaks(&mut self, _room: Result<u64, AskError>) {
        std::panic::resume_unwind(Box::new("as planned"));
    }
}

fn kinds_of_cellar() -> Arc<SavedKinds> {
    let kinds = SavedKinds::of::<(Porter, Cellar, Supervisor)>();
    Arc::new(kinds.expect("no two names are equal"))
}

/// A supervised cellar, and the porter of which it asks answers.
fn cellar(simulation: &Simulation) -> (Address<Porter>, Address<Cellar>) {
    let system = simulation.system();
    let porter = Porter::spawn(system);
    let tree = Supervisor::one_for_one().spawn(system);
    let cellar = tree.add(Cellar::child(porter.clone()));
    system.keep(&tree);
    system.register("porter", &porter).expect("a new name");
    system.register("cellar", &cellar).expect("a new name");
    simulation.run();
    (porter, cellar)
}

/// The cellar has started again, while an answer for its first incarnation is open. Restored it
/// takes messages, and the late answer does nothing.
fn takes_messages(simulation: &Simulation) {
    let image = take_now(simulation);
    assert!(image.promises() > 0, "an answer is open");
    let (simulation, _actors) = restored(&image, 1, &kinds_of_cellar());
    assert_is(&take_now(&simulation), &image, "at once");
    let system = simulation.system();
    let cellar = system.lookup::<Cellar>("cellar").expect("it is named");
    let porter = system.lookup::<Porter>("porter").expect("it is named");
    cellar.is_entered().send();
    assert_eq!(end(&simulation), [(9, 30)]);
    porter.is_woken().send();
    cellar.is_entered().send();
    assert_eq!(end(&simulation), [(9, 30), (9, 30)]);
}

#[test]
fn a_wait_of_an_earlier_incarnation_is_over_in_the_image() {
    let simulation = simulated(&kinds_of_cellar(), 1);
    let (porter, cellar) = cellar(&simulation);
    // It is in a wait when it panics.
    cellar.breaks_later().send();
    cellar.waits().send();
    simulation.run();
    porter.is_woken().send();
    simulation.run();
    // Its stop hook is answered next but one.
    porter.passes_over().send();
    porter.is_woken().send();
    simulation.run();
    takes_messages(&simulation);
}

#[test]
fn a_stop_hook_that_was_cut_short_is_over_in_the_image() {
    let simulation = simulated(&kinds_of_cellar(), 1);
    let (porter, cellar) = cellar(&simulation);
    cellar.breaks_later().send();
    cellar.fails().send();
    simulation.run();
    // The hook waits, and the continuation panics.
    porter.is_woken().send();
    simulation.run();
    takes_messages(&simulation);
}

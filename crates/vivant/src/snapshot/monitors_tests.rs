//! Links, marks of stops and stops that wait are restored: an actor fails with its peer, and ends
//! behind the messages that came before the stop.

use super::ended::EndedRecord;
use super::message_record::{
    KindRecord, MessageData, MessageKindRecord, MessageRecord, WaitingKind,
};
use super::not_restored::NotRestored;
use super::restore::restore;
use super::taking::{goes_on_at_every_step, restored, simulated, take_now};
use crate::api::{SavedForm, SavedKinds};
use crate::failures::StopReason;
use crate::injected_fault::{InjectedFault, caught};
use crate::interned::Place;
use crate::prelude::*;
use crate::simulation::Simulation;
use crate::sync::Arc;
use vivant_codec::Saved;

/// Fails, or ends in peace, with a link to others.
#[derive(Actor)]
#[actor(saved)]
struct Climber {
    steps: u64,
    log: Address<Log>,
}

#[behaviours]
impl Climber {
    #[start]
    fn new(log: Address<Log>) -> Climber {
        Climber { steps: 0, log }
    }

    fn ties(&mut self, t: &Turn<Self>, other: Address<Climber>) {
        t.link(&other);
    }

    fn unties(&mut self, t: &Turn<Self>, other: Address<Climber>) {
        t.unlink(&other);
    }

    fn climb(&mut self) {
        self.steps += 1;
    }

    fn fall(&mut self, t: &Turn<Self>) {
        t.fail("the rock is loose");
    }

    #[stop]
    fn ends(&mut self, t: &Turn<Self>, reason: &StopReason) {
        let links = match reason {
            StopReason::Linked(linked) => linked.links as u64,
            StopReason::Failed(_) => 100,
            StopReason::Drained => 200,
            StopReason::Stopped => 300,
            _ => 400,
        };
        t.send(self.log.ended(self.steps, links));
    }
}

#[derive(Actor)]
#[actor(saved)]
struct Log {
    ends: Vec<(u64, u64)>,
}

#[behaviours]
impl Log {
    #[start]
    fn new() -> Log {
        Log { ends: Vec::new() }
    }

    fn ended(&mut self, steps: u64, links: u64) {
        self.ends.push((steps, links));
    }
}

fn kinds() -> Arc<SavedKinds> {
    Arc::new(SavedKinds::of::<(Climber, Log)>().expect("no two names are equal"))
}

/// A chain of climbers, of which the first falls; a pair that unties before one of them falls; a
/// climber that stops behind its messages; and a last one.
fn begin(simulation: &Simulation) -> (Address<Log>, Vec<Address<Climber>>) {
    let system = simulation.system();
    let log = Log::spawn(system);
    system.keep(&log);
    let climbers: Vec<_> = (0..7)
        .map(|_| Climber::spawn(system, log.clone()))
        .collect();
    for pair in climbers[..3].windows(2) {
        pair[0].ties(pair[1].clone()).send();
    }
    climbers[3].ties(climbers[4].clone()).send();
    climbers[3].unties(climbers[4].clone()).send();
    simulation.run();
    for climber in &climbers {
        climber.climb().send();
        system.keep(climber);
    }
    climbers[0].fall().send();
    climbers[3].fall().send();
    climbers[4].climb().send();
    Address::stop_after_queue(&climbers[5]);
    climbers[5].climb().send();
    (log, climbers)
}

fn end(simulation: &Simulation) -> Vec<(u64, u64)> {
    simulation.run();
    let mut ends = Vec::new();
    for cell in simulation.system().shared().actors() {
        let mut idle = cell.hold_idle().expect("all is done");
        let log = idle.state().look::<Log, _>(|log| log.ends.clone());
        let steps = idle
            .state()
            .look::<Climber, _>(|climber| (climber.steps, 0));
        idle.park();
        ends.extend(log.unwrap_or_default());
        ends.extend(steps);
    }
    // What was linked falls before or after its message.
    ends.iter_mut()
        .for_each(|end| end.0 = if end.1 == 0 { end.0 } else { 0 });
    ends.sort_unstable();
    ends
}

fn monitors_go_on() {
    let images = goes_on_at_every_step(6, &kinds(), begin, end);
    assert!(images > 5, "{images} images");
}

#[test]
fn links_and_stops_go_on() {
    let simulation = simulated(&kinds(), 0);
    let _program = begin(&simulation);
    let ends = [(0, 1), (0, 2), (0, 100), (0, 100), (0, 200), (1, 0), (2, 0)];
    let mut expected = ends.to_vec();
    expected.sort_unstable();
    assert_eq!(end(&simulation), expected);
    monitors_go_on();
}

#[test]
#[cfg_attr(miri, ignore = "the seeds of an interpreter are too few")]
fn a_lost_link_is_noticed() {
    let said = caught(InjectedFault::LinkUnrecorded, monitors_go_on);
    assert!(said.contains("seed"), "{said}");
}

/// A stop that was sent and not handled.
#[test]
fn a_stop_that_waits_ends_the_actor() {
    let simulation = simulated(&kinds(), 1);
    let (_log, climbers) = begin(&simulation);
    simulation.run();
    Address::stop(&climbers[6]);
    let image = take_now(&simulation);
    assert_eq!(image.shared.monitors.stops.len(), 1);
    let (simulation, _actors) = restored(&image, 2, &kinds());
    assert_eq!(take_now(&simulation), image);
    assert!(end(&simulation).contains(&(0, 300)));
}

/// A watch is of an actor that the image has, or of an ended one.
#[test]
fn a_watch_of_no_actor_is_an_error() {
    let simulation = simulated(&kinds(), 1);
    let _program = begin(&simulation);
    simulation.run();
    let mut image = take_now(&simulation);
    let id = image.system.numbers.0;
    image.system.numbers.0 += 1;
    image.shared.ended.push(EndedRecord {
        id,
        class: "gone::Guide".to_owned(),
        path: vec![9],
        reason: StopReason::NotSaved,
    });
    let living = image.actors[0].id;
    let shape = <Resolver<StopReason> as Saved<'static>>::SHAPE;
    let shape = image.shapes.add(shape).expect("it is there");
    let kind = image.kinds.kinds.len() as u32;
    image.kinds.kinds.push(MessageKindRecord {
        what: WaitingKind::Message(KindRecord {
            form: SavedForm::Runtime,
            name: "watch".to_owned(),
        }),
        made: Place::caller(),
        shape,
    });
    image.shared.monitors.watches = [living, id].map(|id| watch(id, kind)).into();
    let (simulation, _actors) = restored(&image, 2, &kinds());
    simulation.run();
    image.shared.monitors.watches.push(watch(id + 1, kind));
    let refused = restore(simulated(&kinds(), 3).system().shared(), &image, &kinds());
    let error = refused.err().expect("no actor has had this number");
    assert!(
        matches!(error, NotRestored::NoActor(actor) if actor == id + 1),
        "{error}"
    );
}

fn watch(actor: u64, kind: u32) -> MessageRecord {
    MessageRecord {
        actor,
        message: MessageData {
            kind,
            waits_as: crate::actor::WaitsAs::Message,
            // No promise.
            bytes: vec![0],
        },
    }
}

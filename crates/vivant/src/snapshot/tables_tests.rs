//! Names, and actors that the system keeps, are in an image as they were at the line.

use super::image::Image;
use super::mid_turn::{self, mid_turn};
use super::taking::{restored, simulated, take_now};
use crate::api::SavedKinds;
use crate::injected_fault::{InjectedFault, caught};
use crate::oracle::Dice;
use crate::patterns::Names;
use crate::prelude::*;
use crate::simulation::Simulation;
use crate::sync::Arc;
use crate::system::System;

#[interface]
trait Known {
    fn note(&mut self, number: u64);
}

/// Writes down which names it has.
#[derive(Actor)]
#[actor(saved, blocks(dyn Known))]
struct Registrar {
    names: Vec<u64>,
    /// Names that it got from outside, in messages that were sent after the registration.
    notes: Vec<u64>,
    others: Vec<Address<Registrar>>,
}

fn name(number: u64) -> String {
    format!("own {number}")
}

fn given_name(number: u64) -> String {
    format!("given {number}")
}

#[behaviours]
impl Registrar {
    #[start]
    fn new() -> Registrar {
        Registrar {
            names: Vec::new(),
            notes: Vec::new(),
            others: Vec::new(),
        }
    }

    fn knows(&mut self, other: Address<Registrar>) {
        self.others.push(other);
    }

    fn take_name(&mut self, t: &Turn<Self>, number: u64) {
        mid_turn();
        let is_new = !self.names.contains(&number);
        if t.register(&name(number), &t.me()).is_ok() && is_new {
            mid_turn();
            self.names.push(number);
        }
    }

    fn give_up(&mut self, t: &Turn<Self>, number: u64) {
        if let Some(at) = self.names.iter().position(|own| *own == number) {
            mid_turn();
            assert!(t.unregister(&name(number)));
            mid_turn();
            self.names.remove(at);
        }
    }

    /// The name goes to another actor, if that one gets it.
    fn pass_on(&mut self, t: &Turn<Self>, number: u64) {
        self.give_up(t, number);
        if let Some(other) = self.others.get(number as usize % 3) {
            t.send(other.take_name(number));
        }
    }

    fn finish(&mut self, t: &Turn<Self>) {
        mid_turn();
        t.stop();
    }

    fn split(&mut self, t: &Turn<Self>, number: u64) {
        let child = Registrar::spawn(t);
        t.send(child.take_name(number));
        self.others.insert(0, child);
    }
}

#[behaviours]
impl Known for Registrar {
    fn note(&mut self, number: u64) {
        self.notes.push(number);
    }
}

fn kinds() -> Arc<SavedKinds> {
    Arc::new(SavedKinds::of::<(Registrar,)>().expect("no two names are equal"))
}

/// Something that comes from outside. `given` is the number of names that were given.
fn order(system: &System, actors: &[Address<Registrar>], dice: &mut Dice, given: &mut u64) {
    let actor = &actors[dice.below(actors.len())];
    let number = dice.below(6) as u64;
    match dice.below(12) {
        0..4 => actor.take_name(number).send(),
        4..6 => actor.give_up(number).send(),
        6..9 => actor.pass_on(number).send(),
        9 => actor.split(number).send(),
        10 => actor.finish().send(),
        _ => {
            let known: Address<dyn Known> = Address::upcast(actor);
            if system.register(&given_name(*given), &known).is_ok() {
                known.note(*given).send();
                *given += 1;
            }
        }
    }
}

fn images(seed: u64) -> Vec<Image> {
    let simulation = simulated(&kinds(), seed);
    let system = simulation.system();
    let actors: Vec<_> = (0..3).map(|_| Registrar::spawn(system)).collect();
    for one in &actors {
        for other in &actors {
            one.knows(other.clone()).send();
        }
    }
    mid_turn::begin(&simulation, seed);
    let (mut dice, mut given) = (Dice::new(!seed), 0);
    for _ in 0..300 {
        match dice.below(6) {
            0 => order(system, &actors, &mut dice, &mut given),
            1..3 => mid_turn::step(),
            _ => {
                simulation.step();
            }
        }
    }
    mid_turn::end()
}

/// Calls `body` with the numbers of each actor and its state.
fn each_state(simulation: &Simulation, mut body: impl FnMut(u64, &Registrar)) {
    for cell in simulation.system().shared().actors() {
        let Ok(mut idle) = cell.hold_idle() else {
            continue;
        };
        let _none = idle
            .state()
            .look::<Registrar, _>(|state| body(cell.id, state));
        idle.park();
    }
}

/// The names that actors have are those that they have written down. But an actor to which no
/// address leads, and which is about to end, may have lost a name to another one.
fn check(image: &Image, seed: u64) {
    let (simulation, actors) = restored(image, seed, &kinds());
    let system = simulation.system();
    let mut written: Vec<(String, u64)> = Vec::new();
    for record in &image.actors {
        let mut state = None;
        let cell = actors[&record.id].cell();
        if let Ok(mut idle) = cell.hold_idle() {
            state = idle
                .state()
                .look::<Registrar, _>(|state| state.names.clone());
            idle.park();
        } else {
            system.shared().scheduler.each_queued(&mut |actor| {
                let mut idle = crate::run::Idle::between_runs(actor);
                if idle.id == record.id {
                    state = idle
                        .state()
                        .look::<Registrar, _>(|state| state.names.clone());
                }
                idle.into_runnable()
            });
        }
        let names = state.unwrap_or_default();
        written.extend(names.into_iter().map(|number| (name(number), record.id)));
    }
    written.sort();
    let names = image.shared.tables.names.iter();
    let own = names.filter(|record| record.name.starts_with("own"));
    let own: Vec<_> = own
        .map(|record| (record.name.clone(), record.actor))
        .collect();
    let (written, lost): (Vec<_>, Vec<_>) = written.into_iter().partition(|it| own.contains(it));
    assert_eq!(own, written, "seed {seed}");
    let facts = Names::of(system.shared()).facts();
    assert_eq!(facts.len(), image.shared.tables.names.len(), "seed {seed}");
    assert_eq!(take_now(&simulation), *image, "seed {seed}");

    drop(actors);
    let known = system.shared().actors().into_iter();
    let known: Vec<_> = known.filter(|cell| cell.addresses() > 0).collect();
    for (name, id) in lost {
        let is_unknown = known.iter().all(|cell| cell.id != id);
        assert!(is_unknown, "seed {seed}: {id} has lost {name}");
    }
    drop(known);
    simulation.run();
    each_state(&simulation, |id, state| {
        for number in &state.notes {
            let known = system.lookup::<dyn Known>(&given_name(*number));
            let known = known.map(|known| Address::counted(&known).id);
            assert_eq!(
                known.ok(),
                Some(id),
                "seed {seed}: given before the message was sent"
            );
        }
    });
}

const SEEDS: u64 = if cfg!(miri) { 2 } else { 150 };

fn names_are_those_of_the_line() {
    let mut checked = 0;
    for seed in 0..SEEDS {
        for image in images(seed) {
            check(&image, seed);
            checked += usize::from(!image.shared.tables.names.is_empty());
        }
    }
    assert!(checked as u64 > SEEDS, "{checked} images with names");
}

#[test]
fn a_name_is_in_the_image_if_it_was_registered_before_the_line() {
    names_are_those_of_the_line();
}

/// A name that was registered behind the line, or removed behind it.
#[test]
#[cfg_attr(miri, ignore = "the seeds of an interpreter are too few")]
fn a_name_seen_across_the_line_is_noticed() {
    for fault in [
        InjectedFault::NewerEntryRecorded,
        InjectedFault::EntryTakenUnrecorded,
    ] {
        let said = caught(fault, names_are_those_of_the_line);
        assert!(said.contains("seed"), "{fault:?}: {said}");
    }
}

#[test]
fn a_kept_actor_is_kept_after_a_restore() {
    let simulation = simulated(&kinds(), 1);
    let system = simulation.system();
    let (kept, other, released) = (
        Registrar::spawn(system),
        Registrar::spawn(system),
        Registrar::spawn(system),
    );
    let id = Address::counted(&kept).id;
    system.keep(&kept);
    system.keep(&released);
    simulation.run();
    assert!(system.release(&released));
    let image = take_now(&simulation);
    drop((kept, other, released));
    let (simulation, actors) = restored(&image, 2, &kinds());
    assert_eq!(actors.len(), 3);
    drop(actors);
    simulation.run();
    let living = simulation.system().shared().actors();
    assert_eq!(living.iter().map(|cell| cell.id).collect::<Vec<_>>(), [id]);
}

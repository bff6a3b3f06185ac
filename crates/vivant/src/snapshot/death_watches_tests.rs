//! Death watches in images: notices come as they would have come.

use super::taking::{restored, simulated, try_take_now};
use crate::api::SavedKinds;
use crate::injected_fault::{InjectedFault, must_catch};
use crate::prelude::*;
use crate::simulation::Simulation;
use crate::sync::Arc;
use std::time::Duration;
use vivant_heap::{DeathWatch, Gc, Mut};

/// Opens files, and hears of each that nothing has any more.
#[derive(Actor)]
#[actor(saved, id = "watched::Desk")]
struct DeskState<'gc> {
    open: Vec<Gc<'gc, Mut<u64>>>,
    last: Option<DeathWatch>,
    closed: Vec<u64>,
}

#[behaviours(id = "watched::Desk")]
impl<'gc> DeskState<'gc> {
    #[start]
    fn new() -> Self {
        DeskState {
            open: Vec::new(),
            last: None,
            closed: Vec::new(),
        }
    }

    fn open(&mut self, t: &Turn<'gc, Desk>, number: u64, archive: Address<Archive>) {
        let file = t.alloc(Mut::new(number));
        t.on_death(file, t.me().closed(number));
        self.last = Some(t.on_death(file, archive.keep(number)));
        self.open.push(file);
    }

    fn close(&mut self, first: usize) {
        self.open.drain(..first);
    }

    /// The archive does not hear of the last file.
    fn hides_last(&mut self, t: &Turn<'gc, Desk>) -> bool {
        self.last.take().is_some_and(|watch| t.forget_death(watch))
    }

    fn closed(&mut self, number: u64) {
        self.closed.push(number);
    }
}

#[derive(Actor)]
#[actor(saved, id = "watched::Archive")]
struct Archive {
    kept: Vec<u64>,
}

#[behaviours(id = "watched::Archive")]
impl Archive {
    #[start]
    fn new() -> Archive {
        Archive { kept: Vec::new() }
    }

    fn keep(&mut self, number: u64) {
        self.kept.push(number);
    }
}

fn kinds() -> Arc<SavedKinds> {
    Arc::new(SavedKinds::of::<(Desk, Archive)>().expect("no two names are equal"))
}

/// What the desk and the archive have heard when all is collected.
fn heard(simulation: &Simulation) -> (Vec<u64>, Vec<u64>) {
    simulation.run_for(Duration::from_secs(60));
    let (mut closed, mut kept) = (Vec::new(), Vec::new());
    for cell in simulation.system().shared().actors() {
        let mut idle = cell.hold_idle().expect("all is done");
        let of_desk = idle.state().look::<Desk, _>(|desk| desk.closed.clone());
        let of_archive = idle.state().look::<Archive, _>(|it| it.kept.clone());
        idle.park();
        closed.extend(of_desk.into_iter().flatten());
        kept.extend(of_archive.into_iter().flatten());
    }
    (closed, kept)
}

/// Files 1 and 2 are not open any more, and nothing has found it; the last one is open.
fn begin(simulation: &Simulation) -> Address<Desk> {
    let desk = Desk::spawn(simulation.system());
    let archive = Archive::spawn(simulation.system());
    (1..=3).for_each(|number| desk.open(number, archive.clone()).send());
    desk.close(2).send();
    simulation.run_for(Duration::from_micros(1));
    desk
}

fn notices_come() {
    let simulation = simulated(&kinds(), 1);
    let _desk = begin(&simulation);
    let image = try_take_now(&simulation).expect("all of it is saved");
    assert_eq!(image.actors[0].watches.len(), 6);
    let (again, actors) = restored(&image, 2, &kinds());
    let expected = (vec![1, 2], vec![1, 2]);
    assert_eq!(heard(&simulation), expected);
    assert_eq!(heard(&again), expected);
    // The watches of the open file are those of the state.
    let desk = actors.values().next().expect("a desk comes first");
    let desk: Address<Desk> = crate::api::address_by(desk, &kinds()).expect("it is one");
    let hides = again.system().block_on(desk.hides_last().ask());
    assert_eq!(hides, Ok(true));
}

#[test]
fn notices_come_in_a_restored_system() {
    notices_come();
}

#[test]
fn lost_watches_are_noticed() {
    must_catch(InjectedFault::WatchesUnrecorded, notices_come);
}

/// An image of a restored system has the watches that it was restored from.
#[test]
fn watches_are_restored_as_they_were() {
    let simulation = simulated(&kinds(), 1);
    let _desk = begin(&simulation);
    let image = try_take_now(&simulation).expect("all of it is saved");
    let (again, _actors) = restored(&image, 2, &kinds());
    let of_restored = try_take_now(&again).expect("all of it is saved");
    for (one, other) in image.actors.iter().zip(&of_restored.actors) {
        let numbers = |actor: &super::image::ActorRecord| -> Vec<(u64, u64)> {
            let watches = actor.watches.iter();
            watches
                .map(|it| (it.watch.number, it.watch.token))
                .collect()
        };
        assert_eq!(numbers(one), numbers(other));
        let open = one.watches.iter().filter(|it| it.watch.token >= 4);
        for (watch, again) in open.zip(other.watches.iter().filter(|it| it.watch.token >= 4)) {
            assert_eq!(watch, again);
        }
    }
}

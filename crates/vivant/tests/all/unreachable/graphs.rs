//! Actors with graphs as their states and addresses in objects of their heaps.

use super::*;
use vivant::Pacing;
use vivant::heap::{Stress, When};
use vivant::simulation::Faults;

/// A part of the state that is no [`vivant::TraceReferences`], and an object.
#[derive(Object, Default)]
struct Office {
    neighbour: Option<Address<Hall>>,
}

#[derive(Object)]
struct Room<'gc> {
    guest: Option<Address<Hall>>,
    next: Option<Gc<'gc, Mut<Room<'gc>>>>,
}

/// Holds addresses in objects of its heap.
#[derive(Actor)]
pub(super) struct HallState<'gc> {
    name: u64,
    ends: Ends,
    office: Office,
    rooms: Option<Gc<'gc, Mut<Room<'gc>>>>,
    guests: gc::HashMap<'gc, u64, Address<Hall>>,
    visitors: gc::Vec<'gc, Address<Node>>,
    shared: Option<Val<'gc, Address<Hall>>>,
    region: Option<Iso<Gc<'static, Mut<Room<'static>>>>>,
    keys: Vec<Key<'gc>>,
    copies: Option<Vec<Val<'gc, Key<'gc>>>>,
}

/// To a room of another hall.
type Key<'gc> = Far<'gc, Hall, Mut<Room<'gc>>>;

#[behaviours]
impl<'gc> HallState<'gc> {
    #[start]
    fn new(_: &Turn<'gc, Hall>, name: u64, ends: Ends) -> Self {
        HallState {
            name,
            ends,
            office: Office::default(),
            rooms: None,
            guests: gc::HashMap::new(),
            visitors: gc::Vec::new(),
            shared: None,
            region: None,
            keys: Vec::new(),
            copies: None,
        }
    }

    fn lodges(&mut self, t: &Turn<'gc, Hall>, guest: Address<Hall>) {
        let (guest, next) = (Some(guest), self.rooms);
        self.rooms = Some(t.alloc(Mut::new(Room { guest, next })));
    }

    fn notes(&mut self, t: &Turn<'gc, Hall>, key: u64, guest: Address<Hall>) {
        self.guests.insert(t, key, guest);
    }

    fn is_beside(&mut self, neighbour: Address<Hall>) {
        self.office.neighbour = Some(neighbour);
    }

    fn receives(&mut self, t: &Turn<'gc, Hall>, visitor: Address<Node>) {
        self.visitors.push(t, visitor);
    }

    fn shares(&mut self, t: &Turn<'gc, Hall>, guest: Address<Hall>) {
        self.shared = Some(t.val(guest));
    }

    fn shuts_away(&mut self, t: &Turn<'gc, Hall>, guest: Address<Hall>) {
        self.region = Some(t.iso(move |r| {
            let guest = Some(guest);
            r.alloc(Mut::new(Room { guest, next: None }))
        }));
    }

    fn lets_out(&mut self, t: &Turn<'gc, Hall>) {
        self.rooms = self.region.take().map(|region| region.merge(t));
    }

    /// A room of its own for another one.
    fn lets_a_room(&self, t: &Turn<'gc, Hall>, to: Address<Hall>) {
        let (guest, next) = (None, None);
        let room = t.alloc(Mut::new(Room { guest, next }));
        t.send(to.takes(t.far(room)));
    }

    fn takes(&mut self, t: &Turn<'gc, Hall>, key: Key<'gc>) {
        match &mut self.copies {
            Some(copies) => copies.push(t.val(key)),
            None => self.keys.push(key),
        }
    }

    /// From now on the keys that it takes can be shared.
    fn has_keys_copied(&mut self) {
        self.copies = Some(Vec::new());
    }

    /// The first guest's address is sent to the second one.
    fn sends_on(&mut self, t: &Turn<'gc, Hall>) {
        let first = self.rooms.and_then(|room| room.borrow_mut(t).guest.take());
        let second = self.guests.get(&1);
        if let (Some(first), Some(second)) = (first, second) {
            t.send(second.lodges(first));
        }
    }

    fn empties(&mut self) {
        self.rooms = None;
    }

    fn name(&self) -> u64 {
        self.name
    }

    #[stop]
    fn stopping(&mut self, reason: &StopReason) {
        self.ends.note(self.name, reason);
    }
}

fn hall(stage: &Stage, name: u64) -> Address<Hall> {
    Hall::spawn(&stage.system, name, stage.ends.clone())
}

/// Returns whether two halls both end when only they refer to each other.
fn end_by(knows: impl Fn(&Address<Hall>, &Address<Hall>)) -> bool {
    let (simulation, stage) = Stage::simulated();
    let (a, b) = (hall(&stage, 0), hall(&stage, 1));
    knows(&a, &b);
    knows(&b, &a);
    simulation.run();
    assert_eq!(stage.alive(), 2);
    drop((a, b));
    simulation.run();
    let reasons = stage.ends.reasons();
    assert!(reasons.values().all(|reason| reason == "Unreachable"));
    assert_eq!(stage.alive() + reasons.len(), 2);
    stage.alive() == 0
}

#[test]
fn addresses_are_traced_in_objects_of_every_kind() {
    assert!(end_by(|a, b| a.lodges(b.clone()).send()));
    assert!(end_by(|a, b| a.notes(7, b.clone()).send()));
    assert!(end_by(|a, b| a.is_beside(b.clone()).send()));
    assert!(end_by(|a, b| a.lets_a_room(b.clone()).send()));
    assert!(end_by(|a, b| {
        (0..100).for_each(|key| a.notes(key, b.clone()).send());
        (0..100).for_each(|_| a.lodges(b.clone()).send());
        a.is_beside(b.clone()).send();
    }));
}

#[test]
fn an_address_in_a_region_or_shared_object_counts_as_external() {
    assert!(!end_by(|a, b| a.shares(b.clone()).send()));
    assert!(!end_by(|a, b| a.shuts_away(b.clone()).send()));
    assert!(!end_by(|a, b| {
        a.has_keys_copied().send();
        b.lets_a_room(a.clone()).send();
    }));
    assert!(end_by(|a, b| {
        a.shuts_away(b.clone()).send();
        a.lets_out().send();
    }));
}

#[test]
fn cycles_of_graphs_and_plain_actors_end() {
    let (simulation, stage) = Stage::simulated();
    let (hall, node) = (hall(&stage, 0), stage.node(1));
    hall.receives(node.clone()).send();
    node.enters(hall.clone()).send();
    drop(node);
    simulation.run();
    assert_eq!(stage.alive(), 2);
    drop(hall);
    simulation.run();
    assert_eq!(stage.alive(), 0);
}

#[test]
fn an_actor_referenced_only_by_garbage_ends_while_its_holder_is_idle() {
    let (simulation, stage) = Stage::simulated();
    let (a, b) = (hall(&stage, 0), hall(&stage, 1));
    a.lodges(b).send();
    simulation.run();
    assert_eq!(stage.alive(), 2);
    a.empties().send();
    simulation.run();
    assert_eq!(stage.alive(), 1);
    assert_eq!(a.name().ask_blocking(), Ok(0));
}

#[test]
fn a_traced_address_may_be_sent_away() {
    let (simulation, stage) = Stage::simulated();
    // Each holds the next one's address, and an actor with the first one's address keeps all.
    let halls: Vec<_> = (0..4).map(|name| hall(&stage, name)).collect();
    for (at, one) in halls.iter().enumerate() {
        one.notes(1, halls[(at + 1) % 4].clone()).send();
    }
    halls[0].lodges(halls[2].clone()).send();
    let outside = halls[0].clone();
    drop(halls);
    simulation.run();
    assert_eq!(stage.alive(), 4);
    outside.sends_on().send();
    simulation.run();
    assert_eq!(stage.alive(), 4);
    drop(outside);
    simulation.run();
    assert_eq!(stage.alive(), 0);
}

#[test]
fn why_alive_follows_references_in_heaps() {
    let (simulation, stage) = Stage::simulated();
    let (a, b) = (hall(&stage, 0), hall(&stage, 1));
    a.lodges(b.clone()).send();
    stage.system.keep(&a);
    simulation.run();
    let why = stage.system.why_alive(&b);
    assert_eq!(
        (actors(&why), why.by),
        (vec![Address::path(&a)], KeptBy::Kept)
    );
    let objects = &why.through[0].objects;
    assert!(objects.len() == 1 && objects[0].contains("Room"), "{why}");
    a.is_beside(b.clone()).send();
    simulation.run();
    let why = stage.system.why_alive(&b);
    assert!(why.through[0].objects.is_empty(), "{why}");
}

#[cfg_attr(miri, vivant::test(seeds = 1))]
#[cfg_attr(not(miri), vivant::test(seeds = 100))]
fn seeded_only_unreferenced_graphs_end(simulation: &Simulation) {
    let seed = simulation.seed();
    let when = [When::Paced, When::All, When::Chance][seed as usize % 3];
    let pacing = Pacing::new()
        .nursery(2_000)
        .stressed(Stress::new(when, seed));
    let builder = System::builder().pacing(pacing);
    let simulation = Simulation::with(seed, Faults::none(), builder);
    let stage = Stage::on(&simulation);
    let baseline = stage.system.inspect().bytes;
    let halls: Vec<_> = (0..8).map(|name| hall(&stage, name)).collect();
    // Two groups. Actions in one do not affect the other.
    for at in 0..8 {
        let group = at / 4 * 4;
        let next = &halls[group + (at + 1) % 4];
        match (seed + at as u64) % 3 {
            0 => halls[at].notes(1, next.clone()).send(),
            1 => halls[at].lodges(next.clone()).send(),
            _ => halls[at].is_beside(next.clone()).send(),
        }
        halls[at]
            .notes(1, halls[group + (at + 2) % 4].clone())
            .send();
    }
    for at in 0..8 {
        halls[(at + seed as usize) % 8].sends_on().send();
    }
    let mut halls = halls.into_iter();
    let first: Vec<_> = halls.by_ref().take(4).collect();
    let kept = halls.next();
    drop(halls);
    if seed.is_multiple_of(2) {
        simulation.run();
        assert_eq!(stage.alive(), 8);
    }
    drop(first);
    simulation.run();
    assert!(
        stage.ends.names().iter().all(|name| *name < 4),
        "the others are held"
    );
    assert_eq!(stage.alive(), 4);
    drop(kept);
    simulation.run();
    assert_eq!(stage.alive(), 0);
    assert_eq!(stage.system.inspect().bytes, baseline);
}

#[test]
fn why_alive_names_addresses_in_shared_objects() {
    let (simulation, stage) = Stage::simulated();
    let (a, b) = (hall(&stage, 0), hall(&stage, 1));
    // A cycle: a's shared object has the address of b, and b's private object that of a.
    a.shares(b.clone()).send();
    b.lodges(a.clone()).send();
    simulation.run();
    let why = stage.system.why_alive(&b);
    assert_eq!((actors(&why), why.by), (vec![], KeptBy::Shared(1)));
    let b = Address::downgrade(&{ b });
    simulation.run();
    let why = stage.system.why_alive(&a);
    let b = b.upgrade().expect("the shared object keeps it");
    assert_eq!(
        (actors(&why), why.by),
        (vec![Address::path(&b)], KeptBy::Shared(1))
    );
    // An address outside is told from it.
    let why = stage.system.why_alive(&a);
    assert_eq!(why.by, KeptBy::Outside(2));
}

//! Far references after the end of their actors, and the ends of actors and objects that they kept
//! alive.

use super::{Artist, Scene, Token, made, nodes, seeded};
use std::collections::HashMap;
use std::time::Duration;
use vivant::Report;
use vivant::heap::{Stress, TagId, When};
use vivant::prelude::*;
use vivant::{Pacing, Supervisor};

#[test]
fn seeded_an_object_ends_with_its_actor_and_its_tag_stays() {
    let name = "seeded_an_object_ends_with_its_actor_and_its_tag_stays";
    seeded(name, |simulation, token| {
        let system = simulation.system();
        let scene = Scene::spawn(system);
        let artist = Artist::spawn(system);
        drop(made(&scene, "unnamed", token));
        let node = made(&scene, "one", token);
        node.look(|node| artist.keep(node.clone()).send());
        drop(node);
        drop(made(&scene, "also unnamed", token));
        Address::stop(&scene);
        simulation.run();
        // Of the node that is kept, the tag entry is left.
        assert_eq!((system.inspect().detached_heaps, nodes(token)), (1, 0));
        artist.rename("x".into()).send();
        let read = artist.read().ask_blocking();
        assert!(matches!(read, Err(AskError::Stopped { .. })), "{read:?}");
        let dead = system.dead_letters().counts();
        assert!(
            dead.iter().any(|it| it.behaviour.contains("rename")),
            "{dead:?}"
        );
        assert_eq!(artist.different().ask_blocking(), Ok(1), "an identity");
        simulation.run();
        assert_eq!(system.inspect().detached_heaps, 1);
        artist.forget().send();
        simulation.run();
        assert_eq!(system.inspect().detached_heaps, 0);
    });
}

#[test]
fn seeded_a_restarted_actor_refuses_its_former_tags() {
    let name = "seeded_a_restarted_actor_refuses_its_former_tags";
    seeded(name, |simulation, token| {
        let system = simulation.system();
        let tree = Supervisor::one_for_one().spawn(system);
        let scene = tree.add(Scene::child());
        let artist = Artist::spawn(system);
        let node = made(&scene, "one", token);
        node.look(|node| artist.keep(node.clone()).send());
        drop(node);
        assert!(scene.fail().ask_blocking().is_err());
        assert_eq!(artist.read().ask_blocking(), Ok(None));
        artist.rename("x".into()).send();
        // A node with the same number, in the same place.
        let node = made(&scene, "two", token);
        node.look(|node| artist.keep(node.clone()).send());
        drop(node);
        assert_eq!(artist.different().ask_blocking(), Ok(2));
        assert_eq!(scene.refused().ask_blocking().unwrap().len(), 1);
        assert_eq!((system.inspect().detached_heaps, nodes(token)), (1, 1));
        artist.forget().send();
        simulation.run();
        assert_eq!((system.inspect().detached_heaps, nodes(token)), (0, 1));
        Address::stop(&scene);
    });
}

#[test]
fn seeded_a_far_reference_keeps_its_actor_alive() {
    seeded(
        "seeded_a_far_reference_keeps_its_actor_alive",
        |simulation, token| {
            let system = simulation.system();
            let artist = Artist::spawn(system);
            {
                let scene = Scene::spawn(system);
                let node = made(&scene, "one", token);
                node.look(|node| artist.keep(node.clone()).send());
                scene.forget().send();
            }
            simulation.run();
            assert_eq!(system.inspect().actors.len(), 2);
            assert_eq!(artist.read().ask_blocking(), Ok(Some(vec!["one".into()])));
            artist.forget().send();
            simulation.run();
            assert_eq!(system.inspect().actors.len(), 1);
            assert_eq!(nodes(token), 0);
        },
    );
}

/// Holds a far reference to a peer, and tags of the objects' makers.
#[derive(Actor)]
struct PeerState<'gc> {
    peer: Option<Far<'gc, Peer, Mut<u64>>>,
    made: HashMap<TagId, Address<Peer>>,
}

#[behaviours]
impl<'gc> PeerState<'gc> {
    #[start]
    fn new() -> Self {
        PeerState {
            peer: None,
            made: HashMap::new(),
        }
    }

    fn offer(&self, t: &Turn<'gc, Peer>) -> Far<'gc, Peer, Mut<u64>> {
        t.far(t.alloc(Mut::new(7)))
    }

    fn knows(&mut self, peer: Far<'gc, Peer, Mut<u64>>) {
        self.made.insert(peer.tag().id(), peer.owner().clone());
        self.peer = Some(peer);
    }
}

#[test]
fn seeded_a_cycle_of_far_references_ends() {
    let name = "seeded_a_cycle_of_far_references_ends";
    seeded(name, |simulation, _| {
        let system = simulation.system();
        let peers = [(); 3].map(|()| Peer::spawn(system));
        for (at, peer) in peers.iter().enumerate() {
            let offer = peers[(at + 1) % 3].offer().ask_blocking().unwrap();
            offer.look(|object| peer.knows(object.clone()).send());
        }
        simulation.run();
        assert_eq!(system.inspect().actors.len(), 3);
        drop(peers);
        simulation.run();
        assert_eq!(system.inspect().actors.len(), 0);
        assert_eq!(system.inspect().detached_heaps, 0);
    });
}

/// An object that may refer to an object of another actor.
#[derive(Object)]
pub(super) struct Knot<'gc> {
    other: Option<Far<'gc, Knots, Mut<Knot<'gc>>>>,
    _token: Token,
}

#[derive(Actor)]
pub(super) struct KnotsState<'gc> {
    kept: Vec<Gc<'gc, Mut<Knot<'gc>>>>,
}

#[behaviours]
impl<'gc> KnotsState<'gc> {
    #[start]
    pub(super) fn new() -> Self {
        KnotsState { kept: Vec::new() }
    }

    fn make(&mut self, t: &Turn<'gc, Knots>, token: Token) -> Far<'gc, Knots, Mut<Knot<'gc>>> {
        let knot = t.alloc(Mut::new(Knot {
            other: None,
            _token: token,
        }));
        self.kept.push(knot);
        t.far(knot)
    }

    /// The last one refers to another actor's, and the state does not refer to it any more.
    fn tie(&mut self, t: &Turn<'gc, Knots>, other: Far<'gc, Knots, Mut<Knot<'gc>>>) {
        if let Some(knot) = self.kept.pop() {
            knot.borrow_mut(t).other = Some(other);
        }
    }

    fn knows(&mut self, t: &Turn<'gc, Knots>, other: Far<'gc, Knots, Mut<Knot<'gc>>>) {
        if let Some(knot) = self.kept.last() {
            knot.borrow_mut(t).other = Some(other);
        }
    }

    fn nothing(&self) {}
}

/// Two actors, with an object each that refers to the other one. Nothing else refers to these.
pub(super) fn tied(system: &System, token: &Token) -> [Address<Knots>; 2] {
    let both = [(); 2].map(|()| Knots::spawn(system));
    tie(both.each_ref(), token);
    both
}

/// Two actors get an object each that refers to the other one. Nothing else refers to these.
pub(super) fn tie(both: [&Address<Knots>; 2], token: &Token) {
    let [one, other] = both.map(|knots| {
        let made = knots.make(token.clone()).ask_blocking();
        made.expect("it lives")
    });
    one.look(|one| both[1].tie(one.clone()).send());
    other.look(|other| both[0].tie(other.clone()).send());
}

/// A ring of actors. The object in the state of each refers to that of the next.
pub(super) fn ring(system: &System, actors: usize) -> Vec<Address<Knots>> {
    let ring: Vec<_> = (0..actors).map(|_| Knots::spawn(system)).collect();
    let made: Vec<_> = ring
        .iter()
        .map(|actor| actor.make(Token::default()).ask_blocking())
        .collect();
    for (at, made) in made.into_iter().enumerate() {
        let next = &ring[(at + 1) % actors];
        made.expect("it lives")
            .look(|made| next.knows(made.clone()).send());
    }
    ring
}

#[test]
fn seeded_a_cycle_of_objects_ends_with_one_of_its_actors() {
    let name = "seeded_a_cycle_of_objects_ends_with_one_of_its_actors";
    seeded(name, |simulation, token| {
        let system = simulation.system();
        let [first, second] = tied(system, token);
        // No actor is idle for long enough to be part of a group mark.
        simulation.run_for(Duration::from_millis(1));
        assert_eq!(nodes(token), 2);
        Address::stop(&first);
        simulation.run();
        second.nothing().send();
        simulation.run();
        assert_eq!((system.inspect().detached_heaps, nodes(token)), (0, 0));
        Address::stop(&second);
    });
}

#[test]
fn seeded_a_cycle_of_objects_ends_with_its_actors() {
    let name = "seeded_a_cycle_of_objects_ends_with_its_actors";
    seeded(name, |simulation, token| {
        let system = simulation.system();
        for actor in tied(system, token) {
            simulation.run_for(Duration::from_millis(1));
            Address::stop(&actor);
        }
        simulation.run();
        assert_eq!((system.inspect().detached_heaps, nodes(token)), (0, 0));
    });
}

#[test]
fn cycles_of_objects_end_with_their_system() {
    let token = Token::default();
    let system = System::builder().workers(2).build();
    for _ in 0..if cfg!(miri) { 2 } else { 50 } {
        drop(tied(&system, &token));
    }
    assert!(system.shutdown().is_complete());
    let left = system.inspect();
    assert_eq!((left.heap_pages, nodes(&token)), (0, 0));
    let is_leak = |report: &Report| matches!(report, Report::Leaked { .. });
    assert!(!left.reports.iter().any(is_leak));
}

#[test]
fn far_references_are_passed_on_threads() {
    let rounds = if cfg!(miri) { 3 } else { 100 };
    let stress = Stress::new(When::Chance, 1);
    let system = System::builder()
        .workers(2)
        .idle_after(Duration::from_millis(1))
        .pacing(Pacing::new().stressed(stress))
        .build();
    let token = Token::default();
    let scenes = [(); 2].map(|()| Scene::spawn(&system));
    let artists = [(); 3].map(|()| Artist::spawn(&system));
    for round in 0..rounds {
        let (scene, artist) = (&scenes[round % 2], &artists[round % 3]);
        let node = made(scene, &round.to_string(), &token);
        node.look(|node| artist.keep(node.clone()).send());
        artist.rename("x".into()).send();
        artist.pass_on(artists[(round + 1) % 3].clone()).send();
        let read = node.look(|node| node.to(|scene, node| scene.read(node)).ask_blocking());
        assert!(read.unwrap().is_some());
        if round % 7 == 6 {
            scene.forget().send();
            artists.iter().for_each(|artist| artist.forget().send());
        }
    }
    for scene in &scenes {
        assert_eq!(scene.refused().ask_blocking().unwrap(), [""; 0]);
        scene.forget().send();
    }
    artists.iter().for_each(|artist| artist.forget().send());
    while nodes(&token) > 0 {
        // A reference that an artist passes on may arrive after the other artist dropped its own.
        // An object without foreign references is found dead by its owner's next
        // collection, which these turns bring.
        artists.iter().for_each(|artist| artist.forget().send());
        for scene in &scenes {
            scene.forget().send();
            assert_eq!(scene.refused().ask_blocking().unwrap(), [""; 0]);
        }
        std::thread::yield_now();
    }
    drop((scenes, artists));
    assert!(system.shutdown().is_complete());
    assert_eq!(system.inspect().heap_pages, 0);
}

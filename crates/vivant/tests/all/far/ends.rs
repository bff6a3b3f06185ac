//! Far references after the end of their actors, and the ends of actors and objects that they kept
//! alive.

use super::{Artist, Scene, Token, made, nodes, seeded};
use std::collections::HashMap;
use std::time::Duration;
use vivant::heap::{Stress, TagId, When};
use vivant::prelude::*;
use vivant::{Pacing, Supervisor};

#[test]
fn seeded_an_object_outlives_its_actor_and_is_unreachable() {
    let name = "seeded_an_object_outlives_its_actor_and_is_unreachable";
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
        // It refers to the one before.
        assert_eq!((system.inspect().detached_heaps, nodes(token)), (1, 2));
        artist.rename("x".into()).send();
        let read = artist.read().ask_blocking();
        assert!(matches!(read, Err(AskError::Stopped { .. })), "{read:?}");
        let dead = system.dead_letters().counts();
        assert!(
            dead.iter().any(|it| it.behaviour.contains("rename")),
            "{dead:?}"
        );
        simulation.run();
        assert_eq!((system.inspect().detached_heaps, nodes(token)), (1, 2));
        artist.forget().send();
        simulation.run();
        assert_eq!((system.inspect().detached_heaps, nodes(token)), (0, 0));
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
        assert_eq!((system.inspect().detached_heaps, nodes(token)), (1, 2));
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

//! Far references: a holder sends messages about the object to its actor, keeps object and actor
//! alive, and has no access to either.

mod busy;
mod cycles;
mod ended_makers;
mod ends;

use crate::scenes::stressed;
use std::sync::Arc;
use vivant::prelude::*;
use vivant::simulation::{Faults, Seeds, Simulation, check};

/// Private to its scene, with a token that counts the live ones.
#[derive(Object)]
struct Node<'gc> {
    name: String,
    next: Option<Own<'gc>>,
    _token: Token,
}

type Token = Arc<()>;
type Own<'gc> = Gc<'gc, Mut<Node<'gc>>>;
type Name<'gc> = Tag<'gc, Mut<Node<'gc>>>;
type FarNode<'gc> = Far<'gc, Scene, Mut<Node<'gc>>>;
type Sent = Parcel<FarNode<'static>>;

/// The number of live nodes.
fn nodes(token: &Token) -> usize {
    Arc::strong_count(token) - 1
}

#[derive(Actor)]
struct SceneState<'gc> {
    nodes: Vec<Own<'gc>>,
    refused: Vec<String>,
}

#[behaviours]
impl<'gc> SceneState<'gc> {
    #[start]
    fn new() -> Self {
        SceneState {
            nodes: Vec::new(),
            refused: Vec::new(),
        }
    }

    /// A new node, which refers to the last one.
    fn make(&mut self, t: &Turn<'gc, Scene>, name: String, token: Token) -> FarNode<'gc> {
        let node = t.alloc(Mut::new(Node {
            name,
            next: self.nodes.last().copied(),
            _token: token,
        }));
        self.nodes.push(node);
        t.far(node)
    }

    /// A far reference to a node that was made before.
    fn far(&self, t: &Turn<'gc, Scene>, place: usize) -> Option<FarNode<'gc>> {
        self.nodes.get(place).map(|node| t.far(*node))
    }

    fn rename(&mut self, t: &Turn<'gc, Scene>, node: Name<'gc>, name: String) {
        match node.open(t) {
            Ok(node) => node.borrow_mut(t).name = name,
            Err(refused) => self.refused.push(refused.to_string()),
        }
    }

    /// The name of a node, and the names of all nodes that it refers to.
    fn read(&self, t: &Turn<'gc, Scene>, node: Name<'gc>) -> Option<Vec<String>> {
        let mut at = Some(node.open(t).ok()?);
        let next = || {
            let node = at?;
            at = node.borrow().next;
            Some(node.borrow().name.clone())
        };
        Some(std::iter::from_fn(next).collect())
    }

    /// Waits until there are this many nodes.
    #[when(self.nodes.len() >= many)]
    fn read_when(&self, t: &Turn<'gc, Scene>, node: Name<'gc>, many: usize) -> usize {
        self.read(t, node).map_or(0, |names| names.len())
    }

    fn forget(&mut self) {
        self.nodes.clear();
    }

    fn refused(&self) -> Vec<String> {
        self.refused.clone()
    }

    fn fail(&self) {
        panic!("as planned");
    }

    fn nothing(&self) {}
}

/// Has far references, and no scene.
#[derive(Actor)]
struct ArtistState<'gc> {
    kept: Vec<FarNode<'gc>>,
}

#[behaviours]
impl<'gc> ArtistState<'gc> {
    #[start]
    fn new() -> Self {
        ArtistState { kept: Vec::new() }
    }

    fn keep(&mut self, node: FarNode<'gc>) {
        self.kept.push(node);
    }

    fn keep_pair(&mut self, pair: (u64, Val<'gc, Vec<FarNode<'gc>>>)) {
        self.kept.extend(Val::as_ref(pair.1).iter().cloned());
    }

    fn rename(&self, t: &Turn<'gc, Artist>, name: String) {
        for node in &self.kept {
            t.send(node.to(|scene, node| scene.rename(node, name.clone())));
        }
    }

    fn read(&self, t: &Turn<'gc, Artist>) -> Promise<Option<Vec<String>>> {
        t.ask(self.kept[0].to(|scene, node| scene.read(node)))
    }

    /// Sends one scene's node to another.
    fn mix_up(&self, t: &Turn<'gc, Artist>, other: Address<Scene>) -> Promise<Option<Vec<String>>> {
        t.ask(other.read(self.kept[0].tag()))
    }

    fn pass_on(&self, t: &Turn<'gc, Artist>, to: Address<Artist>) {
        for node in &self.kept {
            t.send(to.keep(node.clone()));
        }
    }

    /// In a shared object.
    fn pass_on_shared(&self, t: &Turn<'gc, Artist>, to: Address<Artist>) {
        t.send(to.keep_pair((1, t.val(self.kept.clone()))));
    }

    /// The number of different nodes that it has.
    fn different(&self) -> usize {
        let mut met: Vec<&FarNode<'gc>> = Vec::new();
        for node in &self.kept {
            if !met.contains(&node) {
                met.push(node);
            }
        }
        let ids = self.kept.iter().map(|node| node.tag().id());
        assert_eq!(
            met.len(),
            ids.collect::<std::collections::HashSet<_>>().len()
        );
        met.len()
    }

    fn fetch(
        &mut self,
        t: &Turn<'gc, Artist>,
        from: Address<Scene>,
        place: usize,
    ) -> Promise<bool> {
        t.ask(from.far(place)).then(t.me().got())
    }

    #[then]
    fn got(&mut self, node: Result<Option<FarNode<'gc>>, AskError>) -> bool {
        let node = node.ok().flatten();
        self.kept.extend(node);
        !self.kept.is_empty()
    }

    /// Sends its first node away until it gets an answer.
    fn lay_aside(&mut self, t: &Turn<'gc, Artist>) -> Promise<usize> {
        let node = self.kept.remove(0);
        let read = t.ask(node.to(|scene, node| scene.read(node)));
        read.then(t.me().take_back(node))
    }

    #[then]
    fn take_back(
        &mut self,
        read: Result<Option<Vec<String>>, AskError>,
        node: FarNode<'gc>,
    ) -> usize {
        self.kept.push(node);
        read.ok().flatten().map_or(0, |names| names.len())
    }

    fn forget(&mut self) {
        self.kept.clear();
    }

    fn nothing(&self) {}
}

/// Has no heap.
#[derive(Actor)]
struct Pin {
    node: Option<Sent>,
}

#[behaviours]
impl Pin {
    fn put(&mut self, node: Sent) {
        self.node = Some(node);
    }

    fn rename(&self, t: &Turn<Self>, name: String) {
        if let Some(node) = &self.node {
            node.look(|node| t.send(node.to(|scene, node| scene.rename(node, name))));
        }
    }

    fn read<'gc>(&self, t: &Turn<Self>, node: FarNode<'gc>) -> Promise<Option<Vec<String>>> {
        t.ask(node.to(|scene, node| scene.read(node)))
    }
}

/// Runs a program under seeds, on heaps that collect everything after each turn and verify
/// themselves.
fn seeded(name: &str, program: impl Fn(&Simulation, &Token) + std::panic::RefUnwindSafe) {
    let seeds = if cfg!(miri) { 1 } else { 20 };
    check(name, Seeds(seeds), &Faults::none(), |simulation| {
        let (simulation, token) = (stressed(simulation.seed()), Token::default());
        program(&simulation, &token);
        // No address is left: nothing remains.
        simulation.run();
        let left = simulation.system().inspect();
        assert!(left.actors.is_empty());
        assert_eq!(
            (left.detached_heaps, left.heap_pages, nodes(&token)),
            (0, 0, 0)
        );
    });
}

/// All actors take enough turns to drain all count deltas.
fn settle(scenes: &[&Address<Scene>], artists: &[&Address<Artist>]) {
    for _ in 0..3 {
        for artist in artists {
            artist.nothing().ask_blocking().expect("it lives");
        }
        for scene in scenes {
            scene.nothing().ask_blocking().expect("it lives");
        }
    }
}

fn made(scene: &Address<Scene>, name: &str, token: &Token) -> Sent {
    scene
        .make(name.into(), token.clone())
        .ask_blocking()
        .unwrap()
}

#[test]
fn seeded_a_far_reference_sends_messages_about_its_object() {
    seeded(
        "seeded_a_far_reference_sends_messages_about_its_object",
        |simulation, token| {
            let system = simulation.system();
            let scene = Scene::spawn(system);
            let [a, b] = [(); 2].map(|()| Artist::spawn(system));
            let node = made(&scene, "first", token);
            node.look(|node| a.keep(node.clone()).send());
            a.rename("second".into()).send();
            assert_eq!(a.read().ask_blocking(), Ok(Some(vec!["second".into()])));
            // The scene drops its reference; the far reference keeps the object, by way of a third
            // actor too.
            scene.forget().send();
            drop(node);
            a.pass_on(b.clone()).send();
            simulation.run();
            a.forget().send();
            settle(&[&scene], &[&a, &b]);
            assert_eq!(nodes(token), 1);
            b.rename("third".into()).send();
            assert_eq!(b.lay_aside().ask_blocking(), Ok(1));
            assert_eq!(b.read().ask_blocking(), Ok(Some(vec!["third".into()])));
            b.forget().send();
            settle(&[&scene], &[&b]);
            assert_eq!(nodes(token), 0);
        },
    );
}

#[test]
fn seeded_far_references_to_one_object_are_equal_on_every_path() {
    seeded(
        "seeded_far_references_to_one_object_are_equal_on_every_path",
        |simulation, token| {
            let system = simulation.system();
            let scene = Scene::spawn(system);
            let [a, b] = [(); 2].map(|()| Artist::spawn(system));
            for name in ["one", "two", "three"] {
                drop(made(&scene, name, token));
            }
            for place in [0, 1, 0, 1, 0] {
                assert_eq!(a.fetch(scene.clone(), place).ask_blocking(), Ok(true));
            }
            assert_eq!(b.fetch(scene.clone(), 9).ask_blocking(), Ok(false));
            assert_eq!(a.different().ask_blocking(), Ok(2));
            a.pass_on(b.clone()).send();
            a.pass_on_shared(b.clone()).send();
            simulation.run();
            assert_eq!(b.fetch(scene.clone(), 2).ask_blocking(), Ok(true));
            assert_eq!(b.different().ask_blocking(), Ok(3));
            // Nodes that a named node refers to are live too.
            a.forget().send();
            b.forget().send();
            assert_eq!(a.fetch(scene.clone(), 1).ask_blocking(), Ok(true));
            scene.forget().send();
            settle(&[&scene], &[&a, &b]);
            assert_eq!(nodes(token), 2);
            let read = a.read().ask_blocking().unwrap().unwrap();
            assert_eq!(read, ["two", "one"]);
        },
    );
}

#[test]
fn seeded_only_the_owner_opens_a_tag() {
    seeded("seeded_only_the_owner_opens_a_tag", |simulation, token| {
        let system = simulation.system();
        let [scene, other] = [(); 2].map(|()| Scene::spawn(system));
        let artist = Artist::spawn(system);
        let node = made(&scene, "one", token);
        drop(made(&other, "another's", token));
        node.look(|node| artist.keep(node.clone()).send());
        let mixed = artist.mix_up(other.clone());
        assert_eq!(mixed.ask_blocking(), Ok(None));
        node.look(|node| other.rename(node.tag(), "x".into()).send());
        let refused = other.refused().ask_blocking().unwrap();
        assert_eq!(refused.len(), 1);
        assert!(refused[0].starts_with("tag 0 of a `"), "{refused:?}");
        assert!(refused[0].contains("was made by another heap"));
        // The opposite is not equal.
        let read = node.look(|node| node.to(|scene, node| scene.read(node)).ask_blocking());
        assert_eq!(read, Ok(Some(vec!["one".into()])));
    });
}

#[test]
fn seeded_a_waiting_message_keeps_its_tagged_object() {
    seeded(
        "seeded_a_waiting_message_keeps_its_tagged_object",
        |simulation, token| {
            let system = simulation.system();
            let scene = Scene::spawn(system);
            let node = made(&scene, "one", token);
            let waits = node.look(|node| node.to(|scene, node| scene.read_when(node, 2)).ask());
            drop(node);
            scene.forget().send();
            settle(&[&scene], &[]);
            assert_eq!(nodes(token), 1);
            drop(made(&scene, "two", token));
            drop(made(&scene, "three", token));
            assert_eq!(system.block_on(waits), Ok(1));
            // A message that is never processed gives its reference back.
            let node = made(&scene, "four", token);
            let waits = node.look(|node| node.to(|scene, node| scene.read_when(node, 99)).ask());
            scene.forget().send();
            drop(node);
            settle(&[&scene], &[]);
            assert_eq!(nodes(token), 3);
            Address::stop(&scene);
            assert!(matches!(
                system.block_on(waits),
                Err(AskError::Stopped { .. })
            ));
        },
    );
}

#[test]
fn seeded_an_actor_without_a_heap_has_far_references_in_parcels() {
    let name = "seeded_an_actor_without_a_heap_has_far_references_in_parcels";
    seeded(name, |simulation, token| {
        let system = simulation.system();
        let scene = Scene::spawn(system);
        let pin = system.spawn(Pin { node: None });
        let node = made(&scene, "one", token);
        pin.put(node.clone()).send();
        pin.rename("two".into()).send();
        simulation.run();
        let read = node.look(|node| pin.read(node.clone()).ask_blocking());
        assert_eq!(read, Ok(Some(vec!["two".into()])));
        node.look(|node| {
            assert!(format!("{node:?}").starts_with(&format!("Far({scene}, Tag(")));
            assert_eq!(node.owner(), &scene);
        });
        drop(node);
        scene.forget().send();
        settle(&[&scene], &[]);
        assert_eq!(nodes(token), 1);
    });
}

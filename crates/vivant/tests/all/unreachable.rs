//! Actors that only unreachable actors refer to are collected, and no others (O10).

mod graphs;
mod objects;
mod seeded;
mod stop_hooks;
mod threads;
mod waiting;

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::{Arc, Mutex};
use vivant::prelude::*;
use vivant::simulation::Simulation;
use vivant::{KeptBy, StopReason, System, WeakAddress, WhyAlive};

/// The paths of the actors of a retaining path.
fn actors(why: &WhyAlive) -> Vec<String> {
    why.through.iter().map(|one| one.actor.clone()).collect()
}

/// The ends of actors and their reasons, in order.
#[derive(Clone, Default)]
struct Ends(Arc<Mutex<Vec<(u64, String)>>>);

vivant::heap::leaf!([] Ends);

impl Ends {
    fn note(&self, name: u64, reason: &StopReason) {
        self.0.lock().unwrap().push((name, format!("{reason:?}")));
    }

    fn names(&self) -> BTreeSet<u64> {
        self.0
            .lock()
            .unwrap()
            .iter()
            .map(|(name, _)| *name)
            .collect()
    }

    fn count(&self) -> usize {
        self.0.lock().unwrap().len()
    }

    fn reasons(&self) -> BTreeMap<u64, String> {
        self.0.lock().unwrap().iter().cloned().collect()
    }
}

/// Holds addresses of others, in a field of each kind.
#[derive(Actor, Default)]
struct Node {
    name: u64,
    ends: Ends,
    one: Option<Address<Node>>,
    many: Vec<Address<Node>>,
    by_name: BTreeMap<u64, Address<Node>>,
    hashed: HashMap<String, (u64, Address<dyn Known>)>,
    boxed: Box<[VecDeque<Address<Node>>]>,
    /// The detector does not trace this.
    hidden: Arc<Vec<Address<Node>>>,
    weak: Vec<WeakAddress<Node>>,
    hall: Option<Address<graphs::Hall>>,
    open: bool,
}

#[interface]
trait Known {
    fn greet(&mut self);
}

#[behaviours]
impl Known for Node {
    fn greet(&mut self) {}
}

#[behaviours]
impl Node {
    fn knows(&mut self, other: Address<Node>) {
        self.many.push(other);
    }

    fn knows_in_all_ways(&mut self, other: Address<Node>) {
        self.one = Some(other.clone());
        self.by_name.insert(7, other.clone());
        self.hashed.insert("x".into(), (1, Address::upcast(&other)));
        self.boxed = Box::new([VecDeque::from([other.clone()]), VecDeque::new()]);
        self.many.push(other);
    }

    fn hides(&mut self, other: Address<Node>) {
        self.hidden = Arc::new(vec![other]);
    }

    fn enters(&mut self, hall: Address<graphs::Hall>) {
        self.hall = Some(hall);
    }

    fn knows_itself(&mut self, t: &Turn<Self>) {
        self.one = Some(t.me());
    }

    fn name(&self) -> u64 {
        self.name
    }

    fn remembers(&mut self, other: WeakAddress<Node>) {
        self.weak.push(other);
    }

    /// Asks the actor of a remembered weak address, if it upgrades.
    fn looks_for(&mut self, t: &Turn<Self>) {
        for other in self.weak.iter().filter_map(WeakAddress::upgrade) {
            t.send(other.hops(3));
        }
    }

    /// Sends to itself for a while.
    fn hops(&mut self, t: &Turn<Self>, hops: u64) {
        if let (Some(next), true) = (self.many.first(), hops > 0) {
            t.send(next.hops(hops - 1));
        }
    }

    #[when(self.open)]
    fn waits(&mut self) {}

    #[stop]
    fn stopping(&mut self, reason: &StopReason) {
        self.ends.note(self.name, reason);
    }
}

/// The system and its actors.
struct Stage {
    system: System,
    ends: Ends,
}

impl Stage {
    /// In a simulation of its own.
    fn simulated() -> (Simulation, Stage) {
        let simulation = Simulation::new(1);
        let stage = Stage::on(&simulation);
        (simulation, stage)
    }

    fn on(simulation: &Simulation) -> Stage {
        Stage {
            system: simulation.system().clone(),
            ends: Ends::default(),
        }
    }

    fn node(&self, name: u64) -> Address<Node> {
        self.system.spawn(Node {
            name,
            ends: self.ends.clone(),
            ..Node::default()
        })
    }

    /// This many in a cycle; each holds the next one's address.
    fn ring(&self, count: u64) -> Vec<Address<Node>> {
        let nodes: Vec<_> = (0..count).map(|name| self.node(name)).collect();
        for (at, node) in nodes.iter().enumerate() {
            node.knows(nodes[(at + 1) % nodes.len()].clone()).send();
        }
        nodes
    }

    fn alive(&self) -> usize {
        self.system.inspect().actors.len()
    }
}

#[test]
fn an_unreferenced_cycle_is_collected() {
    let (simulation, stage) = Stage::simulated();
    let ring = stage.ring(3);
    simulation.run();
    assert_eq!(stage.alive(), 3);
    drop(ring);
    simulation.run();
    assert_eq!(stage.alive(), 0);
    let reasons = stage.ends.reasons();
    assert_eq!(reasons.len(), 3);
    assert!(reasons.values().all(|reason| reason == "Unreachable"));
}

#[test]
fn an_external_address_keeps_a_cycle_alive() {
    let (simulation, stage) = Stage::simulated();
    let mut ring = stage.ring(5);
    let last = ring.pop();
    drop(ring);
    simulation.run();
    assert_eq!(stage.alive(), 5);
    drop(last);
    simulation.run();
    assert_eq!(stage.alive(), 0);
}

#[test]
fn addresses_are_traced_in_fields_of_every_kind() {
    let (simulation, stage) = Stage::simulated();
    let (a, b) = (stage.node(0), stage.node(1));
    a.knows_in_all_ways(b.clone()).send();
    b.knows_in_all_ways(a.clone()).send();
    a.knows_itself().send();
    drop((a, b));
    simulation.run();
    assert_eq!(stage.ends.names().len(), 2);
}

#[test]
fn an_address_behind_shared_data_counts_as_external() {
    let (simulation, stage) = Stage::simulated();
    let (a, b) = (stage.node(0), stage.node(1));
    a.knows(b.clone()).send();
    b.hides(a.clone()).send();
    drop(b);
    simulation.run();
    assert_eq!(stage.alive(), 2);
    let why = stage.system.why_alive(&a);
    assert_eq!(
        (why.through.len(), why.by),
        (0, KeptBy::Outside(1)),
        "{why}"
    );
}

#[test]
fn a_kept_actor_keeps_its_references_alive() {
    let (simulation, stage) = Stage::simulated();
    let ring = stage.ring(4);
    stage.system.keep(&ring[2]);
    let first = Address::downgrade(&ring[0]);
    drop(ring);
    simulation.run();
    assert_eq!(stage.alive(), 4);
    let first = first.upgrade().expect("it is kept");
    let why = stage.system.why_alive(&first);
    assert_eq!((why.through.len(), why.by), (2, KeptBy::Kept), "{why}");
    let path = |name: u64| format!("{}::Node/{name}", module_path!());
    assert_eq!(actors(&why), [path(3), path(2)], "{why}");
    assert!(!stage.system.release(&first));
    let third = actors(&stage.system.why_alive(&first)).pop();
    assert_eq!(third, Some(path(2)));
    drop(first);
    simulation.run();
    assert_eq!(stage.alive(), 4);
}

#[test]
fn actors_referenced_only_by_a_cycle_end_with_it() {
    let (simulation, stage) = Stage::simulated();
    let ring = stage.ring(3);
    let (leaf, hub) = (stage.node(10), stage.node(11));
    ring[0].knows(leaf).send();
    ring[1].knows(hub.clone()).send();
    hub.knows(hub.clone()).send();
    drop(ring);
    simulation.run();
    assert_eq!(stage.ends.names(), BTreeSet::from([0, 1, 2, 10]));
    assert_eq!(stage.ends.reasons()[&10], "Unreachable");
    assert!(Address::is_alive(&hub));
}

#[test]
fn a_cycle_is_collected_after_its_messages_are_processed() {
    let (simulation, stage) = Stage::simulated();
    let ring = stage.ring(4);
    ring[0].hops(1_000).send();
    drop(ring);
    simulation.run();
    assert_eq!(stage.alive(), 0);
    assert_eq!(simulation.system().dead_letters().total(), 0);
}

#[test]
fn messages_that_wait_for_their_guards_are_dead_letters() {
    let (simulation, stage) = Stage::simulated();
    let ring = stage.ring(2);
    let asked = ring[0].waits().ask();
    drop(ring);
    simulation.run();
    assert_eq!(stage.alive(), 0);
    assert_eq!(simulation.system().dead_letters().total(), 1);
    let error = simulation.system().block_on(asked).unwrap_err();
    assert!(
        error.to_string().contains("only unreachable actors"),
        "{error}"
    );
}

#[test]
fn names_keep_no_actor_alive() {
    let (simulation, stage) = Stage::simulated();
    let ring = stage.ring(2);
    stage.system.register("first", &ring[0]).unwrap();
    drop(ring);
    assert!(stage.system.lookup::<Node>("first").is_ok());
    simulation.run();
    assert!(stage.system.lookup::<Node>("first").is_err());
    assert_eq!(stage.alive(), 0);
}

#[test]
fn a_timer_keeps_its_receiver_reachable() {
    #[derive(Actor)]
    struct Ticking {
        me: Option<Address<Ticking>>,
        left: u64,
    }
    #[behaviours]
    impl Ticking {
        fn begin(&mut self, t: &Turn<Self>) {
            self.me = Some(t.me());
            t.after(std::time::Duration::from_secs(60), t.me().tick());
        }
        fn tick(&mut self, t: &Turn<Self>) {
            if self.left > 0 {
                self.left -= 1;
                t.after(std::time::Duration::from_secs(60), t.me().tick());
            }
        }
    }
    let simulation = Simulation::new(1);
    let system = simulation.system();
    let actor = system.spawn(Ticking { me: None, left: 3 });
    let ended = Address::ended(&actor);
    actor.begin().send();
    drop(actor);
    simulation.run_for(std::time::Duration::from_secs(239));
    assert_eq!(system.inspect().actors.len(), 1);
    simulation.run();
    assert_eq!(system.block_on(ended), Ok(StopReason::Unreachable));
}

/// A state with a heap of its own.
#[derive(Actor)]
struct PageState<'gc> {
    next: Option<Address<Page>>,
    text: Gc<'gc, String>,
}

#[behaviours]
impl<'gc> PageState<'gc> {
    #[start]
    fn new(t: &Turn<'gc, Page>) -> Self {
        let (next, text) = (None, t.alloc("text".to_owned()));
        PageState { next, text }
    }

    fn knows(&mut self, next: Address<Page>) {
        self.next = Some(next);
    }

    fn read(&self) -> String {
        (*self.text).clone()
    }
}

#[test]
fn actors_with_graphs_are_collected_too() {
    let simulation = Simulation::new(1);
    let system = simulation.system();
    let (a, b) = (Page::spawn(system), Page::spawn(system));
    a.knows(b.clone()).send();
    b.knows(a.clone()).send();
    let ended = Address::ended(&a);
    drop(a);
    simulation.run();
    assert_eq!(b.read().ask_blocking().as_deref(), Ok("text"));
    drop(b);
    assert_eq!(system.block_on(ended), Ok(StopReason::Unreachable));
    simulation.run();
    let inspection = system.inspect();
    assert_eq!((inspection.actors.len(), inspection.heap_pages), (0, 0));
}

#[test]
fn watchers_receive_the_reason_unreachable() {
    let (_simulation, stage) = Stage::simulated();
    let ring = stage.ring(2);
    let ended = Address::ended(&ring[1]);
    drop(ring);
    assert_eq!(stage.system.block_on(ended), Ok(StopReason::Unreachable));
}

#[test]
fn an_actor_referenced_only_by_itself_ends() {
    let (simulation, stage) = Stage::simulated();
    let node = stage.node(1);
    node.knows_itself().send();
    drop(node);
    simulation.run();
    assert_eq!(stage.alive(), 0);
}

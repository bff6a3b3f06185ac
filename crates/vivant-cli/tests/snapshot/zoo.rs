//! An actor with a graph, under a seed. It knows itself how far each object is from its state.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;
use vivant::prelude::*;
use vivant::simulation::{Faults, Simulation};
use vivant::{Saved, Weak, gc, val};
use vivant_journal::Journal;

/// An animal that knows others.
#[derive(Object, Saved)]
#[saved(name = "zoo::Animal")]
pub(crate) struct Animal<'gc> {
    number: u64,
    name: Gc<'gc, str>,
    friends: Vec<AnimalRef<'gc>>,
    shadow: Option<Weak<'gc, Mut<Animal<'gc>>>>,
}

type AnimalRef<'gc> = Gc<'gc, Mut<Animal<'gc>>>;

#[derive(Actor)]
#[actor(saved, id = "zoo::Keeper")]
pub(crate) struct KeeperState<'gc> {
    /// Those of the ring first.
    animals: Vec<AnimalRef<'gc>>,
    passing: Option<AnimalRef<'gc>>,
    cages: gc::HashMap<'gc, u64, AnimalRef<'gc>>,
    motto: Option<Val<'gc, str>>,
    prices: Option<val::Map<'gc, u64, u64>>,
}

#[behaviours(id = "zoo::Keeper")]
impl<'gc> KeeperState<'gc> {
    #[start]
    fn new() -> Self {
        KeeperState {
            animals: Vec::new(),
            passing: None,
            cages: gc::HashMap::new(),
            motto: None,
            prices: None,
        }
    }

    /// Three animals in a ring, of which the state has the first. The third one is followed by a
    /// fourth one, which the state has too. Another one is in a cage.
    fn open(&mut self, t: &Turn<'gc, Keeper>) {
        let ring = [0, 1, 2].map(|number| animal(t, number));
        for (at, it) in ring.iter().enumerate() {
            it.borrow_mut(t).friends.push(ring[(at + 1) % 3]);
        }
        let follower = animal(t, 3);
        ring[2].borrow_mut(t).shadow = Some(Weak::new(t, follower));
        self.passing = Some(follower);
        self.animals.push(ring[0]);
        self.cages.insert(t, 40, animal(t, 4));
        self.motto = Some(t.val_str("do not feed"));
        self.prices = Some(val::Map::from_iter(t, [(1, 20), (2, 35)]));
    }

    /// The state has the follower no more, and nothing has what was in the cage.
    fn leave(&mut self) {
        self.passing = None;
        self.cages = gc::HashMap::new();
    }

    /// Many animals, of which the state has one for each hundred. The others are friends of one of
    /// their hundred. Some know any others, as friends or as a shadow.
    fn crowd(&mut self, t: &Turn<'gc, Keeper>, count: u64, seed: u64) {
        let mut dice = seed;
        let mut below = |limit: u64| {
            dice = dice
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (dice >> 33) % limit.max(1)
        };
        let mut all: Vec<AnimalRef<'gc>> = Vec::new();
        for number in 0..count {
            let next = animal(t, number);
            match number % 100 {
                0 => self.animals.push(next),
                _ => {
                    let in_hundred = number % 100;
                    let before = number - in_hundred + below(in_hundred);
                    let before = all[before as usize];
                    before.borrow_mut(t).friends.push(next);
                }
            }
            all.push(next);
        }
        for _ in 0..count / 10 {
            let (from, to) = (all[below(count) as usize], all[below(count) as usize]);
            match below(3) {
                0 => from.borrow_mut(t).shadow = Some(Weak::new(t, to)),
                _ => from.borrow_mut(t).friends.push(to),
            }
        }
    }

    /// The state has only the first animals. Some of the others are known to them.
    fn send_home(&mut self, count: u64) {
        self.animals.truncate(count as usize);
    }

    fn rename(&mut self, t: &Turn<'gc, Keeper>, at: u64) {
        let name = t.alloc_str("another name");
        self.animals[at as usize].borrow_mut(t).name = name;
    }

    /// The animals to which references lead from the state, each with their number.
    fn distances(&self) -> Vec<(u64, u64)> {
        let mut found: Vec<(u64, u64)> = Vec::new();
        let mut seen = BTreeSet::new();
        let mut queue: VecDeque<_> = self.animals.iter().map(|it| (*it, 1)).collect();
        queue.extend(self.passing.map(|it| (it, 1)));
        while let Some((it, distance)) = queue.pop_front() {
            if seen.insert(it.borrow().number) {
                found.push((it.borrow().number, distance));
                let friends = it.borrow().friends.clone();
                queue.extend(friends.into_iter().map(|it| (it, distance + 1)));
            }
        }
        found
    }
}

fn animal<'gc>(t: &Turn<'gc, Keeper>, number: u64) -> AnimalRef<'gc> {
    let name =
        format!("the animal with the number {number}, of the order of examples, which likes");
    let name = t.alloc_str(&name);
    t.alloc(Mut::new(Animal {
        number,
        name,
        friends: Vec::new(),
        shadow: None,
    }))
}

/// A zoo that runs.
pub(crate) struct Zoo {
    simulation: Simulation,
    keeper: Address<Keeper>,
}

impl Zoo {
    pub(crate) fn new() -> Zoo {
        let builder = System::builder().name("zoo").saved::<(Keeper,)>();
        let simulation = Simulation::with(3, Faults::none(), builder);
        let keeper = Keeper::spawn(simulation.system());
        Zoo { simulation, keeper }
    }

    /// Processes what was sent, and collects nothing.
    fn run(&self) {
        self.simulation.run_for(Duration::from_millis(1));
    }

    pub(crate) fn snapshot(&self, journal: &Journal) {
        let report = self.simulation.system().snapshot(journal);
        report.expect("all of it is saved");
    }

    pub(crate) fn crowd(&self, count: u64, seed: u64) {
        self.keeper.crowd(count, seed).send();
        self.run();
    }

    pub(crate) fn send_home(&self, count: u64) {
        self.keeper.send_home(count).send();
        self.run();
    }

    pub(crate) fn rename(&self, at: u64) {
        self.keeper.rename(at).send();
        self.run();
    }

    pub(crate) fn distances(&self) -> BTreeMap<u64, u64> {
        let distances = self.keeper.distances().ask_blocking();
        distances.expect("it lives").into_iter().collect()
    }
}

/// Takes two snapshots of a small zoo: of all animals, and when some have left. What has died since
/// the first one is in the second one.
pub(crate) fn snapshots(journal: &Journal) {
    let zoo = Zoo::new();
    zoo.keeper.open().send();
    zoo.run();
    zoo.snapshot(journal);
    zoo.keeper.leave().send();
    zoo.run();
    zoo.snapshot(journal);
}

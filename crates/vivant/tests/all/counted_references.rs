//! B6: actors own the counted objects that they make, whichever worker runs them.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use vivant::prelude::*;
use vivant::simulation::{Faults, Simulation};
use vivant::{Brc, Report};

/// The number of live objects.
#[derive(Default, Clone)]
struct Living(Arc<AtomicI64>);

impl Living {
    fn now(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// An object with an observable drop.
struct Counted {
    living: Living,
    value: u64,
}

impl Counted {
    fn new(living: &Living, value: u64) -> Counted {
        living.0.fetch_add(1, Ordering::Relaxed);
        let living = living.clone();
        Counted { living, value }
    }
}

impl Clone for Counted {
    fn clone(&self) -> Counted {
        Counted::new(&self.living, self.value)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.living.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Makes objects, passes them on, keeps some.
#[derive(Actor)]
struct Trader {
    living: Living,
    stock: Vec<Brc<Counted>>,
    others: Vec<Address<Trader>>,
    done: Sender<()>,
}

impl Trader {
    fn new(living: &Living, done: Sender<()>) -> Trader {
        Trader {
            living: living.clone(),
            stock: Vec::new(),
            others: Vec::new(),
            done,
        }
    }
}

#[behaviours]
impl Trader {
    fn meet(&mut self, others: Vec<Address<Trader>>) {
        self.others = others;
    }

    fn trade(&mut self, t: &Turn<Self>, mut thing: Brc<Counted>, hops: u32) {
        let dice = t.random();
        match dice % 8 {
            0 => self.stock.clear(),
            1 => self.stock.push(thing.clone()),
            2 => {
                let weak = Brc::downgrade(&thing);
                self.stock.extend(weak.upgrade());
            }
            3 => Brc::make_mut(&mut thing).value += 1,
            4 => thing = Brc::new(Brc::unwrap_or_clone(thing)),
            5 => {
                let other = thing.clone();
                self.stock.push(std::mem::replace(&mut thing, other));
            }
            6 => thing = Brc::new(Counted::new(&self.living, dice)),
            _ => {}
        }
        if hops > 0 {
            let next = &self.others[(dice >> 8) as usize % self.others.len()];
            t.send(next.trade(thing, hops - 1));
        } else {
            drop(thing);
            self.done.send(()).ok();
        }
    }
}

/// Makes traders that pass things on, each so often; the caller ends their lives.
fn trading(system: &System, living: &Living, things: u64, hops: u32, done: &Sender<()>) {
    let traders: Vec<_> = (0..8)
        .map(|_| system.spawn(Trader::new(living, done.clone())))
        .collect();
    for trader in &traders {
        trader.meet(traders.clone()).send();
    }
    for value in 0..things {
        let thing = Brc::new(Counted::new(living, value));
        let to = |number: u64| &traders[number as usize % traders.len()];
        to(value).trade(thing.clone(), hops).send();
        to(value + 1).trade(thing, hops).send();
    }
}

#[test]
fn each_object_is_destroyed_once_on_many_workers() {
    let (things, hops) = if cfg!(miri) { (8, 12) } else { (200, 500) };
    let living = Living::default();
    let system = System::builder().workers(4).build();
    let (done, finished) = channel();
    trading(&system, &living, things, hops, &done);
    vivant_brc::detached(|| finished.iter().take(2 * things as usize).for_each(drop));
    assert!(system.shutdown().is_complete());
    // Objects that were made and destroyed here.
    vivant_brc::merge();
    assert_eq!(living.now(), 0);
}

#[cfg_attr(miri, vivant::test(seeds = 2))]
#[cfg_attr(not(miri), vivant::test(seeds = 50))]
fn seeded_each_object_is_destroyed_once(simulation: &Simulation) {
    let living = Living::default();
    let (done, finished) = channel();
    trading(simulation.system(), &living, 10, 30, &done);
    simulation.run();
    assert_eq!(finished.try_iter().count(), 20);
    simulation.system().shutdown();
    vivant_brc::merge();
    assert_eq!(living.now(), 0);
}

/// Keeps the objects that it is given.
#[derive(Actor, Default)]
struct Keeper {
    kept: Vec<Brc<Counted>>,
}

#[behaviours]
impl Keeper {
    fn keep(&mut self, thing: Brc<Counted>) {
        self.kept.push(thing);
    }

    fn throw_away(&mut self) {
        self.kept.clear();
    }

    fn make(&mut self, living: Living, to: Address<Keeper>) {
        to.keep(Brc::new(Counted::new(&living, 1))).send();
    }
}

#[vivant::test]
fn an_idle_owner_does_not_delay_destruction(simulation: &Simulation) {
    let living = Living::default();
    let maker = simulation.system().spawn(Keeper::default());
    let keeper = simulation.system().spawn(Keeper::default());
    maker.make(living.clone(), keeper.clone()).send();
    simulation.run();
    assert_eq!(living.now(), 1);
    keeper.throw_away().send();
    simulation.run();
    assert_eq!(living.now(), 0, "its maker does nothing, and need not");
}

#[test]
fn a_thread_that_waits_for_an_answer_does_not_delay_destruction() {
    let living = Living::default();
    let system = System::builder().workers(1).build();
    let keeper = system.spawn(Keeper::default());
    keeper.keep(Brc::new(Counted::new(&living, 1))).send();
    // This thread may not have been asleep yet when the last reference was dropped; then it merges
    // now.
    keeper.throw_away().ask_blocking().unwrap();
    vivant_brc::merge();
    assert_eq!(living.now(), 0);
}

/// Runs code when it is dropped.
struct Bang<F: FnMut()>(F);

impl<F: FnMut()> Drop for Bang<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

type Thing = Brc<Bang<Box<dyn FnMut() + Send + Sync>>>;

fn bang(then: impl FnMut() + Send + Sync + 'static) -> Thing {
    Brc::new(Bang(Box::new(then)))
}

/// Makes an object and has another actor drop it while it runs itself.
#[derive(Actor)]
struct Maker {
    here: Option<Thing>,
    thrown: Arc<AtomicBool>,
}

#[behaviours]
impl Maker {
    /// In one turn: made here, dropped by another owner, which stands for an actor on another
    /// worker.
    fn make(&mut self, t: &Turn<Self>, panics: bool) {
        let (me, thrown) = (t.me(), self.thrown.clone());
        let there = bang(move || {
            thrown.store(true, Ordering::Relaxed);
            me.receive().send();
            assert!(!panics, "a destructor's panic");
        });
        let too = there.clone();
        vivant_brc::Owner::new().run(|| drop((there, too)));
        assert!(!self.thrown.load(Ordering::Relaxed), "not within the turn");
    }

    fn receive(&mut self) {
        self.here = None;
    }
}

fn maker(thrown: &Arc<AtomicBool>) -> Maker {
    Maker {
        here: Some(bang(|| {})),
        thrown: thrown.clone(),
    }
}

#[vivant::test]
fn drops_by_other_owners_are_merged_at_the_end_of_a_run(simulation: &Simulation) {
    let thrown = Arc::default();
    let address = simulation.system().spawn(maker(&thrown));
    address.make(false).send();
    let ended = Address::ended(&address);
    // The object has the last address. Its destructor sends; then the actor has neither addresses
    // nor messages.
    drop(address);
    simulation.run();
    assert!(thrown.load(Ordering::Relaxed));
    let ended = simulation.system().block_on(ended);
    assert!(
        matches!(ended, Ok(vivant::StopReason::Unreferenced)),
        "{ended:?}"
    );
}

#[test]
fn a_destructor_that_panics_between_turns_is_reported() {
    let reported = Arc::new(Mutex::new(Vec::new()));
    let telling = reported.clone();
    let listening = System::builder().on_report(move |report: &Report| {
        if let Report::Panicked(panic) = report {
            telling.lock().unwrap().push(panic.to_string());
        }
    });
    let simulation = Simulation::with(0, Faults::none(), listening);
    let thrown = Arc::default();
    let address = simulation.system().spawn(maker(&thrown));
    address.make(true).send();
    simulation.run();
    assert!(thrown.load(Ordering::Relaxed));
    assert!(Address::is_alive(&address));
    let reported = reported.lock().unwrap().join("\n");
    assert!(reported.contains("a destructor's panic"), "{reported}");
    assert!(reported.contains("merging of counts"), "{reported}");
}

/// Makes an object in one run, and gives it to another owner in a later one.
#[derive(Actor)]
struct Hoarder {
    pair: Option<(Thing, Thing)>,
    thrown: Arc<AtomicBool>,
}

#[behaviours]
impl Hoarder {
    fn make(&mut self) {
        let thrown = self.thrown.clone();
        let one = bang(move || thrown.store(true, Ordering::Relaxed));
        self.pair = Some((one.clone(), one));
    }

    /// Another owner drops both references; a single one would be found to be the only one (B8).
    /// Returns whether the object has ended at once.
    fn give_away(&mut self) -> bool {
        let pair = self.pair.take();
        vivant_brc::Owner::new().run(|| drop(pair));
        self.thrown.load(Ordering::Relaxed)
    }
}

#[vivant::test]
fn an_actor_is_the_same_owner_in_all_its_runs(simulation: &Simulation) {
    let thrown = Arc::default();
    let address = simulation.system().spawn(Hoarder {
        pair: None,
        thrown: Arc::clone(&thrown),
    });
    address.make().send();
    // The run ends. The owner of the object does not.
    simulation.run();
    assert_eq!(
        address.give_away().ask_blocking(),
        Ok(false),
        "its owner runs"
    );
    simulation.run();
    assert!(thrown.load(Ordering::Relaxed), "at the end of that run");
}

//! Actors with a graph as their state: a heap of their own, collected between turns.

use crate::scenes::reports;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use vivant::heap::{Stress, Unbranded, When};
use vivant::prelude::*;
use vivant::simulation::{Faults, Simulation};
use vivant::{HeapFacts, OnPanic, Pacing, PauseKind, Report, Supervisor, System};

#[derive(Object)]
struct Entry<'gc> {
    key: u64,
    page: String,
    older: Option<Gc<'gc, Mut<Entry<'gc>>>>,
    newer: Option<Gc<'gc, Mut<Entry<'gc>>>>,
}

/// The least recently put pages go first.
#[derive(Actor)]
struct CacheState<'gc> {
    capacity: usize,
    index: gc::HashMap<'gc, u64, Gc<'gc, Mut<Entry<'gc>>>>,
    newest: Option<Gc<'gc, Mut<Entry<'gc>>>>,
    oldest: Option<Gc<'gc, Mut<Entry<'gc>>>>,
    farewell: Option<Arc<AtomicU64>>,
}

#[behaviours]
impl<'gc> CacheState<'gc> {
    #[start]
    fn new(_: &Turn<'gc, Cache>, capacity: usize) -> Self {
        CacheState {
            capacity,
            index: gc::HashMap::new(),
            newest: None,
            oldest: None,
            farewell: None,
        }
    }

    fn put(&mut self, t: &Turn<'gc, Cache>, key: u64, page: String) {
        let (older, newer) = (self.newest, None);
        let entry = t.alloc(Mut::new(Entry {
            key,
            page,
            older,
            newer,
        }));
        match self.newest {
            Some(newest) => newest.borrow_mut(t).newer = Some(entry),
            None => self.oldest = Some(entry),
        }
        self.newest = Some(entry);
        self.index.insert(t, key, entry);
        if self.index.len() > self.capacity {
            self.forget_oldest(t);
        }
    }

    fn get(&mut self, key: u64) -> Option<String> {
        let entry = self.index.get(&key)?;
        Some(entry.borrow().page.clone())
    }

    /// From the newest to the oldest and back: the keys on the way.
    fn walk(&self) -> Vec<u64> {
        let mut keys = Vec::new();
        let mut at = self.newest;
        while let Some(entry) = at {
            keys.push(entry.borrow().key);
            at = entry.borrow().older;
        }
        at = self.oldest;
        for key in keys.iter().rev() {
            let entry = at.expect("there are as many on the way back");
            assert_eq!(entry.borrow().key, *key);
            at = entry.borrow().newer;
        }
        assert!(at.is_none());
        keys
    }

    #[when(self.index.len() >= many && self.newest.is_some_and(|it| it.borrow().key > 0))]
    fn filled(&self, many: usize) -> usize {
        self.index.len()
    }

    /// Asks another for a page, and keeps it.
    fn copy(&mut self, t: &Turn<'gc, Cache>, from: Address<Cache>, key: u64) -> Promise<bool> {
        t.ask(from.get(key)).then(t.me().copied(key))
    }

    #[then]
    fn copied(
        &mut self,
        t: &Turn<'gc, Cache>,
        page: Result<Option<String>, AskError>,
        key: u64,
    ) -> bool {
        let Ok(Some(page)) = page else {
            return false;
        };
        self.put(t, key, page);
        true
    }

    /// As `copy`, by a closure.
    fn copy_locally(&self, t: &Turn<'gc, Cache>, from: Address<Cache>, key: u64) -> Promise<usize> {
        t.ask(from.get(key)).then_local(t, move |state, t, page| {
            state.put(t, key, page.ok().flatten().unwrap_or_default());
            state.index.len()
        })
    }

    fn put_and_panic(&mut self, t: &Turn<'gc, Cache>, key: u64) {
        self.put(t, key, "lost?".into());
        let _borrowed = self.newest.map(|it| it.borrow_mut(t));
        panic!("in the middle of a write");
    }

    fn say_farewell_to(&mut self, whom: Arc<AtomicU64>) {
        self.farewell = Some(whom);
    }

    #[stop]
    fn close(&mut self, _: &Turn<'gc, Cache>) {
        if let Some(whom) = &self.farewell {
            whom.store(self.walk().len() as u64, Ordering::Relaxed);
        }
    }

    #[local]
    fn forget_oldest(&mut self, t: &Turn<'gc, Cache>) {
        let Some(oldest) = self.oldest else {
            return;
        };
        self.index.remove(t, &oldest.borrow().key);
        self.oldest = oldest.borrow().newer;
        if let Some(next) = self.oldest {
            next.borrow_mut(t).older = None;
        }
    }
}

fn heap(system: &System) -> HeapFacts {
    let actors = system.inspect().actors;
    actors
        .iter()
        .find_map(|it| it.heap)
        .expect("an actor with a heap")
}

#[cfg_attr(miri, vivant::test(seeds = 1))]
#[cfg_attr(not(miri), vivant::test(seeds = 30))]
fn seeded_a_cache_under_stress(simulation: &Simulation) {
    let stress = Stress::new(When::Chance, simulation.seed());
    let builder = System::builder().pacing(Pacing::new().nursery(2_000).stressed(stress));
    let simulation = Simulation::with(simulation.seed(), Faults::none(), builder);
    let system = simulation.system();
    let (one, two) = (Cache::spawn(system, 20), Cache::spawn(system, 20));
    let filled = one.filled(20).ask();
    for key in 0..60 {
        one.put(key, format!("page {key}")).send();
        two.copy(one.clone(), key).send();
    }
    assert_eq!(system.block_on(filled), Ok(20));
    simulation.run();
    let newest: Vec<u64> = (40..60).rev().collect();
    assert_eq!(one.walk().ask_blocking(), Ok(newest.clone()));
    assert_eq!(two.walk().ask_blocking().map(|keys| keys.len()), Ok(20));
    assert_eq!(one.get(50).ask_blocking(), Ok(Some("page 50".into())));
    assert_eq!(one.get(30).ask_blocking(), Ok(None));
    assert_eq!(two.copy_locally(one, 45).ask_blocking(), Ok(20));
}

#[test]
fn inspection_shows_the_statistics_of_a_heap() {
    let simulation = Simulation::new(1);
    let cache = Cache::spawn(simulation.system(), 100);
    for key in 0..20_000 {
        cache.put(key, String::new()).send();
    }
    assert_eq!(cache.get(19_999).ask_blocking(), Ok(Some(String::new())));
    let facts = heap(simulation.system());
    assert!(
        facts.pauses[PauseKind::Minor].count > 0 && facts.allocated > 1_000_000,
        "{facts:?}"
    );
    assert!(facts.pages < 2_000_000, "{facts:?}");
}

#[test]
fn an_idle_actor_keeps_no_nursery() {
    let simulation = Simulation::new(2);
    let cache = Cache::spawn(simulation.system(), 10);
    for key in 0..1_000 {
        cache.put(key, String::new()).send();
    }
    simulation.run_for(Duration::from_millis(900));
    assert_eq!(cache.walk().ask_blocking().map(|keys| keys.len()), Ok(10));
    // It has run since the last idle check: so it is checked again.
    simulation.run_for(Duration::from_secs(3));
    let facts = heap(simulation.system());
    assert!(facts.pages <= 16 * 1024, "{facts:?}");
    assert!(
        (facts.live..=facts.pages).contains(&facts.held),
        "{facts:?}"
    );
    assert!((0.0..1.0).contains(&facts.fragmentation()), "{facts:?}");
    let now = simulation.now();
    simulation.run();
    assert_eq!(simulation.now(), now, "no idle check of an idle actor");
    assert_eq!(cache.walk().ask_blocking().map(|keys| keys.len()), Ok(10));
}

#[test]
fn an_actor_that_shares_nothing_has_one_idle_check_a_second() {
    let simulation = Simulation::new(4);
    let cache = Cache::spawn(simulation.system(), 10);
    for key in 0..500 {
        cache.put(key, String::new()).send();
        simulation.run_for(Duration::from_millis(10));
    }
    let busy = heap(simulation.system());
    assert!((3..=5).contains(&busy.idle_checks), "{busy:?}");
    simulation.run_for(Duration::from_secs(60));
    let idle = heap(simulation.system());
    assert!(idle.idle_checks <= busy.idle_checks + 2, "{idle:?}");
    assert_eq!(busy.marks(), 0, "it has nothing of others");
    assert_eq!(idle.marks(), 1, "for its strings, once");
}

#[test]
fn a_turn_that_allocates_too_much_is_reported() {
    let (reports, listener) = reports();
    let builder = System::builder()
        .allocation_limit(100_000)
        .on_report(listener);
    let simulation = Simulation::with(3, Faults::none(), builder);
    let hoard = Hoard::spawn(simulation.system());
    assert_eq!(hoard.hoard(10).ask_blocking(), Ok(10));
    assert!(reports.lock().unwrap().is_empty());
    assert_eq!(hoard.hoard(20_000).ask_blocking(), Ok(20_000));
    let reports = reports.lock().unwrap();
    let [
        Report::LargeTurn {
            behaviour, bytes, ..
        },
    ] = &reports[..]
    else {
        panic!("{reports:?}");
    };
    assert!(behaviour.ends_with("Hoard::hoard") && *bytes >= 320_000);
    assert!(reports[0].to_string().contains("write it in steps"));
}

/// Allocates as much as it is asked to.
#[derive(Actor)]
struct HoardState<'gc> {
    things: Option<Gc<'gc, Thing<'gc>>>,
    drops: Option<Drops>,
}

#[derive(Object)]
struct Thing<'gc> {
    next: Option<Gc<'gc, Thing<'gc>>>,
    drops: Option<Drops>,
}

#[derive(Object, Clone)]
#[object(leaf)]
struct Drops(Arc<AtomicU64>);

impl Drop for Drops {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[behaviours]
impl<'gc> HoardState<'gc> {
    #[start]
    fn new() -> Self {
        HoardState {
            things: None,
            drops: None,
        }
    }

    fn hoard(&mut self, t: &Turn<'gc, Hoard>, many: u64) -> u64 {
        for _ in 0..many {
            let (next, drops) = (self.things, self.drops.clone());
            self.things = Some(t.alloc(Thing { next, drops }));
        }
        many
    }

    fn waste(&self, t: &Turn<'gc, Hoard>, many: u64) {
        for number in 0..many {
            let _waste = t.alloc(number);
        }
    }

    fn count(&self) -> u64 {
        let mut at = self.things;
        let next = || {
            at = at?.next;
            at
        };
        std::iter::from_fn(next).count() as u64 + u64::from(self.things.is_some())
    }

    fn drops(&mut self, drops: Arc<AtomicU64>) {
        self.drops = Some(Drops(drops));
    }

    fn forget(&mut self) {
        self.things = None;
    }
}

#[test]
fn an_allocation_failure_is_an_error_of_the_turn() {
    let builder = System::builder().heap_limit(1 << 20);
    let simulation = Simulation::with(4, Faults::none(), builder);
    let tree = Supervisor::one_for_one().spawn(simulation.system());
    let hoard = tree.add(Hoard::child().on_panic(OnPanic::Resume));
    // A turn's garbage is collected before the next turn.
    assert!(hoard.waste(1_000_000).ask_blocking().is_err());
    assert_eq!(hoard.hoard(100).ask_blocking(), Ok(100));
    let error = hoard.hoard(1_000_000).ask_blocking().unwrap_err();
    assert!(
        error.to_string().contains("no memory for an object"),
        "{error}"
    );
    hoard.forget().send();
    assert_eq!(hoard.hoard(100).ask_blocking(), Ok(100));
    assert_eq!(hoard.count().ask_blocking(), Ok(100));
}

/// Half of the limit is live when it is marked; then all of it dies, and new objects are allocated
/// until there is no room.
#[test]
fn a_heap_at_its_limit_has_room_again() {
    let builder = System::builder().heap_limit(8 << 20);
    let simulation = Simulation::with(4, Faults::none(), builder);
    let tree = Supervisor::one_for_one().spawn(simulation.system());
    let hoard = tree.add(Hoard::child().on_panic(OnPanic::Resume));
    let mut refused = 0;
    for _ in 0..100 {
        if hoard.hoard(10_000).ask_blocking().is_err() {
            refused += 1;
            hoard.forget().ask_blocking().unwrap();
            assert_eq!(hoard.hoard(10_000).ask_blocking(), Ok(10_000));
        }
    }
    assert!(refused > 1, "{refused}");
}

#[test]
fn a_panic_leaves_the_heap_whole() {
    let builder = System::builder().pacing(Pacing::new().stressed(Stress::new(When::All, 0)));
    let simulation = Simulation::with(5, Faults::none(), builder);
    let tree = Supervisor::one_for_one().spawn(simulation.system());
    let goes_on = tree.add(Cache::child(5).on_panic(OnPanic::Resume));
    let begins_anew = tree.add(Cache::child(5));
    for cache in [&goes_on, &begins_anew] {
        (1..4).for_each(|key| cache.put(key, "page".into()).send());
        assert!(cache.put_and_panic(4).ask_blocking().is_err());
        cache.put(5, "page".into()).send();
    }
    // The state is as the turn left it; a borrow that the panic cut off is released.
    assert_eq!(goes_on.walk().ask_blocking(), Ok(vec![5, 4, 3, 2, 1]));
    assert_eq!(begins_anew.walk().ask_blocking(), Ok(vec![5]));
}

#[test]
fn a_stop_hook_sees_the_graph_and_all_of_it_ends() {
    let simulation = Simulation::new(6);
    let (farewell, drops) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let cache = Cache::spawn(simulation.system(), 10);
    cache.say_farewell_to(farewell.clone()).send();
    (0..30).for_each(|key| cache.put(key, "page".into()).send());
    drop(cache);
    let hoard = Hoard::spawn(simulation.system());
    hoard.drops(drops.clone()).send();
    hoard.hoard(1_000).send();
    Address::stop_after_queue(&hoard);
    simulation.run();
    assert_eq!(farewell.load(Ordering::Relaxed), 10);
    assert_eq!(drops.load(Ordering::Relaxed), 1_001);
    assert!(simulation.system().inspect().actors.is_empty());
    assert_eq!(simulation.system().inspect().heap_pages, 0);
}

/// Of any content.
#[derive(Actor)]
struct StackState<'gc, T> {
    top: Option<Gc<'gc, Plate<'gc, T>>>,
}

#[derive(Object)]
struct Plate<'gc, T> {
    value: T,
    below: Option<Gc<'gc, Plate<'gc, T>>>,
}

#[behaviours]
impl<'gc, T: Clone + Unbranded> StackState<'gc, T> {
    #[start]
    fn new() -> Self {
        StackState { top: None }
    }

    fn push(&mut self, t: &Turn<'gc, Stack<T>>, value: T) {
        let below = self.top;
        self.top = Some(t.alloc(Plate { value, below }));
    }

    fn pop(&mut self) -> Option<T> {
        let top = self.top?;
        self.top = top.below;
        Some(top.value.clone())
    }
}

/// What can be measured.
#[interface]
trait Sized {
    /// How much there is.
    fn size(&self) -> u64;
}

#[behaviours]
impl Sized for HoardState<'_> {
    fn size(&self) -> u64 {
        self.count()
    }
}

#[test]
fn a_graph_may_be_generic_and_have_an_interface() {
    let simulation = Simulation::new(7);
    let stack = Stack::<String>::spawn(simulation.system());
    stack.push("a".into()).send();
    stack.push("b".into()).send();
    assert_eq!(stack.pop().ask_blocking(), Ok(Some("b".into())));
    let hoard = Hoard::spawn(simulation.system());
    hoard.hoard(7).send();
    let sized: Address<dyn Sized> = Address::upcast(&hoard);
    assert_eq!(sized.size().ask_blocking(), Ok(7));
}

#[test]
fn many_small_heaps_are_small() {
    let many = if cfg!(miri) { 20 } else { 20_000 };
    let simulation = Simulation::new(8);
    let system = simulation.system();
    let hoards: Vec<_> = (0..many).map(|_| Hoard::spawn(system)).collect();
    hoards.iter().for_each(|hoard| hoard.hoard(10).send());
    simulation.run();
    let bytes = system.inspect().heap_pages * 4096;
    assert!(bytes <= many * 4 * 1024, "{bytes} bytes for {many}");
    drop(hoards);
    simulation.run();
    assert_eq!(system.inspect().heap_pages, 0);
}

#[test]
fn caches_keep_their_pages_on_threads() {
    let system = System::builder().workers(2).build();
    let caches: Vec<_> = (0..8).map(|_| Cache::spawn(&system, 50)).collect();
    let rounds = if cfg!(miri) { 60 } else { 3_000 };
    for key in 0..rounds {
        for cache in &caches {
            cache.put(key, format!("{key}")).send();
        }
    }
    for cache in &caches {
        let newest: Vec<u64> = (rounds - 50..rounds).rev().collect();
        assert_eq!(cache.walk().ask_blocking(), Ok(newest));
    }
    drop(caches);
    assert!(system.shutdown().is_complete());
}

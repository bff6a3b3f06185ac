//! An unreachable resolver breaks its promise in time: no ask waits for ever for a dead resolver.

use std::time::Duration;
use vivant::prelude::*;
use vivant::simulation::{Faults, Simulation};
use vivant::{Marking, Pacing};

/// An open ask, among others in a ring.
#[derive(Object)]
struct Open<'gc> {
    resolver: Option<Resolver<u64>>,
    next: Option<Gc<'gc, Mut<Open<'gc>>>>,
}

/// Answers later, if ever.
#[derive(Actor)]
struct DeskState<'gc> {
    open: Option<Gc<'gc, Mut<Open<'gc>>>>,
    ballast: Vec<Gc<'gc, [u64; 64]>>,
    received: Option<Result<u64, AskError>>,
}

#[behaviours]
impl<'gc> DeskState<'gc> {
    #[start]
    fn new() -> Self {
        DeskState {
            open: None,
            ballast: Vec::new(),
            received: None,
        }
    }

    /// Keeps the resolver in a cycle of two objects.
    fn question(&mut self, t: &Turn<'gc, Desk>) -> Promise<u64> {
        let (promise, resolver) = t.promise();
        self.keep(t, resolver);
        promise
    }

    #[local]
    fn keep(&mut self, t: &Turn<'gc, Desk>, resolver: Resolver<u64>) {
        let one = t.alloc(Mut::new(Open {
            resolver: Some(resolver),
            next: None,
        }));
        let two = t.alloc(Mut::new(Open {
            resolver: None,
            next: Some(one),
        }));
        one.borrow_mut(t).next = Some(two);
        self.open = Some(one);
    }

    /// The cycle becomes unreachable.
    fn forgets(&mut self) {
        self.open = None;
    }

    fn answers(&mut self, t: &Turn<'gc, Desk>, value: u64) {
        let resolver = self
            .open
            .and_then(|open| open.borrow_mut(t).resolver.take());
        if let Some(resolver) = resolver {
            resolver.resolve(value);
        }
    }

    /// This number of objects that stay reachable.
    fn grows(&mut self, t: &Turn<'gc, Desk>, many: u64) {
        self.ballast.extend((0..many).map(|n| t.alloc([n; 64])));
    }

    fn idle(&mut self) {}

    /// Asks itself, and waits for an answer that only its own heap can give.
    fn asks_itself(&mut self, t: &Turn<'gc, Desk>) {
        let _received = t.ask(t.me().question()).then(t.me().receives());
    }

    #[then]
    fn receives(&mut self, answer: Result<u64, AskError>) {
        self.received = Some(answer);
    }

    /// Its own ask waits for the answer of another actor; the resolver is in that actor's garbage
    /// too.
    fn asks(&mut self, t: &Turn<'gc, Desk>, other: Address<Desk>) {
        let (promise, resolver) = t.promise::<u64>();
        self.keep(t, resolver);
        drop(promise);
        let _received = t.ask(other.question()).then(t.me().receives());
    }

    /// A reference to the object with the resolver.
    fn shows(&self, t: &Turn<'gc, Desk>) -> Option<Far<'gc, Desk, Mut<Open<'gc>>>> {
        self.open.map(|open| t.far(open))
    }

    fn received(&self) -> Option<bool> {
        let received = self.received.as_ref()?;
        Some(matches!(received, Err(AskError::Broken { .. })))
    }
}

fn second() -> Duration {
    Duration::from_secs(1)
}

/// Returns whether the ask of this address was broken.
fn is_broken(simulation: &Simulation, desk: &Address<Desk>, for_at_most: Duration) -> bool {
    simulation.run_for(for_at_most);
    desk.received().ask_blocking() == Ok(Some(true))
}

/// An actor asks another, which has the resolver in an old object and drops its last reference to
/// that.
fn asked(simulation: &Simulation) -> (Address<Desk>, Address<Desk>) {
    let system = simulation.system();
    let (asks, has) = (Desk::spawn(system), Desk::spawn(system));
    asks.asks(has.clone()).send();
    // Idle twice: the live objects are old.
    simulation.run_for(5 * second());
    assert_eq!(asks.received().ask_blocking(), Ok(None));
    (asks, has)
}

#[cfg_attr(miri, vivant::test(seeds = 1))]
#[cfg_attr(not(miri), vivant::test(seeds = 30))]
fn an_idle_actor_breaks_its_promise_in_two_seconds(simulation: &Simulation) {
    let (asks, has) = asked(simulation);
    has.forgets().send();
    assert!(is_broken(simulation, &asks, 2 * second()));
}

#[test]
fn an_idle_actor_with_a_large_heap_breaks_its_promise() {
    for marking in [Marking::Concurrent, Marking::AtOnce] {
        let builder = System::builder().collector(marking);
        let simulation = Simulation::with(3, Faults::none(), builder);
        let (asks, has) = asked(&simulation);
        has.grows(2_000).send();
        simulation.run_for(5 * second());
        has.forgets().send();
        assert!(is_broken(&simulation, &asks, 5 * second()), "{marking}");
    }
}

#[cfg_attr(miri, vivant::test(seeds = 1))]
#[cfg_attr(not(miri), vivant::test(seeds = 10))]
fn a_busy_actor_without_allocations_breaks_its_promise(simulation: &Simulation) {
    let (asks, has) = asked(simulation);
    has.forgets().send();
    for _ in 0..1_500 {
        has.idle().send();
        simulation.run_for(second() / 100);
    }
    assert_eq!(asks.received().ask_blocking(), Ok(Some(true)));
}

#[test]
fn a_busy_actor_with_a_young_resolver_breaks_its_promise() {
    let simulation = Simulation::new(5);
    let system = simulation.system();
    let (asks, has) = (Desk::spawn(system), Desk::spawn(system));
    asks.asks(has.clone()).send();
    simulation.run_for(second() / 100);
    has.forgets().send();
    for _ in 0..1_500 {
        has.idle().send();
        simulation.run_for(second() / 100);
    }
    assert_eq!(asks.received().ask_blocking(), Ok(Some(true)));
}

#[cfg_attr(miri, vivant::test(seeds = 1))]
#[cfg_attr(not(miri), vivant::test(seeds = 30))]
fn an_actor_that_asks_itself_gets_a_broken_promise(simulation: &Simulation) {
    let desk = Desk::spawn(simulation.system());
    desk.asks_itself().send();
    simulation.run_for(5 * second());
    assert_eq!(desk.received().ask_blocking(), Ok(None));
    desk.forgets().send();
    assert!(is_broken(simulation, &desk, 2 * second()));
}

#[cfg_attr(miri, vivant::test(seeds = 1))]
#[cfg_attr(not(miri), vivant::test(seeds = 30))]
fn two_actors_that_ask_each_other_get_broken_promises(simulation: &Simulation) {
    let system = simulation.system();
    let (one, two) = (Desk::spawn(system), Desk::spawn(system));
    one.asks(two.clone()).send();
    two.asks(one.clone()).send();
    simulation.run_for(5 * second());
    one.forgets().send();
    two.forgets().send();
    assert!(is_broken(simulation, &one, 2 * second()));
    assert!(is_broken(simulation, &two, 2 * second()));
}

#[test]
fn a_live_resolver_keeps_its_promise_without_repeated_marks() {
    let simulation = Simulation::new(7);
    let (asks, has) = asked(&simulation);
    simulation.run_for(60 * second());
    assert_eq!(asks.received().ask_blocking(), Ok(None));
    let marks = || {
        let actors = simulation.system().inspect().actors;
        let heaps = actors.iter().filter_map(|it| it.heap);
        heaps.map(|heap| heap.marks()).sum::<u64>()
    };
    simulation.run_for(5 * second());
    let before = marks();
    simulation.run_for(600 * second());
    assert_eq!(marks(), before, "no actor has run");
    let now = simulation.now();
    simulation.run();
    assert_eq!(simulation.now(), now, "no idle check comes");
    has.answers(42).send();
    simulation.run_for(second());
    assert_eq!(asks.received().ask_blocking(), Ok(Some(false)));
}

#[test]
fn a_heap_that_is_never_marked_breaks_its_promises_at_its_end() {
    let builder = System::builder().collector(Marking::Never);
    let simulation = Simulation::with(1, Faults::none(), builder);
    let (asks, has) = asked(&simulation);
    has.forgets().send();
    assert!(!is_broken(&simulation, &asks, 60 * second()));
    Address::stop(&has);
    drop(has);
    simulation.run_for(second());
    let received = asks.received().ask_blocking();
    assert_eq!(received, Ok(Some(true)));
}

#[test]
fn a_busy_actor_with_a_growing_heap_breaks_its_promise() {
    let builder = System::builder().pacing(Pacing::new().nursery(1024).first(4096));
    let simulation = Simulation::with(9, Faults::none(), builder);
    let (asks, has) = asked(&simulation);
    has.forgets().send();
    for _ in 0..50 {
        has.grows(20).send();
    }
    simulation.run_for(second() / 10);
    assert_eq!(asks.received().ask_blocking(), Ok(Some(true)));
}

/// A far reference keeps no resolver alive when the actor that it leads to has ended.
#[test]
fn the_end_of_an_actor_breaks_its_promises_despite_far_references() {
    for objects in [0, 2_000] {
        let simulation = Simulation::new(objects);
        let (asks, has) = asked(&simulation);
        has.grows(objects).send();
        let kept = has.shows().ask_blocking().expect("it lives");
        Address::stop(&has);
        simulation.run_for(second());
        let received = asks.received().ask_blocking();
        assert!(matches!(received, Ok(Some(_))), "it waits still: {objects}");
        assert!(kept.look(|kept| kept.is_some()));
    }
}
